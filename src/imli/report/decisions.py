"""The rows that a report is about, and what the rule decides on them."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from imli.rules import Label, Rule
from imli.rules.literals import plain_value
from imli.rules.rule import Holds
from imli.table.frame import AnyArray, BoolArray, FloatArray, Frame, IntArray
from imli.table.read import read_labels


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of positive weight, each with its class as a position in ``classes``."""

    frame: Frame
    classes: tuple[Label, ...]
    positions: IntArray
    weights: FloatArray
    numbers: IntArray  # where each row stands in the table that was given, from 1

    @property
    def n(self) -> int:
        return len(self.positions)

    @cached_property
    def total(self) -> float:
        return float(self.weights.sum())

    @property
    def are_weighted(self) -> bool:
        return bool((self.weights != 1).any())

    @cached_property
    def labels(self) -> AnyArray:
        """The class of each row, by name."""
        names = np.empty(len(self.classes), dtype=object)
        names[:] = self.classes
        plain = np.array(self.classes)
        named: AnyArray = (plain if plain.tolist() == list(self.classes) else names)[self.positions]
        return named

    def take(self, rows: AnyArray) -> "Rows":
        """The rows at these positions, or where this mask is true."""
        return Rows(self.frame.take(rows), self.classes, self.positions[rows], self.weights[rows], self.numbers[rows])


def read_rows(frame: Frame, labels: tuple[Label, ...], y: Any, weight: Any) -> Rows:
    """The rows of a table, whose classes are the given ones and any others that occur."""
    weights = np.ones(frame.n_rows) if weight is None else np.asarray(weight, dtype=np.float64)
    in_use = np.flatnonzero(weights > 0)
    if not len(in_use):
        raise ValueError("There are no rows to report on.")
    found = [plain_value(label) for label in read_labels(y)[in_use].tolist()]
    others = sorted({label for label in found if label not in labels}, key=lambda o: (str(type(o)), o))
    position = {label: n for n, label in enumerate((*labels, *others))}
    positions = np.fromiter((position[label] for label in found), dtype=np.int64, count=len(found))
    return Rows(frame.take(in_use), (*labels, *others), positions, weights[in_use], in_use + 1)


@dataclass(frozen=True, eq=False)
class Decisions:
    """What a rule decides on rows, and by which clause."""

    rule: Rule
    rows: Rows

    @cached_property
    def holds(self) -> Holds:
        return cache(self.rule.holds_in(self.rows.frame))

    @cached_property
    def decided(self) -> IntArray:
        """For each row the position of its decision among the classes of the rows."""
        return self.rule.decisions(self.holds, self.rows.n, self.rows.classes)

    @cached_property
    def regions(self) -> IntArray:
        """For each row the number of the clause that decides it; past the last is the default."""
        return self.rule.regions(self.holds, self.rows.n)

    @cached_property
    def coverage(self) -> list[BoolArray]:
        return self.rule.coverage(self.holds, self.rows.n)

    @cached_property
    def is_right(self) -> BoolArray:
        return np.asarray(self.decided == self.rows.positions, dtype=bool)
