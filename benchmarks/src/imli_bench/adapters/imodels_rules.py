"""Rule learners of the package imodels: Bayesian rule lists and sets on the paper's bits, and RuleFit.

Rule sets take bits and their complements. RuleFit is a weighted sum of rules and of numbers, on one-hot texts.
"""

import random
from functools import partial
from math import comb

import numpy as np
import pandas as pd

from .forms import (
    Adapter,
    Binary,
    BoolArray,
    Conjunction,
    Fitted,
    Matrix,
    Settings,
    count_conjunctions,
    crossed_grid,
    shortened,
)


def fit_brl(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:
    from imodels import BayesianRuleListClassifier

    binary = Binary(X)
    model = BayesianRuleListClassifier(**{"random_state": seed, **settings})
    model.fit(binary(X).astype(int), y.astype(int))
    places = {name: place for place, name in enumerate(model.feature_placeholders)}
    itemsets = [() if isinstance(itemset, str) else tuple(itemset) for itemset in model.final_itemsets]  # or "null"
    listed = [Conjunction(tuple(places[name] for name in itemset)) for itemset in itemsets]
    chances = [float(chance) for chance in model.theta]  # of the positive class, where a rule is the first that holds

    def predict(frame: pd.DataFrame) -> BoolArray:
        table = binary(frame)
        decided = np.zeros(len(table), dtype=np.bool_)
        for rule, chance in reversed(list(zip(listed, chances, strict=True))):
            decided[rule.holds(table)] = chance >= 0.5
        return decided

    n_conditions, size = count_conjunctions(listed, binary.bits)
    lines = [
        f"IF {rule.to_text(binary.bits)} THEN yes with {chance:.0%}"
        for rule, chance in zip(listed, chances, strict=True)
    ]
    return Fitted(predict, n_conditions, size, shortened(lines))


_NEGATED = "_neg"


def fit_brs(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:
    from imodels import BayesianRuleSetClassifier

    class CountingRuleSet(BayesianRuleSetClassifier):
        """It lists all possible rules one by one to know how many there are, for days if they have four literals."""

        def _set_pattern_space(self) -> None:
            self.attr_names.extend([name + _NEGATED for name in self.attr_names])
            self.pattern_space = np.array([0.0] + [comb(len(self.attr_names), k) for k in range(1, self.maxlen + 1)])

    binary = Binary(X)
    table = pd.DataFrame(binary(X).astype(int), columns=[f"b{place}" for place in range(len(binary.bits))])
    model = CountingRuleSet(**{"maxlen": 3, **settings})  # of its default of ten, the paper goes as far as four
    model.random_state = seed  # which it takes as an argument, and forgets
    random.seed(seed)
    model.fit(table, y.astype(int))
    rules = [_read_rule_set(names) for names in model.rules_]

    def predict(frame: pd.DataFrame) -> BoolArray:
        table = binary(frame)
        decided = np.zeros(len(table), dtype=np.bool_)
        for rule in rules:
            decided |= rule.holds(table)
        return decided

    n_conditions, size = count_conjunctions(rules, binary.bits)
    return Fitted(predict, n_conditions, size, shortened([f"IF {rule.to_text(binary.bits)}" for rule in rules]))


def _read_rule_set(names: list[str]) -> Conjunction:
    ones = tuple(int(name[1:]) for name in names if not name.endswith(_NEGATED))
    zeros = tuple(int(name[1:].removesuffix(_NEGATED)) for name in names if name.endswith(_NEGATED))
    return Conjunction(ones, zeros)


def fit_rulefit(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:
    from imodels import RuleFitClassifier

    matrix = Matrix(X)
    model = RuleFitClassifier(**{"random_state": seed, **settings})
    model.fit(matrix(X), y.astype(int))
    n_linear = len(model.coef) - len(model.rules_)
    titles = {f"X_{place}": str(column) for place, column in enumerate(matrix.columns)}
    # a number with a weight is a literal too
    terms = [[titles[f"X_{place}"]] for place in range(n_linear)]
    terms += [_read_rule(rule.rule, titles) for rule in model.rules_without_feature_names_]
    weighted = [(float(weight), term) for weight, term in zip(model.coef, terms, strict=True) if weight != 0]
    size = sum(len(term) for _, term in weighted)
    n_conditions = sum(len({_column(literal) for literal in term}) for _, term in weighted)
    lines = [f"{weight:+.3g} for {' AND '.join(term)}" for weight, term in sorted(weighted, key=lambda w: -abs(w[0]))]

    def predict(frame: pd.DataFrame) -> BoolArray:
        return np.asarray(model.predict(matrix(frame)) == 1)

    return Fitted(predict, n_conditions, size, shortened(lines))


def _read_rule(rule: str, titles: dict[str, str]) -> list[str]:
    """Return the literals of a rule, such as ``X_3 <= 0.5``, with the names that people know."""
    literals = []
    for literal in rule.split(" and "):
        name, sign, number = literal.split(" ")
        literals.append(f"{titles[name]} {sign} {float(number):.6g}")
    return literals


def _column(literal: str) -> str:
    return literal.rsplit(" ", 2)[0]


_PACKAGES = ("imodels==3.0.4", "six")  # six it imports, without asking for it

# The paper's parameters. Of rule lists: rules of so many literals and rows, expected length and width. Of rule sets:
# rules to start from, literals of a rule, per cent of the positive rows it has. RuleFit is not in the paper.
_GRID_OF_BRL = {
    "maxcardinality": (2, 3, 4),
    "minsupport": (0.05, 0.175, 0.3),
    "listlengthprior": (2, 4, 6, 8),
    "listwidthprior": (2, 5, 8),
}
_GRID_OF_BRS = {"n_rules": (500, 1000, 1500, 2000, 2500, 3000), "maxlen": (1, 2, 3, 4), "supp": (1, 4, 7, 10)}
_GRID_OF_RULEFIT = {"max_rules": (10, 20, 30, 60, 100), "tree_size": (2, 4, 8)}

ADAPTERS = {
    "brl": Adapter(
        "BRL", fit_brl, partial(crossed_grid, _GRID_OF_BRL), True, _PACKAGES, quick_rows=500,
        quick_settings={"max_iter": 2_000},  # of 50,000, which take half a minute or more
    ),
    "brs": Adapter(
        "BRS", fit_brs, partial(crossed_grid, _GRID_OF_BRS), True, _PACKAGES, quick_rows=300,
        quick_settings={"n_rules": 100, "num_iterations": 200, "maxlen": 2},  # of 2,000, 5,000 and 3
    ),
    "rulefit": Adapter("RuleFit", fit_rulefit, partial(crossed_grid, _GRID_OF_RULEFIT), True, _PACKAGES, 2_000),
}  # fmt: skip
