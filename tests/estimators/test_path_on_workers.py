"""Folds of a path, and folds of scikit-learn, on the workers of joblib's back ends: all is as it is here."""

import pickle
from time import monotonic

import joblib
import pandas as pd
import pytest
from distributed import get_task_stream
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.model_selection import GridSearchCV, cross_val_score
from support.clusters import two_workers

from imli import DNFClassifier, PathInterrupted, rule_path
from imli.learning import deadline
from imli.learning.deadline import Deadline
from imli.learning.path.folds import count_workers, is_here
from imli.learning.task import TaskInMemory

QUICK = {"effort": 0.02, "n_rules": 4, "n_clauses": 3}


@pytest.fixture(scope="module")
def client():
    with two_workers() as found:
        yield found


@pytest.fixture(scope="module")
def tumours():
    data = load_breast_cancer(as_frame=True)
    return data.data.iloc[:, :5], pd.Series(data.target_names[data.target], name="diagnosis")


@pytest.mark.parametrize("backend", ["threading", "loky", "dask"])
def test_the_path_is_the_same_on_every_back_end(backend, client, tumours):
    X, y = tumours
    told = []
    with joblib.parallel_config(backend=backend, n_jobs=2):
        path = rule_path(X, y, callback=lambda progress: told.append(str(progress)), **QUICK)  # cannot be pickled
    assert path == rule_path(X, y, n_jobs=1, **QUICK)
    assert told[-1].endswith(f" s: {len(path)} rules, 5 of 5 folds")


def test_lam_by_folds_on_a_cluster(client, tumours):
    X, y = tumours
    classifier = DNFClassifier(lam="cv", effort=0.02, n_clauses=3, verbose=1, random_state=1)
    with joblib.parallel_config(backend="dask"):
        there = classifier.fit(X, y)
        found = there.rule_, there.path_
    assert found == ((here := classifier.fit(X, y)).rule_, here.path_)


def test_folds_run_on_both_workers_and_rows_are_sent_once(client, monkeypatch):
    X, y = make_classification(5000, 10, flip_y=0.2, random_state=0)
    n_sent = []

    def count(training):
        n_sent.append(training.frame.n_rows)
        return training.__dict__

    monkeypatch.setattr(TaskInMemory, "__getstate__", count, raising=False)
    with get_task_stream(client) as stream, joblib.parallel_config(backend="dask"):
        rule_path(X, y, n_rules=4, effort=0.2, cv=6)
    assert n_sent == [5000]
    assert len({task["worker"] for task in stream.data if "_errors" in task["key"]}) == 2


def test_the_number_of_workers_is_that_of_the_back_end(client):
    assert (is_here(), count_workers(5, 3), count_workers(2, 3)) == (True, 3, 2)
    with joblib.parallel_config(backend="threading"):
        assert (is_here(), count_workers(5, 3)) == (True, 3)
    with joblib.parallel_config(backend="loky"):
        assert (is_here(), count_workers(5, 3)) == (False, 3)
    with joblib.parallel_config(backend="loky", n_jobs=4):
        assert (is_here(), count_workers(5, 3)) == (False, 4)
    with joblib.parallel_config(backend="dask"):
        assert (is_here(), count_workers(5, 16), count_workers(5, 1)) == (False, 2, 2)


def test_ctrl_c_leaves_what_there_is(client, tumours):
    X, y = tumours

    def press(progress):
        if str(progress).endswith("3 of 5 folds"):
            raise KeyboardInterrupt

    with joblib.parallel_config(backend="dask"):
        with pytest.raises(PathInterrupted) as stopped:
            rule_path(X, y, callback=press, **QUICK)
        assert stopped.value.path.n_folds == 3
        assert rule_path(X, y, **QUICK) == rule_path(X, y, n_jobs=1, **QUICK)  # and all goes on as before


def test_a_deadline_holds_where_the_clock_is_another(monkeypatch):
    sent = pickle.dumps((Deadline.after(100), Deadline()))
    monkeypatch.setattr(deadline, "monotonic", lambda: 7.0)
    limited, unlimited = pickle.loads(sent)
    assert 106 < limited.moment <= 107
    assert unlimited == Deadline()


@pytest.mark.alone
def test_a_time_limit_holds_on_a_cluster(client):
    X, y = make_classification(6000, 12, flip_y=0.2, random_state=0)
    with joblib.parallel_config(backend="dask"):
        rule_path(X[:100], y[:100], **QUICK)  # workers have imported all they need
        began = monotonic()
        path = rule_path(X, y, time_limit=2.0, effort=10)
        assert monotonic() - began < 4.0
    assert path.n_folds in (0, 2, 3, 4, 5)


def test_cross_validation_of_scikit_learn(client, tumours):
    X, y = tumours
    classifier = DNFClassifier(effort=0.02, n_clauses=2, n_jobs=1)
    scores = cross_val_score(classifier, X, y, cv=3)
    search = GridSearchCV(DNFClassifier(lam="cv", cv=2, effort=0.01), {"n_clauses": [1, 3]}, cv=2)
    found = search.fit(X, y).cv_results_["mean_test_score"]
    with joblib.parallel_config(backend="dask"):
        assert cross_val_score(classifier, X, y, cv=3).tolist() == scores.tolist()
        assert search.fit(X, y).cv_results_["mean_test_score"].tolist() == found.tolist()  # with folds within folds
