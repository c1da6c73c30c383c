"""Labels: what a column of labels holds, and whether a rule can decide between them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from imli.errors import brief
from imli.table.frame import AnyArray, Column, ColumnKind
from imli.table.read import as_frame

_MOST_CLASSES = 50
_FEW_ROWS_EACH = 5  # of a class, on average: then they are no classes
_ENOUGH = 1000  # different labels, of which more need not be counted


def refuse_odd_classes(name: str, kind: ColumnKind, classes: AnyArray, n_rows: int, many: str = "") -> None:
    """Refuse labels that a rule cannot decide between; ``many`` is their number in words, if not all are given."""
    if kind == "date":
        raise ValueError(f"Column {brief(name)} holds dates, which are no classes. Choose another target.")
    n_classes = len(classes)
    if not n_classes:
        raise ValueError(f"Column {brief(name)} is missing in all {n_rows:,} rows, so there is nothing to learn.")
    if n_classes < 2:
        raise ValueError(f"Column {brief(name)} is {classes[0]} in all {n_rows:,} rows, so there is nothing to learn.")
    is_measured = kind == "number" and (classes % 1 != 0).any()
    if n_classes > _MOST_CLASSES or (n_classes > 2 and (is_measured or n_classes * _FEW_ROWS_EACH > n_rows)):
        raise ValueError(
            f"Column {brief(name)} has {many or f'{n_classes:,}'} different values in {n_rows:,} rows, but a rule "
            "predicts "
            f"one of a few classes, {_MOST_CLASSES} at most. Choose another target, or put its values into classes "
            "first."
        )


def are_odd_weights(weights: Column) -> bool:
    """Return True if a column holds something other than numbers, or has gaps."""
    return weights.kind not in ("number", "flag") or bool(weights.missing.any())


@dataclass
class SeenLabels:
    """Counts of labels, and what is wrong with labels and weights; they add up over the parts of a table."""

    n_labels: Counter[Any] = field(default_factory=Counter)
    kind: ColumnKind = "text"
    n_missing: int = 0
    has_odd_weights: bool = False

    @property
    def is_enough(self) -> bool:
        """Return True if there are too many labels for a rule."""
        return len(self.n_labels) > _ENOUGH

    @property
    def many(self) -> str:
        """Return their number in words."""
        return f"more than {_ENOUGH:,}" if self.is_enough else f"{len(self.n_labels):,}"

    def add(self, other: "SeenLabels") -> None:
        """Add what was seen of other rows."""
        if other.n_labels:
            self.kind = other.kind
        self.n_labels += other.n_labels
        self.n_missing += other.n_missing
        self.has_odd_weights |= other.has_odd_weights


def see(table: Any, target: str, weight: str | None = None) -> SeenLabels:
    """Return what is to be known of the labels and weights of some rows."""
    frame = as_frame(table)
    if not frame.n_rows:
        return SeenLabels()
    column = frame[target]
    values, counts = np.unique(column.values[~column.missing], return_counts=True)
    values, counts = values[: _ENOUGH + 1], counts[: _ENOUGH + 1]
    labels = [column.categories[code] for code in values] if column.kind == "text" else values.tolist()
    n_labels = Counter(dict(zip(labels, counts.tolist(), strict=True)))
    return SeenLabels(
        n_labels, column.kind, int(column.missing.sum()), weight is not None and are_odd_weights(frame[weight])
    )


def see_all(parts: Iterable[SeenLabels]) -> SeenLabels:
    """Add up what was seen of the parts of a table, until there are too many labels for a rule."""
    seen = SeenLabels()
    for part in parts:
        seen.add(part)
        if seen.is_enough:
            break
    return seen
