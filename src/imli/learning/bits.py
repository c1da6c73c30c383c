"""Truth tables of literals, one bit per row and literal.

The literals of a column distinguish its cells only by kind: which category, or between which of their cuts. So
``Literal.holds`` decides one example cell of each kind, and the kernel looks up all other cells.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from imli import _kernel
from imli.rules.literals import Literal
from imli.table.frame import AnyArray, BoolArray, Column, Frame, IntArray


@dataclass(frozen=True, eq=False)
class BitTable:
    """Packed columns: bit l of column j is 1 if literal j holds in row l.

    >>> table = BitTable.from_columns([np.array([True, False, True])], n_rows=3)
    >>> table.column(0).tolist(), table.counts().tolist()
    ([True, False, True], [2])
    """

    words: npt.NDArray[np.uint64]  # one row of words per literal; the first row of the table is the lowest bit
    n_rows: int

    @classmethod
    def empty(cls, n_columns: int, n_rows: int) -> Self:
        """Return a table of zeros."""
        return cls(np.zeros((n_columns, (n_rows + 63) // 64), dtype=np.uint64), n_rows)

    @classmethod
    def from_columns(cls, columns: Iterable[BoolArray], n_rows: int) -> Self:
        packed = [np.packbits(column, bitorder="little") for column in columns]
        table = cls.empty(len(packed), n_rows)
        if packed and n_rows:
            table.words.view(np.uint8)[:, : (n_rows + 7) // 8] = packed
        return table

    @property
    def n_columns(self) -> int:
        return int(self.words.shape[0])

    def column(self, j: int) -> BoolArray:
        return np.unpackbits(self.words[j].view(np.uint8), count=self.n_rows, bitorder="little").view(np.bool_)

    def dense(self) -> BoolArray:
        """Return all bits unpacked, one row per row and one column per literal."""
        flat = np.unpackbits(self.words.view(np.uint8), axis=1, count=self.n_rows, bitorder="little")
        return flat.view(np.bool_).T

    def counts(self) -> IntArray:
        """Return the number of rows in which each literal holds."""
        return np.asarray(np.bitwise_count(self.words).sum(axis=1), dtype=np.int64)

    def take(self, rows: BoolArray | IntArray) -> Self:
        """Return the table of some of the rows."""
        n_rows = int(rows.sum()) if rows.dtype == bool else len(rows)
        return self.from_columns((self.column(j)[rows] for j in range(self.n_columns)), n_rows)

    def pieces(self, n_rows: int) -> "Iterator[tuple[slice, BitTable]]":
        """Yield the table in pieces of so many rows, a multiple of 64, each with its rows."""
        for begin in range(0, self.n_rows, n_rows):
            rows = slice(begin, min(begin + n_rows, self.n_rows))
            words = self.words[:, begin // 64 : (rows.stop + 63) // 64]
            yield rows, BitTable(np.ascontiguousarray(words), rows.stop - begin)


class LateBits(BitTable):
    """The bits of a large frame, made when they are asked for: in pieces, or of single literals, or all."""

    frame: Frame
    literals: tuple[Literal, ...]
    n_threads: int
    _columns: dict[int, BitTable]

    def __init__(self, frame: Frame, literals: tuple[Literal, ...], n_threads: int = 1) -> None:
        fields = {"frame": frame, "literals": literals, "n_threads": n_threads, "n_rows": frame.n_rows, "_columns": {}}
        vars(self).update(fields)

    @cached_property
    def words(self) -> npt.NDArray[np.uint64]:
        return tabulate(self.frame, self.literals, self.n_threads).words

    @property
    def n_columns(self) -> int:
        return len(self.literals)

    def column(self, j: int) -> BoolArray:
        if "words" in vars(self):
            return super().column(j)
        if j not in self._columns:
            self._columns[j] = tabulate(self.frame, [self.literals[j]], self.n_threads)
        return self._columns[j].column(0)

    def with_literals(self, new: tuple[Literal, ...]) -> "LateBits":
        """Return the bits of more literals."""
        return LateBits(self.frame, (*self.literals, *new), self.n_threads)

    def pieces(self, n_rows: int) -> "Iterator[tuple[slice, BitTable]]":
        """Yield the table in pieces of so many rows, a multiple of 64, each with its rows."""
        if "words" in vars(self):
            yield from super().pieces(n_rows)
            return
        kinds = _kinds(self.frame, self.literals)
        for begin in range(0, self.n_rows, n_rows):
            rows = slice(begin, min(begin + n_rows, self.n_rows))
            some = [(each.take(rows), places) for each, places in kinds]
            yield rows, _tabulated(some, len(self.literals), rows.stop - begin, self.n_threads)


def tabulate(frame: Frame, literals: Iterable[Literal], n_threads: int = 1) -> BitTable:
    """Return the rows in which each literal holds."""
    literals = tuple(literals)
    return _tabulated(_kinds(frame, literals), len(literals), frame.n_rows, n_threads)


def count_holding(column: Column, literals: Iterable[Literal]) -> IntArray:
    """Return the number of rows in which each literal on a column holds."""
    return Kinds.of(column, literals).counts()


def _kinds(frame: Frame, literals: tuple[Literal, ...]) -> "list[tuple[Kinds, list[int]]]":
    """Return the kinds of cells of each column that has literals, and the positions of these."""
    positions: dict[str, list[int]] = {}
    for j, literal in enumerate(literals):
        positions.setdefault(literal.column, []).append(j)
    return [(Kinds.of(frame[name], [literals[j] for j in places]), places) for name, places in positions.items()]


def _tabulated(kinds_of: "list[tuple[Kinds, list[int]]]", n_literals: int, n_rows: int, n_threads: int) -> BitTable:
    table = BitTable.empty(n_literals, n_rows)
    for kinds, places in kinds_of:
        first, end = places[0], places[-1] + 1
        if end - first == len(places):
            kinds.pack(table.words[first:end], n_threads)
        else:
            words = np.empty((len(places), table.words.shape[1]), dtype=np.uint64)
            kinds.pack(words, n_threads)
            table.words[places] = words
    return table


@dataclass(frozen=True, eq=False)
class Kinds:
    """The kinds of cells of a column that some literals distinguish, and the kinds that each literal accepts."""

    column: Column
    cuts: AnyArray  # for numbers and dates: below each, at it, and above the last
    accepts: BoolArray  # one row per kind, the missing cell last; one column per literal

    @classmethod
    def of(cls, column: Column, literals: Iterable[Literal]) -> "Kinds":
        literals = tuple(literals)
        cuts: AnyArray = np.empty(0)
        if column.kind in ("number", "date"):
            cuts = _cuts(column, literals)
            examples = _examples(column, cuts)
        elif column.kind == "flag":
            examples = replace(column, values=np.array([False, True, False]), missing=np.array([False, False, True]))
        else:
            codes = np.append(np.arange(len(column.categories), dtype=np.int32), np.int32(-1))
            examples = replace(column, values=codes, missing=codes < 0)
        if column.missing.all():  # the type of such a column is not known, and any literal may test it
            gone = column.take(np.array([0]))
            accepts = np.repeat([[literal.holds(gone)[0] for literal in literals]], len(examples.missing), axis=0)
        else:
            accepts = np.array([literal.holds(examples) for literal in literals], dtype=bool).T
        return cls(column, cuts, np.ascontiguousarray(accepts).reshape(len(examples.missing), len(literals)))

    def take(self, rows: slice) -> "Kinds":
        """Return the kinds of some of the cells."""
        return replace(self, column=self.column.take(rows))

    def pack(self, out: npt.NDArray[np.uint64], n_threads: int = 1) -> None:
        """Write the bits of the literals into ``out``."""
        values, missing = np.ascontiguousarray(self.column.values), np.ascontiguousarray(self.column.missing)
        if self.column.kind in ("number", "date"):
            # mypy cannot know that values and cuts are of one type
            _kernel.pack_numbers(values, missing, self.cuts, self.accepts, out, n_threads)  # type: ignore[arg-type]
        else:
            _kernel.pack_codes(values.astype(np.int32, copy=False), missing, self.accepts, out, n_threads)

    def counts(self) -> IntArray:
        """Return the number of rows in which each literal holds."""
        values, missing = np.ascontiguousarray(self.column.values), np.ascontiguousarray(self.column.missing)
        if self.column.kind in ("number", "date"):
            n_rows = _kernel.count_numbers(values, missing, self.cuts)  # type: ignore[arg-type]
        else:
            n_rows = _kernel.count_codes(values.astype(np.int32, copy=False), missing, len(self.accepts))
        return np.asarray(n_rows @ self.accepts.astype(np.int64), dtype=np.int64)


def _cuts(column: Column, literals: Iterable[Literal]) -> AnyArray:
    cuts = {cut for literal in literals for cut in literal.cuts}
    if column.values.dtype.kind == "f":
        return np.array(sorted({float(cut) for cut in cuts}), dtype=np.float64)
    # among integers, a cut separates as the integer below it does; beyond the largest it separates nothing
    whole = {math.floor(cut) for cut in cuts}
    return np.array(sorted(cut for cut in whole if -(2**63) <= cut < 2**63), dtype=np.int64)


def _examples(column: Column, cuts: AnyArray) -> Column:
    """Return a column with one cell of each kind, the missing one last."""
    if cuts.dtype.kind == "f":
        with np.errstate(over="ignore"):
            below, above = np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf)
    else:
        limits = np.iinfo(np.int64)
        below, above = np.maximum(cuts, limits.min + 1) - 1, np.minimum(cuts, limits.max - 1) + 1
    values = np.zeros(2 * len(cuts) + 2, dtype=column.values.dtype)
    values[0:-2:2], values[1:-2:2] = below, cuts
    if len(cuts):
        values[-2] = above[-1]
    missing = np.zeros(len(values), dtype=bool)
    missing[-1] = True
    return replace(column, values=values, missing=missing)
