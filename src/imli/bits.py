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

    words: npt.NDArray[np.uint8]  # one row of bytes per literal
    n_rows: int

    @classmethod
    def from_columns(cls, columns: Iterable[BoolArray], n_rows: int) -> Self:
        packed = [np.packbits(column) for column in columns]
        words = np.array(packed, dtype=np.uint8).reshape(len(packed), (n_rows + 7) // 8)
        return cls(words, n_rows)

    @property
    def n_columns(self) -> int:
        return int(self.words.shape[0])

    def column(self, j: int) -> BoolArray:
        return np.unpackbits(self.words[j], count=self.n_rows).view(np.bool_)

    def dense(self) -> BoolArray:
        """All bits, one row per row and one column per literal."""
        return np.unpackbits(self.words, axis=1, count=self.n_rows).view(np.bool_).T

    def counts(self) -> IntArray:
        """In how many rows each literal holds."""
        return np.asarray(np.bitwise_count(self.words).sum(axis=1), dtype=np.int64)

    def take(self, rows: BoolArray | IntArray) -> Self:
        """The table of some of the rows."""
        kept = self.dense()[rows]
        return type(self)(np.packbits(kept.T, axis=1), kept.shape[0])
