"""Rows like a given one, made of its own cells and of those that a table has: so each cell has been seen before."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from imli.arrays import BoolArray, IntArray
from imli.explain.source import Source
from imli.literals import Literal


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Where neighbours of a row come from. They are arrays that say for each cell from which row it is."""

    source: Source
    row: int
    rows: IntArray  # those of the table that neighbours are made of
    chance: np.random.Generator

    def near(self, n: int) -> IntArray:
        """Rows of the table in which some cells are those of the row: from few of them to nearly all."""
        shape = n, len(self.source.frame.names)
        kept = self.chance.random(shape) < self.chance.random((n, 1))
        return np.where(kept, self.row, self._drawn(n)[:, None])

    def within(self, clause: Sequence[Literal], n: int) -> IntArray:
        """Rows of the table in which cells that break the clause are replaced by others that keep it."""
        found = np.repeat(self._drawn(n)[:, None], len(self.source.frame.names), axis=1)
        for j, column in enumerate(self.source.frame.columns.values()):
            own = [literal for literal in clause if literal.column == column.name]
            if own:
                keeps: BoolArray = np.logical_and.reduce([literal.holds(column) for literal in own])
                fit = np.append(self.rows[keeps[self.rows]], self.row)
                broken = ~keeps[found[:, j]]
                found[broken, j] = self.chance.choice(fit, int(broken.sum()))
        return found

    def _drawn(self, n: int) -> IntArray:
        return self.chance.choice(self.rows, n)

    def whole(self, rows: IntArray) -> IntArray:
        """Rows of the table as they are, in the same form."""
        return np.repeat(rows[:, None], len(self.source.frame.names), axis=1)


def table_of(source: Source, *parts: IntArray) -> tuple[Any, int]:
    """The parts as one table, and how many rows it has."""
    cells = np.concatenate(parts)
    return source.gather(cells), len(cells)
