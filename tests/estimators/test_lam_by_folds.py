"""``lam="cv"``: the λ of the path's pick, and the rule that is learned with it."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from imli import (
    CNFClassifier,
    DecisionListClassifier,
    DecisionSetClassifier,
    DNFClassifier,
    PathInterrupted,
    RulePathDisplay,
    rule_path,
)
from imli.errors import Interrupted

every = pytest.mark.parametrize("kind", [CNFClassifier, DNFClassifier, DecisionListClassifier, DecisionSetClassifier])


@pytest.fixture(scope="module")
def tumours():
    data = load_breast_cancer(as_frame=True)
    return data.data.iloc[:, :5], pd.Series(data.target_names[data.target], name="diagnosis")


@every
def test_the_rule_at_the_lam_of_the_pick(kind, tumours):
    X, y = tumours
    fitted = kind(lam="cv", effort=0.02, n_clauses=3, random_state=2).fit(X, y)
    assert fitted.path_ == rule_path(X, y, fitted._kind, effort=0.02, n_clauses=3, random_state=2)
    pick = fitted.path_.pick
    assert fitted.lam_ == pick.lam
    assert len(fitted.answer_.rule.literals) <= pick.max_literals
    error = 1 - pick.rule.score(X, y)
    assert error == pytest.approx(pick.training_error)
    assert fitted.answer_.cost <= error * len(y) + pick.lam * pick.max_literals + 1e-6
    assert fitted.score(X, y) > 0.85
    assert pickle.loads(pickle.dumps(fitted)).path_ == fitted.path_


def test_the_resolved_lam_of_every_way_to_give_it(tumours):
    X, y = tumours
    fitted = DNFClassifier(lam="cv", effort=0.01).fit(X, y)
    assert fitted.lam_ == fitted.path_.pick.lam
    assert fitted.set_params(lam=2.5).fit(X, y).lam_ == 2.5
    assert not hasattr(fitted, "path_")
    assert fitted.set_params(lam="auto").fit(X, y).lam_ == 5.9
    with pytest.raises(ValueError) as error:
        RulePathDisplay.from_estimator(fitted)
    assert str(error.value) == "This DNFClassifier has no path. Fit it with lam='cv' first, or use rule_path."
    with pytest.raises(ValueError) as error:
        DNFClassifier(lam="best").fit(X, y)
    assert str(error.value) == "DNFClassifier: lam must be a number of at least 0, 'auto' or 'cv'. Got 'best'."


def test_folds_of_ones_own_and_the_order_of_rows(tumours):
    X, y = tumours
    parameters = {"lam": "cv", "effort": 0.02, "n_clauses": 3}
    fitted = DNFClassifier(cv=StratifiedKFold(3), **parameters).fit(X, y)
    assert fitted.path_.n_folds == 3
    assert clone(fitted).get_params()["lam"] == "cv"
    order = np.random.default_rng(0).permutation(len(y))
    first, second = (DNFClassifier(**parameters).fit(X.iloc[rows], y.iloc[rows]) for rows in (order, order[::-1]))
    assert (first.rule_, first.path_) == (second.rule_, second.path_)


def test_inside_a_grid_search(tumours):
    X, y = tumours
    grid = GridSearchCV(DNFClassifier(lam="cv", effort=0.01, cv=2), {"n_clauses": [1, 3]}, cv=2).fit(X, y)
    assert grid.best_score_ > 0.85
    assert hasattr(grid.best_estimator_, "path_")


def test_the_paper_s_strategies_and_other_backends(tumours):
    X, y = tumours
    fitted = CNFClassifier(lam="cv", strategy="iterative", n_clauses=2, bins=3, cv=2).fit(X.iloc[::3, :3], y[::3])
    assert fitted.answer_.backend == "rc2"
    assert fitted.lam_ == fitted.path_.pick.lam


def test_warm_start_and_proof(tumours):
    X, y = tumours
    first = DNFClassifier(lam="cv", n_clauses=1, bins=4, effort=0.05, prove=True, warm_start=True).fit(X, y)
    assert first.answer_.status == "optimal"
    second = first.fit(X, y)
    assert second.rule_ == first.rule_


class _CtrlC:
    """Presses Ctrl-C once so much has been told."""

    def __init__(self, last_words):
        self._last_words = last_words

    def __call__(self, progress):
        if str(progress).endswith(self._last_words):
            raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("last_words", "n_folds"),
    [("2 searches for rules", 0), ("1 of 5 folds", 0), ("3 of 5 folds", 3)],
    ids=["searching", "one fold", "three folds"],
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_leaves_what_there_is(last_words, n_folds, n_jobs, tumours):
    X, y = tumours
    with pytest.raises(PathInterrupted) as stopped:
        rule_path(X, y, effort=0.02, n_rules=4, n_jobs=n_jobs, callback=_CtrlC(last_words))
    path = stopped.value.path
    assert path.n_folds == n_folds
    assert pickle.loads(pickle.dumps(stopped.value)).path == path
    classifier = DNFClassifier(lam="cv", effort=0.02, n_jobs=n_jobs, callback=_CtrlC(last_words))
    with pytest.raises(Interrupted) as stopped:
        classifier.fit(X, y)
    assert stopped.value.answer == classifier.answer_
    assert classifier.answer_.status == "interrupted"
    assert classifier.rule_.literals
    assert classifier.lam_ == (classifier.path_.pick.lam if n_folds else 3.3)
    assert len(classifier.predict(X)) == len(y)
