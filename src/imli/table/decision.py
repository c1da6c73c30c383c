"""Decisions: how each column of a file is read, and what a person should know about that."""

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from imli.errors import brief
from imli.table.csv_cells import value_of
from imli.table.dates import read_moment, write_moment
from imli.table.evidence import COMPACT_DAY, Evidence, fits, is_code
from imli.table.findings import Finding, FindingKind, Grade
from imli.table.frame import ColumnKind
from imli.table.readings import (
    FLAG_PAIRS,
    FLAGS,
    FORMATS,
    MISSING,
    MISSING_SIGNS,
    MISSING_WORDS,
    PLAIN_MISSING,
    Format,
    NumberShape,
    Reading,
    date_shape,
    is_currency,
    is_infinite,
    is_unit,
    read_day,
)

_ENOUGH = 0.95  # of the cells that are not missing must be numbers or dates, so that the others are taken as missing
_MOST = 0.5  # from here on a person should know that some are
_LEAST = 0.2  # of all cells, if the others are words for missing ones
_FEW = 20  # numbers that are enough to tell whether they are grouped; texts that are remembered
_FEW_UNITS, _FEW_NAMES = 3, 2
_TOTAL = re.compile(
    r"(?:(?:grand|sub|overall) ?)?(?:total|sum|average|mean|summe|gesamt(?:summe)?|insgesamt|durchschnitt|mittelwert|"
    r"somme|moyenne|suma|media)s?\s*:?", re.IGNORECASE,
)  # fmt: skip
_LATE, _FOUR_DIGITS = read_moment("2040-01-01"), re.compile(r"[0-9]{4}")
_SHORT_DAY = re.compile(r"(?P<first>[0-9]{2})([-/.])[0-9]{2}\2(?P<last>[0-9]{2})")
_CLOCK_SHAPE = re.compile(r"[0\x01]?0:00(?::00)?(?:\s?[AaPp][Mm])?")
_OTHER_SIGN = {".": ",", ",": "."}


@dataclass(frozen=True)
class Wanted:
    """What was said about how a file is to be read, and what is remembered from the file that a model learned from."""

    decimal: str | None = None
    thousands: str | None = None
    date_formats: Mapping[str, str] = field(default_factory=dict)  # under "" that of all columns
    kinds: Mapping[str, ColumnKind] = field(default_factory=dict)
    remembered: Mapping[str, Reading] = field(default_factory=dict)
    missing: Sequence[str] | None = None  # the texts of missing cells
    target: str | None = None

    @property
    def formats(self) -> tuple[Format, ...]:
        """Return the formats of numbers that were not ruled out."""
        return tuple(
            (decimal, thousands)
            for decimal, thousands in FORMATS
            if self.decimal in (None, decimal) and (self.thousands in (None, thousands) or thousands == "")
        )

    def date_format(self, name: str) -> str:
        """Return the format of dates that was said for a column, "" for none."""
        return self.date_formats.get(name, self.date_formats.get("", ""))


@dataclass(frozen=True)
class _Note:
    """A remark about a column; those with one key become one finding about all their columns."""

    kind: FindingKind
    grade: Grade
    key: tuple[Any, ...]
    column: str
    text: str  # with <names>, <is> and <cells> in it
    cure: str = ""  # with <column>
    cells: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Numbers:
    """The formats in which most cells are numbers, and what those have in them."""

    n: int = 0
    formats: tuple[Format, ...] = FORMATS
    shapes: Mapping[str, tuple[NumberShape, int]] = field(default_factory=dict)

    @cached_property
    def signs(self) -> frozenset[str]:
        """Return the signs that stand between digits."""
        return frozenset(sign for number, _ in self.shapes.values() for sign in set(number.core) & set(".,' "))

    @cached_property
    def units(self) -> Counter[str]:
        """Return the number of cells with each unit, "" for none."""
        found: Counter[str] = Counter()
        for number, count in self.shapes.values():
            found[number.unit] += count
        return found

    @property
    def named(self) -> list[str]:
        """Return the units, with the most frequent first, without rare ones, which are slips."""
        rare = (1 - _ENOUGH) * sum(self.units.values())
        return [unit for unit, n in self.units.most_common() if unit and (n > rare or is_currency(unit))]

    @property
    def unit(self) -> str:
        """Return the most frequent unit, "" if there is none."""
        return next(iter(self.named), "")

    @property
    def is_unclear(self) -> bool:
        """Return True if a point or a comma may stand before decimals or between thousands."""
        return any(len({form[0] == sign for form in self.formats}) > 1 for sign in self.signs & {".", ","})

    @property
    def looks_grouped(self) -> bool | None:
        """Return whether unclear signs are between thousands, or None where even all numbers do not tell."""
        plain = [number.core for number, _ in self.shapes.values() if set(number.core) <= {"0"}]
        if any(len(core) > 3 for core in plain):
            return False  # 1234 beside 1.234
        if self.is_unclear and is_currency(self.unit):
            return True  # no money has three decimals
        n_grouped = sum(count for number, count in self.shapes.values() if set(number.core) & {".", ","})
        return True if plain and n_grouped >= _FEW else None

    def choose(self, decimal: str) -> Format:
        """Return the format with this decimal sign if there is one, and with no separator that does not occur."""
        among = [form for form in self.formats if form[0] == decimal] or self.formats
        return min(among, key=lambda form: (form[1] not in self.signs and form[1] != "", form[1] == ""))


def _weigh(evidence: Evidence, formats: Sequence[Format]) -> _Numbers:
    """Return the formats, among these, in which most cells are numbers."""
    fitting = {form: sum(n for number, n in evidence.numbers.values() if form in number.formats) for form in formats}
    n = max(fitting.values(), default=0)
    best = tuple(form for form in formats if fitting[form] == n)
    shapes = {shape: pair for shape, pair in evidence.numbers.items() if set(best) & pair[0].formats}
    return _Numbers(n, best, shapes) if n else _Numbers(formats=tuple(formats))


class Decision:
    """How each column is read, by all of its cells and, where they do not tell, by those of the others."""

    def __init__(self, found: Mapping[str, Evidence], wanted: Wanted, delimiter: str) -> None:
        self._found, self._wanted, self._notes = found, wanted, list[_Note]()
        self._numbers = {name: _weigh(evidence, wanted.formats) for name, evidence in found.items()}
        self._has_commas, self._has_votes = self._count_votes(delimiter)
        orders = Counter(filter(None, map(_clear_order, found.values())))
        self._order = max(orders, key=orders.__getitem__, default="")
        self._repeated = self._find_headers()
        self._find_totals()
        self.readings = {name: self._decide(name) for name in found}
        if more := {text for text in wanted.missing or () if text not in (*PLAIN_MISSING, *MISSING)}:
            for name, reading in self.readings.items():
                self.readings[name] = replace(reading, missing=(*reading.missing, *sorted(more)))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return what is to be known about how the columns are read."""
        return _write_findings(note for note in self._notes if note.column != self._wanted.target)

    def _note(
        self, grade: Grade, key: tuple[Any, ...], name: str, text: str, cure: str = "",
        cells: Mapping[str, int] | None = None,
    ) -> None:  # fmt: skip
        kind: FindingKind = "misread" if grade == "serious" else "reading"
        self._notes.append(_Note(kind, grade, key, name, text, cure, cells or {}))

    def _count_votes(self, delimiter: str) -> tuple[bool, bool]:
        """Return whether signs that may mean two things are decimal commas, and whether clear columns say so."""
        votes: Counter[bool] = Counter()
        for name, numbers in self._numbers.items():
            signs = numbers.signs & {".", ","}
            if signs and not numbers.is_unclear and numbers.n >= _ENOUGH * self._found[name].n_present:
                decimal, thousands = numbers.choose(".")
                votes[(decimal if decimal in signs else _OTHER_SIGN[thousands]) == ","] += 1
        if votes[True] != votes[False]:
            return votes[True] > votes[False], True
        return delimiter == ";", False

    def _find_headers(self) -> frozenset[str]:
        """Return the names of columns that stand among their own cells, where the header is repeated below."""
        counts = {name: n for name, evidence in self._found.items() if (n := evidence.words.get(name))}
        n_rows = min(counts.values(), default=0)
        found = [name for name, n in counts.items() if n == n_rows]
        if len(found) < _FEW_NAMES or 2 * len(found) < len(self._found):
            return frozenset()
        rows = f"{n_rows:,} row{'' if n_rows == 1 else 's'}"
        for name in found:
            self._note("notable", ("header",), name,
                       f"The header is repeated in {rows}, where <names> <is> taken as missing.",
                       "Remove these rows.")  # fmt: skip
        return frozenset(found)

    def _find_totals(self) -> None:
        """Note a row that seems to hold sums of the others."""
        for name, evidence in self._found.items():
            total = next((word for word, n in evidence.words.items() if n == 1 and _TOTAL.fullmatch(word)), None)
            if total is not None and evidence.n_present > _FEW:
                self._note("notable", ("total",), name,
                           f"A row may hold sums or means of the others: <names> <is> {total!r} there.",
                           "If so, remove it.")  # fmt: skip
                return

    def _decide(self, name: str) -> Reading:
        said, remembered = self._wanted.kinds.get(name), self._wanted.remembered.get(name)
        kind = said or (None if remembered is None else remembered.kind)
        if kind == "text":
            return Reading("text", missing=() if remembered is None else remembered.missing)
        if not self._found[name].n_present:
            return Reading(kind or "number", is_whole=True)
        readers = {"number": self._number, "flag": self._flag, "date": self._date}
        if kind is not None:
            return readers[kind](name, True, said is not None) or Reading(kind)
        return next(filter(None, (read(name, False, False) for read in readers.values())), None) or self._text(name)

    def _gone(self, name: str) -> dict[str, int]:
        """Return the cells that are missing if the column is of numbers or dates, by their texts."""
        if self._wanted.missing is not None:
            return {}
        words = self._found[name].words
        return {word: n for word, n in words.items()
                if word in MISSING_SIGNS or word.lower() in MISSING_WORDS or word in self._repeated}  # fmt: skip

    def _is_enough(self, name: str, n: int) -> bool:
        """Return True if so many cells are of a kind that the others can be taken as missing."""
        n_present = self._found[name].n_present
        share = 1 if name == self._wanted.target else _ENOUGH
        return n > 0 and n >= share * (n_present - sum(self._gone(name).values())) and n >= _LEAST * n_present

    def _missing(
        self,
        name: str,
        what: str,
        is_read: Callable[[str], object],
        is_strict: bool = False,
        others: Mapping[str, int] | None = None,
    ) -> tuple[str, ...]:
        """Note the cells that are missing in a column that is no text, and return their texts."""
        evidence, gone = self._found[name], self._gone(name)
        odd = {
            text: evidence.shapes[shape]
            for shape, text in evidence.examples.items()
            if shape not in gone and shape not in evidence.missing and not is_read(shape) and not is_strict
        }
        is_odd = bool(odd or (others and not is_strict))
        told = (
            {word: n for word, n in gone.items() if word not in self._repeated}
            | evidence.told
            | odd
            | ({} if is_strict else dict(others or {}))
        )
        if told:
            self._note("notable" if is_odd else "remark", ("missing", what, *sorted(told)), name,
                       f"<names> <is> read as {what}; <cells> taken as missing.",
                       "Add --type <column>=text to keep them." if is_odd or gone else "", told)  # fmt: skip
        return (*gone, *odd)[:_FEW]

    def _number(self, name: str, is_given: bool, is_strict: bool) -> Reading | None:
        """Return how a column is read as numbers, or None if it has none or too few."""
        evidence, numbers = self._found[name], self._numbers[name]
        n = (
            numbers.n
            + evidence.n_infinite
            - sum(n for unit, n in numbers.units.items() if unit not in ("", numbers.unit))
        )
        if not is_given:
            if not self._has_one_unit(name):
                return None
            if not self._is_enough(name, n) or (set(numbers.shapes) == {COMPACT_DAY} and _are_days(evidence)):
                return None
            if evidence.n_codes and all(is_code(shape) or set(shape) <= {"0"} for shape in numbers.shapes):
                code = next(text for shape, text in evidence.examples.items() if is_code(shape))
                self._note("notable", ("codes",), name,
                           f"<names> <is> read as text: codes such as {code!r} begin with 0.",
                           "Add --type <column>=number if they are numbers.")  # fmt: skip
                return None
        remembered = self._wanted.remembered.get(name)
        if remembered is not None and remembered.unit and numbers.unit not in ("", remembered.unit):
            self._note("serious", ("unit", numbers.unit), name,
                       f"<names> <is> in {numbers.unit!r}, but the model has learned from {remembered.unit!r}.",
                       "Convert the numbers.")  # fmt: skip
        decimal, thousands = self._format(name)
        used = {shape: number for shape, (number, _) in numbers.shapes.items() if number.unit in ("", numbers.unit)}
        missing = self._missing(name, "numbers", lambda shape: shape in used or is_infinite(shape), is_strict)
        is_whole = not evidence.n_infinite and all(number.is_whole(decimal) for number in used.values())
        found = Reading("number", is_whole, decimal, thousands, "", numbers.unit, missing,
                        is_strict or not self._is_enough(name, n))  # fmt: skip
        odd = [shape for shape, number in used.items() if number.is_written_oddly(shape, decimal)]
        if odd:
            text = evidence.examples[max(odd, key=lambda shape: (len(set(shape)), len(shape)))]
            self._note("remark", (decimal, thousands, numbers.unit), name,
                       f"<names> <is> read as numbers: {brief(text)} is {value_of(text, found):.15g}.",
                       "If that is wrong, add --decimal, --thousands or --type <column>=text.")  # fmt: skip
        return found

    def _has_one_unit(self, name: str) -> bool:
        """Return True if the numbers of a column are in one unit, or in none."""
        numbers, units = self._numbers[name], self._numbers[name].units
        named = numbers.named
        if not named or numbers.n < _MOST * self._found[name].n_present:
            return True
        if len(named) == 1 and (units[named[0]] >= _ENOUGH * sum(units.values()) or is_currency(named[0])):
            return True
        if all(map(is_unit, named)) and (len(named) <= _FEW_UNITS or all(map(is_currency, named))):
            shown = " and ".join([*map(repr, named[:_FEW_UNITS]), *(["none"] if units[""] else [])])
            self._note("serious", ("units", *named), name,
                       f"<names> <is> read as text, since the numbers have different units: {shown}.",
                       "Write them in one unit, or, to leave the most frequent one out, add --type <column>=number.",
                       )  # fmt: skip
        return False

    def _format(self, name: str) -> Format:
        """Return the decimal sign and the thousands separator of a column of numbers."""
        numbers, remembered = self._numbers[name], self._wanted.remembered.get(name)
        if not numbers.is_unclear:
            return numbers.choose(".")
        if remembered is not None and remembered.format in numbers.formats and remembered.format != (".", ""):
            return remembered.format
        (sign, *_) = sorted(numbers.signs & {".", ","})
        if numbers.looks_grouped is not None:
            return numbers.choose(_OTHER_SIGN[sign] if numbers.looks_grouped else sign)
        found = numbers.choose("," if self._has_commas else ".")
        if self._has_votes:
            return found
        text = next(self._found[name].examples[shape] for shape in numbers.shapes if sign in shape)
        both = [value_of(text, Reading("number", False, *numbers.choose(each), unit=numbers.unit)) for each in (
            found[0], _OTHER_SIGN[found[0]])]  # fmt: skip
        self._note("remark" if found == (".", "") else "serious", ("unclear", *found), name,
                   f"<names> <is> read as numbers: {brief(text)} is taken as {both[0]:.15g}, and may be "
                   f"{both[1]:.15g}.",
                   f"Add --{'thousands' if found[0] == sign else 'decimal'} {sign} if it is.")  # fmt: skip
        return found

    def _date(self, name: str, is_given: bool, is_strict: bool) -> Reading | None:
        """Return how a column is read as dates, or None if it has none or too few."""
        evidence, form = self._found[name], self._wanted.date_format(name)
        if form and self._is_enough(name, evidence.n_formatted):
            return Reading("date", order=form, missing=tuple(self._gone(name)), is_strict=is_strict)
        fitting = {order: evidence.count_days(order) for order in ("dmy", "mdy", "ymd")}
        n = max(fitting.values())
        n_zero = sum(count for text, count in evidence.days.items() if not text.strip("0-./ "))
        if not is_given and not self._is_enough(name, n + n_zero * (n > 0)):
            return None
        order = self._day_order(name, fitting, n)
        odd_days = {text: count for text, count in evidence.days.items() if not fits(read_day, text, order)}
        missing = self._missing(name, "dates", date_shape, is_strict, odd_days)
        n += n_zero
        found = Reading("date", order=order, missing=missing, is_strict=is_strict or not self._is_enough(name, n))
        dates = {shape: date for shape in evidence.examples if (date := date_shape(shape)) is not None}
        odd = [evidence.examples[shape] for shape, date in dates.items() if not date.is_plain or date.has_zone]
        odd = [text for text in odd if not any(day in text for day in odd_days)]
        if odd:
            utc = " in UTC" if any(date.has_zone for date in dates.values()) else ""
            moment = write_moment(int(value_of(odd[0], found)))
            self._note("remark", (order, utc), name,
                       f"<names> <is> read as dates{utc}: {odd[0]!r} is {moment}.",
                       "If that is wrong, add --date-format or --type <column>=text.")  # fmt: skip
        self._tell_late(name, found)
        return found

    def _tell_late(self, name: str, reading: Reading) -> None:
        """Note years of two digits that may be of another century."""
        late = [text for text in self._found[name].days
                if not _FOUR_DIGITS.search(text) and fits(read_day, text, reading.order)
                and read_day(text, reading.order) >= _LATE]  # fmt: skip
        if late and not reading.order.startswith("%"):
            moment = write_moment(read_day(late[0], reading.order))
            self._note("serious", ("century",), name,
                       "<names> <is> read as dates with years of two digits, of which 00 to 68 are those from 2000 on: "
                       f"{late[0]!r} is {moment}.", "Write years with four digits.")  # fmt: skip

    def _day_order(self, name: str, fitting: Mapping[str, int], n: int) -> str:
        """Return the order of day and month in a column of dates."""
        evidence, remembered = self._found[name], self._wanted.remembered.get(name)
        best = [order for order in ("dmy", "mdy") if fitting[order] == n]
        if best and fitting["ymd"] == n and self._has_year_first(name):
            return "ymd"
        if len(best) < 2:
            return best[0] if best else "ymd"
        differ = [text for text in evidence.days if fits(read_day, text, "dmy") and fits(read_day, text, "mdy")
                  and read_day(text, "dmy") != read_day(text, "mdy")]  # fmt: skip
        if not differ:
            alike = all(fits(read_day, text, "ymd") and read_day(text, "ymd") == read_day(text, "dmy")
                        for text in evidence.days)  # fmt: skip
            return "ymd" if alike else best[0]
        if remembered is not None and remembered.order in best:
            return remembered.order
        if all("." in text for text in differ):
            return "dmy"
        if self._order:
            return self._order
        order = "dmy" if self._has_commas else "mdy"
        first, other, form = ("day", "month", "%m/%d/%Y") if order == "dmy" else ("month", "day", "%d/%m/%Y")
        self._note("serious", ("order", order), name,
                   f"<names> <is> read as dates with the {first} first, as in {differ[0]!r}, but no cell tells day "
                   "from month.",
                   f"Add --date-format {form.replace('/', '-') if '-' in differ[0] else form} if the {other} is first.",
                   )  # fmt: skip
        return order

    def _has_year_first(self, name: str) -> bool:
        """Return True if dates such as 16-04-22 begin with the year, since it has fewer values than the day."""
        days = [found for found in map(_SHORT_DAY.fullmatch, self._found[name].days) if found]
        first, last = ({found[place] for found in days} for place in ("first", "last"))
        if not days or len(first) >= len(last):
            return False
        self._note("serious", ("order", "ymd"), name,
                   f"<names> <is> read as dates with the year first, as in {days[0][0]!r}, but no cell tells year from "
                   "day.", "Add --date-format %d-%m-%y if the day is first.")  # fmt: skip
        return True

    def _flag(self, name: str, is_given: bool, _: bool) -> Reading | None:
        """Return how a column is read as flags, or None if its words are no known pair."""
        evidence, gone = self._found[name], self._gone(name)
        if is_given:
            return Reading("flag", missing=tuple(word for word in gone if word.lower() not in FLAGS))
        words = {word.lower(): word for word in evidence.words if word not in gone}
        is_plain = set(words) <= FLAG_PAIRS[0]
        if sum(evidence.words.values()) != evidence.n_present or not words:
            return None
        if not is_plain and (frozenset(words) not in FLAG_PAIRS or name == self._wanted.target):
            return None
        if not is_plain:
            true = next(word for low, word in words.items() if FLAGS[low])
            self._note("remark", ("flag", true), name, f"<names> <is> read as true or false: {true!r} is true.",
                       "Add --type <column>=text to keep the words.")  # fmt: skip
        return Reading("flag", missing=self._missing(name, "true or false", lambda shape: shape.lower() in words))

    def _text(self, name: str) -> Reading:
        """Return how a column is read as text, and note if it looks like something else."""
        evidence = self._found[name]
        header = {name} & self._repeated
        signs = {word: n for word, n in self._gone(name).items() if word in MISSING_SIGNS}
        others = [
            shape for shape, n in evidence.shapes.items() if n and shape not in signs and shape not in evidence.missing
        ]
        are_words = len(others) > 1 and all(any(sign.isalnum() for sign in shape) for shape in others)
        if name == self._wanted.target or not are_words:
            signs = {}
        if told := signs | evidence.told:
            self._note("notable" if signs else "remark", ("words", *sorted(told)), name,
                       "<cells> taken as missing, in <names>.", "Add --missing NA to keep them as they are.",
                       told)  # fmt: skip
        if not any(note.column == name and note.grade != "remark" and note.key[0] != "words" for note in self._notes):
            self._tell_mostly(name, evidence)
        return Reading("text", missing=(*signs, *header))

    def _tell_mostly(self, name: str, evidence: Evidence) -> None:
        """Note a column of text in which most cells are numbers, dates or times of day."""
        n_left = max(1, evidence.n_present - sum(self._gone(name).values()))
        n_numbers, n_days = self._numbers[name].n, max(map(evidence.count_days, ("dmy", "mdy")))
        n, what = max((n_numbers, "numbers"), (n_days, "dates"))
        form = self._numbers[name].formats[0]
        known = [shape for shape, (number, _) in evidence.numbers.items() if form in number.formats]
        others = [shape for shape in evidence.numbers if shape not in known]
        n_both = sum(evidence.shapes[shape] for shape in evidence.numbers)
        if known and others and n_numbers >= n_days and n_both >= _ENOUGH * n_left:
            one, two = (evidence.examples[next(iter(some))] for some in (known, others))
            self._note("serious", ("two ways", name), name,
                       f"<names> <is> read as text, since its numbers are written in two ways: {one!r} and {two!r}.",
                       "Write them in one way.")  # fmt: skip
        elif n >= _MOST * n_left:
            is_read = self._numbers[name].shapes.get if what == "numbers" else date_shape
            odd = Counter({
                text: evidence.shapes[shape] for shape, text in evidence.examples.items()
                if shape not in evidence.missing and not is_read(shape)
            })  # fmt: skip
            if what == "dates":
                order = max(("dmy", "mdy"), key=evidence.count_days)
                odd |= Counter({text: n for text, n in evidence.days.items() if not fits(read_day, text, order)})
            shown = f", such as {_counted(odd)}" if odd else ""
            ((word, n_equal),) = odd.most_common(1) or (("", 0),)
            is_one = 2 * n_equal >= sum(odd.values()) > 0
            cure = f", or add --missing {shlex.quote(word)} if that is missing" if is_one else ""
            self._note("serious", ("mostly", name), name,
                       f"<names> <is> read as text: {100 * n / n_left:.0f} % of the cells are {what}, but others are "
                       f"not{shown}.", f"Correct them{cure}.")  # fmt: skip
        elif sum(n for shape, n in evidence.shapes.items() if _CLOCK_SHAPE.fullmatch(shape)) >= _ENOUGH * n_left:
            text = next(text for shape, text in evidence.examples.items() if _CLOCK_SHAPE.fullmatch(shape))
            self._note("notable", ("clock",), name,
                       f"<names> <is> read as text: times of day such as {brief(text)} are neither numbers nor dates.",
                       "Write them as numbers, such as hours.")  # fmt: skip


def _clear_order(evidence: Evidence) -> str:
    """Return the order of day and month that the cells of a column tell, or ""."""
    n_dmy, n_mdy = (evidence.count_days(order) if evidence.days else 0 for order in ("dmy", "mdy"))
    is_clear = n_dmy != n_mdy and max(n_dmy, n_mdy) >= _ENOUGH * evidence.n_present
    return ("dmy" if n_dmy > n_mdy else "mdy") if is_clear else ""


def _are_days(evidence: Evidence) -> bool:
    """Return True if numbers of eight digits are all days of two centuries, written like 20231116."""
    return len(evidence.days) >= 3 and all(
        "1900" <= text[:4] < "2100" and fits(read_day, text, "ymd") for text in evidence.days
    )


def _write_findings(notes: Iterable[_Note]) -> tuple[Finding, ...]:
    """Return notes as findings, of which each has one sentence about all of its columns."""
    together: dict[tuple[Any, ...], list[_Note]] = defaultdict(list)
    for note in notes:
        together[note.grade, *note.key].append(note)
    return tuple(_finding(group) for group in together.values())


def _finding(notes: Sequence[_Note]) -> Finding:
    first, names = notes[0], [note.column for note in notes]
    cells: Counter[str] = Counter()
    for note in notes:
        cells.update(note.cells)
    words = {
        "<names>": _listed(names),
        "<is>": "is" if len(names) == 1 else "are",
        "<cells>": f"{_counted(cells)} {'is' if sum(cells.values()) == 1 else 'are'}",
        "<column>": shlex.quote(names[0]),
    }
    text, cure = first.text, first.cure
    for place, word in words.items():
        text, cure = text.replace(place, word), cure.replace(place, word)
    return Finding(first.kind, tuple(names), text, cure, first.grade)


def _listed(names: Sequence[str], most: int = 5) -> str:
    """Return names as people list them, the first of them if there are many."""
    shown = [repr(name) for name in names[:most]]
    if len(names) > most:
        shown[-1:] = [f"{len(names) - most + 1:,} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _counted(cells: Counter[str]) -> str:
    """Return how many cells have which texts, the most frequent first."""
    total, shown = sum(cells.values()), [brief(text) for text, _ in cells.most_common(3)]
    return f"{total:,} cell{'' if total == 1 else 's'} {', '.join([*shown, *(['…'] if len(cells) > 3 else [])])}"
