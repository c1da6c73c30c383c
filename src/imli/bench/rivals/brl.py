"""Bayesian rule lists of the package imodels, on the paper's bits."""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import grids
from .binary import Binary, Conjunction, counts
from .columns import shortened
from .fitted import Fitted
from .imodels_packages import REQUIRES as REQUIRES

TITLE = "BRL"
IS_READABLE = True
QUICK_ROWS = 500
QUICK_SETTINGS = {"max_iter": 2_000}  # of 50,000, which take half a minute or more


def grid(n: int) -> list[dict[str, Any]]:
    """The paper's four parameters: rules of so many literals and rows, expected length and width."""
    values = {
        "maxcardinality": (2, 3, 4),
        "minsupport": (0.05, 0.175, 0.3),
        "listlengthprior": (2, 4, 6, 8),
        "listwidthprior": (2, 5, 8),
    }
    return grids.crossed(values, n)


def fit(X: pd.DataFrame, y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Fitted:
    from imodels import BayesianRuleListClassifier

    binary = Binary(X)
    model = BayesianRuleListClassifier(**{"random_state": seed, **settings})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(binary(X).astype(int), y.astype(int))
    places = {name: place for place, name in enumerate(model.feature_placeholders)}
    itemsets = [() if isinstance(itemset, str) else tuple(itemset) for itemset in model.final_itemsets]  # or "null"
    listed = [Conjunction(tuple(places[name] for name in itemset)) for itemset in itemsets]
    chances = [float(chance) for chance in model.theta]  # of the positive class, where a rule is the first that holds

    def predict(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
        table = binary(frame)
        decided = np.zeros(len(table), dtype=np.bool_)
        for rule, chance in reversed(list(zip(listed, chances, strict=True))):
            decided[rule.holds(table)] = chance >= 0.5
        return decided

    n_conditions, size = counts(listed, binary.bits)
    lines = [
        f"IF {rule.to_text(binary.bits)} THEN yes with {chance:.0%}"
        for rule, chance in zip(listed, chances, strict=True)
    ]
    return Fitted(predict, n_conditions, size, shortened(lines))
