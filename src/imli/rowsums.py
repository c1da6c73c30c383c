"""Sums over rows, which is all that a search needs to know of them, wherever they are."""

from dataclasses import dataclass
from typing import Protocol

from imli import _kernel
from imli.arrays import IntArray

PlainClause = tuple[bool, int, list[int]]  # held, class, literals by position
Plain = tuple[list[PlainClause], int]  # clauses, and the class where none covers


class RowSums(Protocol):
    """Who knows the rows, and tells sums over them."""

    @property
    def n_rows(self) -> int:
        """How many rows there are."""

    @property
    def weight(self) -> int:
        """Units of all rows."""

    @property
    def unavoidable(self) -> int:
        """Units that are known to be part of what any rule costs."""

    def sums(self, kind: str, n_locked: int, with_counts: bool, rule: Plain, with_places: bool = True) -> IntArray:
        """What the rows say about a rule: units of wrong decisions, then of rows that no clause covers, by class, then
        if asked for how many rows each clause has, and last about every change of one place.
        """


@dataclass(frozen=True, eq=False)
class RowsHere:
    """Rows in memory."""

    part: _kernel.Part
    n_rows: int
    weight: int
    unavoidable: int
    n_threads: int

    def sums(self, kind: str, n_locked: int, with_counts: bool, rule: Plain, with_places: bool = True) -> IntArray:
        return self.part.sums(kind, n_locked, with_counts, *rule, with_places, self.n_threads)
