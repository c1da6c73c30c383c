"""Conditions that users set, from the estimator down to the rule; and what they read when something is wrong."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError

from imli import CNFClassifier, ConstantRuleWarning, DNFClassifier, Every, Exact
from imli.errors import Interrupted
from imli.learning.answer import Answer
from imli.rules.literals import Compare


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


def fit(patients, classifier=DNFClassifier, **parameters):
    X, y = patients
    return classifier(**({"n_clauses": 2, "bins": 5, "strategy": "exact"} | parameters)).fit(X, y)


def test_a_printed_rule_of_two_clauses(patients):
    assert str(fit(patients, CNFClassifier, positive="well").rule_) == (
        "IF    (age <= 45 OR not smoker)\n"
        "  AND (bmi <= 32.2)\n"
        "THEN  outcome is well   (97 % of the 38 rows it covers)\n"
        "ELSE  outcome is sick   (91 % of 22)"
    )  # fmt: skip


def test_never(patients):
    assert "smoker" not in fit(patients, never="smoker").rule_.columns
    rule = fit(patients, never=["city", "not smoker"]).rule_
    assert "not smoker" not in map(str, rule.literals)


def test_always_column_and_literal(patients):
    assert "city" in fit(patients, always="city").rule_.columns
    rule = fit(patients, always=["age > 44.5"]).rule_  # not a threshold that binning would find
    assert Compare("age", ">", 44.5) in rule.literals


def test_every_clause(patients):
    for literal in ("not smoker", "smoker", "age > 30"):
        rule = fit(patients, always=Every(literal)).rule_
        assert rule.clauses
        assert all(literal in map(str, clause) for clause in rule.clauses)


def test_feature_costs(patients):
    plain = fit(patients).rule_
    assert "smoker" in plain.columns
    assert "smoker" not in fit(patients, feature_costs={"smoker": 1000}).rule_.columns
    assert "smoker" in fit(patients, feature_costs={"smoker": 1000, "not smoker": 0.1}, positive="well").rule_.columns


def test_disjoint(patients):
    X, _ = patients
    # three values of one column want two clauses that share it
    both_ends = pd.Series(np.where((X.age < 40) | (X.age > 60), "edge", "middle"))
    ages, edge = X[["age"]], both_ends == "edge"
    parameters = {"n_clauses": 2, "bins": 12, "lam": 0.1, "strategy": "exact"}
    free = DNFClassifier(**parameters).fit(ages, edge)
    assert [len(clause) for clause in free.rule_.clauses] == [1, 1]
    hard = DNFClassifier(n_clauses=2, bins=12, lam=0.1, strategy="exact", disjoint=True).fit(
        X[["age"]], both_ends == "edge"
    )
    assert len(hard.rule_.clauses) <= 1
    soft = DNFClassifier(n_clauses=2, bins=12, lam=0.1, strategy="exact", disjoint=0.5).fit(
        X[["age"]], both_ends == "edge"
    )
    assert soft.answer_.cost == pytest.approx(free.answer_.cost + 0.5)


def test_max_literals(patients):
    assert len(fit(patients, lam=0.01, max_literals=2).rule_.literals) <= 2
    with pytest.warns(ConstantRuleWarning) as caught:
        assert fit(patients, lam=1, max_literals=0).rule_.literals == ()
    assert str(caught[0].message) == (
        "The rule is constant: it predicts 'well' for every row. None was found that saves more errors than its "
        "literals cost, at lam=1 each. Lower lam; where one class is rare, class_weight='balanced' lets it count "
        "as much."
    )


def test_min_rows(patients):
    X, _ = patients
    rule = fit(patients, lam=0.01, min_rows=12).rule_
    assert rule.clauses
    for clause in rule.clauses:
        covered = np.logical_and.reduce([parse(X, literal) for literal in clause])
        assert covered.sum() >= 12


def parse(X, literal):
    from imli.table.read import as_frame

    return literal.holds(as_frame(X)[literal.column])


def test_monotone(patients):
    rule = fit(patients, lam=0.01, monotone={"age": -1, "bmi": 1}).rule_
    directions = {(literal.column, literal.direction) for literal in rule.literals}
    assert ("age", 1) not in directions
    assert ("bmi", -1) not in directions


def test_class_weight_and_sample_weight(patients):
    X, y = patients
    given = {"n_clauses": 1, "lam": 0.1, "positive": "sick", "binning": "uniform"}  # weights move no cuts
    balanced = fit(patients, class_weight="balanced", **given)
    sick = (y == "sick").to_numpy()
    weights = np.where(sick, len(y) / (2 * sick.sum()), len(y) / (2 * (~sick).sum()))
    by_hand = DNFClassifier(bins=5, strategy="exact", **given).fit(X, y, sample_weight=weights)
    assert balanced.answer_.cost == pytest.approx(by_hand.answer_.cost)
    assert (
        fit(patients, class_weight={"sick": 100}, n_clauses=1, lam=0.1, positive="well").predict(X[sick]).tolist()
        == ["sick"] * sick.sum()
    )


def test_weight_two_is_repetition_and_weight_zero_is_absence(patients):
    X, y = patients
    weights = np.arange(len(y)) % 3
    weighted = DNFClassifier(bins=5).fit(X, y, sample_weight=weights)
    repeated = DNFClassifier(bins=5).fit(X.loc[X.index.repeat(weights)], y.loc[y.index.repeat(weights)])
    assert weighted.literals_ == repeated.literals_
    assert weighted.answer_.cost == repeated.answer_.cost


def test_paper_form_fills_every_slot(patients):
    fitted = fit(patients, CNFClassifier, n_clauses=3, strategy=Exact(paper=True), max_literals=3)
    assert len(fitted.rule_.clauses) == 3


def test_time_limit_holds_and_gives_a_rule():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    with pytest.warns(ConstantRuleWarning, match="Lower lam, or raise time_limit;"):
        fitted = DNFClassifier(n_clauses=4, strategy="exact", time_limit=1.0).fit(X, y)
    assert fitted.answer_.status == "feasible"
    assert fitted.answer_.bound < fitted.answer_.cost
    assert fitted.answer_.seconds < 2.0
    assert str(fitted.answer_).startswith(f"Cost {fitted.answer_.cost:g} = ")
    assert "proven the lowest" not in str(fitted.answer_)


class PressesCtrlC:
    """A strategy that is interrupted with a rule in hand."""

    def answer(self, query, backend, deadline, seed=0):
        rule = query.rule(((),))
        raise Interrupted(Answer(rule, query.cost(rule), 0.0, "interrupted", 0.0, query.scope, backend.name))


def test_ctrl_c_leaves_the_estimator_fitted_and_goes_on_up(patients):
    X, y = patients
    classifier = DNFClassifier(strategy=PressesCtrlC())
    with pytest.raises(KeyboardInterrupt):
        classifier.fit(X, y)
    assert classifier.answer_.status == "interrupted"
    assert len(classifier.predict(X)) == len(X)


def test_a_column_without_information_is_left_out(patients):
    X, y = patients
    odd = X.assign(constant=1, empty=np.nan, same="x")
    assert {literal.column for literal in DNFClassifier().fit(odd, y).literals_} == set(X.columns)
    with pytest.warns(ConstantRuleWarning) as caught:
        nothing = DNFClassifier().fit(odd[["constant", "empty"]], y)
    assert str(caught[0].message) == (
        "The rule is constant: it predicts 'well' for every row. There is nothing else to learn from: "
        "each column has the same value in all rows."
    )
    assert nothing.rule_.literals == ()
    assert nothing.score(odd[["constant", "empty"]], y) == max(y.value_counts()) / len(y)


def test_missing_and_infinite_values_are_data(patients):
    X, y = patients
    holes = X.astype({"smoker": object})
    holes.loc[::5, "bmi"] = np.inf
    holes.loc[::4, "smoker"] = None
    holes.loc[::6, "age"] = None
    fitted = DNFClassifier(n_clauses=1, lam=1).fit(holes, y)
    assert fitted.answer_.cost == sum(fitted.predict(holes) != y) + fitted.rule_.n_conditions


def test_weights_of_very_different_size_warn(patients):
    X, y = patients
    weights = np.where(np.arange(len(y)) % 2, 1e9, 1e-9)
    with pytest.warns(UserWarning, match=r"some were rounded by 100.0% to make integers of them"):
        DNFClassifier(lam=1).fit(X, y, sample_weight=weights)


SENTENCES = [
    ({"n_clauses": 0}, "DNFClassifier: n_clauses must be a positive integer. Got 0."),
    ({"n_clauses": 2.0}, "DNFClassifier: n_clauses must be a positive integer. Got 2.0."),
    ({"lam": -1}, "DNFClassifier: lam must be a number of at least 0, 'auto' or 'cv'. Got -1."),
    ({"lam": "cheap"}, "DNFClassifier: lam must be a number of at least 0, 'auto' or 'cv'. Got 'cheap'."),
    ({"bins": 1}, "DNFClassifier: bins must be an integer of at least 2. Got 1."),
    ({"binning": "mdl"}, "DNFClassifier: binning must be one of 'quantile', 'uniform', 'supervised'. Got 'mdl'."),
    ({"intervals": "half"}, "DNFClassifier: intervals must be one of 'open', 'closed'. Got 'half'."),
    ({"never": "agee"}, "No column 'agee' in the data. Did you mean 'age'?"),
    ({"never": "agee > 3"}, "No column 'agee' in the data. Did you mean 'age'?"),
    ({"never": [3]}, "DNFClassifier: never must name columns or literals. Got 3."),
    (
        {"always": "age > old"},
        "DNFClassifier: always: 'age > old' is neither a column nor a literal. "
        "Expected a number in 'age > old'. Got 'old'.",
    ),
    (
        {"always": Every("age")},
        "DNFClassifier: always: Every needs a literal, such as 'age > 1'. Got the column 'age'.",
    ),
    (
        {"never": "age > 40", "always": "age > 40"},
        "Literal 'age > 40' is in both never and always. Remove it from one.",
    ),
    ({"never": "age", "always": "age"}, "Column 'age' is in both never and always. Remove it from one."),
    (
        {"always": ["age", "bmi"], "max_literals": 1},
        "No rule with at most 2 clauses meets these constraints together: "
        "always='age', always='bmi', max_literals=1. Loosen one of them.",
    ),
    ({"always": None}, "DNFClassifier: always must name columns or literals. Got None."),
    ({"monotone": {"city": 1}}, "DNFClassifier: monotone names 'city', which holds text and so has no direction."),
    ({"feature_costs": {"age": -1}}, "DNFClassifier: feature_costs['age'] must be a number of at least 0. Got -1."),
    ({"feature_costs": ["age"]}, "DNFClassifier: feature_costs must be a dict. Got ['age']."),
    ({"disjoint": -0.5}, "DNFClassifier: disjoint must be a number of at least 0, or True. Got -0.5."),
    ({"max_literals": -1}, "DNFClassifier: max_literals must be an integer of at least 0. Got -1."),
    ({"min_rows": 0}, "DNFClassifier: min_rows must be a positive integer. Got 0."),
    ({"monotone": {"age": 2}}, "DNFClassifier: monotone['age'] must be one of 1, -1. Got 2."),
    ({"monotone": {"agee": 1}}, "No column 'agee' in the data. Did you mean 'age'?"),
    ({"time_limit": 0}, "DNFClassifier: time_limit must be a positive number of seconds. Got 0."),
    ({"class_weight": "heavy"}, "DNFClassifier: class_weight must be 'balanced', a dict or None. Got 'heavy'."),
    (
        {"class_weight": {"ill": 2}},
        "DNFClassifier: class_weight names 'ill', but the classes are ['sick', 'well'].",
    ),
    (
        {"strategy": "magic"},
        "strategy must be one of 'joint', 'exact', 'minibatch', 'iterative', 'incremental', or a Strategy. "
        "Got 'magic'.",
    ),
    (
        {"strategy": Exact(), "batch_size": 50},
        "DNFClassifier: batch_size and rounds are for strategies by name. "
        "Give them to the strategy itself: MiniBatch(batch_size=50, rounds=2).",
    ),
    ({"rounds": 0}, "DNFClassifier: rounds must be a positive integer. Got 0."),
    ({"backend": "rc3"}, "backend must be one of 'auto', 'native', 'rc2', 'cpsat', 'brute', or a Backend. Got 'rc3'."),
]


@pytest.mark.parametrize(("parameters", "sentence"), SENTENCES, ids=[sentence for _, sentence in SENTENCES])
def test_wrong_parameters_get_one_sentence_and_change_nothing(patients, parameters, sentence):
    X, y = patients
    classifier = DNFClassifier(n_clauses=2, bins=5)
    before = classifier.fit(X, y).rule_
    classifier.set_params(**parameters)
    with pytest.raises((ValueError, TypeError)) as error:
        classifier.fit(X, y)
    assert str(error.value) == sentence
    assert classifier.rule_ is before
    fresh = DNFClassifier(n_clauses=2, bins=5).set_params(**parameters)
    with pytest.raises((ValueError, TypeError)):
        fresh.fit(X, y)
    with pytest.raises(NotFittedError):
        fresh.predict(X)


ROWS = [[1.0, 2], [2, 3], [3, 4], [4, 5]]
BAD_DATA = [
    (ROWS, [1, 1, 1, 1], "DNFClassifier needs rows of two classes, but y has one class only: 1."),
    (
        ROWS,
        [0, 1, 2, 0],
        "Only binary classification is supported. DNFClassifier decides between two classes, but y has 3 "
        "(type of the target: multiclass). Use DecisionListClassifier or DecisionSetClassifier.",
    ),
    (
        ROWS,
        [0, 1, np.nan, 0],
        "Input y contains NaN: 1 labels are missing, the first in row 2. Drop those rows.",
    ),
    (
        ROWS,
        pd.Series(["a", None, "b", None]),
        "Input y contains NaN: 2 labels are missing, the first in row 1. Drop those rows.",
    ),
    (pd.DataFrame({"a": []}), [], "The data has no rows."),
    (pd.DataFrame(index=range(4)), [0, 1, 0, 1], "The data has no columns. A rule needs at least one to look at."),
    ([[1, 2], [3]], [0, 1], "The rows have different lengths: [1, 2]. Give each row the same number of cells."),
    (
        pd.DataFrame({"a": [[1], [2]]}),
        [0, 1],
        "Column 'a' holds [1] in row 0, but a cell argument must be a string or a number. Drop or convert the column.",
    ),
    (
        pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]),
        [0, 1],
        "The data has 2 columns named 'a'. Rename all but one.",
    ),
]


@pytest.mark.parametrize(("X", "y", "sentence"), BAD_DATA, ids=[sentence for *_, sentence in BAD_DATA])
def test_bad_data_gets_one_sentence_and_leaves_nothing_fitted(X, y, sentence):
    classifier = DNFClassifier()
    with pytest.raises((ValueError, TypeError)) as error:
        classifier.fit(X, y)
    assert str(error.value) == sentence
    assert not [name for name in vars(classifier) if name.endswith("_")]


def test_sparse_data_is_refused():
    with pytest.raises(TypeError, match="Sparse data"):
        DNFClassifier().fit(scipy.sparse.csr_array(np.eye(3)), [0, 1, 0])


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1, 2], "DNFClassifier: sample_weight must have one number per row, 4. Got shape (2,)."),
        ([1, 1, 1, -1], "DNFClassifier: sample_weight must be finite and not negative."),
        ([0, 0, 0, 0], "DNFClassifier: sample_weight is zero in every row, so no class has any rows."),
        (
            [1, 0, 1, 0],
            "DNFClassifier needs rows of two classes, but y has one class only: 0 "
            "(in the rows with a positive weight).",
        ),
    ],
)
def test_bad_weights(weights, sentence):
    with pytest.raises(ValueError) as error:
        DNFClassifier().fit(ROWS, [0, 1, 0, 1], sample_weight=weights)
    assert str(error.value) == sentence
