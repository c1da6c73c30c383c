"""Samples: rows with labels and weights."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from imli.table.frame import AnyArray, FloatArray, Frame, IntArray, Value, stacked


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample:
    """Rows of positive weight, each with its class as a position in ``classes``.

    Parameters
    ----------
    frame
        The columns that a rule may use.
    classes
        The names of the classes.
    positions
        The position in ``classes`` of the class of each row.
    weights
        The weight of each row.
    target
        The name of the column that holds the labels, if it has one.
    origins
        The position of each row in the table that it was taken from; None if no row was left out.
    stand_for
        The number of rows that each row stands for, if other rows were dropped.
    """

    frame: Frame
    classes: tuple[Value, ...]
    positions: IntArray
    weights: FloatArray
    target: str | None = None
    origins: IntArray | None = None
    stand_for: float = 1.0

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return self.frame.n_rows

    @cached_property
    def weight(self) -> float:
        """Return the sum of all weights."""
        return math.fsum(self.class_weights)

    @cached_property
    def class_weights(self) -> list[float]:
        """Return the sum of the weights of each class, rounded once, so that the order of rows does not matter."""
        if self.weights.size and self.weights.min() == self.weights.max():
            counts = np.bincount(self.positions, minlength=len(self.classes))
            return [float(Fraction(float(self.weights[0])) * int(n)) for n in counts]
        return [math.fsum(self.weights[self.positions == label]) for label in range(len(self.classes))]

    @property
    def labels(self) -> AnyArray:
        """Return the class of each row, by name."""
        plain = np.array(self.classes)
        if plain.tolist() != list(self.classes):  # NumPy would make text of mixed values
            plain = np.empty(len(self.classes), dtype=object)
            plain[:] = self.classes
        labels: AnyArray = plain[self.positions]
        return labels

    def take(self, rows: AnyArray) -> "Sample":
        """Return the rows at these positions, or where this mask is true."""
        origins = np.arange(self.n_rows) if self.origins is None else self.origins
        return replace(
            self,
            frame=self.frame.take(rows),
            positions=self.positions[rows],
            weights=self.weights[rows],
            origins=origins[rows],
        )

    def stacked(self, below: "Sample") -> "Sample":
        """Return the rows of this sample followed by those of another with the same columns and classes."""
        return replace(
            self,
            frame=stacked(self.frame, below.frame),
            positions=np.concatenate([self.positions, below.positions]),
            weights=np.concatenate([self.weights, below.weights]),
            origins=None,
        )
