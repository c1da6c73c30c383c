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
from imli.rules.cells import Cells
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
        tested = _tested(self.frame, self.literals)
        for begin in range(0, self.n_rows, n_rows):
            rows = slice(begin, min(begin + n_rows, self.n_rows))
            table = BitTable.empty(len(self.literals), rows.stop - begin)
            for cells, places in tested:
                _pack(table, places, self.frame[cells.name].take(rows), cells, self.n_threads)
            yield rows, table


def tabulate(frame: Frame, literals: Iterable[Literal], n_threads: int = 1) -> BitTable:
    """Return the rows in which each literal holds."""
    literals = tuple(literals)
    table = BitTable.empty(len(literals), frame.n_rows)
    for cells, places in _tested(frame, literals):
        _pack(table, places, frame[cells.name], cells, n_threads)
    return table


def count_holding(column: Column, literals: Iterable[Literal]) -> IntArray:
    """Return the number of rows in which each literal on a column holds."""
    cells = cells_of(column, literals)
    values, missing = np.ascontiguousarray(column.values), np.ascontiguousarray(column.missing)
    if column.kind in ("number", "date"):
        n_rows = _kernel.count_numbers(values, missing, _separators(cells))  # type: ignore[arg-type]
    else:
        n_rows = _kernel.count_codes(values.astype(np.int32, copy=False), missing, cells.n)
    return np.asarray(n_rows @ cells.accepts.astype(np.int64), dtype=np.int64)


def _tested(frame: Frame, literals: tuple[Literal, ...]) -> list[tuple[Cells, list[int]]]:
    """Return the kinds of cells of each column that has literals, and the positions of these."""
    positions: dict[str, list[int]] = {}
    for j, literal in enumerate(literals):
        positions.setdefault(literal.column, []).append(j)
    return [(cells_of(frame[name], [literals[j] for j in places]), places) for name, places in positions.items()]


def _pack(table: BitTable, places: list[int], column: Column, cells: Cells, n_threads: int) -> None:
    """Write the bits of the literals at these places, which distinguish these kinds of cells of the column."""
    first, end = places[0], places[-1] + 1
    is_one_block = end - first == len(places)
    out = table.words[first:end] if is_one_block else np.empty((len(places), table.words.shape[1]), dtype=np.uint64)
    values, missing = np.ascontiguousarray(column.values), np.ascontiguousarray(column.missing)
    if column.kind in ("number", "date"):
        # mypy cannot know that values and cuts are of one type
        _kernel.pack_numbers(values, missing, _separators(cells), cells.accepts, out, n_threads)  # type: ignore[arg-type]
    else:
        _kernel.pack_codes(values.astype(np.int32, copy=False), missing, cells.accepts, out, n_threads)
    if not is_one_block:
        table.words[places] = out


def cells_of(column: Column, literals: Iterable[Literal]) -> Cells:
    """Return a cell of each kind that the literals distinguish in a column, of the type of its values.

    For numbers and dates these are one below each cut and one at it, and one above the last.
    """
    literals = tuple(literals)
    if column.kind in ("number", "date"):
        examples = _examples(column, _cuts(column, literals))
    elif column.kind == "flag":
        examples = replace(column, values=np.array([False, True, False]), missing=np.array([False, False, True]))
    else:
        codes = np.append(np.arange(len(column.categories), dtype=np.int32), np.int32(-1))
        examples = replace(column, values=codes, missing=codes < 0)
    if column.missing.all():  # the type of such a column is not known, and any literal may test it
        examples = replace(examples, missing=np.ones_like(examples.missing))
    return Cells(column.name, column.kind, literals, (examples,))


def _separators(cells: Cells) -> AnyArray:
    """Return the cuts between the numbers or dates of ``cells_of``."""
    return np.ascontiguousarray(cells.columns[0].values[1:-2:2])


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
