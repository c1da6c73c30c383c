"""The classifier that chooses its kind: what it chooses by, and that the rule is that of the kind's own classifier."""

import os
import pickle
import signal
from time import monotonic

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import imli
from imli import (
    CNFClassifier,
    DecisionListClassifier,
    DecisionSetClassifier,
    DNFClassifier,
    Interrupted,
    RuleClassifier,
    parse_rule,
)

CLASSIFIERS = {"dnf": DNFClassifier, "cnf": CNFClassifier, "list": DecisionListClassifier, "set": DecisionSetClassifier}
QUICK = {"n_clauses": 3, "bins": 4, "effort": 0.02, "lam": 2}
RULES = {
    "dnf": "a > 0 AND b > 0 OR c > 0 AND d > 0 OR e > 0 AND f > 0",
    "cnf": "(a > 0 OR b > 0) AND (c > 0 OR d > 0) AND (e > 0 OR f > 0)",
}


def table(text, n_rows=400, seed=0, noise=0.02):
    """Rows whose label is what a formula says of them, but for a few."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.choice([-2, -1, 1, 2], (n_rows, 6)), columns=list("abcdef"))
    return X, pd.Series(np.where(parse_rule(text).decide(X) ^ (rng.random(n_rows) < noise), "yes", "no"), name="y")


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_kind_by_name_is_its_classifier(kind):
    X, y = table(RULES["dnf"])
    for lam in (2, "auto"):
        parameters = QUICK | {"lam": lam, "random_state": 1}
        ours, its = RuleClassifier(kind, **parameters).fit(X, y), CLASSIFIERS[kind](**parameters).fit(X, y)
        assert ours.kind_ == kind
        assert str(ours.rule_) == str(its.rule_)
        assert (ours.answer_.cost, ours.answer_.scope, ours.lam_) == (its.answer_.cost, its.answer_.scope, its.lam_)
        np.testing.assert_array_equal(ours.predict_proba(X), its.predict_proba(X))
        assert not hasattr(ours, "kind_errors_")


@pytest.mark.parametrize("kind", RULES)
def test_the_kind_of_the_planted_rule_is_chosen(kind):
    X, y = table(RULES[kind])
    clf = RuleClassifier(**QUICK).fit(X, y)
    assert clf.kind_ == kind
    assert set(clf.kind_errors_) == {*CLASSIFIERS, "score", "checklist"}
    assert clf.kind_errors_[kind] == min(clf.kind_errors_.values()) < 0.08
    assert clf.rule_ == CLASSIFIERS[kind](**QUICK).fit(X, y).rule_


def test_kinds_that_tie_are_chosen_by_length_and_then_by_order():
    X = pd.DataFrame({"a": np.arange(200) % 7, "b": np.arange(200) % 3})
    clf = RuleClassifier(**QUICK | {"bins": 10}).fit(X, X.a > 3)
    assert (clf.kind_, set(clf.kind_errors_.values())) == ("dnf", {0.0})
    # a list needs two clauses where the others need as many, or more conditions
    assert RuleClassifier(**QUICK).fit(X, (X.a > 3) & (X.b == 1)).kind_ in ("dnf", "cnf")


def test_several_classes_get_a_list_or_set():
    X, y = table(RULES["dnf"])
    clf = RuleClassifier(**QUICK).fit(X, np.where(X.a > 0, y, "other"))
    assert set(clf.kind_errors_) == {"list", "set"}
    assert clf.kind_ in ("list", "set")
    for kind in ("dnf", "cnf"):
        with pytest.raises(ValueError) as error:
            RuleClassifier(kind).fit(X, np.where(X.a > 0, y, "other"))
        assert str(error.value) == (
            "Only binary classification is supported. RuleClassifier decides between two classes, but y has 3 (type of "
            "the target: multiclass). Use DecisionListClassifier or DecisionSetClassifier."
        )


@pytest.mark.parametrize(
    ("parameters", "kinds"),
    [
        ({"monotone": {"a": 1}}, {"dnf", "cnf", "score", "checklist"}),
        ({"memory": 100}, set(CLASSIFIERS)),
        ({"lam": "cv"}, set(CLASSIFIERS)),
        ({"strategy": "exact", "backend": "rc2", "n_clauses": 1, "max_literals": 1}, {"dnf", "cnf"}),
        ({"strategy": "iterative"}, set(CLASSIFIERS)),
        ({"locked": "IF a > 0 THEN yes"}, {"list", "set"}),
    ],
    ids=["monotone", "memory", "cv", "rc2", "iterative", "locked"],
)
def test_parameters_limit_the_kinds(parameters, kinds):
    X, y = table(RULES["dnf"], n_rows=150)
    clf = RuleClassifier(**QUICK | parameters).fit(X, y)
    assert set(clf.kind_errors_) == kinds
    assert clf.kind_ in kinds


def test_one_kind_that_is_left_needs_no_trial():
    X, y = table(RULES["dnf"], n_rows=150)
    clf = RuleClassifier(**QUICK, start="(a > 0 OR b > 0) AND (c > 0)").fit(X, y)
    assert (clf.kind_, clf.kind_errors_) == ("cnf", {})
    few = RuleClassifier(**QUICK | {"lam": 0.1}).fit(X[:8], ["yes", "no"] * 4)  # too few rows to hold any out
    assert (few.kind_, few.kind_errors_) == ("dnf", {})


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"kind": "dnff"}, "RuleClassifier: kind must be one of 'auto', 'cnf', 'dnf', 'list', 'set', "
         "'score', 'checklist'. Got 'dnff'."),
        ({"kind": "score", "memory": 9}, "RuleClassifier: a score is learned from all rows at once, without memory and "
         "partial_fit. Call fit on all rows, or choose another kind."),
        ({"kind": "score", "strategy": "iterative"},
         "RuleClassifier: a score is learned with strategy='joint'. Got 'iterative'."),
        ({"n_clauses": 0}, "RuleClassifier: n_clauses must be a positive integer. Got 0."),
        ({"positive": "yess"},
         "RuleClassifier: positive must be one of the classes ['no', 'yes']. Got 'yess'. Did you mean 'yes'?"),
        ({"never": "aa"}, "No column 'aa' in the data. Did you mean 'a'?"),
    ],
)  # fmt: skip
def test_what_is_for_no_kind_is_refused(parameters, sentence):
    X, y = table(RULES["dnf"], n_rows=100)
    with pytest.raises(ValueError) as error:
        RuleClassifier(**QUICK | parameters).fit(X, y)
    assert str(error.value) == sentence


def test_threads_rows_and_weights_do_not_matter():
    X, y = table(RULES["cnf"], n_rows=200, noise=0.1)
    first = RuleClassifier(**QUICK, n_jobs=1).fit(X, y)
    order = np.random.default_rng(3).permutation(len(y))
    weights = 1 + np.arange(len(y)) % 3
    for clf in (
        RuleClassifier(**QUICK, n_jobs=2).fit(X, y),
        RuleClassifier(**QUICK).fit(X.iloc[order], y.iloc[order]),
    ):
        assert (clf.kind_errors_, clf.rule_) == (first.kind_errors_, first.rule_)
    repeated = RuleClassifier(**QUICK).fit(X.loc[X.index.repeat(weights)], y.loc[y.index.repeat(weights)])
    weighted = RuleClassifier(**QUICK).fit(X, y, weights)
    assert weighted.kind_errors_ == pytest.approx(repeated.kind_errors_)
    assert weighted.rule_ == repeated.rule_


def test_clone_pickle_and_file(tmp_path):
    X, y = table(RULES["cnf"])
    clf = RuleClassifier(**QUICK, memory=50).fit(X, y)
    assert clone(clf).get_params() == clf.get_params()
    copy = pickle.loads(pickle.dumps(clf))
    assert (copy.kind_, copy.kind_errors_, copy.rule_) == ("cnf", clf.kind_errors_, clf.rule_)
    imli.save(clf, tmp_path / "model.json")
    model = imli.load(tmp_path / "model.json")
    assert (model.card.learner, model.card.parameters["kind"], model.rule.kind) == ("RuleClassifier", "auto", "cnf")
    assert model.estimator().fit(X, y).rule_ == clf.rule_
    resumed = model.resume()
    assert (resumed.kind_, resumed.predict(X).tolist()) == ("cnf", clf.predict(X).tolist())
    assert resumed.partial_fit(X, y).kind_ == "cnf"
    with pytest.raises(ValueError) as error:
        model.resume(kind="dnf")
    assert str(error.value) == "RuleClassifier cannot go on from a rule of kind cnf."


def test_batches_keep_the_kind_of_the_first():
    X, y = table(RULES["cnf"])
    clf = RuleClassifier(**QUICK, memory=300).partial_fit(X, y)
    assert clf.kind_ == "cnf"
    X, y = table(RULES["dnf"], seed=1)
    assert clf.partial_fit(X, y).partial_fit(X, y).kind_ == "cnf"


def test_rows_in_parts(tmp_path):
    X, y = table(RULES["cnf"])
    for number in range(4):
        X.assign(y=y)[100 * number : 100 * (number + 1)].to_parquet(tmp_path / f"{number}.parquet")
    here, there = RuleClassifier(**QUICK).fit(X, y), RuleClassifier(**QUICK).fit(str(tmp_path), "y")
    assert there.kind_errors_ == here.kind_errors_
    assert there.rule_ == here.rule_


def test_a_warm_start_of_another_kind_starts_anew():
    clf = RuleClassifier(**QUICK, warm_start=True).fit(*table(RULES["cnf"]))
    assert clf.fit(*table(RULES["dnf"])).kind_ == "dnf"
    assert clf.fit(*table(RULES["dnf"])).rule_.kind == "dnf"


@pytest.mark.alone
@pytest.mark.filterwarnings("ignore::imli.ConstantRuleWarning")
def test_the_time_limit_holds_from_the_entry_of_fit():
    X, y = table(RULES["cnf"], n_rows=30_000, noise=0.2)
    began = monotonic()
    clf = RuleClassifier(time_limit=1.0, effort=50, n_jobs=2).fit(X, y)
    assert monotonic() - began < 3.0
    assert clf.kind_ in CLASSIFIERS


@pytest.mark.parametrize("n_trials", [0, 1, 6])
def test_ctrl_c_while_kinds_are_tried_keeps_the_best_so_far(monkeypatch, n_trials):
    from imli.estimators import rule_classifier

    done, real = 0, rule_classifier.finished

    def stopped(*arguments):
        nonlocal done
        if done == n_trials:
            os.kill(os.getpid(), signal.SIGINT)
        done += 1
        return real(*arguments)

    monkeypatch.setattr(rule_classifier, "finished", stopped)
    X, y = table(RULES["cnf"])
    clf = RuleClassifier(**QUICK)
    with pytest.raises(Interrupted):
        clf.fit(X, y)
    assert clf.answer_.status == "interrupted"
    assert clf.kind_ == clf.rule_.kind
    assert clf.predict(X).shape == y.shape
    if n_trials == 6:  # each kind once
        assert clf.kind_ == "cnf"
        assert clf.score(X, y) > 0.85
