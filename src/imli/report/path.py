"""."""

from collections.abc import Mapping
from typing import Any, TypedDict

from imli.rules import Rule, rule_from_dict

_WIDTH = 80  # signs of a line of a rule


class PathPoint(TypedDict):
    """A rule on the path. Accuracies are shares of rows; those of cross-validation are None where there was none."""

    size: int
    n_conditions: int
    lam: float | None
    training: float
    validated: float | None
    standard_error: float | None
    rule: str


class PathSummary(TypedDict):
    """The rules from short to long, which of them is the best in cross-validation, and which to pick."""

    points: list[PathPoint]
    pick: int | None
    best: int | None
    n_folds: int | None
    size: int  # of the rule that the report is about
    learned_here: bool  # from the rows of the report, or elsewhere and before


def summarize_path(content: Mapping[str, Any], rule: Rule, learned_here: bool) -> PathSummary:
    """What there is to show of a path, given as its ``to_dict`` describes it, beside the rule of the report."""
    return {
        "points": [
            {
                "size": point["size"],
                "n_conditions": point["n_conditions"],
                "lam": point["lam"],
                "training": 1 - point["training_error"],
                "validated": None if point["cv_error"] is None else 1 - point["cv_error"],
                "standard_error": point["cv_standard_error"],
                "rule": rule_from_dict(point["rule"]).to_text(counts=False, width=_WIDTH),
            }
            for point in content["points"]
        ],
        "pick": content["pick"],
        "best": content["best"],
        "n_folds": content["n_folds"] or None,
        "size": rule.size,
        "learned_here": learned_here,
    }
