"""The rows that a rule is learned from, and the questions that are asked about them."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from imli.arrays import BoolArray, FloatArray, IntArray
from imli.binarize import FINER_BINS, Binning
from imli.bits import BitTable
from imli.frames import Column, Frame
from imli.literals import Compare, CompareDate, Literal
from imli.models import DataCard
from imli.models.columns import ColumnStatistics, describe
from imli.models.digest import hash_column, hash_rows
from imli.query import Kind, Query
from imli.rules import Rule
from imli.rules.counts import Counts, count_rows
from imli.streams import Memory
from imli.tabulate import tabulate

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
