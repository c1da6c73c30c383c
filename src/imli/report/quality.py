"""The quality of a rule on a sample: confusion matrix, calibration, and the verdict at the top of a report."""

from math import sqrt
from typing import Any

import numpy as np

from imli.models import Card
from imli.models.checks import figures_of
from imli.report.decisions import Decisions
from imli.report.words import number_of, percent, rows
from imli.rules import Formula, PointRule, Rule
from imli.rules.notation import listing, shorten, write_name, write_value
from imli.table.frame import BoolArray, FloatArray

_Z = 1.959964  # standard deviations on either side of a 95 % interval
_RELATIONS = {
    "training": ", the same rows it was learned from",
    "other": ", which are not the rows it was learned from",
    "unknown": "",
}


def tabulate_confusion(decisions: Decisions) -> dict[str, Any]:
    """Return the weight of the rows by true class (outer list) and decided class (inner list)."""
    sample = decisions.sample
    return {
        "classes": [write_value(label) for label in sample.classes],
        "counts": count_decisions(decisions).tolist(),
        "is_decided": [label in decisions.rule.classes for label in sample.classes],
    }


def count_decisions(decisions: Decisions) -> FloatArray:
    """Return the weight of the rows by true class (line) and decided class (column)."""
    sample, n_classes = decisions.sample, len(decisions.sample.classes)
    cells = sample.positions * n_classes + decisions.decided
    counts: FloatArray = np.bincount(cells, weights=sample.weights, minlength=n_classes**2).astype(np.float64)
    return counts.reshape(n_classes, n_classes)


def estimate(is_right: BoolArray, weights: FloatArray) -> dict[str, float]:
    """Return the share of rows that are right, and its 95 % interval.

    Wilson's method stays within 0 and 1 and suits few rows too. For unequal weights, the number of rows is
    the effective one: that of equal weights with this variance.
    """
    total, right = float(weights.sum()), float(weights[is_right].sum())
    effective = total**2 / float((weights**2).sum())
    share = min(right / total, 1.0)
    centre = (share + _Z**2 / (2 * effective)) / (1 + _Z**2 / effective)
    half = _Z / (1 + _Z**2 / effective) * sqrt(share * (1 - share) / effective + _Z**2 / (4 * effective**2))
    low, high = max(0.0, min(centre - half, share)), min(1.0, max(centre + half, share))
    return {"rows": total, "right": right, "share": share, "low": low, "high": high}


def calibrate(decisions: Decisions, probabilities: FloatArray) -> dict[str, Any]:
    """Compare the probability of the decision of each part of the rule with the share of its rows that are right.

    ``probabilities`` has a line for each part of the rule and a column for each class.
    """
    sample, rule = decisions.sample, decisions.rule
    parts = []
    difference = 0.0  # of predicted and observed probabilities: the mean over rows of its absolute value
    for number, label in enumerate(rule.region_classes):
        own = decisions.regions == number
        predicted = float(probabilities[number, sample.classes.index(label)])
        observed = estimate(decisions.is_right[own], sample.weights[own]) if own.any() else None
        if observed is not None:
            difference += observed["rows"] * abs(observed["share"] - predicted) / sample.weight
        parts.append(
            {
                "name": rule.region_name(number),
                "decision": write_value(label),
                "predicted": predicted,
                "observed": observed,  # None if the part decides no rows
            }
        )
    return {"parts": parts, "difference": difference}


def judge(decisions: Decisions, relation: str, card: Card | None, columns: dict[str, Any] | None) -> dict[str, Any]:
    """Return the quality of the rule in figures and in two sentences; ``card`` is None if it is not about this rule."""
    sample, rule = decisions.sample, decisions.rule
    accuracy = estimate(decisions.is_right, sample.weights)
    by_class = np.bincount(sample.positions, weights=sample.weights, minlength=len(sample.classes))
    frequent, share = write_value(sample.classes[int(by_class.argmax())]), float(by_class.max() / sample.weight)
    proof = None if card is None else _proof(rule, card)
    positive = card.checks[-1].positive if card is not None and card.checks else None
    if isinstance(rule, Formula | PointRule):
        positive = rule.classes[1]
    found = figures_of(count_decisions(decisions), sample.classes, positive)
    return {
        "title": _title(rule, [write_value(label) for label in sample.classes]),
        "kind": f"a {rule.title}",
        "accuracy": accuracy,
        "balanced_accuracy": found["balanced_accuracy"],
        "positive": None if found["positive"] is None else write_value(found["positive"]),
        "precision": found["precision"],
        "recall": found["recall"],
        "most_frequent": frequent,
        "most_frequent_share": share,
        "new_rows": _estimate_new_rows(card, relation, columns),
        "proof": proof,
        "sentences": [
            f"The rule is correct on {percent(accuracy['share'])} of {rows(accuracy['rows'])}{_RELATIONS[relation]}; "
            f"always predicting {frequent}, the most frequent class, would be correct on {percent(share)}."
            f"{'' if _is_better(accuracy, card, relation, share) else ' The rule is not clearly better than that.'}",
            f"It has {number_of(len(rule.clauses), 'clause')} with {number_of(rule.n_conditions, 'condition')}"
            f"{', and nothing is proven about it' if proof is None else '; ' + proof['sentence']}.",
        ],
    }


def _is_better(accuracy: dict[str, Any], card: Card | None, relation: str, share: float) -> bool:
    """Return True if the rule beats the most frequent class: by its checks if it has any, else on these rows."""
    if card is None or relation == "other" or not card.checks:
        return bool(accuracy["share"] > share)
    return all(check.beats(share) for check in card.checks)


def _title(rule: Rule, classes: list[str]) -> str:
    choices = listing(shorten(label) for label in classes) if len(classes) <= 4 else f"one of {len(classes)} classes"
    if rule.target is None:
        return f"{choices[:1].upper()}{choices[1:]}?"
    return f"{shorten(write_name(rule.target))}: {choices}?"


def _estimate_new_rows(card: Card | None, relation: str, columns: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return an estimate of the accuracy on new rows, and its source."""
    if card is None or relation == "other":
        return None  # there is no card for the rule, or the rows of the report are new rows themselves
    if card.checks:
        last = card.checks[-1]
        source = f"{'' if last.folds is None else f'{last.folds}-fold '}cross-validation"
        source = "on rows held out" if last.kind == "holdout" else source
        return {"share": last.accuracy, "standard_error": last.standard_error, "source": source}
    if columns is not None and columns["n_folds"]:
        source = f"{columns['n_folds']}-fold cross-validation"
        return {"share": columns["accuracy"], "standard_error": columns["standard_error"], "source": source}
    return None


def _proof(rule: Rule, card: Card) -> dict[str, str] | None:
    """Return the proven property of a rule, in a few words and in a sentence."""
    answer = card.answer(rule)
    if answer is None:
        return None
    if answer.status == "optimal":
        return {
            "short": "the best there is",
            "sentence": "it is proven that no rule of the kind that was searched costs less, errors and length taken "
            "together, on the rows it was learned from",
        }
    if answer.is_clause_optimal:
        return {
            "short": "best clause by clause",
            "sentence": "it is proven that no change of a single clause makes it cheaper, errors and length taken "
            "together, but not that it is the cheapest rule of all",
        }
    if answer.bound > 0:
        return {
            "short": f"{answer.bound:g} of {answer.cost:g}",
            "sentence": f"it costs {answer.cost:g}, errors and length taken together, and it is proven that none of "
            f"its kind can cost less than {answer.bound:g}",
        }
    return {"short": "none", "sentence": "it is the best rule found, but not proven optimal"}
