"""The second look at the thresholds of a rule."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from imli import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier
from imli.learning.lam import usual_lam
from imli.rules.literals import Compare


@pytest.fixture(scope="module")
def ages():
    rng = np.random.default_rng(0)
    age = rng.integers(0, 3000, 3000) / 30
    return {"age": age}, age > 47.21


@pytest.mark.parametrize(("n_rows", "lam"), [(0, 1.0), (20, 1.0), (800, 3.7), (5_000, 5.9), (30_000, 14.4)])
def test_lam_goes_by_the_number_of_rows_and_from_5_000_on_by_its_root(n_rows, lam):
    assert usual_lam(n_rows) == lam
    assert usual_lam(n_rows, stand_for=4.0) >= 2 * lam - 0.11


@pytest.mark.parametrize(
    "classifier",
    [CNFClassifier, DNFClassifier, DecisionListClassifier, DecisionSetClassifier],
    ids=lambda kind: kind._kind,
)
def test_a_threshold_between_the_bins_is_found(classifier, ages):
    X, y = ages
    fitted = classifier(effort=0.01, bins=5).fit(X, y)
    (literal,) = fitted.rule_.literals
    assert isinstance(literal, Compare)
    assert abs(literal.threshold - 47.21) < 20 / 16  # a fifth of the rows on either side is cut into 32 parts
    assert literal in fitted.literals_
    assert f"{len(fitted.literals_):,} conditions" in fitted.answer_.scope
    coarse = classifier(effort=0.01, bins=5, refine=False).fit(X, y)
    assert len(coarse.literals_) == 8
    assert coarse.rule_ == classifier(effort=0.01, bins=5, backend="native").fit(X, y).rule_
    assert coarse.score(X, y) < 0.96 < 0.99 < fitted.score(X, y)


def test_closed_intervals_stay_as_they_are(ages):
    X, y = ages
    fitted = DNFClassifier(effort=0.01, bins=5, intervals="closed").fit(X, y)
    assert len(fitted.literals_) == 10


def test_progress_is_told_of_as_that_of_one_search():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    told = []
    fitted = DNFClassifier(effort=0.3, callback=told.append).fit(X, y)
    costs, seconds = [progress.cost for progress in told], [progress.seconds for progress in told]
    assert costs == sorted(set(costs), reverse=True)
    assert seconds == sorted(seconds)
    assert costs[-1] == fitted.answer_.cost
    assert fitted.answer_.seconds >= seconds[-1] - 0.1
