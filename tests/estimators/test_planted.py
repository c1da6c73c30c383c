"""A rule that made the labels comes back."""

import numpy as np
import pandas as pd
import pytest

from imli import DNFClassifier
from imli.rules.literals import Compare, IsIn

N_ROWS, NOISE = 16_000, 0.08


def planted(seed):
    """Sixteen columns, labels by a rule of three clauses and six literals, and a share of them turned around."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({f"x{j}": rng.normal(size=N_ROWS) for j in range(12)})
    X = X.assign(**{f"n{j}": rng.integers(0, 100, N_ROWS) for j in range(3)})
    X["city"] = rng.choice(["Bath", "Lima", "Oslo", "Pune", "York"], N_ROWS)
    truth = (
        ((X["x0"] > 0.5) & (X["x1"] <= 0))
        | ((X["city"] == "Oslo") & (X["n0"] > 40))
        | ((X["x2"] <= -1) & (X["n1"] <= 60))
    )
    return X, (truth ^ (rng.random(N_ROWS) < NOISE)).rename("ill"), truth


PLANTED = [
    [Compare("city", ">", 0), Compare("n0", ">", 40)],
    [Compare("x0", ">", 0.5), Compare("x1", "<=", 0)],
    [Compare("x2", "<=", -1), Compare("n1", "<=", 60)],
]


@pytest.mark.parametrize("seed", range(10))
def test_the_planted_rule_comes_back(seed):
    X, y, truth = planted(seed)
    fitted = DNFClassifier(random_state=seed, effort=0.15).fit(X, y)
    found = {frozenset(literal.column for literal in clause): clause for clause in fitted.rule_.clauses}
    assert set(found) == {frozenset({"x0", "x1"}), frozenset({"city", "n0"}), frozenset({"x2", "n1"})}, fitted.rule_
    assert fitted.rule_.n_conditions == 6
    for clause in PLANTED:
        for expected in clause:
            columns = frozenset(literal.column for literal in clause)
            (literal,) = [each for each in found[columns] if each.column == expected.column]
            if expected.column == "city":
                assert literal == IsIn("city", ("Oslo",))
            else:
                assert literal.operator == expected.operator
                between = sorted((literal.threshold, expected.threshold))
                share = X[expected.column].between(*between, inclusive="right").mean()
                assert share <= 1 / fitted.bins, f"{literal} is more than a bin away from {expected}"
    # on the labels without noise, which a perfect rule would all get right
    assert np.mean(fitted.predict(X) == truth) > 0.995
