"""Scores and checklists as classifiers: planted cards, conditions, tables in parts, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.multiclass import OneVsRestClassifier

from imli import ChecklistClassifier, InfeasibleError, RuleClassifier, ScoreClassifier, parse_rule
from imli.models import Model

SLOW_SEEDS = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 10)]


def table(seed, n_rows=16_000):
    rng = np.random.default_rng(seed)
    whole = {f"x{n}": rng.integers(0, 10, n_rows) for n in range(1, 12, 2)}
    flags = {f"x{n}": rng.random(n_rows) < 0.5 for n in range(0, 12, 2)}
    return pd.DataFrame(whole | flags), rng


def planted(X):
    return [X.x1 > 5, X.x2, X.x3 <= 3, X.x5 > 6, X.x4]


@pytest.mark.parametrize("seed", [0, 1, *SLOW_SEEDS])
def test_planted_points_come_back(seed):
    X, rng = table(seed)
    total = sum(points * rows for points, rows in zip((3, 2, 2, 1, 1), planted(X), strict=True))
    y = (total >= 5) ^ (rng.random(len(X)) < 0.08)
    fitted = ScoreClassifier(max_points=3, loss="errors", random_state=seed).fit(X, y)
    assert (fitted.predict(X) == (total >= 5)).all()
    assert len(fitted.rule_.items) == 5


@pytest.mark.parametrize("seed", [0, 1, *SLOW_SEEDS])
def test_a_planted_checklist_comes_back(seed):
    X, rng = table(seed)
    y = (sum(rows.astype(int) for rows in planted(X)) >= 3) ^ (rng.random(len(X)) < 0.08)
    fitted = ChecklistClassifier(random_state=seed).fit(X, y)
    wanted = parse_rule(
        "COUNT if x1 > 5 if x2 if x3 <= 3 if x5 > 6 if x4 IF at least 3 of these 5 THEN true ELSE false"
    )
    assert set(fitted.rule_.items) == set(wanted.items)
    assert fitted.rule_.threshold == 3


@pytest.fixture(scope="module")
def patients():
    X, rng = table(5, 600)
    evidence = 1.5 * (X.x1 > 5) + X.x2 - 1.2 * (X.x3 > 3) + rng.logistic(size=len(X))
    return X, np.where(evidence > 0.7, "sick", "well")


@pytest.mark.parametrize("classifier", [ScoreClassifier, ChecklistClassifier])
def test_conditions_hold(classifier, patients):
    X, y = patients
    fitted = classifier(
        max_items=4,
        item_literals=2,
        never="x3",
        always="x7",
        max_literals=5,
        min_rows=50,
        monotone={"x1": 1, "x5": -1},
        positive="sick",
    ).fit(X, y)
    rule = fitted.rule_
    assert "x7" in rule.columns
    assert "x3" not in rule.columns
    assert len(rule.literals) <= 5
    assert all(len(clause) <= 2 for clause in rule.clauses)
    assert min(rule.counts.covered) >= 50
    for literal, points in ((literal, points) for clause, points in rule.items for literal in clause):
        wanted = {"x1": 1, "x5": -1}.get(literal.column)
        assert wanted is None or literal.direction * np.sign(points) == wanted


def test_locked_items_keep_their_points(patients):
    X, y = patients
    fitted = ScoreClassifier(max_items=2, locked=["4 points if x2", "-1 point if x5 > 6"], positive="sick").fit(X, y)
    (first, second), *_ = (fitted.rule_.items[:2],)
    assert (str(first[0][0]), first[1]) == ("x2", 4)
    assert (str(second[0][0]), second[1]) == ("x5 > 6", -1)
    assert len(fitted.rule_.items) == 4
    again = ScoreClassifier(max_items=0, locked=fitted.rule_).fit(X, y)
    assert again.rule_.items == fitted.rule_.items
    with pytest.raises(ValueError, match=r"ChecklistClassifier: locked must be a checklist\. Got a score:"):
        ChecklistClassifier(locked=[parse_rule("ADD 4 points if x2 IF 1 point or more THEN sick ELSE well")]).fit(X, y)


def test_a_start_is_never_left_for_something_dearer(patients):
    X, y = patients
    best = ScoreClassifier(effort=2).fit(X, y)
    again = ScoreClassifier(effort=0.001, start=best.rule_, lam=best.lam_).fit(X, y)
    assert again.answer_.cost <= best.answer_.cost + 1e-3  # a λ of another denominator has other units


def test_the_decision_function_is_the_total(patients):
    X, y = patients
    for positive in ("sick", "well"):
        fitted = ScoreClassifier(positive=positive).fit(X, y)
        above = fitted.rule_.total(X) - (fitted.rule_.threshold - 0.5)
        assert np.array_equal(fitted.decision_function(X), above if positive == "well" else -above)
        assert np.array_equal(fitted.classes_[(fitted.decision_function(X) > 0).astype(int)], fitted.predict(X))


@pytest.mark.parametrize("classifier", [ScoreClassifier, ChecklistClassifier])
def test_the_same_card_in_parts_and_with_any_number_of_threads(classifier, tmp_path):
    X, rng = table(9, 30_000)
    y = np.where((3 * (X.x1 > 5) + 2 * X.x2 + 2 * (X.x3 <= 3) >= 4) ^ (rng.random(len(X)) < 0.08), "yes", "no")
    X.assign(target=y).to_parquet(tmp_path / "rows.parquet", row_group_size=7_000)
    for parameters in ({}, {"min_rows": 2000}):
        whole = classifier(max_items=5, effort=0.3, n_jobs=1, **parameters).fit(X, y)
        assert classifier(max_items=5, effort=0.3, n_jobs=2, **parameters).fit(X, y).rule_ == whole.rule_
        parts = classifier(max_items=5, effort=0.3, **parameters).fit([str(tmp_path / "rows.parquet")], "target")
        assert parts.rule_.items == whole.rule_.items
        assert parts.rule_.threshold == whole.rule_.threshold
        assert parts.rule_.counts == whole.rule_.counts
        assert parts.answer_.cost == whole.answer_.cost


def test_models_keep_the_probabilities(patients, tmp_path):
    import imli

    X, y = patients
    fitted = ScoreClassifier(class_weight="balanced").fit(X, y)
    imli.save(fitted, tmp_path / "card.json")
    loaded = imli.load(tmp_path / "card.json")
    assert isinstance(loaded, Model)
    assert loaded.rule == fitted.rule_
    assert np.allclose(loaded.predict_proba(X), fitted.predict_proba(X))
    assert loaded.estimator().get_params() == fitted.get_params()


def test_a_kind_of_the_classifier_of_all_kinds(patients):
    X, y = patients
    assert RuleClassifier(kind="score").fit(X, y).kind_ == "score"
    assert RuleClassifier(kind="checklist").fit(X, y).kind_ == "checklist"


def test_what_cards_cannot_do_is_refused(patients):
    X, y = patients
    three = np.array(["a", "b", "c"])[np.arange(len(y)) % 3]
    with pytest.raises(ValueError) as error:
        ScoreClassifier().fit(X, three)
    assert str(error.value) == (
        "Only binary classification is supported. ScoreClassifier decides between two classes, but y has 3 (type of "
        "the target: multiclass). Use scikit-learn's OneVsRestClassifier for one card per class, or "
        "DecisionListClassifier or DecisionSetClassifier."
    )
    assert OneVsRestClassifier(ScoreClassifier(effort=0.1)).fit(X, three).predict(X).shape == y.shape
    with pytest.raises(AttributeError, match="ScoreClassifier has no partial_fit: it learns from all rows at once"):
        ScoreClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="lam='cv' needs a path of rules, which scores have none of"):
        ScoreClassifier(lam="cv").fit(X, y)
    with pytest.raises(ValueError, match=r"ScoreClassifier: loss must be one of 'errors', 'log'\. Got 'hinge'\."):
        ScoreClassifier(loss="hinge").fit(X, y)
    with pytest.raises(TypeError, match="ScoreClassifier has no parameter 'n_clauses'"):
        ScoreClassifier(n_clauses=3)
    with pytest.raises(InfeasibleError, match=r"No score of at most 20 items was found that meets all of always and"):
        ScoreClassifier(always="x7", min_rows=590).fit(X, y)
