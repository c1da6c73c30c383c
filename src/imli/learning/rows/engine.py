"""Engines: read all pieces of a table, on this machine or a cluster, and combine what is computed from each."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from imli.learning.answer import Progress
from imli.learning.rows.on_disk import LocalEngine
from imli.learning.rows.packing import PackedRows, Packing
from imli.learning.vocabulary import Window
from imli.rules import Counts, Rule, count_rows
from imli.rules.literals import plain_value
from imli.table.findings import Finding
from imli.table.frame import AnyArray, FloatArray, Frame, IntArray, Value
from imli.table.read import is_on_cluster
from imli.table.sample import Sample, least_rows
from imli.table.sources import open_rows, open_source
from imli.table.summaries import Summary, ValueCounts, summarize

Found = TypeVar("Found")
DRAWN = 10_000  # rows that are looked at more closely


class Engine(Protocol):
    """A reader of all pieces. Functions of a piece and their results can be pickled."""

    names: tuple[str, ...]  # of the columns that rules may use
    has_names: bool  # whether the columns came with names
    target: str | None  # the name of the column of labels, if it has one
    is_weighted: bool

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return what is to be known about how the table was read, as far as it has been."""

    def gather(
        self,
        ask: Callable[[Sample], Found],
        merge: Callable[[Found, Found], Found],
        columns: Collection[str] | None = None,
    ) -> Found:
        """Apply ``ask`` to every piece, reading only ``columns``, and combine the results with ``merge``."""

    def pack(self, packing: Packing) -> PackedRows:
        """Turn each piece into bits, which stay where they are; the bits of an earlier call are freed."""

    def close(self) -> None:
        """Free all bits."""


@dataclass(frozen=True, eq=False)
class Look:
    """The columns, the classes in ascending order, and the different weights with how many rows of each class."""

    columns: Mapping[str, Summary]
    classes: AnyArray
    weights: ValueCounts
    n_rows: int
    has_classes_of_numbers: bool = False
    drawn: Sample | None = None  # at most DRAWN rows, those of least hash, whose origins are places in the whole table

    def merge(self, other: "Look") -> "Look":
        """Return the look at the rows of both."""
        if {self.classes.dtype.kind, other.classes.dtype.kind} & set("OSU") and (
            self.classes.dtype.kind != other.classes.dtype.kind
        ):
            raise TypeError("The labels are text in some parts of the data and numbers in others. Make them all text.")
        classes = np.unique(np.concatenate([self.classes, other.classes]))
        first, second = self._among(classes), other._among(classes)
        columns = {name: first.columns[name].merge(second.columns[name]) for name in first.columns}
        drawn = None
        if first.drawn is not None and second.drawn is not None:
            assert second.drawn.origins is not None
            below = replace(second.drawn, origins=second.drawn.origins + self.n_rows)
            drawn = least_rows(first.drawn.above(below), DRAWN)
        return Look(columns, classes, first.weights.merge(second.weights), self.n_rows + other.n_rows,
                    self.has_classes_of_numbers, drawn)  # fmt: skip

    def _among(self, classes: AnyArray) -> "Look":
        """Return the look with room for all these classes."""
        if len(classes) == len(self.classes):
            return self
        places = np.searchsorted(classes, self.classes)

        def spread(by_class: IntArray) -> IntArray:
            found = np.zeros((len(by_class), len(classes)), dtype=np.int64)
            found[:, places] = by_class
            return found

        def wider(summary: Summary) -> Summary:
            values, by_class = summary.values, summary.by_class
            if values is not None and self.has_classes_of_numbers:
                return replace(summary, values=replace(values, weights=spread(values.weights)))
            return summary if by_class is None else replace(summary, by_class=spread(by_class))

        drawn = self.drawn
        if drawn is not None:
            names = tuple(plain_value(label) for label in classes)
            drawn = replace(drawn, classes=names, positions=places[drawn.positions])
        return replace(
            self,
            drawn=drawn,
            columns={name: wider(summary) for name, summary in self.columns.items()},
            classes=classes,
            weights=replace(self.weights, weights=spread(self.weights.weights)),
        )


@dataclass(frozen=True, eq=False)
class SampleInParts:
    """Rows with labels and weights that only an engine reads, and a first look at them.

    ``scale`` makes whole units of the weights in ``look``.
    """

    engine: Engine
    look: Look
    scale: int
    left_out: frozenset[str] = frozenset()  # columns that a rule may use only if they are asked for
    stand_for: ClassVar[float] = 1.0

    @property
    def frame(self) -> Frame:
        """Return columns of the same names and kinds, with cells that occur in them."""
        look = self.look
        return Frame({name: summary.examples for name, summary in look.columns.items()}, look.n_rows)

    @property
    def classes(self) -> tuple[Value, ...]:
        """Return the classes in ascending order."""
        return tuple(plain_value(label) for label in self.look.classes)

    @property
    def target(self) -> str | None:
        """Return the name of the column of labels, if it has one."""
        return self.engine.target

    @property
    def weight(self) -> float:
        """Return the sum of all weights."""
        return math.fsum(self.class_weights)

    @property
    def row_weight(self) -> float:
        """Return the weight of one row: 1 if all weights are whole numbers, which repeat rows, else their mean."""
        weights = self.look.weights.low
        return 1.0 if (weights == np.floor(weights)).all() else self.weight / self.look.n_rows

    @property
    def class_weights(self) -> list[float]:
        """Return the sum of the weights of each class, rounded once, so that it does not depend on the parts."""
        weights = self.look.weights
        values = [Fraction(value) for value in weights.low.tolist()]
        return [float(sum(value * int(n) for value, n in zip(values, counts, strict=True)))
                for counts in weights.weights.T.tolist()]  # fmt: skip

    def distinct_weights(self, factors: FloatArray) -> FloatArray:
        """Return the distinct error weights, one for each pair of a row weight and a class that occurs."""
        value, label = np.nonzero(self.look.weights.weights)
        weights: FloatArray = self.look.weights.low[value].astype(np.float64) * factors[label]
        return weights


_MOST_UNITS = 2.0**62  # of all rows together, so that no sum overflows

# Functions of a piece for ``Engine.gather``, once their other arguments are given; ``scale`` makes units of weights.


def look_at_piece(scale: int, classes_of_numbers: bool, sample: Sample) -> Look:
    """Return a look at a piece."""
    classes, labels = sample.class_names, sample.positions
    if sample.weight * scale >= _MOST_UNITS:
        raise ValueError(f"The weights add up to {sample.weight:.3g}, which is too much. Divide them by a constant.")
    units = np.round(sample.weights * scale).astype(np.int64)
    columns = summarize(sample.frame, units, labels, len(classes), classes_of_numbers=classes_of_numbers)
    n_rows = ValueCounts.of(sample.weights, np.ones_like(labels), None, labels, len(classes))
    drawn = least_rows(replace(sample, origins=None), DRAWN) if columns else None
    return Look(columns, classes, n_rows, sample.frame.n_rows, classes_of_numbers, drawn)


def count_piece(rule: Rule, classes: AnyArray, names: tuple[Value, ...], sample: Sample) -> Counts:
    """Count the rows by clause and class; ``names`` are those of the classes."""
    positions = sample.positions_among(classes)
    return count_rows(rule, rule.holds_in(sample.frame), positions, names, sample.weights)


def count_covered(rule: Rule, sample: Sample) -> list[int]:
    """Count the rows that each clause covers."""
    return [int(rows.sum()) for rows in rule.coverage(rule.holds_in(sample.frame), sample.frame.n_rows)]


def add_covered(first: list[int], second: list[int]) -> list[int]:
    """Add up the counts of two pieces."""
    return [one + other for one, other in zip(first, second, strict=True)]


def zoom_in(windows: tuple[Window, ...], scale: int, sample: Sample) -> list[ValueCounts]:
    """Count the numbers between neighbouring thresholds."""
    units = np.round(sample.weights * scale).astype(np.int64)
    return [window.counts(sample.frame, units) for window in windows]


def merge_zoomed(first: list[ValueCounts], second: list[ValueCounts]) -> list[ValueCounts]:
    """Merge the counts of two pieces."""
    return [one.merge(other) for one, other in zip(first, second, strict=True)]


def open_engine(
    X: Any, y: Any, sample_weight: Any, n_threads: int, on_progress: Callable[[Progress], None] | None = None
) -> Engine:
    """Return the engine for a table, with labels and maybe weights, which are columns of it by name.

    ``on_progress`` is told how much of the table has been read, where that happens on this machine.
    """
    if is_on_cluster(X):
        from imli.learning.rows.on_cluster import DaskEngine  # which needs Dask

        return DaskEngine(X, y, sample_weight)
    return LocalEngine(open_source(X, y, sample_weight), n_threads, on_progress)


def decide_in_parts(
    X: Any, names: tuple[str, ...], columns: Collection[str], decide: Callable[[Frame], AnyArray], target: str | None
) -> Any:
    """Return the decision on each row by these of its columns: an array, or for Dask a lazy series or array."""
    if is_on_cluster(X):
        from imli.learning.rows.on_cluster import decide_partitions  # which needs Dask

        return decide_partitions(X, names, columns, decide, target)
    decided = [decide(frame) for frame in open_rows(X, columns)]
    if not decided:
        raise ValueError("The data has no rows.")
    return np.concatenate(decided)
