"""Working together with the rest of scikit-learn: routing, pipelines, calibration, probabilities."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from imli import (
    CNFClassifier,
    ConstantRuleWarning,
    DecisionListClassifier,
    DecisionSetClassifier,
    DNFClassifier,
    LiteralEncoder,
)

CLASSIFIERS = [CNFClassifier, DNFClassifier, DecisionListClassifier, DecisionSetClassifier]
every = pytest.mark.parametrize("classifier", CLASSIFIERS)
QUICK = {"effort": 0.02, "n_clauses": 3}


@pytest.fixture(scope="module")
def tumours():
    data = load_breast_cancer(as_frame=True)
    return data.data.iloc[:, :8], data.target.map({0: "malignant", 1: "benign"})


@every
def test_the_decided_class_is_the_most_probable(classifier, tumours):
    X, y = tumours
    weighted = {"class_weight": {"benign": 1, "malignant": 30}, "lam": 5}
    for parameters in ({}, {"class_weight": "balanced"}, weighted, {"lam": 40}):
        fitted = classifier(**(QUICK | parameters)).fit(X, y)
        probabilities = fitted.predict_proba(X)
        assert probabilities.shape == (len(y), 2)
        assert np.allclose(probabilities.sum(axis=1), 1)
        assert (probabilities > 0).all()
        assert np.array_equal(fitted.classes_[probabilities.argmax(axis=1)], fitted.predict(X))


def test_probabilities_are_shares_of_the_training_rows_a_little_smoothed():
    X, y = {"c": ["a"] * 10 + ["b"] * 10}, [1] * 9 + [0] + [0] * 8 + [1] * 2
    fitted = DNFClassifier().fit(X, y)
    assert str(fitted.rule_).startswith("IF    c is a\n")
    # two more rows, as many of each class as on average: 9 + 2 * 11 / 20 of 12, and 2 + 1.1 of 12
    assert fitted.predict_proba({"c": ["a", "b"]})[:, 1] == pytest.approx([10.1 / 12, 3.1 / 12])


@every
def test_probabilities_are_calibrated(classifier, tumours):
    X, y = tumours
    held_out = cross_val_predict(classifier(**QUICK), X, y, cv=5, method="predict_proba")
    assert log_loss(y, held_out) < 0.35  # 0.66 for the share of classes alone
    sure = held_out.max(axis=1)
    right = np.array(["benign", "malignant"])[held_out.argmax(axis=1)] == y
    assert abs(sure.mean() - right.mean()) < 0.06


@pytest.mark.parametrize("classifier", CLASSIFIERS[2:])
def test_many_classes(classifier):
    X, y = load_wine(return_X_y=True, as_frame=True)
    names = np.array(["red", "rosé", "white"])[y]
    fitted = classifier(effort=0.1).fit(X, names)
    assert fitted.classes_.tolist() == ["red", "rosé", "white"]
    assert fitted.score(X, names) > 0.95
    assert np.array_equal(fitted.classes_[fitted.predict_proba(X).argmax(axis=1)], fitted.predict(X))


@pytest.mark.parametrize("classifier", CLASSIFIERS[:2])
def test_binary_kinds_name_the_way_out(classifier):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError) as error:
        classifier().fit(X, y)
    assert str(error.value) == (
        f"Only binary classification is supported. {classifier.__name__} decides between two classes, but y has 3 "
        "(type of the target: multiclass). Use DecisionListClassifier or DecisionSetClassifier."
    )
    assert OneVsRestClassifier(classifier(**QUICK)).fit(X, y).score(X, y) > 0.9


@every
def test_integer_weight_is_repetition_and_zero_weight_is_absence(classifier, tumours):
    X, y = tumours
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = classifier(**QUICK).fit(X, y, sample_weight=weights)
    repeated = classifier(**QUICK).fit(X.loc[X.index.repeat(weights)], y.repeat(weights))
    assert weighted.rule_ == repeated.rule_
    assert weighted.rule_.counts == repeated.rule_.counts
    assert np.array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


@every
def test_sample_weights_are_routed(classifier, tumours):
    X, y = tumours
    weights = np.where(y == "malignant", 5.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = classifier(**QUICK).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(inner, {"lam": [1.0, 3.0]}, cv=3).fit(X, y, sample_weight=weights)
        direct = classifier(**QUICK, lam=search.best_params_["lam"]).fit(X, y, sample_weight=weights)
        assert search.best_estimator_.rule_ == direct.rule_
        scores = cross_validate(inner, X, y, cv=3, params={"sample_weight": weights})["test_score"]
        assert scores.mean() > 0.8


@every
def test_pipelines_calibration_and_pickles(classifier, tumours):
    X, y = tumours
    pipeline = make_pipeline(FunctionTransformer(lambda table: table.round(3)), classifier(**QUICK)).fit(X, y)
    assert pipeline.score(X, y) > 0.9
    calibrated = CalibratedClassifierCV(classifier(**QUICK), cv=3).fit(X, y)
    assert calibrated.score(X, y) > 0.9
    fitted = classifier(**QUICK).fit(X, y)
    assert CalibratedClassifierCV(FrozenEstimator(fitted)).fit(X, y).score(X, y) > 0.9
    copy = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(copy.predict_proba(X), fitted.predict_proba(X))
    assert copy.rule_.counts == fitted.rule_.counts
    assert not hasattr(clone(fitted), "rule_")


def test_the_encoder_in_a_column_transformer_gives_names():
    table = pd.DataFrame({"age": [20, 30, 40, 50] * 5, "city": ["Bath", "Oslo", "York", "Rome"] * 5, "other": 1})
    y = [0, 1, 0, 1] * 5
    for output in ("pandas", "polars"):
        transformer = make_column_transformer((LiteralEncoder(bins=2), ["age", "city"])).set_output(transform=output)
        encoded = transformer.fit_transform(table, y)
        assert list(encoded.columns)[:2] == ["literalencoder__age <= 30", "literalencoder__age > 30"]
    supervised = LiteralEncoder(binning="supervised", negations=False).fit(table, y)
    assert "city is Oslo or Rome" in supervised.get_feature_names_out()
    assert make_pipeline(LiteralEncoder(), DecisionTreeClassifier()).fit(table, y).score(table, y) == 1
    with pytest.raises(ValueError, match="LiteralEncoder requires y to be passed, but the target y is None."):
        LiteralEncoder(binning="supervised").fit(table)


def test_encoder_weights_are_repetition():
    values, weights = np.arange(40.0), np.arange(40) % 3
    weighted = LiteralEncoder(bins=5).fit({"a": values}, sample_weight=weights)
    assert weighted.literals_ == LiteralEncoder(bins=5).fit({"a": np.repeat(values, weights)}).literals_


def test_a_constant_rule_still_gives_probabilities(tumours):
    X, y = tumours
    with pytest.warns(ConstantRuleWarning):
        fitted = DNFClassifier(lam=1000, effort=0.01).fit(X, y)
    assert fitted.predict_proba(X)[0] == pytest.approx((y == "benign").mean() * np.array([1, -1]) + [0, 1])
