"""Truth tables of literals, one bit per row and literal."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from imli.arrays import BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class BitTable:
    """Packed columns: bit l of column j says whether literal j holds in row l.

    >>> table = BitTable.from_columns([np.array([True, False, True])], n_rows=3)
    >>> table.column(0).tolist(), table.counts().tolist()
    ([True, False, True], [2])
    """

    words: npt.NDArray[np.uint64]  # one row of words per literal; the first row of the table is the lowest bit
    n_rows: int

    @classmethod
    def empty(cls, n_columns: int, n_rows: int) -> Self:
        """Room for so many columns."""
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
        """All bits, one row per row and one column per literal."""
        flat = np.unpackbits(self.words.view(np.uint8), axis=1, count=self.n_rows, bitorder="little")
        return flat.view(np.bool_).T

    def counts(self) -> IntArray:
        """In how many rows each literal holds."""
        return np.asarray(np.bitwise_count(self.words).sum(axis=1), dtype=np.int64)

    def take(self, rows: BoolArray | IntArray) -> Self:
        """The table of some of the rows."""
        n_rows = int(rows.sum()) if rows.dtype == bool else len(rows)
        return self.from_columns((self.column(j)[rows] for j in range(self.n_columns)), n_rows)
