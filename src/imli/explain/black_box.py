"""Any model as a function from a table to labels, and the arguments that all explanations share."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from imli.errors import UnreadableColumnError, brief
from imli.rules.literals import plain_value
from imli.table.frame import AnyArray, Value
from imli.table.read import is_missing, read_labels

_MOST_CLASSES = 50


@dataclass(frozen=True)
class Box:
    """A model that is used only through its decisions. ``owner`` is the function that messages begin with."""

    owner: str
    decide: Callable[[Any], Any]

    @classmethod
    def around(cls, owner: str, model: Any) -> "Box":
        """Return the box of a function or of an object with a method ``predict``."""
        decide = getattr(model, "predict", None)
        if isinstance(model, type) or not (callable(decide) or callable(model)):
            raise TypeError(
                f"{owner}: model must be a function of a table, or have a method predict. Got {brief(model)}."
            )
        return cls(owner, decide if callable(decide) else model)

    def labels(self, table: Any, n_rows: int) -> AnyArray:
        """Return the decision of the model for each row of the table."""
        try:
            labels = read_labels(self.decide(table))
        except UnreadableColumnError:
            raise TypeError(
                f"{self.owner}: the model's labels must be text, numbers or truth values, all of one kind."
            ) from None
        if labels.shape == (n_rows, 1):  # some libraries return one column
            labels = labels[:, 0]
        if labels.shape != (n_rows,):
            is_probable = labels.ndim == 2 and len(labels) == n_rows
            hint = " If these are probabilities, give a function that picks a class." if is_probable else ""
            raise ValueError(
                f"{self.owner}: the model must give one label for each of the {n_rows:,} rows. "
                f"Got shape {labels.shape}.{hint}"
            )
        self._refuse_odd(labels)
        return labels

    def _refuse_odd(self, labels: AnyArray) -> None:
        """Raise a ValueError for missing labels, and for labels that are measurements rather than classes."""
        if labels.dtype.kind in "Of":
            gone = np.array([is_missing(label) for label in labels.tolist()], dtype=bool)
            if gone.any():
                raise ValueError(
                    f"{self.owner}: the model gives no label for {int(gone.sum()):,} of {len(labels):,} rows, the "
                    f"first of them row {int(gone.argmax())}. A rule needs a decision for each."
                )
        distinct = np.unique(labels)
        is_measured = distinct.dtype.kind == "f" and (distinct % 1 != 0).any() and len(distinct) > 2
        if is_measured or len(distinct) > _MOST_CLASSES:
            raise ValueError(
                f"{self.owner}: the model gives {len(distinct):,} different values, but rules are about a few classes, "
                f"{_MOST_CLASSES} at most. Give a function that puts them into classes, such as "
                "lambda table: model.predict(table) > 100."
            )


def other_than(label: Value) -> Value:
    """Return a name for all classes but one.

    >>> other_than("setosa"), other_than(2), other_than(True)
    ('other than setosa', 'other than 2', False)
    """
    return not label if isinstance(label, bool) else f"other than {label}"


def plain_labels(labels: AnyArray) -> list[Value]:
    """Return the different labels, in order, as plain values."""
    return [plain_value(label) for label in np.unique(labels).tolist()]
