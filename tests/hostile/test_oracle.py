"""Learned rules decide and cost what the oracle says, which shares no code with imli."""

import warnings

import numpy as np
import pytest
from support.oracle import cost, decide, rows_of

from imli import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier
from imli.errors import InfeasibleError

KINDS = {"dnf": DNFClassifier, "cnf": CNFClassifier, "list": DecisionListClassifier, "set": DecisionSetClassifier}
LOCKED = {
    "dnf": "a > 2 AND a > 2 AND a <= 4",
    "cnf": "(a > 2 OR a <= 1 OR a > 2)",
    "list": "IF a > 2 AND a <= 4 THEN 1",
    "set": "IF a > 2 AND a <= 4 THEN 1",
}
SEEDS = [range(6), pytest.param(range(6, 300), marks=pytest.mark.slow)]


def drawn(seed):
    """A small table with labels, weights in halves, and parameters."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(6, 30))
    table = {
        "a": [None if cell == 9 else int(cell) for cell in rng.choice([0, 1, 2, 3, 4, 5, 9], n_rows)],
        "b": [bool(cell) for cell in rng.integers(0, 2, n_rows)],
        "c": [str(cell) for cell in rng.choice(["x", "y", "z"], n_rows)],
    }
    labels = [0, 1, *rng.integers(0, 2, n_rows - 2).tolist()]
    given = {"lam": float(rng.choice([0.25, 0.5, 1])), "disjoint": float(rng.choice([0.25, 1])), "effort": 0.02}
    given["feature_costs"] = {"b": float(rng.choice([0.5, 2]))}
    return table, labels, (rng.integers(1, 5, n_rows) / 2).tolist(), given, rng


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seeds", SEEDS, ids=len)
def test_costs_and_decisions(kind, seeds):
    for seed in seeds:
        table, labels, weights, given, rng = drawn(seed)
        if rng.random() < 0.5:
            given["locked"] = LOCKED[kind]
        if kind in ("dnf", "cnf"):
            given["positive"] = 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                clf = KINDS[kind](n_clauses=int(rng.integers(1, 4)), **given).fit(table, labels, weights)
            except InfeasibleError:
                continue
        rule = clf.rule_.to_dict()
        decided = [decide(rule, row) for row in rows_of(table)]
        assert clf.predict(table).tolist() == decided, seed
        price = cost(rule, table, labels, given["lam"], given["disjoint"], given["feature_costs"], weights)
        assert clf.answer_.cost == float(price), seed
        assert clf.answer_.bound <= clf.answer_.cost, seed
