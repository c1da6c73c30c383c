"""The rows that a rule is learned from, and the questions that are asked about them.

Rows that are never all in memory: what is learned of them are sums over their parts.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np

from imli.learning.bits import BitTable, tabulate
from imli.learning.query import Kind, Query
from imli.learning.rows import Counting, Covering, Engine, Look, Packing, Zooming
from imli.learning.stream import Memory
from imli.learning.vocabulary import FINER_BINS, Binning, finer_in, windows_of
from imli.rules import Counts, Rule, count_rows
from imli.rules.literals import Compare, CompareDate, Literal
from imli.table.frame import BoolArray, Column, FloatArray, Frame, IntArray
from imli.table.hashing import hash_column, hash_rows
from imli.table.statistics import ColumnStatistics, DataCard, describe, describe_summary

_MANY_ROWS = 100_000  # of which several columns are looked at at a time


@dataclass(frozen=True, eq=False, kw_only=True)
class Training(ABC):
    """Rows, wherever they are: how they become literals, and what a rule costs and must keep."""

    frame: Frame  # the rows, or columns like theirs
    factors: FloatArray  # by how much the rows of each class count more than they weigh
    binning: Binning
    asked: tuple[Literal, ...]  # which the vocabulary has besides those that binning gives
    kind: Kind
    terms: dict[str, Any]  # of the question
    n_threads: int
    refine: bool  # whether thresholds may be looked for anew
    literals: tuple[Literal, ...] | None = None  # to choose from, instead of those that binning gives

    @cached_property
    def query(self) -> Query:
        """Which rule over these literals, or those that binning gives, is cheapest."""
        found = self._all_literals() if self.literals is None else self.literals
        return self._query_over(tuple(dict.fromkeys((*found, *self.asked))))

    @property
    def has_finer(self) -> bool:
        """Whether some rule may have thresholds between which there are more."""
        wanted = self.refine and self.binning.intervals == "open"
        return wanted and any(isinstance(literal, Compare | CompareDate) for literal in self.query.literals)

    def finer(self, *rules: Rule, bins: int = FINER_BINS) -> Query | None:
        """The same question with more thresholds next to those that the rules have; None if there are no more."""
        known = self.query.position
        used = dict.fromkeys(literal for rule in rules for literal in rule.literals)
        new = tuple(literal for literal in self._finer_literals(tuple(used), bins) if literal not in known)
        return self._query_with(new) if new else None

    @abstractmethod
    def _all_literals(self) -> tuple[Literal, ...]:
        """Those that binning gives."""

    @abstractmethod
    def _finer_literals(self, used: tuple[Literal, ...], bins: int) -> tuple[Literal, ...]:
        """Further thresholds next to those of the literals used."""

    @abstractmethod
    def _query_over(self, literals: tuple[Literal, ...]) -> Query:
        """The question over these literals."""

    @abstractmethod
    def _query_with(self, new: tuple[Literal, ...]) -> Query:
        """The question over further literals beside those of the query."""

    @abstractmethod
    def n_covered(self, rule: Rule) -> list[int]:
        """How many rows each clause speaks for."""

    @abstractmethod
    def counts(self, rule: Rule) -> Counts:
        """What becomes of the rows."""

    @abstractmethod
    def remembered(self, memory: Memory, rng: np.random.Generator) -> Memory:
        """The memory with what it keeps of the rows."""

    @abstractmethod
    def described(self, named: Collection[str]) -> tuple[DataCard, dict[str, ColumnStatistics]]:
        """The rows for a model: how many, and what the named columns hold."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TableTraining(Training):
    """Rows of a table in memory, without those of weight zero."""

    in_use: BoolArray  # which rows of the table as it was given these are
    positions: BoolArray | IntArray  # of each row's class
    weights: FloatArray

    @property
    def row_weights(self) -> FloatArray:
        """What a wrong decision on each row counts."""
        return self.weights * self.factors[self.positions.astype(np.intp)]

    def _all_literals(self) -> tuple[Literal, ...]:
        return self.binning.literals(self.frame, self.weights, self.positions)

    def _finer_literals(self, used: tuple[Literal, ...], bins: int) -> tuple[Literal, ...]:
        return self.binning.finer(self.frame, self.weights, used, self.query.literals, bins)

    def n_covered(self, rule: Rule) -> list[int]:
        holds = rule.holds_in(self.frame)
        return [int(covered.sum()) for covered in rule.coverage(holds, self.frame.n_rows)]

    def counts(self, rule: Rule) -> Counts:
        positions = self.positions.astype(np.int64)
        return count_rows(rule, rule.holds_in(self.frame), positions, self.terms["classes"], self.weights)

    def described(self, named: Collection[str]) -> tuple[DataCard, dict[str, ColumnStatistics]]:
        def look_at(column: Column) -> tuple[bytes, ColumnStatistics | None]:
            return hash_column(column), describe(column) if column.name in named else None

        frame, weights = self.frame, self.weights
        if frame.n_rows < _MANY_ROWS or self.n_threads == 1:
            seen = [look_at(column) for column in frame.columns.values()]
        else:
            with ThreadPoolExecutor(self.n_threads) as pool:  # hashing lets other threads run
                seen = list(pool.map(look_at, frame.columns.values()))
        hashes, statistics = zip(*seen, strict=True)
        card = DataCard(
            rows=frame.n_rows,
            columns=len(frame.names),
            hash=hash_rows(frame.names, hashes, self.terms["classes"], self.positions, weights),
            weight=float(weights.sum()) if (weights != 1).any() else None,
        )
        return card, {name: found for name, found in zip(frame.names, statistics, strict=True) if found is not None}

    def remembered(self, memory: Memory, rng: np.random.Generator) -> Memory:
        return memory.plus(self.frame, self.positions.astype(np.int64), self.weights, rng)

    def take(self, rows: IntArray) -> Self:
        """The same about some of the rows."""
        return replace(self, frame=self.frame.take(rows), positions=self.positions[rows], weights=self.weights[rows])

    def knowing(self, *rules: Rule) -> Self:
        """The same with a vocabulary that has the literals of these rules."""
        literals = (literal for rule in rules for literal in rule.literals)
        return replace(self, asked=tuple(dict.fromkeys((*self.asked, *literals))))

    def within(self, **changes: int | None) -> Self:
        """The same within changed constraints."""
        constraints = replace(self.terms["constraints"], **changes)
        return replace(self, terms=self.terms | {"constraints": constraints})

    def at(self, lam: float, query: Query) -> Query:
        """The same question over the same literals at another λ."""
        return self._query(query.literals, query.table, lam)

    def _query_over(self, literals: tuple[Literal, ...]) -> Query:
        return self._query(literals, tabulate(self.frame, literals, self.n_threads))

    def _query_with(self, new: tuple[Literal, ...]) -> Query:
        words = np.concatenate([self.query.table.words, tabulate(self.frame, new, self.n_threads).words])
        return self._query((*self.query.literals, *new), BitTable(words, self.frame.n_rows))

    def _query(self, literals: tuple[Literal, ...], table: BitTable, lam: float | None = None) -> Query:
        terms = self.terms if lam is None else self.terms | {"lam": lam}
        return Query.build(self.kind, literals, table, self.positions, row_weights=self.row_weights, **terms)


@dataclass(frozen=True, eq=False)
class LargeRows:
    """Rows that an engine looks at: what was seen of them at first sight."""

    engine: Engine
    look: Look
    scale: int  # units that a row of weight 1 weighs in what was seen
    stand_for: float = 1.0

    @property
    def frame(self) -> Frame:
        """Columns like theirs."""
        return self.look.examples

    @property
    def target(self) -> str | None:
        return self.engine.target

    @property
    def weight(self) -> float:
        return math.fsum(self.class_weights)

    @property
    def class_weights(self) -> list[float]:
        """What the rows of each class weigh, rounded once: whatever the parts, the same."""
        weights = self.look.weights
        values = [Fraction(value) for value in weights.low.tolist()]
        return [float(sum(value * int(n) for value, n in zip(values, counts, strict=True)))
                for counts in weights.weights.T.tolist()]  # fmt: skip

    def training(self, **terms: Any) -> "LargeTraining":
        """The rows to learn from."""
        return LargeTraining(frame=self.frame, rows=self, **terms)


@dataclass(frozen=True, eq=False, kw_only=True)
class LargeTraining(Training):
    """The same questions about rows that only an engine sees."""

    rows: LargeRows

    def _all_literals(self) -> tuple[Literal, ...]:
        return self.binning.literals_of(self.rows.look.columns, self.rows.scale)

    def _finer_literals(self, used: tuple[Literal, ...], bins: int) -> tuple[Literal, ...]:
        windows = tuple(windows_of(used, self.query.literals))
        if not windows:
            return ()
        columns = {window.literal.column for window in windows}
        counts = self.rows.engine.gather(Zooming(windows, self.rows.scale), Zooming.merge, columns)
        return finer_in(windows, counts, bins)

    def _query_over(self, literals: tuple[Literal, ...]) -> Query:
        look = self.rows.look
        query = Query.build(
            self.kind,
            literals,
            BitTable.empty(len(literals), 0),
            np.zeros(0, dtype=bool if self.kind in ("cnf", "dnf") else np.int64),
            row_weights=self._different_weights(),
            weight=float(np.dot(self.rows.class_weights, self.factors)),
            **self.terms,
        )
        packed = self.rows.engine.pack(Packing.of(query, look.classes, self.factors))
        return replace(query, elsewhere=packed)

    def _query_with(self, new: tuple[Literal, ...]) -> Query:
        return self._query_over((*self.query.literals, *new))

    def _different_weights(self) -> FloatArray:
        """What wrong decisions count, each weight of each class once."""
        weights = self.rows.look.weights
        value, label = np.nonzero(weights.weights)
        counts: FloatArray = weights.low[value].astype(np.float64) * self.factors[label]
        return counts

    def n_covered(self, rule: Rule) -> list[int]:
        if not rule.clauses:
            return []
        return self.rows.engine.gather(Covering(rule), Covering.merge, rule.columns)

    def counts(self, rule: Rule) -> Counts:
        counting = Counting(rule, self.rows.look.classes, self.terms["classes"])
        return self.rows.engine.gather(counting, Counts.plus, rule.columns)

    def remembered(self, memory: Memory, rng: np.random.Generator) -> Memory:  # noqa: ARG002
        return Memory.empty(0, len(self.factors), np.array(self.rows.class_weights))

    def described(self, named: Collection[str]) -> tuple[DataCard, dict[str, ColumnStatistics]]:
        look = self.rows.look
        weight = self.rows.weight if look.weights.low.tolist() != [1.0] else None
        card = DataCard(rows=look.n_rows, columns=len(look.columns), weight=weight)
        return card, {name: describe_summary(look.columns[name]) for name in look.columns if name in named}


def auto_lam(weight: float, stand_for: float = 1.0) -> float:
    """How many errors a literal must save where nobody says: 0.8 for each time that the rows double beyond 32, and from
    about 5,000 rows on a twelfth of their square root.

    The more rows there are, the more errors a literal saves that only chance makes look good: a twelfth of the root is
    a quarter of the standard error of the number of errors, if one row in eight is decided wrongly. On the data sets of
    benchmarks/defaults.py smaller values are hardly more accurate, and make rules twice as long. Where each row stands
    for several that were forgotten, chance counts for more, by the square root of their number.
    """
    n_rows = max(1.0, weight)
    lam = max(1.0, 0.8 * (math.log2(n_rows) - 5), math.sqrt(n_rows) / 12)
    return round(lam * math.sqrt(stand_for), 1)
