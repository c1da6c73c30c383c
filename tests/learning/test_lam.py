"""The default of λ, chosen on rows held out."""

import numpy as np
import pandas as pd
import pytest

from imli import CNFClassifier, ConstantRuleWarning, DecisionListClassifier, DecisionSetClassifier, DNFClassifier
from imli.errors import Interrupted
from imli.learning import lam
from imli.learning.lam import deal_counts, usual_lam

every = pytest.mark.parametrize(
    "kind", [CNFClassifier, DNFClassifier, DecisionListClassifier, DecisionSetClassifier], ids=lambda kind: kind._kind
)


def made(n_rows, noise, seed=0, n_noise=0):
    """A table whose classes follow a rule of three conditions, but for some noise, and columns of noise only."""
    rng = np.random.default_rng(seed)
    frame = {"age": rng.integers(20, 80, n_rows), "bmi": rng.normal(27, 4, n_rows), "smoker": rng.random(n_rows) < 0.4}
    frame |= {f"noise {n}": rng.random(n_rows) for n in range(n_noise)}
    ill = (frame["age"] > 50) & frame["smoker"] | (frame["bmi"] > 31)
    return pd.DataFrame(frame), np.where(ill ^ (rng.random(n_rows) < noise), "yes", "no")


def test_each_row_is_held_out_once_and_repetition_is_weight():
    rng = np.random.default_rng(0)
    weights, labels = rng.integers(0, 9, 40).astype(float), rng.integers(0, 3, 40)
    held = deal_counts(weights, labels, 5)
    assert held.sum(axis=0).tolist() == weights.tolist()
    for label in range(3):  # of each class as many in one fold as in another
        assert np.ptp(held[:, labels == label].sum(axis=1)) <= 1
    rows = np.repeat(np.arange(40), weights.astype(int))
    repeated = deal_counts(np.ones(len(rows)), labels[rows], 5)
    together = np.array([np.bincount(rows, weights=fold, minlength=40) for fold in repeated])
    assert together.tolist() == held.tolist()


@every
def test_neither_order_nor_repetition_of_rows_matters(kind):
    X, y = made(400, 0.1)
    weights = np.arange(400) % 3
    rows = np.random.default_rng(1).permutation(np.repeat(np.arange(400), weights))
    weighted = kind(effort=0.02).fit(X, y, sample_weight=weights)
    repeated = kind(effort=0.02).fit(X.iloc[rows], y[rows])
    assert weighted.lam_ == repeated.lam_
    assert str(weighted.rule_) == str(repeated.rule_)


def test_weights_that_are_no_whole_numbers_have_no_scale():
    X, y = made(400, 0.1)
    weights = np.tile([0.5, 1.5], 200)
    small, large = (DNFClassifier(effort=0.02).fit(X, y, sample_weight=weights * factor) for factor in (0.25, 2.5))
    assert large.lam_ == pytest.approx(10 * small.lam_, rel=0.1)  # both have two digits
    assert small.rule_.with_counts(None) == large.rule_.with_counts(None)


@every
def test_noisy_tables_get_no_longer_rules_than_clean_ones(kind):
    clean, noisy = (kind(effort=0.05).fit(*made(1500, noise)) for noise in (0.0, 0.3))
    assert noisy.rule_.n_conditions <= clean.rule_.n_conditions + 1
    assert clean.rule_.score(*made(1500, 0.0, seed=1)) > 0.98
    assert noisy.rule_.score(*made(1500, 0.0, seed=1)) > 0.9


@every
def test_columns_of_noise_have_no_place_in_a_rule(kind):
    X, y = made(600, 0.1, n_noise=60)
    rule = kind(effort=0.1).fit(X, y).rule_
    assert rule.columns
    assert not [name for name in rule.columns if name.startswith("noise")]


@every
def test_where_nothing_is_better_than_a_constant_it_comes_back(kind):
    X, _ = made(300, 0.0, n_noise=20)
    y = np.random.default_rng(3).random(300) < 0.4
    with pytest.warns(ConstantRuleWarning) as caught:
        fitted = kind(effort=0.02).fit(X, y)
    assert not fitted.rule_.literals
    assert fitted.answer_.is_hopeless
    assert fitted.answer_.query is None  # which would keep all rows
    assert str(caught[0].message) == (
        "The rule is constant: it predicts False for every row. No rule was better than that on rows held out, by more "
        "than chance. Give lam a number to get a rule all the same; where one class is rare, class_weight='balanced' "
        "lets it count as much."
    )


def test_a_class_that_counts_more_changes_what_is_learned_but_not_what_a_row_is():
    X, y = made(3000, 0.02)
    rare = np.flatnonzero((y == "no") | (np.random.default_rng(0).random(3000) < 0.03))
    X, y = X.iloc[rare], y[rare]
    fitted = DNFClassifier(class_weight="balanced", effort=0.1).fit(X, y)
    found = fitted.predict(X) == "yes"
    assert np.mean([found[y == "yes"].mean(), 1 - found[y == "no"].mean()]) > 0.8
    assert fitted.rule_.n_conditions <= 6  # each row of the rare class counts for many, but is one


def test_few_rows_get_what_their_number_says_unless_nothing_is_to_be_learned():
    X, y = made(45, 0.0)
    assert DNFClassifier(effort=0.01).fit(X, y).lam_ == usual_lam(45)
    with pytest.warns(ConstantRuleWarning, match=r"No rule was better than that on rows held out"):
        DNFClassifier(effort=0.01).fit(X, np.random.default_rng(5).random(45) < 0.4)
    X = pd.DataFrame({"age": [20, 30, 40, 50, 60, 70, 80, 90]})
    fitted = DNFClassifier(effort=0.01).fit(X, X.age > 45)
    assert fitted.lam_ == usual_lam(8) == 1.0
    assert str(fitted.rule_).startswith("IF    age > 4")


def test_ctrl_c_while_lam_is_chosen_leaves_a_rule(monkeypatch):
    X, y = made(200, 0.1)

    def pressed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(lam, "choose_lam", pressed)
    clf = DNFClassifier()
    with pytest.raises(Interrupted):
        clf.fit(X, y)
    assert clf.answer_.status == "interrupted"
    assert set(clf.predict(X)) <= {"yes", "no"}
