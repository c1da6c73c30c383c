"""What scikit-learn asks of every estimator, with no expected failures, and what we ask on top."""

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

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
from support.jobs import fit_with_a_typo

from imli import (
    ChecklistClassifier,
    CNFClassifier,
    ConstantRuleWarning,
    DecisionListClassifier,
    DecisionSetClassifier,
    DNFClassifier,
    LiteralEncoder,
    RuleClassifier,
    ScoreClassifier,
    parse_rule,
    rule_from_dict,
)

CLASSIFIERS = [
    CNFClassifier,
    DNFClassifier,
    DecisionListClassifier,
    DecisionSetClassifier,
    ScoreClassifier,
    ChecklistClassifier,
]
every = pytest.mark.parametrize("classifier", CLASSIFIERS)
QUICK = {"effort": 0.05}


@pytest.mark.filterwarnings("ignore::imli.ConstantRuleWarning")  # some checks have next to no rows
@pytest.mark.filterwarnings("ignore::imli.FindingWarning")
@parametrize_with_checks(
    [
        *(classifier(**QUICK) for classifier in CLASSIFIERS),
        CNFClassifier(n_clauses=1, strategy="exact"),
        CNFClassifier(lam="cv", **QUICK),
        LiteralEncoder(),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::imli.ConstantRuleWarning")
@pytest.mark.filterwarnings("ignore::imli.FindingWarning")
@parametrize_with_checks(
    [
        DNFClassifier(),
        DNFClassifier(strategy="incremental", batch_size=20, random_state=0),
        DecisionListClassifier(lam="cv", **QUICK, n_clauses=3),
        RuleClassifier(**QUICK),
    ]
)
def test_more_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def iris():
    data = load_iris(as_frame=True)
    kept = data.target < 2
    return data.data[kept].copy(), data.target[kept].map({0: "setosa", 1: "versicolor"})


@every
def test_fit_twice_is_fit_once(classifier, iris):
    X, y = iris
    if classifier in CLASSIFIERS[4:]:
        once, twice = classifier(random_state=3).fit(X, y), classifier(random_state=3).fit(X, y).fit(X, y)
        assert once.rule_ == twice.rule_
        assert once.answer_.cost == twice.answer_.cost
        return
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
    expected = classifier(lam=0.5, **QUICK).fit(X, y)
    data = X.to_dict("list")
    for other in (pl.DataFrame(data, strict=False).fill_nan(None), pa.Table.from_pandas(X), X.convert_dtypes(), data):
        fitted = classifier(lam=0.5, **QUICK).fit(other, y)
        assert fitted.rule_ == expected.rule_
        assert np.array_equal(fitted.predict(other), expected.predict(X))
        assert np.array_equal(fitted.rule_.predict(other), expected.predict(X))


@every
def test_the_rule_alone_decides_like_the_classifier(classifier, iris):
    X, y = iris
    fitted = classifier(**QUICK).fit(X, y)
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
    search = GridSearchCV(classifier(**QUICK), {"lam": [0.5, 5.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.95
    assert clone(search.best_estimator_).get_params() == search.best_estimator_.get_params()


def test_columns_in_another_order_are_refused_by_the_classifier_but_not_by_the_rule(iris):
    X, y = iris
    fitted = DNFClassifier(**QUICK).fit(X, y)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(X[X.columns[::-1]])
    assert np.array_equal(fitted.rule_.predict(X[X.columns[::-1]]), fitted.predict(X))
    by_name = DNFClassifier(**QUICK).fit(X.to_dict("list"), y)
    with pytest.raises(ValueError, match=r"The columns must be those that DNFClassifier was fitted on, in the same"):
        by_name.predict(X[X.columns[::-1]].to_dict("list"))


def test_encoder_output_feeds_any_classifier():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(LiteralEncoder(bins=4).set_output(transform="pandas"), DecisionTreeClassifier(max_depth=2))
    assert pipeline.fit(X, y).score(X, y) > 0.9
    encoded = pipeline[0].transform(X)
    assert encoded.dtypes.unique().tolist() == [np.dtype(bool)]
    assert encoded.columns[:2].tolist() == ["mean radius <= 11.7", "mean radius > 11.7"]


def test_feature_names_of_an_earlier_fit_are_forgotten(iris):
    X, y = iris
    fitted = DNFClassifier(**QUICK).fit(X, y).fit(X.to_numpy(), y)
    assert not hasattr(fitted, "feature_names_in_")
    encoder = LiteralEncoder().fit(X).fit(X.to_numpy())
    assert not hasattr(encoder, "feature_names_in_")
    assert isinstance(encoder.transform(pd.DataFrame(X.to_numpy())), np.ndarray)


@pytest.mark.parametrize(
    "gap",
    [pl.DataFrame({"c": [None]}), pd.DataFrame({"c": [np.nan]}), {"c": [None]}, pa.table({"c": [None]}), {"c": []}],
    ids=["polars", "pandas", "dict", "arrow", "empty dict"],
)
@pytest.mark.parametrize("cells", [["r", "b"], [1.5, 2.5], [True, False]], ids=["text", "number", "flag"])
def test_a_batch_with_nothing_but_missing_cells_is_decided(gap, cells):
    fitted = DNFClassifier(**QUICK).fit({"c": [cells[0]] * 6 + [cells[1]] * 6}, [1] * 6 + [0] * 6)
    assert fitted.rule_.literals
    n_rows = len(gap["c"])
    assert fitted.rule_.predict(gap).tolist() == [0] * n_rows
    if n_rows:
        assert fitted.predict(gap).tolist() == [0]


def test_names_are_matched_by_position_where_one_side_has_none(iris):
    X, y = iris
    expected = DNFClassifier(**QUICK).fit(X, y).predict(X)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert np.array_equal(DNFClassifier(**QUICK).fit(X, y).predict(X.to_numpy()), expected)
    unnamed = DNFClassifier(**QUICK).fit(X.to_numpy(), y)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        assert np.array_equal(unnamed.predict(X), expected)
    assert np.array_equal(unnamed.predict(X.to_dict("list")), expected)
    with pytest.raises(ValueError, match="The data has 1 columns, but there were 4 to learn from."):
        unnamed.predict({"a": [1]})


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (pd.array([True, False] * 6, dtype="boolean"), [False, True]),
        (pd.Series([1, 2] * 6, dtype="Int64"), [1, 2]),
        (pd.Series([1, 2] * 6, dtype="category"), [1, 2]),
        (pl.Series("outcome", ["no", "yes"] * 6), ["no", "yes"]),
        (np.array([1, 2] * 6, dtype=object), [1, 2]),
        (np.array([True, False] * 6, dtype=object), [False, True]),
        ([1.0, 2.0] * 6, [1.0, 2.0]),
    ],
    ids=["nullable boolean", "nullable integer", "category", "polars", "object integers", "object flags", "floats"],
)
@every
def test_labels_of_all_sorts(classifier, y, classes):
    fitted = classifier(**QUICK).fit({"c": [0, 1] * 6}, y)
    assert fitted.classes_.tolist() == classes
    assert [type(label) for label in fitted.classes_.tolist()] == [type(label) for label in classes]
    assert fitted.predict({"c": [0, 1]}).tolist() == list(y)[:2]


def test_large_integers_are_told_apart():
    for values in (2**53 + np.arange(12), 10**18 + np.arange(200), np.array([2**62 + 1, 2**62] * 6)):
        for binning in ("quantile", "uniform"):
            for intervals in ("open", "closed"):
                y = values > np.sort(values)[len(values) // 2 - 1]
                fitted = DNFClassifier(binning=binning, intervals=intervals, lam=0.1, use="id", **QUICK).fit(
                    {"id": values}, y
                )
                assert fitted.score({"id": values}, y) > 0.9


def test_errors_survive_a_process_pool():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        future = pool.submit(fit_with_a_typo)
        with pytest.raises(ValueError, match="No column 'agee' in the data. Did you mean 'age'?"):
            future.result()


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (pl.LazyFrame({"a": [1]}), "A LazyFrame has no rows yet. Call .collect() first."),
        (
            pa.record_batch({"a": [1]}),
            "A RecordBatch is not supported. Make it a table with pyarrow.Table.from_batches([batch]).",
        ),
        (
            np.ma.masked_array([[1.0]], mask=[[True]]),
            "Masked arrays are not supported. Fill the gaps with NaN first: X.filled(numpy.nan).",
        ),
        (None, "Expected a data frame, an array, a list of rows or a dict of columns. Got NoneType."),
    ],
    ids=["lazy", "batch", "masked", "none"],
)
def test_what_only_looks_like_a_table(table, sentence):
    with pytest.raises(TypeError) as error:
        DNFClassifier(**QUICK).fit(table, [0])
    assert str(error.value) == sentence
    with pytest.raises(TypeError) as error:
        parse_rule("a > 1").predict(table)
    assert str(error.value) == sentence


def test_text_is_a_path_to_learn_from_and_no_table_to_decide():
    with pytest.raises(TypeError) as error:
        DNFClassifier(**QUICK).fit("abc", [0])
    assert str(error.value) == "Of a table that is read in parts, y is the name of a column. Got [0]."
    with pytest.raises(TypeError) as error:
        parse_rule("a > 1").predict("abc")
    assert str(error.value) == "Expected a data frame, an array, a list of rows or a dict of columns. Got str."


def test_nothing_to_pay_is_not_an_error():
    with pytest.warns(ConstantRuleWarning):
        fitted = DNFClassifier(lam=0, class_weight={0: 0, 1: 0}).fit({"a": [1, 2]}, [0, 1])
    assert (fitted.answer_.cost, fitted.answer_.status) == (0.0, "optimal")


def test_tiny_weights_are_told_apart():
    fitted = DNFClassifier(lam=1e-13).fit({"a": [1, 2, 3]}, [0, 1, 1], sample_weight=[1e-12, 2e-12, 1e-12])
    assert fitted.score({"a": [1, 2, 3]}, [0, 1, 1]) == 1.0
