"""Suspicions about a table: what its columns and classes show that a person should know before signing off a rule.

All of it comes from a look at the table, which is the same for a table in memory, in parts or on a cluster. Cells are
compared on the rows drawn for the look: all rows of a small table, else 10,000. The thresholds were tried on twenty
public data sets, where a finding that a person would call silly counted as a mistake.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from imli.learning.rows.engine import Look
from imli.rules import Rule
from imli.rules.notation import write_value
from imli.rules.text import write_rows
from imli.table.dates import read_moment, write_moment
from imli.table.findings import Finding, Grade, in_order
from imli.table.frame import AnyArray, BoolArray, Column, FloatArray, IntArray
from imli.table.readings import MONTH
from imli.table.sample import Sample, fingerprints

_MOST_NAMES = 10  # in one sentence
_FEW_ROWS, _FEW_NUMBERS, _FEW_NAMED = 50, 100, 20  # cells that show no identifier; the last where its name does, too
_SURE = 5.0  # equal pairs that chance would bring about: that there are none is then no chance
_NEARLY_ALL = 0.95  # of the cells are different, in identifiers of text
_MANY = 0.5  # of the cells are different where the name of the column says that it is an identifier
_LONG = 6  # digits, as measurements seldom all have
_FREE_SHARE, _FREE_WORDS = 0.5, 4.0  # different cells, and words in a cell, of free text
_LEAK = 0.98  # of the way from guessing to always right
_EASY = 0.65  # what a column without suspicion tells where the classes are easily told apart
_ENOUGH = 50  # rows of the second largest class, for a leak to be more than chance
_FEW_DIFFERENT = 10  # of these rows
_RARE_ROWS, _RARE_SHARE, _RARE_AMONG_FEW = 5, 0.01, 0.05
_N_CUTS = 8
_MANY_FOLDS, _ALL_FOLDS = 5, 2000  # of fewer rows than that
_LEFT_OUT = "No condition is on it unless use={!r} asks for it."
_ASKED = ("identifier", "free text", "leak", "misread")  # findings that use and never settle
_CODES = {
    -1,
    *(-int(sign * n) for sign in "89" for n in range(1, 7)),
    *(int(sign * n) for sign in "89" for n in range(2, 7)),
}
_SPARSE, _FEW_PARTS = 100, 5  # numbers for each that occurs, in times; words in a date
_LEAST_CODES = 3  # cells with a code
_ZERO_GAP, _MOST_ZEROS, _FEW_VALUES = 0.3, 0.5, 20

_ID_NAME = re.compile(
    r"\b(id|ids|uuid|guid|rownames)\b|\b(nr|no|number|num|code|key)$|^(index|row|unnamed( \d+)?)$"
    r"|(user|customer|client|patient|order|product|applicant|employee|member|account|record|transaction|session)id$"
)
_PERSONAL = re.compile(
    r"\b(sex|gender|race|ethnic\w*|age|religio\w*|nationality|citizen\w*|native|foreign|birth\w*|dob|marital|marriage"
    r"|married|personal|pregnan\w*|disab\w*|postcode|postal|zip|zipcode|geschlecht|alter|plz)\b"
)
_NOT_PERSONAL = re.compile(r"\b(schools?|insurance|programs?|polic\w+|assistance)\b")
_NUMBER = re.compile(r"\W{0,4}(?!0\d)\d[\d.,'_ ]*([eE][-+]?\d+)?\s?([kKMB]|bn|Mio\.?)?\W{0,3}")
_YEAR, _SMALL, _WORD = (
    re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)"),
    re.compile(r"(?<!\d)\d\d?(?!\d)"),
    re.compile(r"[^\W\d_]+"),
)
_MONTH_AND_NUMBER = re.compile(rf"{MONTH}\W{{0,2}}\d\d?|\d\d?\W{{0,2}}{MONTH}")
_MOST_WORDS = 45  # for months, days of the week and zones
# Moments since 1970, by how many of them make a second, and the ends of the numbers that are taken for moments.
_CLOCKS = {"seconds": 1, "milliseconds": 1000, "microseconds": 10**6, "nanoseconds": 10**9}
_CLOCK_ENDS = 883_612_800, 2_145_916_800  # 1998 to 2038
_CODE_DAYS = ("0001-01-01", "1753-01-01", "1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1970-01-01")
_LAST_YEAR = read_moment("2199-01-01")


def words_of(name: str) -> str:
    """Return the name of a column in lower case, with spaces between its words.

    >>> words_of("patientID"), words_of("Zip_Code")
    ('patient id', 'zip code')
    """
    return re.sub(r"[_\W]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)).lower().strip()


@dataclass(frozen=True, eq=False)
class DrawnCells:
    """The cells of a column in the drawn rows, with what they tell about the classes."""

    column: Column
    sample: Sample
    is_all: bool  # no row of the table was left out

    @cached_property
    def there(self) -> BoolArray:
        """Return which cells are not missing."""
        return ~self.column.missing

    @cached_property
    def _found(self) -> tuple[AnyArray, IntArray, IntArray]:
        return np.unique(self.column.values[self.there], return_inverse=True, return_counts=True)

    @property
    def values(self) -> AnyArray:
        """Return the different values, in ascending order; for text the positions in the categories."""
        return self._found[0]

    @property
    def counts(self) -> IntArray:
        """Return the number of cells of each value."""
        return self._found[2]

    @cached_property
    def codes(self) -> IntArray:
        """Return the position of each cell in the values, one more than there are for a missing cell."""
        codes = np.full(len(self.there), len(self.values))
        codes[self.there] = self._found[1]
        return codes

    @property
    def noun(self) -> str:
        """Return what messages call the cells that are not missing."""
        return "cells" if self.is_all else "cells looked at"

    @property
    def n_there(self) -> int:
        """Return the number of cells that are not missing."""
        return int(self.counts.sum())

    @property
    def is_whole(self) -> bool:
        """Return True for a column of whole numbers."""
        values = self.values
        if self.column.kind != "number" or not len(values):
            return False
        return values.dtype.kind == "i" or bool(np.isfinite(values).all() and (values == np.floor(values)).all())

    @cached_property
    def tells(self) -> float:
        """Return how much the column tells about the classes: 0 is guessing, 1 is always right.

        The most frequent class of each value, or of each interval, is learned from some of the rows and tried on the
        others, in turn. All classes count alike, however rare.
        """
        n_folds = _MANY_FOLDS if self.sample.n_rows < _ALL_FOLDS else 2
        fold = np.arange(self.sample.n_rows) % n_folds  # in the order of hashes, which is by chance
        return self._tell(self.codes, [(fold != number, fold == number) for number in range(n_folds)])

    @cached_property
    def tells_at_best(self) -> float:
        """Return how much the column tells about the rows that its intervals were learned from."""
        everything = np.ones(self.sample.n_rows, dtype=bool)
        return self._tell(self.codes, [(everything, everything)])

    @cached_property
    def gaps_tell(self) -> float:
        """Return how much the missing cells alone tell."""
        everything = self.there | True
        return self._tell(np.where(self.there, 0, len(self.values)), [(everything, everything)])

    def _tell(self, codes: IntArray, splits: Iterable[tuple[BoolArray, BoolArray]]) -> float:
        sample, n_codes, n_classes = self.sample, len(self.values) + 1, len(self.sample.classes)
        rights = []
        for train, test in splits:
            known = _shares(codes[train], sample.positions[train], sample.weights[train], n_codes, n_classes)
            tried = _shares(codes[test], sample.positions[test], sample.weights[test], n_codes, n_classes)
            if self.column.kind in ("number", "date"):
                known = _intervals(known)
            decided = known.argmax(axis=1)
            right = tried[np.arange(n_codes), decided]
            rights += [right[decided == label].sum() for label in np.flatnonzero(tried.sum(axis=0))]
        chance = 1 / n_classes
        return max(0.0, (float(np.mean(rights)) - chance) / (1 - chance)) if n_classes > 1 else 0.0


def _shares(codes: IntArray, positions: IntArray, weights: FloatArray, n_codes: int, n_classes: int) -> FloatArray:
    """Return for each code and class the share of the weight of the class that has the code."""
    sums = np.bincount(codes * n_classes + positions, weights=weights, minlength=n_codes * n_classes)
    sums = sums.reshape(n_codes, n_classes)
    return np.asarray(sums / np.maximum(sums.sum(axis=0), 1e-300))


def _intervals(by_class: FloatArray) -> FloatArray:
    """Return the shares of each class summed over intervals of codes; the last code, for missing cells, stays apart.

    Intervals end where some class is separated best from the rest, and at a few quantiles.
    """
    below = np.cumsum(by_class[:-1], axis=0)
    if len(below) < 2:
        return by_class
    n_classes = by_class.shape[1]
    apart = below[:-1] - (below[:-1].sum(axis=1, keepdims=True) - below[:-1]) / max(1, n_classes - 1)
    total = below.sum(axis=1)
    quantiles = np.searchsorted(total, total[-1] * np.arange(1, _N_CUTS) / _N_CUTS)
    cuts = np.unique(np.concatenate([apart.argmax(axis=0), apart.argmin(axis=0), quantiles]))
    starts = np.append(0, cuts[cuts < len(below) - 1] + 1)
    sums = np.add.reduceat(by_class[:-1], starts, axis=0)
    return np.vstack([np.repeat(sums, np.diff(np.append(starts, len(below))), axis=0), by_class[-1:]])


def columns_to_leave_out(findings: Iterable[Finding]) -> frozenset[str]:
    """Return the columns that a rule may use only if they are asked for."""
    return frozenset(name for each in findings if each.kind in ("identifier", "free text") for name in each.columns)


def settled(findings: Iterable[Finding], used: Collection[str], never: Collection[Any]) -> tuple[Finding, ...]:
    """Return the findings, of which those about columns that are used or left out as asked are remarks."""
    found = list(findings)
    for place, finding in enumerate(found):
        for names, done in ((used, "used"), (never, "left out")):
            if finding.kind in _ASKED and finding.columns and set(finding.columns) <= set(names):
                found[place] = replace(finding, cure=f"It is {done}, as asked.", grade="remark")
    return in_order(found)


def undecided(rule: Rule) -> list[Finding]:
    """Return the findings about classes that the rule decides for none of the rows that it counts."""
    counts = rule.counts
    assert counts is not None
    decided = {label for label, rows in zip(rule.region_classes, counts.regions, strict=True) if any(rows)}
    cure = "class_weight='balanced' lets a rare class count as much as the others, and a lower lam allows longer rules."
    found = []
    for label, total in zip(counts.classes, map(sum, zip(*counts.regions, strict=True)), strict=True):
        if total and label not in decided:
            text = f"The rule never predicts {write_value(label)}, the class of {write_rows(total)}."
            # the total of a score orders the rows all the same
            is_notable = total >= _RARE_ROWS and rule.kind != "score"
            found.append(Finding("never predicted", (), text, cure, "notable" if is_notable else "remark"))
    return found


def look_closely(look: Look) -> dict[str, DrawnCells]:
    """Return the cells of each column in the drawn rows."""
    assert look.drawn is not None
    is_all = look.n_rows == look.drawn.n_rows
    return {name: DrawnCells(column, look.drawn, is_all) for name, column in look.drawn.frame.columns.items()}


def suspect(look: Look, cells: dict[str, DrawnCells] | None = None, target: str | None = None) -> tuple[Finding, ...]:
    """Return the findings about a table, the gravest first."""
    cells = look_closely(look) if cells is None else cells
    drawn = look.drawn
    assert drawn is not None
    constant = [name for name, summary in look.columns.items() if _is_constant(summary.examples)]
    varied = {name: each for name, each in cells.items() if name not in constant}
    is_named = list(cells) != [f"x{j}" for j in range(len(cells))]
    found = [finding for each in varied.values() for finding in _about(each, is_named)]
    odd = {name for finding in found if finding.kind in ("identifier", "free text") for name in finding.columns}
    rest = {name: each for name, each in varied.items() if name not in odd}
    if len(rest) > 1 and _are_enough(drawn):
        found += _leaks(rest.values(), target)
    found += [*_duplicates(rest), *_one_hot(rest), *_rare(look)]
    if constant:
        found.append(Finding("constant", tuple(constant), f"{_are(constant)} the same in all rows."))
    if is_named and (personal := [name for name in cells if is_personal(name)]):
        what = "a personal attribute by its name" if len(personal) == 1 else "personal attributes by their names"
        cure = f"never={personal} keeps {'it' if len(personal) == 1 else 'them'} out of the rule."
        found.append(Finding("personal", tuple(personal), f"{_are(personal)} {what}.", cure))
    return in_order(found)


def is_personal(name: str) -> bool:
    """Return True if the name of a column is that of a personal attribute, such as sex or age.

    >>> is_personal("SEX"), is_personal("native_country"), is_personal("average"), is_personal("religious schools")
    (True, True, False, False)
    """
    words = words_of(name)
    return _PERSONAL.search(words) is not None and _NOT_PERSONAL.search(words) is None


def _are(names: Sequence[str]) -> str:
    shown = list(map(repr, names[:_MOST_NAMES]))
    if len(names) > _MOST_NAMES:
        shown.append(f"{len(names) - _MOST_NAMES:,} more columns")
    *others, last = shown
    return f"{', '.join(others)} and {last} are" if others else f"{last} is"


def _is_constant(examples: Column) -> bool:
    return len(examples.missing) < 2 or (
        not examples.missing.any() and bool((examples.values[1:] == examples.values[0]).all())
    )


def _about(cells: DrawnCells, is_named: bool) -> Iterator[Finding]:
    """Yield the findings about a column by itself."""
    name, column = cells.column.name, cells.column
    if (moments := _moments(cells)) is not None:
        yield moments
    elif (why := _identifier(cells, is_named)) is not None:
        text = f"{name!r} looks like an identifier: {why}."
        yield Finding("identifier", (name,), text, _LEFT_OUT.format(name), "notable")
        if column.kind == "text" and (odd := _misread(cells, "dates")) is not None:
            yield odd
    elif column.kind == "text":
        yield from _about_text(cells)
    elif column.kind == "number":
        yield from _codes(cells)
    elif column.kind == "date":
        yield from _code_days(cells)


def _moments(cells: DrawnCells) -> Finding | None:
    """Return a finding if whole numbers look like moments counted since 1970."""
    if not cells.is_whole or len(cells.values) < _FEW_VALUES:
        return None
    first, last = int(cells.values[0]), int(cells.values[-1])
    for unit, n in _CLOCKS.items():
        if _CLOCK_ENDS[0] * n <= first and last < _CLOCK_ENDS[1] * n and last - first > _SPARSE * len(cells.values):
            name, moment = cells.column.name, write_moment(first // n * 10**6)
            text = f"{name!r} looks like a time in {unit} since 1970: its least number, {first}, would be {moment}."
            return Finding("reading", (name,), text, "Make dates of it, so that conditions say when.")
    return None


def _identifier(cells: DrawnCells, is_named: bool) -> str | None:
    """Return why a column looks like an identifier, or None."""
    n, n_values = cells.n_there, len(cells.values)
    is_called = is_named and _ID_NAME.search(words_of(cells.column.name)) is not None
    least_rows, least_share = (_FEW_NAMED, _MANY) if is_called else (_FEW_ROWS, _NEARLY_ALL)
    if n < least_rows or n_values < least_share * n:
        return None
    alike = _alike(cells)
    if cells.column.kind == "text":
        return alike if _n_words(cells) < _FREE_WORDS else None
    if not cells.is_whole or (n < _FEW_NUMBERS and not is_called):
        return None
    spread = float(cells.values[-1]) - float(cells.values[0]) + 1
    equal_by_chance = n * n / (2 * spread)
    if not is_named:  # columns of an array are seldom identifiers
        return alike if n == n_values and 2 * n >= spread else None
    if is_called or (equal_by_chance >= _SURE and n - n_values <= equal_by_chance / 10):
        return alike
    if n > n_values:
        return None
    digits = {len(str(int(value))) for value in cells.values}
    if _is_rising(cells):
        return f"its {n:,} {cells.noun} rise with the rows"
    return f"{alike} and have {max(digits)} digits" if len(digits) == 1 and max(digits) >= _LONG else None


def _alike(cells: DrawnCells) -> str:
    """Return how many cells are different, in words."""
    n, n_values = cells.n_there, len(cells.values)
    if n == n_values:
        return f"its {n:,} {cells.noun} are all different"
    return f"{n_values:,} of its {n:,} {cells.noun} are different"


def _is_rising(cells: DrawnCells) -> bool:
    origins = cells.sample.origins
    if origins is None:
        return False
    order = np.argsort(origins[cells.there])
    return bool((np.diff(cells.column.values[cells.there][order]) > 0).all())


def _n_words(cells: DrawnCells) -> float:
    """Return the number of words in a cell, on average."""
    categories = cells.column.categories
    return float(np.average([len(categories[code].split()) for code in cells.values], weights=cells.counts))


def _about_text(cells: DrawnCells) -> Iterator[Finding]:
    """Yield the findings about a column of text that is no identifier."""
    name, n, n_values = cells.column.name, cells.n_there, len(cells.values)
    odd = _misread(cells, "dates") or _misread(cells, "numbers")
    if odd is not None:
        yield odd
    n_words = _n_words(cells) if n >= _FEW_ROWS and n_values >= _FREE_SHARE * n else 0.0
    if n_words >= _FREE_WORDS:
        text = f"{name!r} looks like free text: {_alike(cells)}, of {n_words:.0f} words each."
        yield Finding("free text", (name,), text, _LEFT_OUT.format(name), "notable")


def _misread(cells: DrawnCells, what: Literal["numbers", "dates"]) -> Finding | None:
    """Return a finding if text looks like numbers or dates."""
    name, n_values = cells.column.name, len(cells.values)
    if n_values < _FEW_VALUES:
        return None
    texts = [cells.column.categories[code] for code in cells.values]
    words = {word.lower() for text in texts for word in _WORD.findall(text)} if what == "dates" else set()
    fits = _NUMBER.fullmatch if what == "numbers" else _has_day if len(words) <= _MOST_WORDS else _is_date
    others = [text for text in texts if not fits(text)]
    if len(others) > 0.1 * n_values:
        return None
    but = f", but for {', '.join(map(repr, others[:3]))}{' and others' if len(others) > 3 else ''}" if others else ""
    text = f"{name!r} is text, though its cells are {what}{but}."
    return Finding("misread", (name,), text, f"Make {what} of it, so that conditions compare them.", "serious")


def _is_date(text: str) -> bool:
    try:
        read_moment(text)
    except ValueError:
        return False
    return True


def _has_day(text: str) -> bool:
    """Return True if a text has one year, and small numbers and words as days and months have, or is like Nov-23."""
    if _MONTH_AND_NUMBER.fullmatch(text):
        return True
    (year, *others) = _YEAR.findall(text) or ("", "")
    return bool(year) and not others and bool(_SMALL.search(text)) and len(_WORD.findall(text)) <= _FEW_PARTS


def _code_days(cells: DrawnCells) -> Iterator[Finding]:
    """Yield the findings about days at an end of a column that may stand for something else."""
    name, values, counts = cells.column.name, cells.values, cells.counts
    if len(values) < _FEW_VALUES:
        return
    for end, next_to in ((0, 1), (-1, -2)):
        day, gap = write_moment(int(values[end])), abs(int(values[end]) - int(values[next_to]))
        is_odd = day in _CODE_DAYS if end == 0 else values[end] >= _LAST_YEAR
        if counts[end] >= _LEAST_CODES and is_odd and gap > abs(int(values[1]) - int(values[-2])) / 2:
            where = "far from all other dates: it may be a code and no date"
            text = f"{name!r} is {day} in {100 * counts[end] / cells.n_there:.1f} % of the rows, {where}."
            yield Finding("codes", (name,), text, "If so, leave these cells empty.")


def _codes(cells: DrawnCells) -> Iterator[Finding]:
    """Yield the findings about numbers at an end of a column that may stand for something else."""
    name, values, counts = cells.column.name, cells.values, cells.counts
    if len(values) < _FEW_VALUES or not np.isfinite(values).all():
        return
    for end, rest in ((0, slice(1, None)), (-1, slice(None, -1))):
        value, n_equal, others = float(values[end]), int(counts[end]), values[rest].astype(np.float64)
        if n_equal < _LEAST_CODES:
            continue
        if value in _CODES and (value - others[-1] > others[-1] - others[0] if value > 0 else others[0] >= 0):
            where = "far above all other numbers" if value > 0 else "the only number below 0"
            what = "a code and no number"
        elif (
            value == 0
            and end == 0
            and n_equal <= _MOST_ZEROS * cells.n_there
            and others[0] >= _ZERO_GAP * np.median(np.repeat(others, counts[rest]))
        ):
            where, what = "far below all other numbers", "a missing cell"
        else:
            continue
        text = f"{name!r} is {value:g} in {100 * n_equal / cells.n_there:.1f} % of the rows, {where}: it may be {what}."
        yield Finding("codes", (name,), text, "If so, leave these cells empty.")


def _are_enough(drawn: Sample) -> bool:
    """Return True if there are so many rows of two classes that no column tells them apart by chance."""
    _, first = np.unique(fingerprints(drawn.frame, 0), return_index=True)
    by_class = np.bincount(drawn.positions, minlength=2)
    different = np.bincount(drawn.positions[first], minlength=2)  # a small table may have been repeated
    return bool(np.sort(by_class)[-2] >= _ENOUGH and np.sort(different)[-2] >= _FEW_DIFFERENT)


def _leaks(columns: Collection[DrawnCells], target: str | None) -> Iterator[Finding]:
    """Yield the findings about columns that tell the classes almost alone.

    The values of numbers and dates do so by themselves where other columns are nearly as good: the first kind of iris
    is told apart by petals as well as by sepals.
    """
    found = [cells for cells in columns if cells.tells_at_best >= _LEAK and cells.tells >= _LEAK]
    is_easy = bool(found) and any(_EASY <= cells.tells < _LEAK for cells in columns)
    for cells in found:
        by_gaps = cells.gaps_tell if cells.column.missing.any() else 0.0
        name, what = cells.column.name, "the target" if target is None else repr(target)
        subject = f"Whether {name!r} is missing" if by_gaps >= _LEAK else repr(name)
        if is_easy and by_gaps < _LEAK and cells.column.kind in ("number", "date") and len(cells.values) >= _FEW_VALUES:
            yield Finding("leak", (name,), f"{subject} tells {what} almost alone, and others nearly as well.")
            continue
        text = f"{subject} tells {what} almost alone, as what is known only after the decision does."
        yield Finding("leak", (name,), text, f"If it is, leave it out with never={name!r}.", "serious")


def _duplicates(varied: dict[str, DrawnCells]) -> Iterator[Finding]:
    """Yield the findings about columns with equal cells, or with cells that only have other names."""
    alike: dict[bytes, list[str]] = {}
    for name, cells in varied.items():
        alike.setdefault(_pattern(cells), []).append(name)
    for names in alike.values():
        if len(names) > 1:
            yield Finding(
                "duplicate", tuple(names), f"{_are(names).removesuffix(' are')} say the same.", "One is enough."
            )


def _pattern(cells: DrawnCells) -> bytes:
    """Return bytes that are equal for columns whose cells only have other names."""
    codes, n_values = cells.codes, len(cells.values)
    if cells.column.kind in ("number", "date") and 5 * n_values > cells.n_there:
        turned = np.where(cells.there, n_values - 1 - codes, n_values)  # of many numbers, only the order matters
        first = int(np.argmax(codes != turned))
        return b"ordered" + (codes if codes[first] < turned[first] else turned).tobytes()
    places = np.unique(codes, return_index=True)[1]
    names = np.empty(n_values + 1, dtype=np.int64)
    names[codes[np.sort(places)]] = np.arange(len(places))
    return names[codes].tobytes()


def _one_hot(varied: dict[str, DrawnCells]) -> Iterator[Finding]:
    """Yield the findings about neighbouring columns of 0 and 1 of which each row has exactly one."""
    run: list[str] = []
    total: IntArray | None = None
    for name, cells in varied.items():
        ones = cells.column.values.astype(np.int64) if _is_flag(cells) else None
        if ones is None or total is None or (total + ones > 1).any():
            run, total = ([], None) if ones is None else ([name], ones)
            continue
        run, total = [*run, name], total + ones
        if (total == 1).all():
            if len(run) > 2:
                yield Finding(
                    "one-hot group",
                    tuple(run),
                    f"{_are(run)} one choice: each row has exactly one of them.",
                    "As one column of text, a condition could name several.",
                )
            run, total = [], None


def _is_flag(cells: DrawnCells) -> bool:
    values = cells.values.tolist()
    return cells.column.kind in ("number", "flag") and values == [0, 1] and bool(cells.there.all())


def _rare(look: Look) -> Iterator[Finding]:
    """Yield the findings about classes that have hardly any rows."""
    n_rows = look.weights.weights.sum(axis=0)
    for label, n in zip(look.classes.tolist(), n_rows.tolist(), strict=True):
        if 0 < n < max(_RARE_SHARE * look.n_rows, min(_RARE_ROWS, _RARE_AMONG_FEW * look.n_rows)):
            grade: Grade = "notable" if n < _RARE_ROWS else "remark"
            few, cure = "", ""
            if n < _RARE_ROWS:
                few = ", too few to learn and to check a rule for, so it is never predicted by default"
                those = "it" if n == 1 else "them"
                cure = f"Collect more of {those}, or put {those} into another class."
            text = f"The class {write_value(label)} has {n:,} of {write_rows(look.n_rows)}{few}."
            yield Finding("rare class", (), text, cure, grade)
