"""Rows: who holds the bits. Siblings hold them in memory, in a file on disk, or on the workers of a cluster."""

from typing import TYPE_CHECKING, Protocol

from imli.table.frame import IntArray

if TYPE_CHECKING:
    from imli.learning.query import Query
    from imli.learning.rows.coreset import Core
    from imli.rules import Rule

PlainClause = tuple[bool, int, list[int]]  # held, class, literals by position
PlainItems = list[tuple[list[int], int]]  # literals by position, and points
PlainRule = tuple[list[PlainClause], int]  # clauses, and the class where none covers


class RowSums(Protocol):
    """Sums over rows, which is all that a search needs to know of them."""

    @property
    def weight(self) -> int:
        """Return the units of all rows."""

    def sums(self, kind: str, n_locked: int, with_counts: bool, rule: PlainRule, with_places: bool = True) -> IntArray:
        """Return the sums about a rule.

        First the units of wrong decisions, then the units of uncovered rows by class, then if wanted the number of rows
        of each clause, and last the sums for every change of one place.
        """


class Rows(Protocol):
    """Rows of a query, as bits for its literals, with labels and weights in units."""

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""

    def errors(self, query: "Query", rule: "Rule") -> int:
        """Return the units of the rows that the rule decides wrongly."""

    def by_total(self, query: "Query", rule: "Rule") -> IntArray:
        """Return the units of each class, by column, at each total of a score, from the least to the most."""

    def n_covered(self, query: "Query", rule: "Rule") -> list[int]:
        """Return the number of rows that each clause covers; a row counts once, whatever it weighs."""

    def unavoidable(self, query: "Query") -> int:
        """Return units that are known to be part of the cost of any rule."""

    def core(self, query: "Query", n_threads: int = 1) -> "Core | None":
        """Return the rows that stand for all in a search, or None if a search looks at all of them."""

    def summed(self, query: "Query", n_threads: int = 1) -> RowSums:
        """Return the sums over all rows."""
