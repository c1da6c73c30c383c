"""The order of rows, repetition instead of weight, and the number of threads change nothing in any estimator."""

import numpy as np
import pandas as pd
import pytest

from imli import (
    ChecklistClassifier,
    CNFClassifier,
    DecisionListClassifier,
    DecisionSetClassifier,
    DNFClassifier,
    ScoreClassifier,
)

OTHERS = [CNFClassifier, DNFClassifier, DecisionListClassifier, DecisionSetClassifier]


def patients(n_rows=400):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 90, n_rows),
            "bmi": np.where(rng.random(n_rows) < 0.1, np.nan, rng.normal(27, 4, n_rows)),
            "city": rng.choice(["Rome", "Oslo", "Lima"], n_rows),
            "smoker": rng.random(n_rows) < 0.3,
        }
    )
    sick = ((frame["age"] > 60) & frame["smoker"]) | (frame["bmi"] > 31)
    return frame, np.where(sick ^ (rng.random(n_rows) < 0.1), "sick", "well"), rng.integers(0, 4, n_rows)


@pytest.mark.parametrize("kind", [*OTHERS, ScoreClassifier, ChecklistClassifier])
def test_the_same_rule(kind):
    X, y, weights = patients()
    order = np.random.default_rng(1).permutation(len(y))
    repeated = np.random.default_rng(2).permutation(np.repeat(np.arange(len(y)), weights))

    def learn(rows, row_weights=None, **parameters):
        room = {"n_clauses": 3} if kind in OTHERS else {"max_items": 3, "refine": True}
        classifier = kind(effort=0.1, bins=6, **room, **parameters)
        classifier.fit(X.iloc[rows], y[rows], sample_weight=row_weights)
        return classifier.rule_, classifier.answer_.cost, classifier.literals_

    weighted = learn(np.arange(len(y)), weights, n_jobs=1)
    assert learn(order, weights[order], n_jobs=2) == weighted
    assert learn(repeated) == weighted
    assert weighted[0].literals
