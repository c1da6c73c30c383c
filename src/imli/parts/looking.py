"""What is learned of a table at first sight, piece by piece."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from imli.arrays import AnyArray, IntArray
from imli.frames import Frame
from imli.parts.pieces import Piece
from imli.summaries import Summary, Weighed, summarize
from imli.valuecounts import ValueCounts


@dataclass(frozen=True, eq=False)
class Look:
    """The columns, the classes in ascending order, and the different weights with how many rows of each class."""

    columns: Mapping[str, Summary]
    classes: AnyArray
    weights: ValueCounts
    n_rows: int
    has_classes_of_numbers: bool = False

    def merge(self, other: "Look") -> "Look":
        """Of the rows of both."""
        if {self.classes.dtype.kind, other.classes.dtype.kind} & set("OSU") and (
            self.classes.dtype.kind != other.classes.dtype.kind
        ):
            raise TypeError("The labels are text in some parts of the data and numbers in others. Make them all text.")
        classes = np.unique(np.concatenate([self.classes, other.classes]))
        first, second = self._among(classes), other._among(classes)
        columns = {name: first.columns[name].merge(second.columns[name]) for name in first.columns}
        return Look(columns, classes, first.weights.merge(second.weights), self.n_rows + other.n_rows,
                    self.has_classes_of_numbers)  # fmt: skip

    def _among(self, classes: AnyArray) -> "Look":
        """The same, with room for all these classes."""
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

        return replace(
            self,
            columns={name: wider(summary) for name, summary in self.columns.items()},
            classes=classes,
            weights=replace(self.weights, weights=spread(self.weights.weights)),
        )

    @property
    def examples(self) -> Frame:
        """Columns of the same names and kinds, with cells that occur in them."""
        return Frame({name: summary.examples for name, summary in self.columns.items()}, self.n_rows)


@dataclass(frozen=True)
class Looking:
    """Looks at a piece. ``scale`` makes whole units of weights."""

    scale: int = 1
    classes_of_numbers: bool = False

    def __call__(self, piece: Piece) -> Look:
        classes, labels = np.unique(piece.labels, return_inverse=True)
        labels = labels.astype(np.int64)
        units = np.round(piece.weights * self.scale).astype(np.int64)
        rows = Weighed(units, labels, len(classes))
        columns = summarize(piece.frame, rows, self.classes_of_numbers)
        n_rows = ValueCounts.of(piece.weights, np.ones_like(labels), None, labels, len(classes))
        return Look(columns, classes, n_rows, piece.frame.n_rows, self.classes_of_numbers)
