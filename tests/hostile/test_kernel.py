"""Wild calls of the compiled kernel: whatever does not fit is refused before it is looked at."""

import numpy as np
import pytest

from imli import DNFClassifier, _kernel
from imli.errors import ConstantRuleWarning

WORDS = np.array([[0b0101], [0b0011]], dtype=np.uint64)
LABELS = np.array([0, 1, 1, 0], dtype=np.int32)
ONES = np.ones(4, dtype=np.int64)
ASKED = {
    "kind": "formula", "n_clauses": 2, "n_locked": 0, "n_classes": 2, "costs": np.array([1, 1]),
    "columns": np.array([0, 1], dtype=np.int32), "lengths": np.array([1, 1], dtype=np.int32), "near": [],
    "near_cost": 0, "always": [], "every": [], "reuse_cost": 0, "disjoint": False, "max_literals": -1, "min_rows": 0,
    "unused_slots": True, "needs_literals": False,
}  # fmt: skip
RULE = [(True, 1, [0]), (True, 1, [1])]


def rows(weights=ONES, labels=LABELS, n_classes=2):
    return _kernel.Rows(WORDS, labels, weights, n_classes, False)


def question(**changes):
    return _kernel.Question(**{**ASKED, **changes})


def search(n_classes=2, **changes):
    settings = {"start": RULE, "otherwise": 0, "seed": 0, "work": 1e3, "n_threads": 1, "unit": 1} | changes
    return _kernel.Search(rows(labels=LABELS * (n_classes - 1), n_classes=n_classes), question(), **settings)


@pytest.mark.parametrize(
    "call",
    [
        lambda: rows(weights=np.full(4, 2**62)),
        lambda: rows(weights=np.full(4, 2**63 - 1)),
        lambda: rows(weights=np.ones(3, dtype=np.int64)),
        lambda: rows(labels=LABELS + 1),
        lambda: rows(labels=-LABELS),
        lambda: question(near=[[1]]),
        lambda: question(near=[[1, 1]]),
        lambda: question(near=[[1, 1], [1, 1], [1, 1]]),
        lambda: question(always=[[2]]),
        lambda: question(always=[[0], [-1]]),
        lambda: question(every=[2**31 - 1]),
        lambda: question(columns=np.array([0, 2], dtype=np.int32)),
        lambda: question(columns=np.array([0, -1], dtype=np.int32)),
        lambda: question(costs=np.array([2**62, 2**62])),
        lambda: question(reuse_cost=-1),
        lambda: question(n_classes=0),
        lambda: question(n_locked=3),
        lambda: search(n_classes=3),
        lambda: search(start=[(True, 1, [2]), (True, 1, [])]),
        lambda: search(start=RULE[:1]),
        lambda: search(otherwise=2),
        lambda: _kernel.Part(rows(), 2, 1).sums("formula", 3, False, RULE, 0),
        lambda: _kernel.Part(rows(), 2, 1).sums("formula", -1, False, RULE, 0),
        lambda: _kernel.Part(rows(), 2, 1).totals([2], 1),
        lambda: _kernel.Part(rows(), 2, 1).totals([-1], 1),
        lambda: _kernel.Part(rows(), 2, 1).totals([0], 2),
        lambda: _kernel.Core(2, 2, 10).merge(_kernel.Core(200, 2, 10)),
        lambda: _kernel.Core(2, 2, 10).merge(_kernel.Core(2, 3, 10)),
    ],
)
def test_what_does_not_fit_is_refused(call):
    with pytest.raises(ValueError, match=r"^[a-z]"):
        call()


def test_what_fits_is_answered():
    found = search()
    found.run()
    assert found.best[2] <= 4
    assert len(_kernel.Part(rows(), 2, 1).totals([0], 1)) == 2


X = {"a": [0, 1, 2, 3] * 10}
Y = [0, 0, 1, 1] * 10


@pytest.mark.parametrize("weights", [1e308, [1.0, 1.7e308], 1e300, 2.0**62])
def test_weights_that_no_float_can_add_up_are_refused(weights):
    with pytest.raises(ValueError, match=r"^The weights add up to .*, which is too much. Divide them by a constant.$"):
        DNFClassifier(effort=0.02).fit(X, Y, sample_weight=np.resize(weights, 40).astype(float))


def test_weights_that_are_rounded_to_nothing_are_named():
    with pytest.warns(UserWarning, match=r"some were rounded by 100\.0%"):
        DNFClassifier(effort=0.02, lam=1).fit(X, Y, sample_weight=np.resize([1e-9, 1e9], 40))
    with pytest.warns(ConstantRuleWarning), pytest.warns(UserWarning, match="rounded"):
        DNFClassifier(effort=0.02, lam=1).fit(X, Y, sample_weight=np.full(40, 5e-324))
