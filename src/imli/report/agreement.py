"""How decisions and probabilities agree with what the rows say."""

from math import sqrt
from typing import TypedDict

import numpy as np

from imli.arrays import BoolArray, FloatArray
from imli.notation import write_value
from imli.report.rows import Decisions

_Z = 1.959964  # standard deviations on either side that hold 95 %


class Estimate(TypedDict):
    """A share of rows, and the ends of its 95 % interval."""

    rows: float
    right: float
    share: float
    low: float
    high: float


class ConfusionSummary(TypedDict):
    """Rows by true class (outer list) and decided class (inner list)."""

    classes: list[str]
    counts: list[list[float]]
    is_decided: list[bool]  # whether the rule can decide for the class


class CalibrationPart(TypedDict):
    """A clause, or None for the default: how probable its decision is said to be, and how often it is right."""

    clause: int | None
    decision: str
    predicted: float
    observed: Estimate | None  # None if it decides no rows


class CalibrationSummary(TypedDict):
    """The parts of a rule that decide, and how far off their probabilities are, averaged over rows."""

    parts: list[CalibrationPart]
    difference: float


def estimate(is_right: BoolArray, weights: FloatArray) -> Estimate:
    """A share with its interval by Wilson's method, which stays in 0 to 1 and is good for few rows too.

    Rows of unequal weight count as so many equal ones as would be as uncertain.
    """
    total, right = float(weights.sum()), float(weights[is_right].sum())
    effective = total**2 / float((weights**2).sum())
    share = min(right / total, 1.0)
    centre = (share + _Z**2 / (2 * effective)) / (1 + _Z**2 / effective)
    half = _Z / (1 + _Z**2 / effective) * sqrt(share * (1 - share) / effective + _Z**2 / (4 * effective**2))
    low, high = max(0.0, min(centre - half, share)), min(1.0, max(centre + half, share))
    return {"rows": total, "right": right, "share": share, "low": low, "high": high}


def tabulate_confusion(decisions: Decisions) -> ConfusionSummary:
    """How many rows of each class are decided as which."""
    rows, n_classes = decisions.rows, len(decisions.rows.classes)
    cells = rows.positions * n_classes + decisions.decided
    counts = np.bincount(cells, weights=rows.weights, minlength=n_classes**2).reshape(n_classes, n_classes)
    return {
        "classes": [write_value(label) for label in rows.classes],
        "counts": [[float(cell) for cell in line] for line in counts],
        "is_decided": [label in decisions.rule.classes for label in rows.classes],
    }


def calibrate(decisions: Decisions, probabilities: FloatArray) -> CalibrationSummary:
    """Compare the probability of each part's decision with the share of rows in which it is right.

    ``probabilities`` has for each part of the rule the probability of each of the first classes of the rows.
    """
    rows, rule = decisions.rows, decisions.rule
    parts: list[CalibrationPart] = []
    difference = 0.0
    for number, label in enumerate(rule.region_classes):
        own = decisions.regions == number
        predicted = float(probabilities[number, rows.classes.index(label)])
        observed = estimate(decisions.is_right[own], rows.weights[own]) if own.any() else None
        if observed is not None:
            difference += observed["rows"] * abs(observed["share"] - predicted) / rows.total
        parts.append(
            {
                "clause": number + 1 if number < len(rule.clauses) else None,
                "decision": write_value(label),
                "predicted": predicted,
                "observed": observed,
            }
        )
    return {"parts": parts, "difference": difference}
