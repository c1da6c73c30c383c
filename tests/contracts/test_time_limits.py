"""A time limit holds from the entry of fit, within a second of work, and always ends in a rule."""

import math
import os
from itertools import product
from time import monotonic
from typing import get_args

import pytest
from sklearn.datasets import make_classification
from support.programs import needs_clasp

from imli import (
    CNFClassifier,
    DecisionListClassifier,
    DecisionSetClassifier,
    DNFClassifier,
    ExternalSolver,
    Native,
    RuleClassifier,
)
from imli.learning.parameter_table import StrategyName

pytestmark = [
    pytest.mark.alone,
    # a second is often too short for anything but the constant rule
    pytest.mark.filterwarnings("ignore::imli.ConstantRuleWarning"),
]

LIMIT = 1.0
STRATEGIES = get_args(StrategyName)
SHAPES = {"many rows": (4000, 12), "many columns": (120, 400)}
BACKENDS = {
    "native": Native(effort=math.inf),
    "rc2": "rc2",
    "cpsat": "cpsat",
    "clasp": ExternalSolver(["clasp", "--outf=1"]),
}


# each strategy and each backend once; the others are slow, since each waits for a second
SOME = list(zip(STRATEGIES, [*BACKENDS, "native"], [*SHAPES] * 3, strict=False))
ALL = list(product(STRATEGIES, BACKENDS, SHAPES))


@pytest.mark.parametrize(
    ("strategy", "backend", "shape"),
    [each if each in SOME else pytest.param(*each, marks=pytest.mark.slow) for each in ALL],
)
def test_every_strategy_with_every_backend(strategy, backend, shape):
    if backend == "clasp":
        needs_clasp()
    X, y = make_classification(*SHAPES[shape], flip_y=0.2, random_state=0)
    classifier = CNFClassifier(n_clauses=3, strategy=strategy, backend=BACKENDS[backend], time_limit=LIMIT)
    check_limit(classifier, X, y)


@pytest.mark.parametrize("kind", [DNFClassifier, DecisionListClassifier, DecisionSetClassifier, RuleClassifier])
def test_every_kind_and_constraints_that_are_hard_to_meet(kind):
    X, y = make_classification(6000, 12, flip_y=0.2, random_state=0)
    check_limit(kind(n_clauses=3, always="x0", min_rows=300, time_limit=LIMIT, n_jobs=2), X, y)


def check_limit(classifier, X, y):
    # what always overruns does so again
    assert any(seconds_of_fit(classifier, X, y) < LIMIT + 1.0 for _ in range(3))
    assert classifier.answer_.status in ("feasible", "optimal")
    assert len(classifier.predict(X[:5])) == 5


def seconds_of_fit(classifier, X, y):
    """Return the seconds of the clock, or of work where that is less: other processes may have had the machine."""
    began, work = monotonic(), sum(os.times()[:4])
    classifier.fit(X, y)
    seconds, work = monotonic() - began, sum(os.times()[:4]) - work
    assert seconds < 5 * LIMIT + 5, "waited instead of working"
    return min(seconds, work)
