"""Bayesian rule sets of the package imodels, on the paper's bits. It takes them and their complements."""

import random
import warnings
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import grids
from .binary import Binary, Conjunction, counts
from .columns import shortened
from .fitted import Fitted
from .imodels_packages import REQUIRES as REQUIRES

TITLE = "BRS"
IS_READABLE = True
QUICK_ROWS = 300
QUICK_SETTINGS = {"n_rules": 100, "num_iterations": 200, "maxlen": 2}  # of 2,000 from as many trees, 5,000, and 3

_NEGATED = "_neg"


def grid(n: int) -> list[dict[str, Any]]:
    """The paper's three parameters: rules to start from, literals of a rule, per cent of the positive rows it has."""
    values = {"n_rules": (500, 1000, 1500, 2000, 2500, 3000), "maxlen": (1, 2, 3, 4), "supp": (1, 4, 7, 10)}
    return grids.crossed(values, n)


def fit(X: pd.DataFrame, y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Fitted:
    from imodels import BayesianRuleSetClassifier

    class Counting(BayesianRuleSetClassifier):
        """It lists all possible rules one by one to know how many there are, for days if they have four literals."""

        def _set_pattern_space(self) -> None:
            self.attr_names.extend([name + _NEGATED for name in self.attr_names])
            self.pattern_space = np.array([0.0] + [comb(len(self.attr_names), k) for k in range(1, self.maxlen + 1)])

    binary = Binary(X)
    table = pd.DataFrame(binary(X).astype(int), columns=[f"b{place}" for place in range(len(binary.bits))])
    model = Counting(**{"maxlen": 3, **settings})  # of its default of ten, the paper goes as far as four
    model.random_state = seed  # which it takes as an argument, and forgets
    random.seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(table, y.astype(int))
    rules = [_read(names) for names in model.rules_]

    def predict(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
        table = binary(frame)
        decided = np.zeros(len(table), dtype=np.bool_)
        for rule in rules:
            decided |= rule.holds(table)
        return decided

    n_conditions, size = counts(rules, binary.bits)
    return Fitted(predict, n_conditions, size, shortened([f"IF {rule.to_text(binary.bits)}" for rule in rules]))


def _read(names: list[str]) -> Conjunction:
    ones = tuple(int(name[1:]) for name in names if not name.endswith(_NEGATED))
    zeros = tuple(int(name[1:].removesuffix(_NEGATED)) for name in names if name.endswith(_NEGATED))
    return Conjunction(ones, zeros)
