"""Some of the rows, which stand for all where there are more different ones than a search looks at."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from imli import _kernel
from imli.learning.bits import BitTable
from imli.table.frame import AnyArray, IntArray

MOST_ROWS = 2**17  # different ones


@dataclass(frozen=True, eq=False)
class Core:
    """The rows whose bits have the least hashes, with equal rows as one.

    The core depends on nothing but the rows. The cores of the parts of a table merge to that of the whole.
    """

    keys: npt.NDArray[np.uint64]  # a row of words, with a bit for each literal
    by_class: IntArray  # units that its rows weigh, of each class
    counts: IntArray  # rows that it stands for
    n_literals: int
    weight: int  # units of all rows, here or not
    n_rows: int  # of all, here or not
    has_all: bool  # whether no different row was left out

    @classmethod
    def of(
        cls, table: BitTable, labels: AnyArray, weights: IntArray, n_classes: int, n_threads: int = 1, most: int = 0
    ) -> "Core":
        """Build the core of a table."""
        return cls.of_pieces([(table, labels, weights)], table.n_columns, n_classes, n_threads, most)

    @classmethod
    def of_pieces(
        cls,
        pieces: Iterable[tuple[BitTable, AnyArray, IntArray]],
        n_literals: int,
        n_classes: int,
        n_threads: int = 1,
        most: int = 0,
    ) -> "Core":
        """Build the core of a table that comes in pieces, with their labels and weights."""
        core, n_rows = _kernel.Core(n_literals, n_classes, most or MOST_ROWS), 0
        for table, labels, weights in pieces:
            core.add(table.words, labels.astype(np.int32), weights, n_threads)
            n_rows += table.n_rows
        return cls._from(core, n_literals, n_rows)

    @classmethod
    def _from(cls, core: "_kernel.Core", n_literals: int, n_rows: int) -> "Core":
        return cls(*core.rows(), n_literals, core.weight, n_rows, core.has_all)

    def merge(self, other: "Core", most: int = 0) -> "Core":
        """Return the core of the rows of both."""
        both = [_kernel.Core(self.n_literals, self.by_class.shape[1], most or MOST_ROWS) for _ in range(2)]
        for core, part in zip(both, (self, other), strict=True):
            core.restore(part.keys, part.by_class, part.counts, part.weight, part.has_all)
        both[0].merge(both[1])
        return self._from(both[0], self.n_literals, self.n_rows + other.n_rows)

    @property
    def unavoidable(self) -> int:
        """Return the units that every rule costs on these rows, where equal ones are of several classes."""
        return int((self.by_class.sum(axis=1) - self.by_class.max(axis=1, initial=0)).sum())

    def table(self) -> tuple[BitTable, IntArray, IntArray, IntArray]:
        """Return bits, labels, weights and counts: one row for each class that rows with these bits have."""
        weighed = self.by_class > 0
        weighed[~weighed.any(axis=1), 0] = True  # a row of no weight counts, where rows are counted
        rows, labels = np.nonzero(weighed)
        table = BitTable.empty(self.n_literals, len(rows))
        _kernel.pack_keys(self.keys[rows], table.words)
        first = np.append(True, rows[1:] != rows[:-1])
        return table, labels, self.by_class[rows, labels], np.where(first, self.counts[rows], 0)
