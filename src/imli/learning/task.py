"""A task makes a vocabulary and rows of a sample, and asks queries about them."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np

from imli.learning.bits import BitTable, LateBits, tabulate
from imli.learning.query import Goal, Query
from imli.learning.rows import Rows, coreset
from imli.learning.rows.engine import SampleInParts, add_covered, count_covered, count_piece, merge_zoomed, zoom_in
from imli.learning.rows.packing import Packing
from imli.learning.vocabulary import FINER_BINS, Binning, finer_in, windows_of
from imli.rules import POINT_RULES, Counts, Label, Rule, count_rows
from imli.rules.literals import Compare, CompareDate, Literal
from imli.table.frame import Column, FloatArray, Frame, IntArray
from imli.table.sample import Sample
from imli.table.summaries import ColumnStatistics, DataCard, describe, describe_summary, hash_column, hash_rows

_MANY_ROWS = 100_000  # several columns are described at a time from here on


@dataclass(frozen=True, eq=False, kw_only=True)
class Task(ABC):
    """A goal and the rows to reach it on, wherever they are.

    Parameters
    ----------
    goal
        The wanted kind of rule, its costs and constraints.
    factors
        The factor of each class of the sample by which its rows count more than they weigh.
    binning
        The way in which columns become literals.
    named
        Literals that the vocabulary has besides those of the binning.
    given
        The literals to choose from instead of those of the binning.
    refine
        Whether thresholds may be refined after a first search.
    n_threads
        The number of threads.
    sample
        The rows with their labels and weights, in memory or in parts.
    asked
        The columns that give literals though the sample leaves them out.
    """

    goal: Goal
    factors: FloatArray
    binning: Binning
    named: tuple[Literal, ...] = ()
    given: tuple[Literal, ...] | None = None
    refine: bool = True
    n_threads: int = 1
    sample: Sample | SampleInParts
    asked: frozenset[str] = frozenset()

    @property
    def left_out(self) -> frozenset[str]:
        """Return the columns that give no literals but those named."""
        return self.sample.left_out - self.asked

    @property
    def frame(self) -> Frame:
        """Return the rows, or columns of the same names and kinds."""
        return self.sample.frame

    @property
    def classes(self) -> tuple[Label, ...]:
        """Return the classes of the sample, in ascending order. The goal may have them in another order."""
        return self.sample.classes

    @property
    def row_weight(self) -> float:
        """Return the weight of one row."""
        return self.sample.row_weight

    @property
    def weight(self) -> float:
        """Return the weight of all rows."""
        return self.sample.weight

    @property
    def goal_factors(self) -> FloatArray:
        """Return the factor of each class in the order of the goal."""
        factors: FloatArray = self.factors[[self.classes.index(label) for label in self.goal.classes]]
        return factors

    def vocabulary(self) -> tuple[Literal, ...]:
        """Return the literals that a rule may have, each once."""
        found = self._binned() if self.given is None else self.given
        return tuple(dict.fromkeys((*found, *self.named)))

    def query(self) -> Query:
        """Return the query over the vocabulary."""
        return self._query_over(self.vocabulary())

    def can_refine(self, query: Query) -> bool:
        """Return True if the vocabulary has numeric or date thresholds that may be refined."""
        wanted = self.refine and self.binning.intervals == "open"
        return wanted and any(isinstance(literal, Compare | CompareDate) for literal in query.literals)

    def refined(self, query: Query, *rules: Rule, bins: int = FINER_BINS) -> Query | None:
        """Return the query with more thresholds next to those of the rules, or None if there are no more."""
        used = tuple(dict.fromkeys(literal for rule in rules for literal in rule.literals))
        new = tuple(literal for literal in self._finer(used, query.literals, bins) if literal not in query.position)
        return self._query_with(query, new) if new else None

    @abstractmethod
    def _binned(self) -> tuple[Literal, ...]:
        """Return the literals of the binning."""

    @abstractmethod
    def _finer(self, used: tuple[Literal, ...], known: tuple[Literal, ...], bins: int) -> tuple[Literal, ...]:
        """Return further thresholds next to those of the literals used."""

    @abstractmethod
    def _query_over(self, literals: tuple[Literal, ...]) -> Query:
        """Return the query over these literals."""

    @abstractmethod
    def _query_with(self, query: Query, new: tuple[Literal, ...]) -> Query:
        """Return the query over further literals beside those that it has."""

    @abstractmethod
    def n_covered(self, rule: Rule) -> list[int]:
        """Return the number of rows that each clause covers."""

    @abstractmethod
    def counts(self, rule: Rule) -> Counts:
        """Count the rows by clause and class."""

    @abstractmethod
    def described(self, named: Collection[str]) -> tuple[DataCard, dict[str, ColumnStatistics]]:
        """Describe the data for a model: its size, and the statistics of the named columns."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TaskInMemory(Task):
    """A task about a sample in memory."""

    sample: Sample

    def row_weights(self) -> FloatArray:
        """Return the cost of a wrong decision on each row."""
        if (self.factors == 1).all():
            return self.sample.weights
        weights: FloatArray = self.sample.weights * self.factors[self.sample.positions]
        return weights

    def take(self, rows: IntArray) -> Self:
        """Return the task about some of the rows."""
        return replace(self, sample=self.sample.take(rows))

    def knowing(self, *rules: Rule) -> Self:
        """Return the task with a vocabulary that has the literals of these rules."""
        literals = (literal for rule in rules for literal in rule.literals)
        return replace(self, named=tuple(dict.fromkeys((*self.named, *literals))))

    def within(self, **changes: Any) -> Self:
        """Return the task with changed constraints."""
        return replace(self, goal=replace(self.goal, constraints=replace(self.goal.constraints, **changes)))

    def at(self, lam: float, query: Query) -> Query:
        """Return the query over the literals of another query at another λ."""
        return self._query(replace(self.goal, lam=lam), query.literals, query.in_memory.table)

    def _binned(self) -> tuple[Literal, ...]:
        frame = self.frame.select(name for name in self.frame.names if name not in self.left_out)
        return self.binning.literals(frame, self.sample.weights, self.sample.positions)

    def _finer(self, used: tuple[Literal, ...], known: tuple[Literal, ...], bins: int) -> tuple[Literal, ...]:
        return self.binning.finer(self.frame, self.sample.weights, used, known, bins)

    def _query_over(self, literals: tuple[Literal, ...]) -> Query:
        if self.frame.n_rows > coreset.MOST_ROWS:
            return self._query(self.goal, literals, LateBits(self.frame, literals, self.n_threads))
        return self._query(self.goal, literals, tabulate(self.frame, literals, self.n_threads))

    def _query_with(self, query: Query, new: tuple[Literal, ...]) -> Query:
        if isinstance(query.in_memory.table, LateBits):
            return self._query(self.goal, (*query.literals, *new), query.in_memory.table.with_literals(new))
        words = np.concatenate([query.in_memory.table.words, tabulate(self.frame, new, self.n_threads).words])
        return self._query(self.goal, (*query.literals, *new), BitTable(words, self.frame.n_rows))

    def _query(self, goal: Goal, literals: tuple[Literal, ...], table: BitTable) -> Query:
        weights = self.row_weights()
        labels = goal.places(self.classes)[self.sample.positions]
        return goal.query_in_memory(literals, table, labels, weights)

    def n_covered(self, rule: Rule) -> list[int]:
        return count_covered(rule, self.sample)

    def counts(self, rule: Rule) -> Counts:
        sample = self.sample
        return count_rows(rule, rule.holds_in(sample.frame), sample.positions, sample.classes, sample.weights)

    def described(self, named: Collection[str]) -> tuple[DataCard, dict[str, ColumnStatistics]]:

        def look_at(column: Column) -> tuple[bytes, ColumnStatistics | None]:
            return hash_column(column), describe(column, is_weighted) if column.name in named else None

        frame, weights = self.frame, self.sample.weights
        is_weighted = bool((weights != 1).any())
        if frame.n_rows < _MANY_ROWS or self.n_threads == 1:
            seen = [look_at(column) for column in frame.columns.values()]
        else:
            with ThreadPoolExecutor(self.n_threads) as pool:  # hashing lets other threads run
                seen = list(pool.map(look_at, frame.columns.values()))
        hashes, statistics = zip(*seen, strict=True)
        card = DataCard(
            rows=frame.n_rows,
            columns=len(frame.names),
            hash=hash_rows(frame.names, hashes, self.classes, self.sample.positions, weights),
            weight=float(weights.sum()) if is_weighted else None,
        )
        return card, {name: found for name, found in zip(frame.names, statistics, strict=True) if found is not None}


@dataclass(frozen=True, eq=False, kw_only=True)
class TaskInParts(Task):
    """A task about rows that only an engine reads, part by part."""

    sample: SampleInParts

    def _binned(self) -> tuple[Literal, ...]:
        columns = {name: each for name, each in self.sample.look.columns.items() if name not in self.left_out}
        return self.binning.literals_of(columns, self.sample.scale)

    def _finer(self, used: tuple[Literal, ...], known: tuple[Literal, ...], bins: int) -> tuple[Literal, ...]:
        windows = tuple(windows_of(used, known))
        if not windows:
            return ()
        columns = {window.literal.column for window in windows}
        counts = self.sample.engine.gather(partial(zoom_in, windows, self.sample.scale), merge_zoomed, columns)
        return finer_in(windows, counts, bins)

    def _query_over(self, literals: tuple[Literal, ...]) -> Query:
        sample, goal = self.sample, self.goal
        places, is_cnf, is_counted, is_points = (
            goal.places(self.classes),
            goal.kind == "cnf",
            goal.constraints.min_rows is not None,
            goal.kind in POINT_RULES,
        )

        def pack(scale: int) -> Rows:
            how = (is_cnf, is_counted, is_points)
            packing = Packing(literals, sample.look.classes, places, self.factors, scale, *how)
            return sample.engine.pack(packing)

        total = float(np.dot(sample.class_weights, self.factors))
        return goal.query(literals, sample.distinct_weights(self.factors), pack, total)

    def _query_with(self, query: Query, new: tuple[Literal, ...]) -> Query:
        return self._query_over((*query.literals, *new))

    def n_covered(self, rule: Rule) -> list[int]:
        if not rule.clauses:
            return []
        return self.sample.engine.gather(partial(count_covered, rule), add_covered, rule.columns)

    def counts(self, rule: Rule) -> Counts:
        count = partial(count_piece, rule, self.sample.look.classes, self.classes)
        return self.sample.engine.gather(count, Counts.plus, rule.columns)

    def described(self, named: Collection[str]) -> tuple[DataCard, dict[str, ColumnStatistics]]:
        look = self.sample.look
        weight = self.sample.weight if look.weights.low.tolist() != [1.0] else None
        card = DataCard(rows=look.n_rows, columns=len(look.columns), weight=weight)
        columns = {name: column for name, column in look.columns.items() if name in named}
        return card, {name: describe_summary(column, weight is not None) for name, column in columns.items()}
