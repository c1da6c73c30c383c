"""Rows in memory: a table of bits, with a label and a weight for each row."""

from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from imli import _kernel
from imli.learning.bits import BitTable
from imli.learning.rows import PlainRule, coreset
from imli.learning.rows.coreset import Core
from imli.rules import Rule
from imli.table.frame import BoolArray, IntArray

if TYPE_CHECKING:
    from imli.learning.query import Query

_PIECE = 64_000  # rows whose bits are at hand at a time; columns at powers of two would share lines of the cache


@dataclass(eq=False)
class RowsInMemory:
    """Bits, labels and weights of rows.

    Parameters
    ----------
    table
        A bit for each row and literal.
    labels
        The position of the class of each row; truth values for a formula.
    weights
        The units that a wrong decision on each row costs.
    counts
        The number of rows that each row stands for; None for one each.
    """

    table: BitTable
    labels: BoolArray | IntArray
    weights: IntArray
    counts: IntArray | None = None
    _unavoidable: int | None = field(default=None, init=False, repr=False)  # known once the rows were merged
    _core: Core | None = field(default=None, init=False, repr=False)  # λ and the rule are searched on the same rows
    _by_total: dict[str, IntArray] = field(default_factory=dict, init=False, repr=False)
    _errors: dict[str, int] = field(default_factory=dict, init=False, repr=False)  # of rules on many rows

    def __post_init__(self) -> None:
        if not len(self.labels) == len(self.weights) == self.n_rows:
            raise ValueError(
                f"The table has {self.n_rows} rows, but {len(self.labels)} labels and {len(self.weights)} weights."
            )
        if self.weights.min(initial=0) < 0:
            raise ValueError("Weights and costs must not be negative.")

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @property
    def row_counts(self) -> IntArray:
        """Return the number of rows that each row stands for."""
        return np.ones(self.n_rows, dtype=np.int64) if self.counts is None else self.counts

    def errors(self, query: "Query", rule: Rule) -> int:
        asked = str((query.kind, query.plain(rule))) if self.n_rows > coreset.MOST_ROWS else ""
        if asked not in self._errors:
            wrong = rule.decisions(query.holds, self.n_rows, query.classes) != self.labels
            units = int(self.weights[wrong].sum())
            if not asked:
                return units
            self._errors[asked] = units
        return self._errors[asked]

    def by_total(self, query: "Query", rule: Rule) -> IntArray:
        asked = repr(query.plain_items(rule)) if self.n_rows > coreset.MOST_ROWS else ""
        if asked not in self._by_total:
            n_totals = len(rule.region_classes)
            cells = rule.regions(query.holds, self.n_rows) * 2 + self.labels
            found = np.zeros(2 * n_totals, dtype=np.int64)
            np.add.at(found, cells, self.weights)
            if not asked:
                return found.reshape(n_totals, 2)
            self._by_total[asked] = found.reshape(n_totals, 2)
        return self._by_total[asked]

    def n_covered(self, query: "Query", rule: Rule) -> list[int]:
        return [int(self.row_counts[rows].sum()) for rows in rule.coverage(query.holds, self.n_rows)]

    def merged(self, query: "Query", n_threads: int = 1) -> _kernel.Rows:
        """Return the canonical table: equal rows merged, in an order of their own. A CNF is seen as its complement."""
        rows = self._merged(query, self.table, slice(None), n_threads)
        if self._unavoidable is None:
            self._unavoidable = rows.unavoidable
        return rows

    def _merged(self, query: "Query", table: BitTable, here: slice, n_threads: int) -> _kernel.Rows:
        labels, is_cnf = self.labels[here], query.kind == "cnf"
        return _kernel.Rows(
            table.words,
            np.where(labels, 0, 1).astype(np.int32) if is_cnf else labels.astype(np.int32),
            np.ascontiguousarray(self.weights[here]),
            n_classes=len(query.classes),
            complemented=is_cnf,
            counts=None if query.constraints.min_rows is None else self.row_counts[here],
            n_threads=n_threads,
            apart=query.is_points,
        )

    def unavoidable(self, query: "Query") -> int:
        """Return the units that every rule costs, for rows equal in all literals but of several classes."""
        if self._unavoidable is None:
            self.merged(query)
        assert self._unavoidable is not None
        return self._unavoidable

    def core(self, query: "Query", n_threads: int = 1) -> Core | None:
        """Return the rows that a search looks at, or None if these are all rows."""
        if self.n_rows <= coreset.MOST_ROWS:
            return None
        if self._core is not None:
            return self._core
        pieces = (
            (table, self.labels[here], np.ascontiguousarray(self.weights[here]))
            for here, table in self.table.pieces(_PIECE)
        )
        self._core = Core.of_pieces(pieces, self.table.n_columns, len(query.classes), n_threads)
        self._unavoidable = self._core.unavoidable
        return self._core

    def summed(self, query: "Query", n_threads: int = 1) -> "SumsInMemory":
        """Return the sums over all rows, whose bits are freed with them: making them anew is fast, memory is not."""
        parts = tuple(
            _kernel.Part(self._merged(query, table, here, n_threads), len(query.classes), n_threads)
            for here, table in self.table.pieces(_PIECE)
        )
        return SumsInMemory(parts, int(self.weights.sum()), n_threads)

    def take(self, rows: BoolArray | IntArray) -> "RowsInMemory":
        """Return the rows at these positions, or where this mask is true."""
        counts = None if self.counts is None else self.counts[rows]
        return RowsInMemory(self.table.take(rows), self.labels[rows], self.weights[rows], counts)

    def canonical(self, merge: bool) -> "RowsInMemory":
        """Return the rows in sorted order, so that the order and, with ``merge``, repetition of rows do not matter."""
        labels = self.labels.astype(np.int32).view(np.uint8).reshape(self.n_rows, -1)
        keys = np.column_stack([np.packbits(self.table.dense(), axis=1), labels])
        keys = np.ascontiguousarray(keys).view([("", np.void, keys.shape[1])]).ravel()
        if not merge:
            return self.take(np.lexsort((self.weights, np.unique(keys, return_inverse=True)[1])))
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        weights = np.zeros(len(first), dtype=np.int64)
        np.add.at(weights, group.ravel(), self.weights)
        return replace(self.take(first), weights=weights)


@dataclass(frozen=True, eq=False)
class SumsInMemory:
    """Sums over rows in memory."""

    parts: tuple[_kernel.Part, ...]
    weight: int
    n_threads: int

    def sums(self, kind: str, n_locked: int, with_counts: bool, rule: PlainRule, with_places: bool = True) -> IntArray:
        found = (part.sums(kind, n_locked, with_counts, *rule, with_places, self.n_threads) for part in self.parts)
        return reduce(np.add, found)
