"""The class that is described: as if the labels had been renamed so that it came second."""

import numpy as np
import pandas as pd
import pytest

import imli
from imli import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier, parse_rule, rule_path
from imli.rules import Formula

CLASSIFIERS = {"cnf": CNFClassifier, "dnf": DNFClassifier, "list": DecisionListClassifier, "set": DecisionSetClassifier}
QUICK = {"n_clauses": 2, "bins": 5, "effort": 0.02, "lam": 1}
RENAMED = {"bad": "yes", "good": "no"}  # of which yes is described
every_kind = pytest.mark.parametrize("kind", CLASSIFIERS)


@pytest.fixture(scope="module")
def loans():
    rng = np.random.default_rng(1)
    n_rows = 150
    X = pd.DataFrame({
        "income": rng.integers(10, 100, n_rows),
        "debt": rng.normal(20, 8, n_rows).round(1),
        "owner": rng.random(n_rows) < 0.5,
        "region": rng.choice(["north", "south", "west"], n_rows),
    })  # fmt: skip
    is_bad = (X.income < 45) & (X.debt > 18) | (X.region == "west") & ~X.owner
    return X, pd.Series(np.where(is_bad ^ (rng.random(n_rows) < 0.07), "bad", "good"), name="loan")


def renamed(y):
    return y.map(RENAMED)


def assert_alike(own, other, X):
    """Both classifiers decide alike, in as many words, though one learned from the renamed labels."""
    assert own.classes_.tolist() == ["bad", "good"]
    assert (own.positive_, other.positive_) == ("bad", "yes")
    assert own.rule_.clauses == other.rule_.clauses
    assert [RENAMED[label] for label in own.rule_.region_classes] == list(other.rule_.region_classes)
    assert (own.answer_.cost, own.answer_.bound, own.lam_) == (other.answer_.cost, other.answer_.bound, other.lam_)
    assert [RENAMED[label] for label in own.predict(X)] == other.predict(X).tolist()
    np.testing.assert_allclose(own.predict_proba(X), other.predict_proba(X)[:, ::-1])
    assert own.predict_proba(X)[:, 0][own.predict(X) == "bad"].min() > 0.5


@every_kind
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"lam": "auto"},
        {"lam": "cv", "cv": 3},
        {"strategy": "iterative"},
        {"strategy": "incremental", "batch_size": 50, "random_state": 3},
        {"min_rows": 10, "max_literals": 3, "always": "debt"},
        {"binning": "supervised", "refine": False, "n_jobs": 2},
        {"class_weight": "balanced"},
        {"class_weight": {"bad": 3, "good": 1.5}},
    ],
    ids=str,
)
def test_as_if_the_class_came_second(loans, kind, parameters):
    X, y = loans
    weights = np.arange(len(y)) % 3 + 0.5
    own = CLASSIFIERS[kind](**QUICK | parameters, positive="bad").fit(X, y, weights)
    if isinstance(weight := parameters.get("class_weight"), dict):
        parameters = {"class_weight": {RENAMED[label]: factor for label, factor in weight.items()}}
    assert_alike(own, CLASSIFIERS[kind](**QUICK | parameters).fit(X, renamed(y), weights), X)


@pytest.mark.parametrize("kind", ["cnf", "dnf"])
def test_the_formula_describes_it(loans, kind):
    X, y = loans
    for positive, other in (("bad", "good"), ("good", "bad")):
        clf = CLASSIFIERS[kind](**QUICK, positive=positive).fit(X, y)
        assert clf.rule_.classes == (other, positive)
        assert f"THEN  loan is {positive}" in str(clf.rule_)
        assert clf.rule_.counts.classes == tuple(clf.classes_) == ("bad", "good")
        assert clf.score(X, y) > 0.8


@every_kind
def test_rows_in_parts(loans, kind, tmp_path):
    X, y = loans
    weight = np.arange(len(y)) % 3 + 0.5
    table = X.assign(loan=y, weight=weight)
    for number in range(3):
        table[50 * number : 50 * (number + 1)].to_parquet(tmp_path / f"{number}.parquet")
    parameters = {**QUICK, "positive": "bad", "lam": "auto", "min_rows": 4, "class_weight": {"bad": 2}}
    here = CLASSIFIERS[kind](**parameters).fit(X, y, weight)
    there = CLASSIFIERS[kind](**parameters).fit(str(tmp_path), "loan", "weight")
    assert there.rule_ == here.rule_
    assert there.rule_.counts == here.rule_.counts
    assert (there.answer_.cost, there.lam_, there.positive_) == (here.answer_.cost, here.lam_, "bad")
    np.testing.assert_array_equal(there.predict_proba(X), here.predict_proba(X))


@every_kind
def test_batches_have_the_positive_class_of_the_first(loans, kind):
    X, y = loans
    own, other = (CLASSIFIERS[kind](**QUICK, memory=40, positive=label) for label in ("bad", None))
    for rows in (slice(0, 60), slice(60, 100), slice(100, 150)):
        own.partial_fit(X[rows], y[rows])
        other.partial_fit(X[rows], renamed(y)[rows])
        assert_alike(own, other, X)
    rare = CLASSIFIERS[kind](**QUICK).partial_fit(X[:60], np.where(np.arange(60) < 40, "bad", "good"))
    assert rare.positive_ == "good"
    assert rare.partial_fit(X, y).partial_fit(X, y).positive_ == "good"
    with pytest.raises(ValueError) as error:
        own.set_params(positive="good").partial_fit(X, y)
    assert str(error.value) == (
        f"{CLASSIFIERS[kind].__name__}: positive is 'bad' since the first batch. Got 'good'. "
        "Leave it out, or learn anew with fit."
    )


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ([0, 1, 1, 1], 1),
        ([0.0, 1.0, 1.0, 1.0], 1.0),
        ([-1, 1, 1, 1], 1),
        ([False, True, True, True], True),
        (["no", "yes", "yes", "yes"], "yes"),
        (["YES", "YES", "YES", "no"], "YES"),
        (["n", "Y", "Y", "Y"], "Y"),
        (["neg", "pos", "pos", "pos"], "pos"),
        (["Negative", "Positive", "Positive", "Positive"], "Positive"),
        (["0", "1", "1", "1"], "1"),
        (["False", "True", "True", "True"], "True"),
        (["bad", "good", "good", "good"], "bad"),
        (["bad", "bad", "bad", "good"], "good"),
        (["bad", "bad", "good", "good"], "good"),  # as many: the second
        ([1, 2, 2, 2], 1),
        (["no", "maybe", "maybe", "maybe"], "no"),
    ],
)
def test_the_default(labels, positive):
    X = {"a": [0, 1, 2, 3] * 5}
    clf = DNFClassifier(lam=0.1, effort=0.01).fit(X, labels * 5)
    assert clf.positive_ == clf.rule_.classes[1] == positive
    assert type(clf.positive_) is type(positive)
    assert DecisionListClassifier(lam=0.1, effort=0.01).fit(X, labels * 5).positive_ == positive


def test_the_rarer_class_is_so_by_the_weights_of_rows(loans):
    X, y = loans
    assert DNFClassifier(**QUICK).fit(X, y).positive_ == "bad"
    assert DNFClassifier(**QUICK).fit(X, y, np.where(y == "bad", 5.0, 1.0)).positive_ == "good"
    assert DNFClassifier(**QUICK, class_weight={"bad": 5}).fit(X, y).positive_ == "bad"


def test_of_several_classes_it_comes_last(loans):
    X, _ = loans
    for kind in ("list", "set"):
        for positive, expected in ((None, "west"), ("north", "north")):
            clf = CLASSIFIERS[kind](**QUICK, positive=positive).fit(X[["income", "debt"]], X.region)
            assert (clf.positive_, clf.classes_.tolist()) == (expected, ["north", "south", "west"])
    # nothing to decide by, and as many rows of each class: the default is another one than the positive class
    X, y = {"a": [0, 0, 0]}, ["x", "y", "z"]
    for positive, default in (("x", "y"), ("y", "x"), ("z", "x")):
        with pytest.warns(imli.ConstantRuleWarning):
            assert DecisionListClassifier(positive=positive).fit(X, y).rule_.default == default


@pytest.mark.parametrize("kind", ["cnf", "dnf"])
@pytest.mark.parametrize("positive", ["bad", "good"])
def test_monotone_is_about_the_positive_class(loans, kind, positive):
    X, y = loans
    clf = CLASSIFIERS[kind](**QUICK | {"lam": 0.01}, positive=positive, monotone={"income": -1, "debt": 1}).fit(X, y)
    directions = {(literal.column, literal.direction) for literal in clf.rule_.literals}
    assert ("income", 1) not in directions
    assert ("debt", -1) not in directions
    richer = X.assign(income=X.income + 30)
    assert not ((clf.predict(X) != positive) & (clf.predict(richer) == positive)).any()


@pytest.mark.filterwarnings("ignore:The rule never predicts bad")
def test_a_given_rule_says_which_class_is_described(loans):
    X, y = loans
    for label, other in (("bad", "good"), ("good", "bad")):
        text = f"IF income < 45 THEN {label} ELSE {other}"
        for given in ({"start": text}, {"start": parse_rule(text)}, {"locked": [text]}):
            clf = DNFClassifier(**QUICK, **given).fit(X, y)
            assert clf.positive_ == label
            with pytest.raises(ValueError) as error:
                DNFClassifier(**QUICK, **given, positive=other).fit(X, y)
            assert str(error.value) == (
                f"DNFClassifier: {next(iter(given))} describes the class {label!r}, but the rule that is learned "
                f"describes {other!r}. Write it for that class, or give positive={label!r}."
            )
        bare = DNFClassifier(**QUICK | {"effort": 1e-9}, locked="income < 45", positive=label).fit(X, y)
        assert bare.rule_.classes == (other, label)
    X, y = {"a": [0, 1] * 5}, [False, True] * 5
    for start in ("IF a THEN true ELSE false", DNFClassifier(lam=0.1).fit(X, y).rule_):
        assert DNFClassifier(lam=0.1, start=start).fit(X, y).answer_.cost == 0.1
        with pytest.raises(ValueError) as error:
            DNFClassifier(lam=0.1, start=start, positive=False).fit(X, y)
        assert str(error.value) == (
            "DNFClassifier: start describes the class True, but the rule that is learned describes False. "
            "Write it for that class, or give positive=True."
        )


def test_a_warm_start_goes_on_describing_the_class(loans):
    X, y = loans
    clf = DNFClassifier(**QUICK, warm_start=True).fit(X, y)
    cost = clf.set_params(effort=1e-9).fit(X, y).answer_.cost
    assert cost <= DNFClassifier(**QUICK).fit(X, y).answer_.cost
    weights = np.where(y == "bad", 5.0, 1.0)  # good is the rarer now
    assert clf.fit(X, y, weights).positive_ == "bad"
    assert clf.set_params(positive="good", effort=0.02).fit(X, y).rule_.classes == ("bad", "good")


@every_kind
def test_a_saved_model_keeps_it(loans, kind, tmp_path):
    X, y = loans
    clf = CLASSIFIERS[kind](**QUICK, positive="good", memory=20).fit(X, y)
    imli.save(clf, tmp_path / "model.json")
    model = imli.load(tmp_path / "model.json")
    assert model.labels == ("bad", "good")
    assert model.card.parameters["positive"] == "good"
    assert model.estimator().fit(X, y).rule_ == clf.rule_
    np.testing.assert_allclose(model.predict_proba(X), clf.predict_proba(X))
    assert model.resume().partial_fit(X, y).positive_ == "good"
    content = model.to_dict()
    del content["card"]["parameters"]["positive"]  # as in a file of an earlier version
    old = imli.models.Model.from_dict(content).resume()
    assert (old.predict(X) == clf.predict(X)).all()
    if isinstance(clf.rule_, Formula):
        assert old.partial_fit(X, y).positive_ == "good"


def test_a_path_describes_it(loans):
    X, y = loans
    path = rule_path(X, y, n_rules=3, cv=2, n_clauses=1, effort=0.02, positive="bad")
    assert {point.rule.classes for point in path.points} == {("good", "bad")}


@pytest.mark.parametrize(
    ("positive", "rest"),
    [
        ("baad", "Got 'baad'. Did you mean 'bad'?"),
        (1, "Got 1."),
        (["bad"], "Got ['bad']."),
        ("neither", "Got 'neither'."),
    ],
)
def test_an_unknown_class(loans, positive, rest):
    for fit in ("fit", "partial_fit"):
        with pytest.raises(ValueError) as error:
            getattr(DNFClassifier(positive=positive), fit)(*loans)
        assert str(error.value) == f"DNFClassifier: positive must be one of the classes ['bad', 'good']. {rest}"
