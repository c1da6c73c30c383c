"""The path against brute force and refits, and what it shares with every fit."""

import pickle
from itertools import pairwise
from time import monotonic

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.model_selection import StratifiedKFold
from support.passengers import COLUMNS, passenger_rows

from imli import ConstantRuleWarning, DNFClassifier, rule_path
from imli.estimators.classifiers import CLASSIFIERS
from imli.estimators.validate import read_sample
from imli.learning.backends.brute import all_rules
from imli.learning.constraints import reuses
from imli.rules import POINT_RULES

KINDS = tuple(kind for kind in CLASSIFIERS if kind not in POINT_RULES)
QUICK = {"effort": 0.05, "n_rules": 5, "n_clauses": 4}


def patients(n_rows=60, seed=0):
    """Flags, which give literals of size 1, and weights of which no sums are alike."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({name: rng.random(n_rows) < 0.5 for name in "abc"})
    y = ((X["a"] & X["b"]) | X["c"]) ^ (rng.random(n_rows) < 0.25)
    return X, np.where(y, "sick", "well"), rng.uniform(0.5, 2, n_rows)


@pytest.fixture(scope="module")
def tumours():
    data = load_breast_cancer(as_frame=True)
    return data.data.iloc[:, :5], pd.Series(data.target_names[data.target], name="diagnosis")


def check_order(path):
    """Every rule is larger than the one before, and has fewer errors."""
    for shorter, longer in pairwise(path):
        assert shorter.size < longer.size
        assert shorter.training_error > longer.training_error
    for point in path:
        assert len(point.rule.literals) <= point.max_literals


@pytest.mark.parametrize(("kind", "n_clauses"), [("dnf", 2), ("cnf", 2), ("list", 1), ("set", 1)])
def test_brute_force_finds_the_same_front(kind, n_clauses):
    X, y, weights = patients()
    path = rule_path(X, y, kind, n_clauses=n_clauses, backend="brute", n_rules=50, sample_weight=weights, cv=2)
    check_order(path)
    fitted = CLASSIFIERS[kind](n_clauses=n_clauses, backend="brute", lam=1.0).fit(X, y, weights)
    _, query, _ = fitted._task(read_sample(fitted, X, y, weights, fitted._classify), None)
    least = {}  # share of errors by number of literals
    for rule in all_rules(query):
        n_literals = len(rule.literals)
        error = (query.cost(rule) - fitted.lam_ * n_literals) / weights.sum()
        least[n_literals] = min(error, least.get(n_literals, 1.0))
    # each rule of the path is the best of its size, and those that are the cheapest at some price are all there
    for point in path:
        assert point.training_error == pytest.approx(least[point.size])
    prices = np.geomspace(path[-1].lam / weights.sum(), 1, 2000)
    corners = {min(least, key=lambda n: least[n] + price * n) for price in prices} - {0}
    assert corners <= {point.size for point in path}
    assert len(corners) >= n_clauses


@given(st.data())
@settings(max_examples=15, deadline=None)
def test_no_rule_is_dominated(data):
    n_rows = data.draw(st.integers(4, 40))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    kind = data.draw(st.sampled_from(KINDS))
    X = {
        "number": rng.normal(size=n_rows).round(1),
        "flag": rng.random(n_rows) < 0.5,
        "city": rng.choice([*"xyz"], n_rows),
    }
    y = rng.integers(0, 2 if kind in ("cnf", "dnf") else 3, n_rows)
    y[:2] = [0, 1]
    weights = rng.integers(1, 4, n_rows) * data.draw(st.sampled_from([1, 0.1, 1e-9]))
    path = rule_path(X, y, kind, sample_weight=weights, effort=0.01, n_clauses=3, cv=3, bins=4)
    check_order(path)
    assert 2 <= path.n_folds <= 3
    for point in path:
        assert point.training_error == pytest.approx(1 - point.rule.score(X, y, weights))
        assert all(0 <= error <= 1 for error in point.fold_errors)


@pytest.mark.filterwarnings("ignore::imli.ConstantRuleWarning")
@pytest.mark.slow
def test_fold_errors_are_those_of_a_fit_to_the_other_rows():
    X, y, weights = patients()
    splits = list(StratifiedKFold(3, shuffle=True, random_state=1).split(X, y))
    parameters = {"n_clauses": 2, "backend": "brute"}
    path = rule_path(X, y, cv=splits, sample_weight=weights, **parameters)
    assert path.n_folds == 3
    for point in path:
        for (train, test), error in zip(splits, point.fold_errors, strict=True):
            share = weights[train].sum() / weights.sum()
            refit = DNFClassifier(lam=point.lam * share, max_literals=point.max_literals, **parameters)
            refit.fit(X.iloc[train], y[train], weights[train])
            assert error == pytest.approx(1 - refit.score(X.iloc[test], y[test], weights[test]))


def test_class_weights_count_in_errors(tumours):
    X, y = tumours
    factors = {"benign": 1.0, "malignant": 4.0}
    path = rule_path(X, y, class_weight=factors, **QUICK)
    weights = y.map(factors)
    for point in path:
        assert point.training_error == pytest.approx(1 - point.rule.score(X, y, weights))


def test_thresholds_are_looked_for_anew(tumours):
    X, y = tumours
    fine, coarse = (rule_path(X, y, refine=refine, bins=4, **QUICK) for refine in (True, False))
    assert fine[-1].training_error < coarse[-1].training_error
    assert fine[0].fold_errors != coarse[0].fold_errors


def test_the_first_rule_is_as_good_as_one_literal_can_be():
    frame = pl.DataFrame(passenger_rows(), schema=COLUMNS, orient="row")
    X, y = frame.select(pl.col("age").cast(pl.Int64, strict=False), "sex", "port"), frame["survived"]
    single = DNFClassifier(max_literals=1, lam=1).fit(X, y)
    first = rule_path(X, y, n_rules=5, effort=0.3)[0]
    assert first.size == 1
    assert first.training_error == pytest.approx(1 - single.score(X, y))


def test_the_same_seed_gives_the_same_path_whatever_the_threads_and_the_order_of_rows(tumours):
    X, y = tumours
    path = rule_path(X, y, random_state=3, n_jobs=1, **QUICK)
    order = np.random.default_rng(0).permutation(len(y))
    assert rule_path(X, y, random_state=3, n_jobs=2, **QUICK) == path
    assert rule_path(X.iloc[order], y.iloc[order], random_state=3, **QUICK) == path
    assert rule_path(X, y, random_state=4, **QUICK)[0].fold_errors != path[0].fold_errors
    assert pickle.loads(pickle.dumps(path)) == path


def test_folds_may_run_in_other_processes(tumours):
    X, y = tumours
    with joblib.parallel_config(backend="loky", n_jobs=2):
        path = rule_path(X, y, cv=2, n_jobs=2, **QUICK)
    assert path == rule_path(X, y, cv=2, n_jobs=1, **QUICK)


def test_the_same_path_from_every_library(tumours):
    X, y = tumours
    X = X.assign(city=np.where(np.arange(len(X)) % 3 == 0, "Bath", "York"))
    X.iloc[::7, 0] = np.nan
    path = rule_path(X, y, **QUICK)
    for table in (pl.from_pandas(X), X.to_dict("list")):
        assert rule_path(table, y, **QUICK) == path


@pytest.mark.parametrize(
    ("conditions", "holds"),
    [
        ({"never": "mean radius"}, lambda rule: "mean radius" not in rule.columns),
        ({"always": ["mean texture", "mean area"]}, lambda rule: {"mean texture", "mean area"} <= set(rule.columns)),
        ({"max_literals": 2}, lambda rule: len(rule.literals) <= 2),
        ({"n_clauses": 1}, lambda rule: len(rule.clauses) == 1),
        ({"disjoint": True}, lambda rule: reuses(rule) == 0),
        ({"locked": "mean area > 900", "n_clauses": 2}, lambda rule: str(rule).startswith("IF    mean area > 900\n")),
        ({"monotone": {"mean radius": -1}}, lambda rule: "mean radius >" not in str(rule)),
        ({"min_rows": 100}, lambda rule: min(rule.counts.covered) >= 100),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_every_rule_keeps_the_conditions(conditions, holds, tumours):
    X, y = tumours
    path = rule_path(X, y, **(QUICK | conditions))
    check_order(path)
    assert len(path) > 1
    assert all(holds(point.rule) for point in path)


def test_costs_of_columns_and_of_using_them_again(tumours):
    X, y = tumours
    path = rule_path(X, y, feature_costs={"mean radius": 0, "mean area": 5}, disjoint=2.0, **QUICK)
    check_order(path)


def test_conditions_that_only_all_rows_can_meet():
    X = {"rare": [1] + [0] * 39, "common": [0, 1] * 20}
    path = rule_path(X, [0, 1] * 20, always="rare", cv=4)
    assert all("rare" in point.rule.columns for point in path)
    assert path.n_folds == 4
    locked = rule_path(X, [0, 1] * 20, locked="common", min_rows=19, n_clauses=1)
    assert locked[0].rule.columns == ("common",)


@pytest.mark.parametrize("kind", ["list", "set"])
def test_many_classes(kind):
    X, y = load_wine(return_X_y=True, as_frame=True)
    path = rule_path(X, np.array(["red", "rosé", "white"])[y], kind, effort=0.1)
    check_order(path)
    assert path.pick.cv_error < 0.15
    assert path.pick.rule.predict(X).tolist().count("rosé") > 30


def test_a_rule_to_start_from_may_be_one_of_the_path():
    X, y, weights = patients()
    path = rule_path(X, y, start="IF a AND b OR c THEN well ELSE sick", sample_weight=weights, effort=0.01)
    check_order(path)


def test_nothing_to_find():
    path = rule_path({"a": [1, 1, 1, 1]}, [0, 0, 1, 0])
    assert [(point.size, point.training_error) for point in path] == [(0, 0.25)]
    assert path.pick is path[0]


@pytest.mark.parametrize(("y", "n_folds"), [([0, 1], 2), ([0, 0, 0, 1], 2), ([0] * 5 + [1] * 3, 3), ([0, 1] * 9, 5)])
def test_few_rows_make_few_folds(y, n_folds):
    for kind in KINDS:
        path = rule_path({"a": np.arange(len(y)), "b": y}, y, kind, effort=0.01)
        assert path.n_folds == n_folds


def test_weights_of_zero_are_absence():
    X, y, weights = patients()
    splits = list(StratifiedKFold(3).split(X, y))
    some = np.arange(len(y)) % 4 > 0
    path = rule_path(X, y, cv=splits, sample_weight=np.where(some, weights, 0), effort=0.05)
    place = np.cumsum(some) - 1
    kept = [tuple(place[rows[some[rows]]] for rows in split) for split in splits]
    assert rule_path(X[some], y[some], cv=kept, sample_weight=weights[some], effort=0.05) == path
    with_splitter = rule_path(X, y, cv=StratifiedKFold(3), sample_weight=weights, effort=0.05)
    assert with_splitter == rule_path(X, y, cv=splits, sample_weight=weights, effort=0.05)


@pytest.mark.alone
@pytest.mark.parametrize("kind", KINDS)
def test_a_time_limit_holds_and_leaves_at_least_one_rule(kind):
    X, y = make_classification(6000, 12, flip_y=0.2, random_state=0)
    began = monotonic()
    path = rule_path(X, y, kind, time_limit=1.0, n_jobs=2)
    assert monotonic() - began < 2.0
    check_order(path)
    assert path.n_folds in (0, 2, 3, 4, 5)  # as far as there was time


def test_no_time_for_folds_is_no_error():
    X, y = make_classification(30_000, 20, flip_y=0.2, random_state=0)
    path = rule_path(X, y, time_limit=0.01)
    assert (len(path), path.n_folds) == (1, 0)
    with pytest.warns(ConstantRuleWarning):
        fitted = DNFClassifier(lam="cv", time_limit=0.01).fit(X, y)
    assert fitted.path_.n_folds == 0
    assert fitted.lam_ == 14.4
    assert fitted.answer_.status == "feasible"


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"kind": "tree"}, "rule_path: kind must be one of 'cnf', 'dnf', 'list', 'set'. Got 'tree'."),
        ({"lam": 3}, "rule_path: lam has no place here, since the path goes through all values. Got 3."),
        ({"n_rules": 0}, "rule_path: n_rules must be a positive integer. Got 0."),
        ({"cv": 1}, "rule_path: cv must be an integer of at least 2. Got 1."),
        ({"cv": "five"}, "rule_path: cv must be a number of folds, a splitter or a list of splits. Got 'five'."),
        ({"cv": [([0, 1], [2, 3])]}, "rule_path: cv must give at least two splits. Got 1."),
        (
            {"cv": [([0, 1], [2, 3]), ([0, 1], [])]},
            "rule_path: split 2 of cv has no rows of positive weight to try a rule on.",
        ),
        ({"effort": float("inf")}, "Backend 'native' cannot handle: effort=inf without an end. Set a time_limit."),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_is_refused(parameters, sentence):
    with pytest.raises((ValueError, TypeError)) as error:
        rule_path({"a": [1, 2, 3, 4]}, [0, 1, 0, 1], **parameters)
    assert str(error.value) == sentence


def test_progress_is_told(tumours):
    told = []
    X, y = tumours
    path = rule_path(X, y, callback=told.append, **QUICK)
    shares = [progress.share for progress in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert str(told[-1]).endswith(f" s: {len(path)} rules, 5 of 5 folds")
    assert str(told[0]).endswith(" s: 1 search for rules")


def test_iris_is_a_path_of_lists():
    X, y = load_iris(return_X_y=True, as_frame=True)
    path = rule_path(X, y, "list", effort=0.1)
    assert [point.size for point in path][:3] == [1, 2, 3]
    assert path.pick.size <= 4
