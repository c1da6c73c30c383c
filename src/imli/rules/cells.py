"""Example cells that stand for all cells a column can hold.

Literals tell the cells of a column apart only by kind: which category, at which of their cuts or between which two,
or missing. One cell of each kind is enough to know what they do with all others, so a set of values is a set of
example cells, here the bits of an integer.

A cell as sentences about a row show it.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise

import numpy as np

from imli.rules.literals import IsMissing, Literal
from imli.rules.notation import write_number
from imli.table.dates import EARLIEST, LATEST, time_of, write_moment
from imli.table.frame import AnyArray, Column, ColumnKind, Value

# Below, whole numbers are the same as int64 and as float64.
_EXACT = 2**53


@dataclass(frozen=True, eq=False)
class Cells:
    """One cell of each kind that some literals on a column tell apart.

    >>> from imli.rules.literals import Compare
    >>> cells = Cells.of([Compare("age", ">", 40)])
    >>> [cells.cell(n) for n in range(cells.n)], bin(cells.accepted(Compare("age", ">", 40)))
    ([39, 40, 41, None], '0b100')
    """

    name: str
    reads: ColumnKind  # what kind of column this is
    literals: tuple[Literal, ...]
    columns: tuple[Column, ...]  # the cells; in one column those that are stored alike, the missing one in the first

    @classmethod
    def of(cls, literals: Iterable[Literal]) -> "Cells":
        """The cells that these literals, all on one column, tell apart."""
        literals = tuple(dict.fromkeys(literals))
        name, reads = literals[0].column, _common_kind(literals)
        return cls(name, reads, literals, _KINDS[reads].examples(name, literals))

    @cached_property
    def n(self) -> int:
        return sum(len(column.missing) for column in self.columns)

    @cached_property
    def all(self) -> int:
        """The set of all cells."""
        return (1 << self.n) - 1

    @cached_property
    def missing(self) -> int:
        """The set of just the missing cell."""
        return 1 << len(self.columns[0].missing) - 1

    @cached_property
    def known(self) -> dict[int, Literal]:
        """Each literal and its opposite, by the cells they accept that are not missing."""
        found: dict[int, Literal] = {}
        for literal in self.literals:
            if not isinstance(literal, IsMissing):
                present = self.accepted(literal) & ~self.missing
                found.setdefault(present, literal)
                found.setdefault(self.all & ~self.missing & ~present, literal.opposite())
        return found

    def accepted(self, literal: Literal) -> int:
        """The set of the cells that the literal accepts."""
        holds = np.concatenate([literal.holds(column) for column in self.columns])
        return int.from_bytes(np.packbits(holds, bitorder="little").tobytes(), "little")

    def cell(self, position: int) -> Value | datetime | None:
        """A cell as a plain value, None if missing."""
        for column in self.columns:
            if position < len(column.missing):
                if column.missing[position]:
                    return None
                value = column.values[position].item()
                if column.kind == "text":
                    return column.categories[int(value)]
                if column.kind == "date":
                    return time_of(value)
                return plain_number(value)
            position -= len(column.missing)
        raise IndexError(f"Column {self.name!r} has {self.n} example cells.")


def cells_by_column(literals: Iterable[Literal]) -> dict[str, Cells]:
    """The example cells of each column that the literals look at."""
    by_column: dict[str, list[Literal]] = {}
    for literal in literals:
        by_column.setdefault(literal.column, []).append(literal)
    return {name: Cells.of(group) for name, group in by_column.items()}


def plain_number(number: int | float) -> int | float:
    """A number as people write it: whole ones without a fraction, where that changes no comparison."""
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
            f"Column {literal.column!r} is compared with {_KINDS[kind].words} in '{literal}' and with "
            f"{_KINDS[other_kind].words} in '{other}', but no column holds both. Remove one of the two."
        )
    return next(iter(first), "number")  # only asked whether cells are missing: numbers will do


def _numbers(name: str, literals: Iterable[Literal]) -> tuple[Column, ...]:
    cuts = {cut for literal in literals for cut in literal.cuts}
    columns = [_with_missing(name, "number", np.array(_around(sorted({float(cut) for cut in cuts}))))]
    large = {math.floor(cut) for cut in cuts if abs(cut) >= _EXACT}
    if large:
        # a column of integers and one of floats, which are rounded here, may answer differently
        ends = np.iinfo(np.int64)
        whole = {min(max(cut + step, ends.min), ends.max) for cut in large for step in (-1, 0, 1)}
        values = np.array(sorted(int(value) for value in whole), dtype=np.int64)
        columns.append(Column(name, "number", values, np.zeros(len(values), dtype=bool)))
    return tuple(columns)


def _around(cuts: list[float]) -> list[float]:
    """In ascending order each cut, a number between each two, and one on either side."""
    if not cuts:
        return [0.0]
    values = [cuts[0] - 1 if cuts[0] - 1 < cuts[0] else math.nextafter(cuts[0], -math.inf)]
    for low, high in pairwise(cuts):
        between = low / 2 + high / 2
        values += [low, between] if low < between < high else [low]  # neighbours have nothing between them
    last = cuts[-1]
    return [*values, last, last + 1 if last + 1 > last else math.nextafter(last, math.inf)]


def _texts(name: str, literals: Iterable[Literal]) -> tuple[Column, ...]:
    named = sorted({text for literal in literals for text in literal.texts})
    unseen = "something else"
    if named and unseen <= named[-1]:  # categories are in order, and this one is the last
        unseen = f"{named[-1]} or else"
    codes = np.arange(len(named) + 1, dtype=np.int32)
    return (_with_missing(name, "text", codes, (*named, unseen)),)


def _dates(name: str, literals: Iterable[Literal]) -> tuple[Column, ...]:
    cuts = {int(cut) for literal in literals for cut in literal.cuts}
    around = {min(max(cut + step, EARLIEST), LATEST) for cut in cuts for step in (-1, 0, 1)}
    return (_with_missing(name, "date", np.array(sorted(around), dtype=np.int64)),)


def _with_missing(name: str, kind: ColumnKind, values: AnyArray, categories: tuple[str, ...] = ()) -> Column:
    missing = np.append(np.zeros(len(values), dtype=bool), True)
    nothing = np.array([-1], dtype=values.dtype)  # for text the code of a missing cell
    return Column(name, kind, np.append(values, nothing), missing, categories)


@dataclass(frozen=True)
class _Kind:
    words: str
    examples: Callable[[str, Iterable[Literal]], tuple[Column, ...]]


_KINDS: dict[ColumnKind, _Kind] = {
    "number": _Kind("numbers", _numbers),
    "text": _Kind("text", _texts),
    "date": _Kind("dates", _dates),
}

_LONGEST = 60  # signs of a text


def write_cell(column: Column, row: int, literals: Iterable[Literal] = ()) -> str:
    """The cell in a row. Long text is cut, and long fractions are rounded unless that changes what a literal says.

    >>> from imli.table.read import as_frame
    >>> column = as_frame({"dose": [0.30471707975, 0.5000000001, None]})["dose"]
    >>> from imli.rules.literals import Compare
    >>> [write_cell(column, row, [Compare("dose", ">", 0.5)]) for row in range(3)]
    ['0.304717', '0.5000000001', 'missing']
    """
    if column.missing[row]:
        return "missing"
    value = column.values[row].item()
    if column.kind == "text":
        return shorten(column.categories[value])
    if column.kind == "date":
        return write_moment(value)
    if column.kind == "flag":
        return "true" if value else "false"
    if isinstance(value, float) and np.isfinite(value):
        return write_number(_rounded(value, literals))
    return write_number(value)


def _rounded(value: float, literals: Iterable[Literal]) -> float:
    short = float(f"{value:.6g}")
    both = Column("", "number", np.array([value, short]), np.zeros(2, dtype=bool))
    for literal in literals:
        exact, rounded = literal.holds(both)
        if exact != rounded:
            return value
    return short


def shorten(text: str, longest: int = _LONGEST) -> str:
    """The text, cut if it is longer."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
