"""Checks: how often decisions are right on rows that were not learned from, by class and by clause."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from imli.models.schema import AMOUNT, FLAG, SHARE, Kind, list_of, nullable, optional, shape_of
from imli.rules import Label
from imli.rules.literals import plain_value
from imli.rules.notation import listing, write_value
from imli.rules.text import write_rows
from imli.table.frame import FloatArray

_LEAST = 1e-300  # level that a float can hold


@dataclass(frozen=True)
class ClassCheck:
    """How often rows of a class are recognized.

    Parameters
    ----------
    label
        The class.
    rows
        The rows of the class.
    recall
        The share of these rows that is decided rightly.
    precision
        The share of right decisions among the rows decided for the class; None if there are none.
    """

    label: Label
    rows: float
    recall: float
    precision: float | None = None


@dataclass(frozen=True)
class ClauseCheck:
    """How often a clause is right on new rows.

    Parameters
    ----------
    low, high
        The ends of the 95 % interval of the share of covered new rows that are of the clause's class.
    rows
        The held-out rows that the clause, learned without them, covers.
    right
        The share of these rows that is of the clause's class; None if there are none.
    is_lost
        True if no clause like it was learned without the held-out rows. Then the interval is from the rows that were
        learned from, and so wide that it holds for every clause of that length.
    """

    low: float
    high: float
    rows: float
    right: float | None = None
    is_lost: bool = False


@dataclass(frozen=True)
class Check:
    """An estimate of how often decisions on new rows are right: on rows held out, or by cross-validation.

    Parameters
    ----------
    kind
        "holdout" for rows held out once, "cv" for cross-validation.
    accuracy
        The share of the rows that is decided rightly.
    rows
        The number of rows.
    folds, standard_error
        The number of folds, and the standard error of the accuracy; None if they are not known.
    baseline
        The share of the rows that the same decision for all would get right.
    balanced_accuracy
        The mean of the recalls of all classes.
    positive
        The class that the rule describes, if there are two.
    precision, recall
        Those of the positive class.
    classes
        Recall and precision of each class.
    clauses
        For each clause of the rule an interval of how often it is right.
    """

    kind: Literal["holdout", "cv"]
    accuracy: float
    rows: int
    folds: int | None = None
    standard_error: float | None = None
    baseline: float | None = None
    balanced_accuracy: float | None = None
    positive: Label | None = None
    precision: float | None = None
    recall: float | None = None
    classes: tuple[ClassCheck, ...] = ()
    clauses: tuple[ClauseCheck, ...] = ()

    def __post_init__(self) -> None:
        given = {name: value.item() if isinstance(value, np.generic) else value for name, value in vars(self).items()}
        for name, value in _CHECK.read(_CHECK.write(given)).items():  # also figures as dicts, and averages of NumPy
            object.__setattr__(self, name, value)

    def beats(self, share: float) -> bool:
        """Return True if the accuracy is above a share of right decisions by more than one standard error.

        Parameters
        ----------
        share
            How often decisions are right that are to be beaten, such as the same answer for every row.
        """
        error = self.standard_error
        if error is None:
            error = math.sqrt(self.accuracy * (1 - self.accuracy) / max(1, self.rows))
        return self.accuracy - share > error

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return all figures as sentences, in all, by class, and by clause."""
        clauses = [_write_clause(number, one) for number, one in enumerate(self.clauses, start=1)]
        return (self._in_all(), *self._by_class(), *clauses)

    def _in_all(self) -> str:
        error = "" if self.standard_error is None else f" ± {100 * self.standard_error:.1f}"
        how = f"from {self.rows:,} held-out rows"
        if self.kind == "cv":
            how = f"{'' if self.folds is None else f'{self.folds}-fold '}cross-validation"
        text = f"Expected accuracy on new rows: {_percent(self.accuracy)}{error} ({how})"
        if self.baseline is None:
            return f"{text}."
        most = max(self.classes, key=lambda one: one.rows, default=None)
        same = "one class for all" if most is None else f"always {write_value(most.label)}"
        but = "" if self.beats(self.baseline) else " The rule is not clearly better than that."
        return f"{text}; baseline {_percent(self.baseline)} ({same}).{but}"

    def _by_class(self) -> list[str]:
        if self.balanced_accuracy is None:
            return []
        balanced = f"Balanced accuracy: {_percent(self.balanced_accuracy)}."
        if self.positive is None or self.recall is None:
            never = [write_value(one.label) for one in self.classes if one.precision is None]
            return [
                f"{balanced}{f' Never predicted: {listing(never)}.' if never else ''}",
                *map(_write_class, self.classes),
            ]
        label = write_value(self.positive)
        if self.precision is None:
            return [f"No row is predicted {label}. {balanced}"]
        return [
            f"Recall: {_percent(self.recall)} of the {label} rows are found. "
            f"Precision: {_percent(self.precision)} of the predictions of {label} are correct. {balanced}"
        ]

    def __str__(self) -> str:
        error = "" if self.standard_error is None else f" ± {100 * self.standard_error:.1f}"
        how = f"on {write_rows(self.rows)} held out"
        if self.kind == "cv":
            how = f"in {'' if self.folds is None else f'{self.folds}-fold '}cross-validation on {write_rows(self.rows)}"
        return f"{100 * self.accuracy:.1f}{error} % correct {how}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _write_class(one: ClassCheck) -> str:
    right = "never predicted" if one.precision is None else f"precision {_percent(one.precision)}"
    return f"{write_value(one.label)}: recall {_percent(one.recall)} of {write_rows(one.rows)}, {right}."


def _write_clause(number: int, one: ClauseCheck) -> str:
    """Return a sentence about how often a clause is right."""
    why = f"{write_rows(one.rows)} held out"
    if one.is_lost:
        why = "wide, since rules learned without the rows held out have no such clause"
    return f"Clause {number} on new rows: {100 * one.low:.0f} to {100 * one.high:.0f} % correct (95 % interval; {why})."


def check_classes(confusion: FloatArray, classes: Sequence[Label]) -> tuple[ClassCheck, ...]:
    """Return recall and precision of each class that has rows, from rows by true (line) and decided class (column)."""
    decided, rows = confusion.sum(axis=0).tolist(), confusion.sum(axis=1).tolist()
    return tuple(
        ClassCheck(label, rows[n], min(1.0, right / rows[n]), min(1.0, right / decided[n]) if decided[n] else None)
        for n, (label, right) in enumerate(zip(classes, np.diag(confusion).tolist(), strict=True))
        if rows[n]
    )


def figures_of(confusion: FloatArray, classes: Sequence[Label], positive: Label | None) -> dict[str, Any]:
    """Return baseline, balanced accuracy and figures by class for a ``Check``, from rows by true and decided class."""
    found = check_classes(confusion, classes)
    own = next((one for one in found if positive is not None and len(classes) == 2 and one.label == positive), None)
    return {
        "baseline": max(one.rows for one in found) / float(confusion.sum()),
        "balanced_accuracy": sum(one.recall for one in found) / len(found),
        "positive": None if own is None else own.label,
        "precision": None if own is None else own.precision,
        "recall": None if own is None else own.recall,
        "classes": found,
    }


def limits(right: float, rows: float, level: float = 0.05, n_choices: float = 1.0) -> tuple[float, float]:
    """Return the ends of the interval of a share that misses it with a probability of ``level`` (Clopper and Pearson).

    The lower end is so low that it holds for the best of a number of choices, whichever that is.

    >>> low, high = limits(45, 50)
    >>> round(low, 3), round(high, 3), round(limits(45, 50, n_choices=1e4)[0], 3)
    (0.782, 0.967, 0.599)
    """
    from scipy.special import betaincinv

    if rows <= 0:
        return 0.0, 1.0
    low = 0.0 if right <= 0 else float(betaincinv(right, rows - right + 1, max(_LEAST, level / 2 / n_choices)))
    high = 1.0 if right >= rows else float(betaincinv(right + 1, rows - right, 1 - level / 2))
    return low, high


def effective(weights: FloatArray, is_right: Iterable[bool]) -> tuple[float, float]:
    """Return as how many equal rows weighted ones count that are right, and in all: those with the same variance."""
    total, squares = float(weights.sum()), float((weights**2).sum())
    if not total:
        return 0.0, 0.0
    rows = total**2 / squares
    return rows * float(weights[np.asarray(is_right, dtype=bool)].sum()) / total, rows


_LABEL = nullable(Kind(plain_value))
_CLASS = shape_of(
    ClassCheck, "A class of a check", dict, label=Kind(plain_value), rows=AMOUNT, recall=SHARE, precision=SHARE
)
_CLAUSE = shape_of(
    ClauseCheck, "A clause of a check", dict, low=SHARE, high=SHARE, rows=AMOUNT, right=SHARE, is_lost=FLAG
)


def _value_of(value_type: Any, kind: Kind) -> Kind:
    return optional(list_of(Kind(lambda content: value_type(**kind.read(content)), kind.write)), ())


_CHECK = shape_of(
    Check,
    "A check",
    dict,
    accuracy=SHARE,
    standard_error=AMOUNT,
    baseline=SHARE,
    balanced_accuracy=SHARE,
    positive=_LABEL,
    precision=SHARE,
    recall=SHARE,
    classes=_value_of(ClassCheck, _CLASS),
    clauses=_value_of(ClauseCheck, _CLAUSE),
)
CHECK = Kind(lambda content: Check(**_CHECK.read(content)), _CHECK.write)
