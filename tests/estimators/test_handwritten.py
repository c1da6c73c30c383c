"""Rules that users write: scored, started from, and locked, in all four kinds of classifiers."""

import numpy as np
import pandas as pd
import pytest

from imli import (
    CNFClassifier,
    ConstantRuleWarning,
    DecisionListClassifier,
    DecisionSetClassifier,
    DNFClassifier,
    Every,
    parse_rule,
)
from imli.errors import InfeasibleError
from imli.learning.backends import Brute

CLASSIFIERS = {"cnf": CNFClassifier, "dnf": DNFClassifier, "list": DecisionListClassifier, "set": DecisionSetClassifier}
# none of these cuts is one that binning would find
LOCKED = {
    "cnf": "(not smoker OR age <= 63.5) AND (bmi <= 35.25 OR city is Rome)",
    "dnf": "not smoker AND age <= 33.5 OR bmi <= 21.25",
    "list": "IF smoker AND age > 61.5 THEN sick ELSE IF age <= 25.5 THEN well",
    "set": "IF smoker AND age > 61.5 THEN sick IF age <= 25.5 THEN well",
}


@pytest.fixture(scope="module")
def patients():
    rng = np.random.default_rng(0)
    n_rows = 60
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n_rows),
            "bmi": rng.normal(27, 4, n_rows).round(1),
            "smoker": rng.random(n_rows) < 0.4,
            "city": rng.choice(["Oslo", "Rome", "Lima"], n_rows),
        }
    )
    sick = (frame.age > 50) & frame.smoker | (frame.bmi > 33)
    return frame, pd.Series(np.where(sick ^ (rng.random(n_rows) < 0.05), "sick", "well"), name="outcome")


def fit(patients, kind, **parameters):
    X, y = patients
    given = {"n_clauses": 2, "bins": 3, "effort": 0.05, "lam": 1.0, "positive": "well"}
    return CLASSIFIERS[kind](**(given | parameters)).fit(X, y)


def first_two(rule):
    """The first two clauses in words, in lists and sets with their class."""
    clauses = rule.pairs if rule.kind in ("list", "set") else [(clause, None) for clause in rule.clauses]
    return [([str(literal) for literal in clause], label) for clause, label in clauses[:2]]


EXPECTED = {
    "cnf": [(["not smoker", "age <= 63.5"], None), (["bmi <= 35.25", "city is Rome"], None)],
    "dnf": [(["not smoker", "age <= 33.5"], None), (["bmi <= 21.25"], None)],
    "list": [(["smoker", "age > 61.5"], "sick"), (["age <= 25.5"], "well")],
    "set": [(["smoker", "age > 61.5"], "sick"), (["age <= 25.5"], "well")],
}
STRATEGIES = ["joint", "iterative", "incremental"]
FOR_FORMULAS = ["exact", "minibatch"]  # whole lists and sets have no encoding


@pytest.mark.parametrize(
    ("kind", "strategy"),
    [(kind, name) for kind in CLASSIFIERS for name in STRATEGIES]
    + [(kind, name) for kind in ("cnf", "dnf") for name in FOR_FORMULAS],
)
def test_locked_clauses_stand_first_as_they_were_given(patients, kind, strategy):
    n_clauses = 2 if strategy in ("iterative", "incremental") else 1
    parameters = {"locked": LOCKED[kind], "strategy": strategy, "batch_size": 30, "n_clauses": n_clauses, "lam": 0.5}
    fitted = fit(patients, kind, **parameters)
    assert first_two(fitted.rule_) == EXPECTED[kind]
    assert len(fitted.rule_.clauses) <= 2 + n_clauses
    if (kind, strategy) != ("set", "iterative"):  # whose one clause after the other saves nothing here
        assert len(fitted.rule_.clauses) > 2
    assert fitted.answer_.n_locked == 2


@pytest.mark.filterwarnings("ignore:The rule never predicts sick")
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_the_best_rule_around_them_is_that_of_brute_force(patients, kind):
    X, y = patients
    X = X[["age", "smoker"]]
    locked = {
        "cnf": ["age <= 63.5 OR not smoker"],
        "dnf": ["not smoker AND age <= 33.5"],
        "list": ["IF smoker AND age > 61.5 THEN sick"],
        "set": ["IF smoker AND age > 61.5 THEN sick"],
    }
    parameters = {"n_clauses": 1, "bins": 3, "lam": 0.5, "locked": locked[kind]}
    found = CLASSIFIERS[kind](**parameters, refine=False).fit(X, y)
    tried = CLASSIFIERS[kind](**parameters, backend=Brute()).fit(X, y)
    assert tried.answer_.status == "optimal"
    assert found.answer_.cost == tried.answer_.cost
    assert first_two(found.rule_)[0] == first_two(tried.rule_)[0]


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_locked_clauses_alone(patients, kind):
    X, y = patients
    alone = fit(patients, kind, locked=LOCKED[kind], n_clauses=0, lam=0.5)
    assert len(alone.rule_.clauses) == 2
    assert first_two(alone.rule_) == EXPECTED[kind]
    n_wrong = (alone.rule_.predict(X) != y).sum()
    assert alone.answer_.cost == n_wrong + 0.5 * len(alone.rule_.literals)
    assert alone.rule_.score(X, y) == alone.score(X, y) == 1 - n_wrong / len(y)
    if kind in ("cnf", "dnf"):  # there is no other rule
        assert alone.answer_.status == "optimal"
    else:  # only the default is left to choose, and the better one was
        other = parse_rule(str(alone.rule_), kind)
        flipped = type(other)(other.pairs, "well" if other.default == "sick" else "sick", other.target)
        assert flipped.score(X, y) <= alone.rule_.score(X, y)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_rule_or_several_texts_lock_the_same(patients, kind):
    text = fit(patients, kind, locked=LOCKED[kind], n_clauses=0).rule_
    several = {
        "cnf": ["not smoker OR age <= 63.5", "(bmi <= 35.25 OR city is Rome)"],
        "dnf": ["not smoker AND age <= 33.5", "bmi <= 21.25"],
        "list": ["IF smoker AND age > 61.5 THEN sick", "IF age <= 25.5 THEN outcome is well"],
        "set": ["IF smoker AND age > 61.5 THEN sick", "IF age <= 25.5 THEN outcome is well"],
    }
    for locked in (text, str(text), several[kind]):
        assert fit(patients, kind, locked=locked, n_clauses=0).rule_ == text


START = {
    "cnf": "(age <= 49.5 OR not smoker) AND (bmi <= 32.25)",
    "dnf": "bmi <= 32.25 AND age <= 49.5 OR not smoker AND bmi <= 32.25",
    "list": "IF bmi > 32.25 THEN sick ELSE IF smoker AND age > 49.5 THEN sick ELSE well",
    "set": "IF bmi > 32.25 THEN sick IF smoker AND age > 49.5 THEN sick OTHERWISE well",
}


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_what_is_learned_never_costs_more_than_the_start(patients, kind):
    X, y = patients
    start = parse_rule(START[kind], kind)
    if kind in ("cnf", "dnf"):
        start = type(start)(start.slots, ("sick", "well"))
    cost = round(len(y) * (1 - start.score(X, y))) + len(start.literals)
    for given in (START[kind], start):
        for strategy in ("joint", "iterative"):
            fitted = fit(patients, kind, start=given, effort=1e-9, strategy=strategy, bins=2)
            assert fitted.answer_.cost <= cost
            assert set(start.literals) <= set(fitted.literals_)


def test_locked_clauses_go_before_the_start(patients):
    start = "bmi <= 32.25 AND age <= 49.5 OR not smoker AND bmi <= 32.25"
    around = fit(patients, "dnf", start=start, locked="bmi <= 32.25 AND not smoker", n_clauses=1, effort=1e-9)
    assert str(around.rule_).startswith("IF    bmi <= 32.25 AND not smoker\n   OR ")
    cost = parse_rule(f"IF {start} THEN well ELSE sick").score(*patients)
    assert around.answer_.cost <= round(60 * (1 - cost)) + 4


def test_a_warm_start_goes_on_from_the_last_rule_around_what_is_locked(patients):
    X, y = patients
    classifier = fit(patients, "dnf", warm_start=True, n_clauses=2, effort=0.5, start="city is Oslo")
    cost, n_literals = classifier.answer_.cost, len(classifier.rule_.literals)
    classifier.set_params(effort=1e-9, locked="city is Oslo AND bmi > 40.5").fit(X, y)
    assert first_two(classifier.rule_)[0] == (["city is Oslo", "bmi > 40.5"], None)
    assert classifier.answer_.cost <= cost + 2 + (classifier.rule_.predict(X) != y).sum()
    assert len(classifier.rule_.literals) <= n_literals + 2
    # other classes: the last rule says nothing about these
    with pytest.warns(ConstantRuleWarning):
        classifier.set_params(locked=(), positive=None).fit(X, y.map({"sick": 1, "well": 0}))
    assert classifier.rule_.classes == (0, 1)


@pytest.mark.parametrize(
    ("kind", "parameters", "error", "sentence"),
    [
        ("dnf", {"start": "(age > 40 OR smoker)"}, ValueError,
         "DNFClassifier: start must be a DNF rule. Got a CNF rule: "
         "'IF (age > 40 OR smoker) THEN true ELSE false'."),
        ("cnf", {"start": "age > 40 AND smoker"}, ValueError,
         "CNFClassifier: start must be a CNF rule. Got a DNF rule: 'IF age > 40 AND smoker THEN true ELSE false'."),
        ("dnf", {"start": parse_rule("IF smoker THEN sick ELSE well", "list")}, ValueError,
         "DNFClassifier: start must be a DNF rule. Got a decision list: 'IF smoker THEN sick ELSE well'."),
        ("dnf", {"start": 7}, TypeError, "DNFClassifier: start must be a DNF rule or its text. Got 7."),
        ("dnf", {"start": "ages > 40"}, ValueError, "No column 'ages' in the data. Did you mean 'age'?"),
        ("dnf", {"start": "age >> 40"}, ValueError,
         "DNFClassifier: start: Cannot read 'age >> 40'. "
         "Write 'name < number' or 'number <= name < number'."),
        ("dnf", {"start": "IF smoker THEN ill ELSE sick"}, ValueError,
         "DNFClassifier: start names the class 'ill', but the classes are ['sick', 'well']."),
        ("dnf", {"start": "IF smoker THEN sick ELSE well"}, ValueError,
         "DNFClassifier: start describes the class 'sick', but the rule that is learned describes 'well'. "
         "Write it for that class, or give positive='sick'."),
        ("dnf", {"start": "smoker OR age > 40 OR bmi > 30"}, ValueError,
         "DNFClassifier: start has 3 clauses, but n_clauses=2. Raise it, or shorten the start."),
        ("dnf", {"start": "smoker OR age > 40 OR bmi > 30", "locked": "city is Rome"}, ValueError,
         "DNFClassifier: start has 3 clauses beside 1 locked, but n_clauses=2. Raise it, or shorten the start."),
        ("list", {"start": "IF smoker THEN ill ELSE sick"}, ValueError,
         "DecisionListClassifier: start names the class 'ill', but the classes are ['sick', 'well']."),
        ("set", {"start": "IF smoker THEN sick"}, ValueError,
         "DecisionSetClassifier: start: A decision set ends with OTHERWISE and its default class. "
         "Got 'IF smoker THEN sick'."),
        ("set", {"locked": "smoker"}, ValueError,
         "DecisionSetClassifier: locked: Write each clause of 'smoker' as IF … THEN …."),
        ("list", {"locked": ["IF smoker THEN ill"]}, ValueError,
         "DecisionListClassifier: locked names the class 'ill', but the classes are ['sick', 'well']."),
        ("list", {"locked": 7}, TypeError,
         "DecisionListClassifier: locked must be a decision list, its text, or texts of clauses. Got 7."),
        ("dnf", {"locked": ["smoker", "ages > 40"]}, ValueError, "No column 'ages' in the data. Did you mean 'age'?"),
        ("dnf", {"locked": "smoker AND age > 40", "never": "age"}, InfeasibleError,
         "The locked clause 'smoker AND age > 40' has the literal 'age > 40', but never='age' forbids it. "
         "Remove one of the two."),
        ("dnf", {"n_clauses": 0}, ValueError, "DNFClassifier: n_clauses must be a positive integer. Got 0."),
        ("dnf", {"n_clauses": -1, "locked": "smoker"}, ValueError,
         "DNFClassifier: n_clauses must be an integer of at least 0. Got -1."),
        ("cnf", {"locked": "smoker", "always": Every("age > 40")}, InfeasibleError,
         "The locked clause 'smoker' lacks 'age > 40', but always=Every('age > 40') asks for it in each clause. "
         "Add it, or remove one of the two."),
        ("dnf", {"locked": "smoker AND age > 76.5", "min_rows": 5}, InfeasibleError,
         "The locked clause 'smoker AND age > 76.5' decides 1 row, but min_rows=5. Loosen it, or remove the clause."),
        ("list", {"locked": ["IF smoker THEN sick", "IF smoker AND age > 40 THEN well"], "min_rows": 5},
         InfeasibleError,
         "The locked clause 'IF smoker AND age > 40 THEN well' decides 0 rows, but min_rows=5. "
         "Loosen it, or remove the clause."),
        ("set", {"locked": "IF smoker THEN sick", "n_clauses": 0, "always": "age"}, InfeasibleError,
         "No locked clause has 'age', which is in always, and there is no room for other clauses. "
         "Remove it from always, or raise n_clauses."),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_sentence(patients, kind, parameters, error, sentence):
    with pytest.raises(error) as refused:
        fit(patients, kind, **parameters)
    assert str(refused.value) == sentence


def test_formulas_without_classes_describe_the_positive_class():
    X, y = {"a": [0, 0, 1, 1]}, np.array([0, 0, 1, 1])
    for start in ("a", "IF a THEN true ELSE false", "IF a THEN 1 ELSE 0"):
        assert DNFClassifier(n_clauses=1, lam=0.1, start=start).fit(X, y).answer_.cost == 0.1
    assert DNFClassifier(n_clauses=1, lam=0.1, start="not a", positive=0).fit(X, y).answer_.cost == 0.1
    with pytest.raises(ValueError) as error:
        DNFClassifier(start="IF a THEN 0 ELSE 1", positive=1).fit(X, y)
    assert str(error.value) == (
        "DNFClassifier: start describes the class 0, but the rule that is learned describes 1. "
        "Write it for that class, or give positive=0."
    )


@pytest.mark.filterwarnings("ignore:The rule never predicts sick")
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_conditions_are_kept_around_what_is_locked(patients, kind):
    locked = {"cnf": "smoker OR age > 40.5", "dnf": "smoker AND age > 40.5",
              "list": "IF smoker AND age > 40.5 THEN sick", "set": "IF smoker AND age > 40.5 THEN sick"}  # fmt: skip
    fitted = fit(patients, kind, locked=locked[kind], disjoint=True, max_literals=3, always="city", min_rows=5)
    rule = fitted.rule_
    assert len(rule.literals) == 3
    assert rule.columns == ("smoker", "age", "city")
