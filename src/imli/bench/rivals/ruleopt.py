"""Rule generation by linear programming of the package ruleopt: rules with weights, that vote."""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import grids
from .columns import Matrix, Numeric, shortened
from .fitted import Fitted

TITLE = "RUG (ruleopt)"
REQUIRES: tuple[str, ...] = ("ruleopt==1.2.1",)
IS_READABLE = True
QUICK_ROWS = 20_000


def grid(n: int) -> list[dict[str, Any]]:
    """Depth of the trees that its rules come from, and how often it looks for more; the paper has none."""
    return grids.crossed({"max_depth": (2, 3, 4, 6), "max_rmp_calls": (5, 10, 20)}, n)


def fit(X: pd.DataFrame, y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Fitted:
    from ruleopt import RUGClassifier

    matrix = Matrix(X)
    # without a depth its rules are those of full trees; its authors' examples have three
    model = RUGClassifier(**{"max_depth": 3, "random_state": seed, **settings})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(matrix(X), y.astype(int))
    rules = [rule for rule in model.decision_rules_.values() if rule.weight > 0]
    rules.sort(key=lambda rule: -rule.weight)
    tests = [
        [(matrix.columns[j], bounds["lb"], bounds["ub"]) for j, bounds in rule.to_dict().items()] for rule in rules
    ]
    size = sum(int(np.isfinite(low)) + int(np.isfinite(high)) for rule in tests for _, low, high in rule)
    n_conditions = sum(len(rule) for rule in tests)
    lines = [
        f"{rule.weight:.3g} for {'yes' if rule.label == 1 else 'no'} IF "
        + " AND ".join(_condition(*test) for test in part)
        for rule, part in zip(rules, tests, strict=True)
    ]

    def predict(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
        return np.asarray(model.predict(matrix(frame)) == 1)

    return Fitted(predict, n_conditions, size, shortened(lines))


def _condition(column: Numeric, low: float, high: float) -> str:
    if column.value is not None:
        return str(column) if np.isfinite(low) else f"{column.column} is not {column.value}"
    if not np.isfinite(low):
        return f"{column} <= {high:.6g}"
    return f"{low:.6g} < {column} <= {high:.6g}" if np.isfinite(high) else f"{column} > {low:.6g}"
