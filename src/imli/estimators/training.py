"""The rows that a rule is learned from, and the questions that are asked about them."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from imli.arrays import BoolArray, FloatArray, IntArray
from imli.binarize import FINER_BINS, Binning
from imli.bits import BitTable
from imli.frames import Frame
from imli.literals import Compare, CompareDate, Literal
from imli.query import Kind, Query
from imli.rules import Rule
from imli.tabulate import tabulate


@dataclass(frozen=True, eq=False)
class Training:
    """Rows without those of weight zero, how they become literals, and what a rule costs and must keep."""

    frame: Frame
    in_use: BoolArray  # which rows of the table as it was given these are
    positions: BoolArray | IntArray  # of each row's class
    weights: FloatArray
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
        found = self.literals
        if found is None:
            found = self.binning.literals(self.frame, self.weights, self.positions)
        literals = tuple(dict.fromkeys((*found, *self.asked)))
        return self._query(literals, tabulate(self.frame, literals, self.n_threads))

    @property
    def row_weights(self) -> FloatArray:
        """What a wrong decision on each row counts."""
        return self.weights * self.factors[self.positions.astype(np.intp)]

    @property
    def has_finer(self) -> bool:
        """Whether some rule may have thresholds between which there are more."""
        wanted = self.refine and self.binning.intervals == "open"
        return wanted and any(isinstance(literal, Compare | CompareDate) for literal in self.query.literals)

    def take(self, rows: IntArray) -> "Training":
        """The same about some of the rows."""
        return replace(self, frame=self.frame.take(rows), positions=self.positions[rows], weights=self.weights[rows])

    def knowing(self, *rules: Rule) -> "Training":
        """The same with a vocabulary that has the literals of these rules."""
        literals = (literal for rule in rules for literal in rule.literals)
        return replace(self, asked=tuple(dict.fromkeys((*self.asked, *literals))))

    def within(self, **changes: int | None) -> "Training":
        """The same within changed constraints."""
        constraints = replace(self.terms["constraints"], **changes)
        return replace(self, terms=self.terms | {"constraints": constraints})

    def at(self, lam: float, query: Query) -> Query:
        """The same question over the same literals at another λ."""
        return self._query(query.literals, query.table, lam)

    def finer(self, *rules: Rule, bins: int = FINER_BINS) -> Query | None:
        """The same question with more thresholds next to those that the rules have; None if there are no more."""
        known = self.query.position
        used = dict.fromkeys(literal for rule in rules for literal in rule.literals)
        finer = self.binning.finer(self.frame, self.weights, used, self.query.literals, bins)
        new = tuple(literal for literal in finer if literal not in known)
        if not new:
            return None
        words = np.concatenate([self.query.table.words, tabulate(self.frame, new, self.n_threads).words])
        return self._query((*self.query.literals, *new), BitTable(words, self.frame.n_rows))

    def _query(self, literals: tuple[Literal, ...], table: BitTable, lam: float | None = None) -> Query:
        terms = self.terms if lam is None else self.terms | {"lam": lam}
        return Query.build(self.kind, literals, table, self.positions, row_weights=self.row_weights, **terms)
