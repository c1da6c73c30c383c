"""RuleFit of the package imodels: a weighted sum of rules and of numbers, on one-hot texts."""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import grids
from .columns import Matrix, shortened
from .fitted import Fitted
from .imodels_packages import REQUIRES as REQUIRES

TITLE = "RuleFit"
IS_READABLE = True
QUICK_ROWS = 2_000


def grid(n: int) -> list[dict[str, Any]]:
    """The paper has none."""
    return grids.crossed({"max_rules": (10, 20, 30, 60, 100), "tree_size": (2, 4, 8)}, n)


def fit(X: pd.DataFrame, y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Fitted:
    from imodels import RuleFitClassifier

    matrix = Matrix(X)
    model = RuleFitClassifier(**{"random_state": seed, **settings})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(matrix(X), y.astype(int))
    n_linear = len(model.coef) - len(model.rules_)
    titles = {f"X_{place}": str(column) for place, column in enumerate(matrix.columns)}
    # a number with a weight is a literal too
    terms = [[titles[f"X_{place}"]] for place in range(n_linear)]
    terms += [_read(rule.rule, titles) for rule in model.rules_without_feature_names_]
    weighted = [(float(weight), term) for weight, term in zip(model.coef, terms, strict=True) if weight != 0]
    size = sum(len(term) for _, term in weighted)
    n_conditions = sum(len({_column(literal) for literal in term}) for _, term in weighted)
    lines = [f"{weight:+.3g} for {' AND '.join(term)}" for weight, term in sorted(weighted, key=lambda w: -abs(w[0]))]

    def predict(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
        return np.asarray(model.predict(matrix(frame)) == 1)

    return Fitted(predict, n_conditions, size, shortened(lines))


def _read(rule: str, titles: dict[str, str]) -> list[str]:
    """Its literals, such as ``X_3 <= 0.5``, with the names that people know."""
    literals = []
    for literal in rule.split(" and "):
        name, sign, number = literal.split(" ")
        literals.append(f"{titles[name]} {sign} {float(number):.6g}")
    return literals


def _column(literal: str) -> str:
    return literal.rsplit(" ", 2)[0]
