"""Surrogates: rules for all that a model decides, and how faithful they are."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from support.explain_tables import by_hand, mixed, outcome, pipeline, to_polars

import imli
from imli import ConstantRuleWarning, DNFClassifier
from imli.explain import surrogate

TABLE = mixed()
QUICK = {"effort": 0.05}


def two_classes(table):
    return np.where((table["visits"] > 6) & table["smoker"], "high", "low")


def test_a_planted_rule_is_found():
    found = surrogate(two_classes, TABLE, target="risk", **QUICK)
    assert str(found.rule) == (
        "IF    visits > 6 AND smoker\n"
        "THEN  risk is high   (100 % of the 34 rows it covers)\n"
        "ELSE  risk is low    (100 % of 266)"
    )
    assert found.fidelity == 1.0


@pytest.mark.parametrize("kind", ["dnf", "cnf", "list", "set"])
def test_fidelity_is_as_counted_by_hand(kind):
    model = pipeline(TABLE)
    found = surrogate(model, TABLE, kind=kind, n_clauses=3, **QUICK)
    decided, held = model.predict(TABLE), np.array(found.held_out)
    assert found.rule.kind == found.trial.kind == kind
    assert found.fidelity == np.mean(found.trial.predict(TABLE.iloc[held]) == decided[held])
    others = np.setdiff1d(np.arange(300), held)
    assert sum(found.trial.counts.regions[0]) + sum(map(sum, found.trial.counts.regions[1:])) == len(others)
    assert found.rule.score(TABLE, decided) == found.rule.counts.n_right(found.rule.region_classes) / 300
    assert found.baseline == np.mean(decided[held] == "low")
    assert abs(np.mean(decided[held] == "high") - np.mean(decided == "high")) < 0.02  # stratified
    assert len(held) == 75


def test_the_rule_is_that_of_the_classifier_on_all_rows():
    model = pipeline(TABLE)
    found = surrogate(model, TABLE, n_clauses=3, never="visits", random_state=4, **QUICK)
    learned = DNFClassifier(n_clauses=3, never="visits", random_state=4, **QUICK).fit(TABLE, model.predict(TABLE))
    assert found.rule == learned.rule_
    assert found.rule.counts == learned.rule_.counts


def test_the_same_question_gets_the_same_answer():
    model = pipeline(TABLE)
    first, again, other = (surrogate(model, TABLE, random_state=seed, **QUICK) for seed in (1, 1, 2))
    assert first.to_dict() == again.to_dict()
    assert first.held_out == again.held_out != other.held_out


def test_many_classes():
    iris = load_iris(as_frame=True)
    names = iris.target_names[iris.target]
    forest = RandomForestClassifier(10, random_state=0).fit(iris.data, names)
    found = surrogate(forest, iris.data, kind="list", **QUICK)
    assert set(found.rule.classes) == set(iris.target_names)
    assert found.fidelity > 0.85
    one = surrogate(forest, iris.data, label="versicolor", **QUICK)
    assert one.rule.classes == ("other than versicolor", "versicolor")
    assert one.rule.counts.classes == ("other than versicolor", "versicolor")
    listed = surrogate(forest, iris.data, kind="list", label="versicolor", **QUICK)
    assert set(listed.rule.classes) == {"other than versicolor", "versicolor"}
    two = surrogate(two_classes, TABLE, label="high", **QUICK)
    assert two.rule.classes == ("low", "high")


def test_tables_of_all_libraries():
    frame = to_polars(TABLE)
    found = surrogate(lambda table: table["visits"].to_numpy() > 6, frame, **QUICK)
    assert found.rule.columns == ("visits",)
    iris = load_iris()
    forest = RandomForestClassifier(10, random_state=0).fit(iris.data, iris.target == 1)
    assert surrogate(forest, iris.data, **QUICK).rule.classes == (False, True)
    columns = {"age": list(range(60)), "city": ["Rome", "Bath", None] * 20}
    assert surrogate(lambda table: [age > 30 for age in table["age"]], columns, **QUICK).rule.columns == ("age",)


def test_weights_count():
    weights = np.where(TABLE["smoker"], 0.0, 2.0)
    found = surrogate(by_hand, TABLE, label="high", sample_weight=weights, **QUICK)
    assert found.n_rows == (weights > 0).sum()
    assert not set(found.held_out) & set(np.flatnonzero(weights == 0))
    assert found.rule.counts.total == weights.sum()


@pytest.mark.parametrize("kind", ["dnf", "cnf", "list", "set"])
def test_a_constant_model_gets_a_constant_rule(kind):
    found = surrogate(lambda table: ["yes"] * len(table), TABLE, kind=kind)
    assert (found.rule.predict(TABLE) == "yes").all()
    assert (found.fidelity, found.size, found.is_constant) == (1.0, 0, True)
    assert str(found).splitlines()[-1] == "The model predicts yes for all 300 rows, and so does the rule."


def test_a_model_without_a_pattern_is_no_constant_model():
    labels = np.random.default_rng(0).random(300) < 0.5
    with pytest.warns(ConstantRuleWarning):
        found = surrogate(lambda _: labels, TABLE, lam=50, **QUICK)
    assert not found.is_constant


def test_in_words_and_as_plain_values():
    found = surrogate(two_classes, TABLE, label="high", kind="list", **QUICK)
    assert str(found) == (
        "What the model predicts, as a decision list:\n\n"
        f"{found.rule}\n\n"
        "Fidelity: on 100 % of the 74 rows held out, a rule learned in the same way from the other rows predicts what "
        "the model predicts; baseline 89.2 % (always low).\n"
        "The rule above was learned from all 300 rows, and predicts what the model predicts on 100 % of them."
    )
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert imli.rule_from_dict(content["rule"]) == found.rule
    assert (content["fidelity"], content["n_held_out"], content["n_rows"]) == (1.0, 74, 300)
    assert "Fidelity" in found._repr_html_()
    assert repr(found).startswith("<Explanation, fidelity 1.000, size ")


def test_the_time_limit_holds_for_both_rules():
    found = surrogate(pipeline(TABLE), TABLE, time_limit=0.5, effort=float("inf"))
    assert found.rule.predict(TABLE).shape == (300,)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"kind": "tree"}, "surrogate: kind must be one of 'cnf', 'dnf', 'list', 'set'. Got 'tree'."),
        ({"n_clause": 3}, "surrogate: DNFClassifier has no parameter 'n_clause'. Did you mean 'n_clauses'?"),
        ({"n_clauses": 0}, "DNFClassifier: n_clauses must be a positive integer. Got 0."),
        ({"test_size": 1.5}, "surrogate: test_size must be a share between 0 and 1, such as 0.25. Got 1.5."),
        ({"X": TABLE[:0]}, "surrogate: X has no rows. There is nothing to learn from."),
        (
            {"model": by_hand},
            "surrogate: the model decides between 3 classes, but a DNF rule between two. "
            "Use kind='list' or 'set', or explain one class against the rest with label=….",
        ),
        (
            {"label": "higher"},
            "surrogate: label must be a class that the model decides for, here high and low. Got 'higher'.",
        ),
        ({"model": object()}, None),
        (
            {"model": lambda table: [0, 1]},
            "surrogate: the model must give one label for each of the 300 rows. Got shape (2,).",
        ),
        (
            {"X": TABLE[:2], "model": lambda table: ["a", "b"]},
            "surrogate: X has 2 rows, and the model decides each otherwise. "
            "Give more rows, so that some can be held out.",
        ),
        (
            {"sample_weight": [1.0]},
            "DNFClassifier: sample_weight must have one number per row, 300. Got shape (1,).",
        ),
        ({"time_limit": 0}, "surrogate: time_limit must be a positive number of seconds. Got 0."),
    ],
)
def test_refusals(changes, sentence):
    given = {"model": two_classes, "X": TABLE} | changes
    with pytest.raises((ValueError, TypeError)) as caught:
        surrogate(given.pop("model"), given.pop("X"), **given)
    if sentence is None:
        assert str(caught.value).startswith("surrogate: model must be a function of a table, or have a method predict.")
    else:
        assert str(caught.value) == sentence


def test_a_column_of_labels_and_labels_of_other_libraries_are_read():
    frame = to_polars(TABLE)
    assert surrogate(lambda table: two_classes(table)[:, None], TABLE, **QUICK).fidelity == 1.0
    assert surrogate(lambda table: table["smoker"], frame, **QUICK).fidelity == 1.0
    assert outcome(TABLE).shape == (300,)
