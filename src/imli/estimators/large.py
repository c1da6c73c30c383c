"""Rows that are never all in memory: what is learned of them are sums over their parts."""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets

from imli.arrays import AnyArray, FloatArray
from imli.backends import Native
from imli.binarize import Binning, finer_in, windows_of
from imli.bits import BitTable
from imli.estimators.tracing import Asking
from imli.estimators.training import Training
from imli.frames import Frame
from imli.literals import Literal
from imli.models import DataCard
from imli.models.columns import ColumnStatistics, describe_summary
from imli.parts import Counting, Covering, Engine, Look, Looking, Packing, Zooming
from imli.query import Query
from imli.rules import Rule
from imli.rules.counts import Counts
from imli.strategies import Joint
from imli.streams import Memory
from imli.weights import to_units


@dataclass(frozen=True, eq=False)
class Deciding:
    """Decides the rows of a table."""

    rule: Rule
    classes: AnyArray

    def __call__(self, frame: Frame) -> AnyArray:
        known = np.searchsorted(self.classes, np.asarray(self.rule.classes, dtype=self.classes.dtype))
        decided: AnyArray = self.classes[known[self.rule.class_positions(self.rule.holds_in(frame), frame.n_rows)]]
        return decided


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


def look_at(estimator: BaseEstimator, engine: Engine, binning: Binning) -> LargeRows:
    """Look at all rows for the first time. Sets the names and number of columns."""
    if not engine.names:
        raise ValueError("The data has no columns. A rule needs at least one to look at.")
    scale = 1
    if engine.is_weighted:  # which weights there are decides what is counted
        weights = engine.gather(Looking(), Look.merge, columns=()).weights
        different = weights.low.astype(np.float64)
        scale = to_units(different, rows=float(np.dot(different, weights.totals))).scale
    look = engine.gather(Looking(scale, binning.looks_at_classes), Look.merge)
    check_classification_targets(look.classes)
    rows = LargeRows(engine, look, scale)
    estimator.n_features_in_ = len(engine.names)
    if engine.has_names:
        estimator.feature_names_in_ = np.array(engine.names, dtype=object)
    return rows


def refuse_what_needs_all_rows(owner: str, lam: Any, asking: Asking, memory: Any) -> None:
    """Say what cannot be done with rows that are never all in memory."""
    reasons = {
        "lam='cv'": isinstance(lam, str) and lam == "cv",
        "prove": isinstance(asking.strategy, Joint) and bool(asking.strategy.prove),
        f"strategy {type(asking.strategy).__name__}": not isinstance(asking.strategy, Joint),
        f"backend {asking.backend.name!r}": not isinstance(asking.backend, Native),
        f"memory={memory}": bool(memory),
    }
    if refused := [reason for reason, is_asked in reasons.items() if is_asked]:
        raise ValueError(
            f"{owner}: {' and '.join(refused)} needs all rows in memory, but this table is read in parts. "
            "Leave it out, or learn from some of the rows."
        )


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
