"""Example cells that represent all possible cells of a column, and literals that accept exactly some of them.

Literals distinguish the cells of a column only by kind: a category, a cut, the range between two cuts, or missing.
One cell of each kind shows the results for all others, so a set of values is a set of example cells, here the bits
of an integer.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import groupby, pairwise

import numpy as np

from imli.errors import brief
from imli.rules.literals import Clause, Compare, CompareDate, InInterval, IsIn, IsMissing, Literal
from imli.table.dates import EARLIEST, LATEST, time_of, write_moment
from imli.table.frame import AnyArray, BoolArray, Column, ColumnKind, Value

# The value of a row in a column; None is missing.
Cell = Value | datetime | None

_EXACT = 2**53  # smaller whole numbers are exact as float64


@dataclass(frozen=True, eq=False)
class Cells:
    """One cell of each kind that some literals on a column distinguish.

    >>> from imli.rules.literals import Compare
    >>> cells = Cells.of([Compare("age", ">", 40)])
    >>> [cells.cell(n) for n in range(cells.n)], bin(cells.accepted(Compare("age", ">", 40)))
    ([39, 40, 41, None], '0b100')
    """

    name: str
    reads: ColumnKind  # the kind of the column
    literals: tuple[Literal, ...]
    columns: tuple[Column, ...]  # the cells, one column per dtype; the missing cell ends the first
    _accepted: dict[Literal, int] = field(default_factory=dict)  # the sets that were asked for

    @classmethod
    def of(cls, literals: Iterable[Literal]) -> "Cells":
        """Build the cells that some literals on one column distinguish."""
        literals = tuple(dict.fromkeys(literals))
        name, reads = literals[0].column, _common_kind(literals)
        return cls(name, reads, literals, _KINDS[reads][1](name, literals))

    @cached_property
    def n(self) -> int:
        """Return the number of cells."""
        return sum(len(column.missing) for column in self.columns)

    @cached_property
    def all(self) -> int:
        """Return the set of all cells."""
        return (1 << self.n) - 1

    @cached_property
    def missing(self) -> int:
        """Return the set of the missing cell alone."""
        return 1 << len(self.columns[0].missing) - 1

    @cached_property
    def known(self) -> dict[int, Literal]:
        """Return each literal and its opposite, by the set of present cells that it accepts."""
        found: dict[int, Literal] = {}
        for literal in self.literals:
            if not isinstance(literal, IsMissing):
                present = self.accepted(literal) & ~self.missing
                found.setdefault(present, literal)
                found.setdefault(self.all & ~self.missing & ~present, literal.opposite())
        return found

    @cached_property
    def accepts(self) -> BoolArray:
        """Return for each cell of the first column, in a line, which literals accept it."""
        held = [literal.holds(self.columns[0]) for literal in self.literals]
        n_cells = len(self.columns[0].missing)
        return np.ascontiguousarray(np.array(held, dtype=bool).reshape(len(held), n_cells).T)

    def accepted(self, literal: Literal) -> int:
        """Return the set of the cells that a literal accepts."""
        if literal not in self._accepted:
            holds = np.concatenate([literal.holds(column) for column in self.columns])
            self._accepted[literal] = int.from_bytes(np.packbits(holds, bitorder="little").tobytes(), "little")
        return self._accepted[literal]

    def cell(self, position: int) -> Cell:
        """Return a cell as a plain value, None if missing."""
        for column in self.columns:
            if position < len(column.missing):
                return plain_cell(column, position)
            position -= len(column.missing)
        raise IndexError(f"Column {brief(self.name)} has {self.n} example cells.")


def cells_by_column(literals: Iterable[Literal]) -> dict[str, Cells]:
    """Return the example cells of each column that the literals read."""
    by_column: dict[str, list[Literal]] = {}
    for literal in literals:
        by_column.setdefault(literal.column, []).append(literal)
    return {name: Cells.of(group) for name, group in by_column.items()}


def plain_cell(column: Column, row: int = 0) -> Cell:
    """Return a cell as a plain value, None if missing."""
    if column.missing[row]:
        return None
    value = column.values[row].item()
    if column.kind == "text":
        return str(column.categories[value])
    if column.kind == "date":
        return time_of(value)
    return bool(value) if column.kind == "flag" else plain_number(value)


def plain_number(number: int | float) -> int | float:
    """Return a number, converted to an integer if it is whole and small enough to stay exact."""
    is_exact = isinstance(number, float) and number.is_integer() and abs(number) < _EXACT
    return int(number) if is_exact else number


def _common_kind(literals: Iterable[Literal]) -> ColumnKind:
    first: dict[ColumnKind, Literal] = {}
    for literal in literals:
        if literal.reads is not None:
            first.setdefault(literal.reads, literal)
    if len(first) > 1:
        (kind, literal), (other_kind, other) = list(first.items())[:2]
        raise ValueError(
            f"Column {brief(literal.column)} is compared with {_KINDS[kind][0]} in {brief(str(literal))} and with "
            f"{_KINDS[other_kind][0]} in {brief(str(other))}, but no column holds both. Remove one of the two."
        )
    return next(iter(first), "number")  # literals that only test for missing cells work on any kind


def _numbers(name: str, literals: Iterable[Literal]) -> tuple[Column, ...]:
    cuts = {cut for literal in literals for cut in literal.cuts}
    columns = [_with_missing(name, "number", np.array(_around(sorted({float(cut) for cut in cuts}))))]
    large = {math.floor(cut) for cut in cuts if abs(cut) >= _EXACT}
    if large:
        # floats are rounded here, so columns of integers and of floats may give different results
        ends = np.iinfo(np.int64)
        whole = {min(max(cut + step, ends.min), ends.max) for cut in large for step in (-1, 0, 1)}
        values = np.array(sorted(int(value) for value in whole), dtype=np.int64)
        columns.append(Column(name, "number", values, np.zeros(len(values), dtype=bool)))
    return tuple(columns)


def _around(cuts: list[float]) -> list[float]:
    """Return in ascending order each cut, a number between each two, and one on either side."""
    if not cuts:
        return [0.0]
    values = [cuts[0] - 1 if cuts[0] - 1 < cuts[0] else math.nextafter(cuts[0], -math.inf)]
    for low, high in pairwise(cuts):
        between = low / 2 + high / 2
        values += [low, between] if low < between < high else [low]  # there is none between neighbouring floats
    last = cuts[-1]
    return [*values, last, last + 1 if last + 1 > last else math.nextafter(last, math.inf)]


def _texts(name: str, literals: Iterable[Literal]) -> tuple[Column, ...]:
    named = sorted({text for literal in literals for text in literal.texts})
    unseen = "something else"
    if named and unseen <= named[-1]:  # categories are sorted, and this one must be the last
        unseen = f"{named[-1]} or else"
    codes = np.arange(len(named) + 1, dtype=np.int32)
    return (_with_missing(name, "text", codes, (*named, unseen)),)


def _dates(name: str, literals: Iterable[Literal]) -> tuple[Column, ...]:
    cuts = {int(cut) for literal in literals for cut in literal.cuts}
    around = {min(max(cut + step, EARLIEST), LATEST) for cut in cuts for step in (-1, 0, 1)}
    return (_with_missing(name, "date", np.array(sorted(around), dtype=np.int64)),)


def _with_missing(name: str, kind: ColumnKind, values: AnyArray, categories: tuple[str, ...] = ()) -> Column:
    missing = np.append(np.zeros(len(values), dtype=bool), True)
    nothing = np.array([-1], dtype=values.dtype)  # for text, the code of a missing cell
    return Column(name, kind, np.append(values, nothing), missing, categories)


# For each kind of column, the word for its cells and the function that builds its examples.
_KINDS: dict[ColumnKind, tuple[str, Callable[[str, Iterable[Literal]], tuple[Column, ...]]]] = {
    "number": ("numbers", _numbers),
    "text": ("text", _texts),
    "date": ("dates", _dates),
}


def wordings(cells: Cells, accepted: int) -> Iterator[Clause]:
    """Yield conjunctions of literals that accept exactly a set of cells; none if no such literals are known.

    >>> cells = Cells.of([Compare("age", ">=", 20), Compare("age", "<", 30)])
    >>> both = cells.accepted(Compare("age", ">=", 20)) & cells.accepted(Compare("age", "<", 30))
    >>> [" AND ".join(map(str, words)) for words in wordings(cells, both)]
    ['20 <= age < 30']
    """
    for literals in _candidates(cells, accepted):
        found = cells.all
        for literal in literals:
            found &= cells.accepted(literal)
        if found == accepted:  # large integers and floats may give different results
            yield literals


def _candidates(cells: Cells, accepted: int) -> Iterator[Clause]:
    present = accepted & ~cells.missing
    or_missing = bool(accepted & cells.missing)
    if accepted == cells.all:
        yield ()
    elif present == 0 or present == cells.all & ~cells.missing:
        yield (IsMissing(cells.name, or_missing=or_missing),)
    else:
        if present in cells.known:
            yield (replace(cells.known[present], or_missing=or_missing),)
        # a list of categories is exact only if no other kind of literal distinguishes texts
        if cells.reads == "text" and all(isinstance(literal, IsIn | IsMissing) for literal in cells.literals):
            yield (_word_texts(cells, present, or_missing),)
        if cells.reads == "number":
            yield from _word_numbers(cells, present, or_missing)
        if cells.reads == "date":
            yield from _word_dates(cells, present, or_missing)


def _word_texts(cells: Cells, present: int, or_missing: bool) -> Literal:
    *named, unseen = range(len(cells.columns[0].categories))
    negated = bool(present >> unseen & 1)
    values = tuple(cells.columns[0].categories[n] for n in named if bool(present >> n & 1) != negated)
    return IsIn(cells.name, values, negated, or_missing=or_missing)


def _word_numbers(cells: Cells, present: int, or_missing: bool) -> Iterator[Clause]:
    """Yield literals for numbers: a list of them, or all between two ends except for some gaps."""
    name = cells.name
    cuts = {float(cut) for literal in cells.literals for cut in literal.cuts}
    line = [plain_number(value) for value in cells.columns[0].values[:-1].tolist()]
    accepts = [bool(present >> n & 1) for n in range(len(line))]
    if not any(accepts):
        return  # only large whole numbers, which are no floats
    points = tuple(value for value, accept in zip(line, accepts, strict=True) if accept)
    if all(value in cuts for value in points):
        yield (IsIn(name, points, or_missing=or_missing),)

    ends: list[Compare] = []
    gaps: list[Literal] = []
    holes: list[float] = []
    for accept, run in groupby(range(len(line)), accepts.__getitem__):
        positions = list(run)
        first, last = positions[0], positions[-1]
        if accept:
            continue
        if first == 0:
            is_cut = line[last] in cuts
            ends.append(Compare(name, ">" if is_cut else ">=", line[last if is_cut else last + 1]))
        elif last + 1 == len(line):
            is_cut = line[first] in cuts
            ends.append(Compare(name, "<" if is_cut else "<=", line[first if is_cut else first - 1]))
        elif line[first] not in cuts:
            return  # no literal excludes an open range above a number without the number
        elif line[last] not in cuts:
            gaps.append(InInterval(name, line[first], line[last + 1], negated=True))
        else:
            holes.append(line[last])
            if first < last:
                gaps.append(InInterval(name, line[first], line[last], negated=True))
    literals: list[Literal] = [*ends, *gaps]
    if [end.operator for end in ends] == [">=", "<"]:
        literals = [InInterval(name, ends[0].threshold, ends[1].threshold), *gaps]
    if holes:
        literals.append(IsIn(name, tuple(holes), negated=True))
    yield tuple(replace(literal, or_missing=or_missing) for literal in literals)


def _word_dates(cells: Cells, present: int, or_missing: bool) -> Iterator[Clause]:
    """Yield literals for dates: all from one on, up to another, or both."""
    cuts = {int(cut) for literal in cells.literals for cut in literal.cuts}
    line = cells.columns[0].values[:-1].tolist()
    places = [n for n in range(len(line)) if present >> n & 1]
    first, last = places[0], places[-1]
    if len(places) <= last - first:
        return  # a gap, for which there is no literal
    ends: list[Literal] = []
    if first > 0:
        operator, cut = (">=", line[first]) if line[first] in cuts else (">", line[first - 1])
        ends.append(CompareDate(cells.name, operator, write_moment(cut), or_missing=or_missing))
    if last + 1 < len(line):
        operator, cut = ("<=", line[last]) if line[last] in cuts else ("<", line[last + 1])
        ends.append(CompareDate(cells.name, operator, write_moment(cut), or_missing=or_missing))
    yield tuple(ends)
