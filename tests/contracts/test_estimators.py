"""What scikit-learn asks of every estimator, with no expected failures, and what we ask on top."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from imli import (
    CNFClassifier,
    DecisionListClassifier,
    DecisionSetClassifier,
    DNFClassifier,
    LiteralEncoder,
    parse_rule,
    rule_from_dict,
)

CLASSIFIERS = [CNFClassifier, DNFClassifier, DecisionListClassifier, DecisionSetClassifier]
every = pytest.mark.parametrize("classifier", CLASSIFIERS)


@parametrize_with_checks(
    [
        *(classifier() for classifier in CLASSIFIERS),
        CNFClassifier(n_clauses=1, strategy="exact"),
        DNFClassifier(strategy="incremental", batch_size=20, random_state=0),
        LiteralEncoder(),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def iris():
    data = load_iris(as_frame=True)
    kept = data.target < 2
    return data.data[kept].copy(), data.target[kept].map({0: "setosa", 1: "versicolor"})


@every
def test_fit_twice_is_fit_once(classifier, iris):
    X, y = iris
    for strategy in ("exact", "iterative", "minibatch", "incremental"):
        if strategy in ("exact", "minibatch") and classifier not in CLASSIFIERS[:2]:
            continue
        parameters = {"n_clauses": 2, "strategy": strategy, "batch_size": 30, "random_state": 3}
        once, twice = classifier(**parameters).fit(X, y), classifier(**parameters).fit(X, y).fit(X, y)
        assert once.rule_ == twice.rule_
        assert once.answer_.cost == twice.answer_.cost


@every
def test_the_same_rule_from_every_library(classifier, iris):
    X, y = iris
    X = X.assign(color=np.where(np.arange(len(X)) % 3 == 0, "red", "dark blue"), seen=X.index % 2 == 0)
    X.iloc[::7, 0] = np.nan
    expected = classifier(lam=0.5).fit(X, y)
    data = X.to_dict("list")
    for other in (pl.DataFrame(data, strict=False).fill_nan(None), pa.Table.from_pandas(X), X.convert_dtypes(), data):
        fitted = classifier(lam=0.5).fit(other, y)
        assert fitted.rule_ == expected.rule_
        assert np.array_equal(fitted.predict(other), expected.predict(X))
        assert np.array_equal(fitted.rule_.predict(other), expected.predict(X))


@every
def test_the_rule_alone_decides_like_the_classifier(classifier, iris):
    X, y = iris
    fitted = classifier().fit(X, y)
    for rule in (
        fitted.rule_,
        rule_from_dict(fitted.rule_.to_dict()),
        parse_rule(str(fitted.rule_), fitted.rule_.kind),
    ):
        assert np.array_equal(rule.predict(X), fitted.predict(X))
    assert fitted.rule_.target == "target"
    assert pickle.loads(pickle.dumps(fitted)).rule_ == fitted.rule_


@every
def test_works_in_grid_search_and_with_clone(classifier, iris):
    X, y = iris
    search = GridSearchCV(classifier(), {"lam": [0.5, 5.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.95
    assert clone(search.best_estimator_).get_params() == search.best_estimator_.get_params()


def test_columns_in_another_order_are_refused_by_the_classifier_but_not_by_the_rule(iris):
    X, y = iris
    fitted = DNFClassifier().fit(X, y)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(X[X.columns[::-1]])
    assert np.array_equal(fitted.rule_.predict(X[X.columns[::-1]]), fitted.predict(X))
    by_name = DNFClassifier().fit(X.to_dict("list"), y)
    with pytest.raises(ValueError, match=r"The columns must be those that DNFClassifier was fitted on, in the same"):
        by_name.predict(X[X.columns[::-1]].to_dict("list"))


def test_encoder_output_feeds_any_classifier():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(LiteralEncoder(bins=4).set_output(transform="pandas"), DecisionTreeClassifier(max_depth=2))
    assert pipeline.fit(X, y).score(X, y) > 0.9
    encoded = pipeline[0].transform(X)
    assert encoded.dtypes.unique().tolist() == [np.dtype(bool)]
    assert encoded.columns[:2].tolist() == ["mean radius <= 11.69", "mean radius > 11.69"]


def test_feature_names_of_an_earlier_fit_are_forgotten(iris):
    X, y = iris
    fitted = DNFClassifier().fit(X, y).fit(X.to_numpy(), y)
    assert not hasattr(fitted, "feature_names_in_")
    encoder = LiteralEncoder().fit(X).fit(X.to_numpy())
    assert not hasattr(encoder, "feature_names_in_")
    assert isinstance(encoder.transform(pd.DataFrame(X.to_numpy())), np.ndarray)
