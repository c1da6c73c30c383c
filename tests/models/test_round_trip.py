"""A model comes back from its file as it was, whatever its rule, its labels and its table."""

import pickle
from dataclasses import FrozenInstanceError
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from support.generated import counted, pair_rules, point_rules, rules

import imli
from imli import (
    CNFClassifier,
    DecisionListClassifier,
    DecisionSetClassifier,
    DNFClassifier,
    Every,
    Iterative,
    MiniBatch,
    Model,
    load,
    parse_literal,
    parse_rule,
    save,
)
from imli.models.files import layout, parse
from imli.models.schema import check_document

CLASSIFIERS = [CNFClassifier, DNFClassifier, DecisionListClassifier, DecisionSetClassifier]
every = pytest.mark.parametrize("classifier", CLASSIFIERS)
QUICK = {"effort": 0.02, "n_clauses": 3, "lam": 1.0}

ROWS = {
    "age": [25, 32, 47, 51, 62, 70] * 10,
    "weight": [61.5, None, 80.25, 75.0, 90.0, 66.0] * 10,
    "city": ["Bath", "Rome", None, "York", "Oslo", "Rome"] * 10,
    "smoker": [True, False, False, True, True, False] * 10,
    "signed": [date(2020, 1, 1), date(2021, 5, 6), date(2022, 3, 4)] * 20,
}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}
ILL = np.array([0, 0, 1, 1, 1, 0] * 10)
LABELS = {"text": np.array(["well", "ill"])[ILL], "whole": ILL, "float": ILL + 0.0, "bool": ILL == 1}
every_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


@every
@pytest.mark.parametrize("labels", LABELS)
def test_what_is_learned_comes_back(classifier, labels, tmp_path):
    X, y = pd.DataFrame(ROWS), LABELS[labels]
    clf = classifier(**QUICK).fit(X, y)
    save(clf, tmp_path / "model.json")
    model = load(tmp_path / "model.json")
    assert model == clf.to_model()
    assert hash(model) == hash(clf.to_model())
    assert model.rule == clf.rule_
    assert model.rule.counts == clf.rule_.counts
    assert model.labels == tuple(clf.classes_.tolist())
    assert list(map(type, model.labels)) == list(map(type, clf.classes_.tolist()))
    assert not model.is_edited
    assert model.predict(X).tolist() == clf.predict(X).tolist()
    assert model.predict(X).dtype == clf.rule_.predict(X).dtype
    assert np.array_equal(model.predict_proba(X), clf.predict_proba(X))
    assert pickle.loads(pickle.dumps(model)) == model
    assert pickle.loads(pickle.dumps(clf)).to_model() == model


@every_frame
def test_any_table_gives_the_same_model_and_can_be_decided(frame, tmp_path):
    X = frame(ROWS)
    clf = DNFClassifier(**QUICK).fit(X, LABELS["text"])
    model, reference = clf.to_model(), DNFClassifier(**QUICK).fit(pd.DataFrame(ROWS), LABELS["text"]).to_model()
    assert model.columns == reference.columns
    assert model.card.data == reference.card.data
    save(model, tmp_path / "model.json")
    assert load(tmp_path / "model.json").predict(X).tolist() == clf.predict(X).tolist()
    assert np.array_equal(load(tmp_path / "model.json").predict_proba(X), clf.predict_proba(X))


def test_the_hash_tells_rows_apart_but_not_libraries():
    def hashed(rows, labels=LABELS["text"], **options):
        return DNFClassifier(**QUICK).fit(rows, labels, **options).to_model().card.data.hash

    original = hashed(ROWS)
    variants = [frame(ROWS) for frame in FRAMES.values()]
    variants.append(pd.DataFrame(ROWS).convert_dtypes())
    variants.append(pd.DataFrame(ROWS).astype({"city": "category", "signed": "datetime64[ns]", "age": "int32"}))
    variants.append(pl.DataFrame(ROWS).with_columns(pl.col("city").cast(pl.Categorical), pl.col("age").cast(pl.Int16)))
    assert {hashed(variant) for variant in variants} == {original}
    assert hashed(ROWS, sample_weight=np.ones(60)) == original
    others = [
        hashed(ROWS | {"age": [26, *ROWS["age"][1:]]}),
        hashed(ROWS | {"weight": [None, *ROWS["weight"][1:]]}),
        hashed(ROWS | {"city": ["Cork" if city == "Bath" else city for city in ROWS["city"]]}),
        hashed(ROWS | {"smoker": ROWS["smoker"][::-1]}),
        hashed({"years" if name == "age" else name: cells for name, cells in ROWS.items()}),
        hashed(dict(reversed(ROWS.items()))),
        hashed(ROWS, LABELS["whole"]),
        hashed(ROWS, LABELS["text"][::-1]),
        hashed(ROWS, sample_weight=[2.0] + [1.0] * 59),
    ]
    assert len({original, *others}) == len(others) + 1


def test_the_hash_of_rows_in_use():
    table, used = pd.DataFrame(ROWS), np.arange(60) % 6 != 0  # without them there is no Bath
    weighted = DNFClassifier(**QUICK).fit(table, LABELS["text"], sample_weight=used.astype(float)).to_model()
    taken = DNFClassifier(**QUICK).fit(table[used], LABELS["text"][used]).to_model()
    assert weighted.card.data == taken.card.data
    assert weighted.columns == taken.columns


@every_frame
def test_what_is_said_of_columns(frame):
    columns = DNFClassifier(**QUICK).fit(frame(ROWS), LABELS["text"]).to_model().columns
    assert {name: column.to_dict() for name, column in columns.items()} == {
        "age": {
            "kind": "number",
            "n_missing": 0,
            "n_distinct": 6,
            "least": 25,
            "most": 70,
            "cuts": [25, 32, 47, 51, 62, 70],
            "counts": [10, 10, 10, 10, 10, 10, 0],
        },
        "weight": {
            "kind": "number",
            "n_missing": 10,
            "n_distinct": 5,
            "least": 61.5,
            "most": 90.0,
            "cuts": [61.5, 66.0, 75.0, 80.25, 90.0],
            "counts": [10, 10, 10, 10, 10, 0],
        },
        "city": {
            "kind": "text",
            "n_missing": 10,
            "n_distinct": 4,
            "frequent": [["Rome", 20], ["Bath", 10], ["Oslo", 10], ["York", 10]],
        },
        "smoker": {"kind": "flag", "n_missing": 0, "n_distinct": 2, "counts": [30, 30]},
        "signed": {
            "kind": "date",
            "n_missing": 0,
            "n_distinct": 3,
            "least": "2020-01-01",
            "most": "2022-03-04",
            "cuts": ["2020-01-01", "2021-05-06", "2022-03-04"],
            "counts": [20, 20, 20, 0],
        },
    }


def test_columns_of_odd_cells():
    n_rows = 20_000
    odd = {
        "wide": np.arange(n_rows) * 1.5,
        "ids": np.arange(n_rows) * 1_000_003,
        "few": np.arange(n_rows) % 900 / 4,
        "infinite": np.where(np.arange(n_rows) % 2, np.inf, -np.inf),
        "half": np.where(np.arange(n_rows) % 2, np.inf, 3.5),
        "large": np.full(n_rows, 1e308),
        "nothing": np.full(n_rows, np.nan),
        "true": np.full(n_rows, True),
        "age": np.arange(n_rows) % 3,
    }
    clf = DNFClassifier(**QUICK, use=["ids", "age"]).fit(odd, np.arange(n_rows) % 3 == 0)
    columns = clf.to_model().columns
    described = {name: column.to_dict() for name, column in columns.items()}
    distributions = {name: (one.pop("cuts", []), one.pop("counts", [])) for name, one in described.items()}
    ends, counts = distributions["few"]
    assert ends[:2] == [10.75, 21.5]
    assert (ends[-1], counts[-1], sum(counts)) == (224.75, 0, n_rows)
    assert [np.sum(odd["few"] <= end) for end in ends] == np.cumsum(counts[:-1]).tolist()
    assert distributions["wide"] == ([1.5 * (1000 * n - 1) for n in range(1, 21)], [1000] * 20 + [0])
    assert distributions["infinite"] == ([], [])
    assert distributions["half"] == ([3.5], [10_000, 10_000])
    assert distributions["true"] == ([], [0, n_rows])
    assert distributions["age"] == ([0, 1, 2], [6667, 6667, 6666, 0])
    assert described == {
        "wide": {"kind": "number", "n_missing": 0, "least": 0.0, "most": 29_998.5},
        "ids": {"kind": "number", "n_missing": 0, "least": 0, "most": 19_999 * 1_000_003},
        "few": {"kind": "number", "n_missing": 0, "n_distinct": 900, "least": 0.0, "most": 224.75},
        "infinite": {"kind": "number", "n_missing": 0, "n_distinct": 2},
        "half": {"kind": "number", "n_missing": 0, "n_distinct": 2, "least": 3.5, "most": 3.5},
        "large": {"kind": "number", "n_missing": 0, "n_distinct": 1, "least": 1e308, "most": 1e308},
        "nothing": {"kind": "number", "n_missing": n_rows, "n_distinct": 0},
        "true": {"kind": "flag", "n_missing": 0, "n_distinct": 1},
        "age": {"kind": "number", "n_missing": 0, "n_distinct": 3, "least": 0, "most": 2},
    }


def test_of_very_many_columns_the_first_and_those_of_the_rule_are_described():
    table = {f"column {n}": np.random.default_rng(n).integers(0, 2, 60) for n in range(250)} | {"age": ILL}
    model = DNFClassifier(**QUICK).fit(table, LABELS["text"]).to_model()
    assert model.rule.columns == ("age",)
    assert list(model.columns) == [f"column {n}" for n in range(200)] + ["age"]
    assert model.card.data.columns == 251


@given(counted(rules() | pair_rules() | point_rules()) | rules() | pair_rules() | point_rules())
@settings(max_examples=80, deadline=None)
def test_any_rule_comes_back(rule):
    model = Model.of_rule(rule)
    assert Model.from_dict(parse(layout(model.to_dict()).encode())) == model
    assert Model.from_dict(model.to_dict()).rule.counts == rule.counts
    assert pickle.loads(pickle.dumps(model)) == model
    check_document(model.to_dict())
    str(model)
    model._repr_html_()


@pytest.mark.filterwarnings("ignore:The class c has 1 of 41 rows")
def test_labels_that_the_rule_never_decides_for():
    clf = DecisionListClassifier(n_clauses=1, lam=1, effort=0.02)
    clf.fit({"age": [20] * 20 + [60] * 20 + [40]}, ["a"] * 20 + ["b"] * 20 + ["c"])
    model = clf.to_model()
    assert model.labels == ("a", "b", "c")
    assert model.card.class_shares == pytest.approx([20 / 41, 20 / 41, 1 / 41])
    assert model.predict_proba({"age": [20]}).shape == (1, 3)
    assert Model.from_dict(model.to_dict()) == model


def test_the_card():
    clf = DNFClassifier(**QUICK, prove=True, random_state=3, callback=print, class_weight="balanced")
    y = pd.Series(LABELS["text"], name="health")
    card = clf.fit(ROWS, y, sample_weight=np.full(60, 2.0)).to_model().card
    assert (card.learner, card.target, card.lam, card.status) == ("DNFClassifier", "health", 1.0, clf.answer_.status)
    assert (card.cost, card.bound, card.gap) == (clf.answer_.cost, clf.answer_.bound, clf.answer_.gap)
    assert (card.scope, card.is_clause_optimal) == (clf.answer_.scope, clf.answer_.is_clause_optimal)
    assert (card.n_literals, card.backend) == (len(clf.literals_), clf.answer_.backend)
    assert (card.data.rows, card.data.columns, card.data.weight) == (60, 5, 120.0)
    assert card.seed == np.random.RandomState(3).randint(2**31)
    assert card.class_shares == (0.5, 0.5)
    assert set(card.versions) == {"python", "imli", "numpy", "scikit-learn", "python-sat"}
    assert set(card.parameters) == set(clf.get_params()) - {"callback"}
    assert str(card.answer(clf.rule_)) == str(clf.answer_)
    auto = DNFClassifier(**(QUICK | {"lam": "auto"})).fit(ROWS, y, sample_weight=np.full(60, 8.0)).to_model().card
    assert (auto.parameters["lam"], auto.lam) == ("auto", 7.8)


@every
def test_the_learner_comes_back(classifier):
    given = QUICK | {"class_weight": {False: 2.0, True: 1}, "never": ["weight"], "monotone": None, "random_state": 7}
    given |= {"time_limit": np.float64(60), "feature_costs": {"age": 2.0}}
    clf = classifier(**given, always=(parse_literal("age > 30"),)).fit(ROWS, LABELS["bool"])
    again = Model.from_dict(clf.to_model().to_dict()).estimator()
    assert type(again) is classifier
    assert not hasattr(again, "rule_")
    assert again.get_params() == clf.get_params() | {"never": ("weight",), "always": ("age > 30",)}
    assert again.fit(ROWS, LABELS["bool"]).rule_ == clf.rule_
    assert Model.from_dict(clf.to_model().to_dict()).estimator(lam=9).lam == 9


def test_a_rule_as_a_parameter_comes_back_as_text():
    start = parse_rule("IF age > 40 THEN well ELSE ill")
    clf = DNFClassifier(**QUICK, start=start).fit(ROWS, LABELS["text"])
    assert clf.to_model().estimator().fit(ROWS, LABELS["text"]).rule_ == clf.rule_


def test_a_literal_of_every_clause_comes_back():
    clf = DNFClassifier(**QUICK, always=[Every("age > 30")]).fit(ROWS, LABELS["text"])
    again = Model.from_dict(clf.to_model().to_dict()).estimator()
    assert again.always == (Every("age > 30"),)
    assert again.fit(ROWS, LABELS["text"]).rule_ == clf.rule_


def test_objects_are_described_but_not_built():
    clf = DNFClassifier(n_clauses=1, strategy=Iterative(MiniBatch(batch_size=20))).fit(ROWS, LABELS["text"])
    model = clf.to_model()
    assert Model.from_dict(model.to_dict()) == model
    with pytest.raises(ValueError) as error:
        model.estimator()
    assert str(error.value) == (
        f"The parameter strategy was an object, which a model file can only describe: {clf.strategy!r}. "
        "Give it yourself: model.estimator(strategy=...)."
    )
    with pytest.raises(ValueError) as error:
        model.resume()
    assert str(error.value).endswith("Give it yourself: model.resume(strategy=...).")
    assert model.estimator(strategy=clf.strategy).fit(ROWS, LABELS["text"]).rule_ == clf.rule_


def test_no_learner_to_build():
    with pytest.raises(ValueError) as error:
        Model.of_rule(parse_rule("age > 60")).estimator()
    assert str(error.value) == "The card of this model names no learner, so there is no classifier to build."

    class OwnClassifier(DNFClassifier):
        pass

    with pytest.raises(ValueError) as error:
        OwnClassifier(**QUICK).fit(ROWS, LABELS["text"]).to_model().estimator()
    assert str(error.value) == (
        "The learner 'OwnClassifier' is not one of imli's, which are CNFClassifier, ChecklistClassifier, "
        "DNFClassifier, DecisionListClassifier, DecisionSetClassifier, RuleClassifier, ScoreClassifier."
    )
    with pytest.raises(ValueError) as error:
        DNFClassifier(**QUICK).fit(ROWS, LABELS["text"]).to_model().estimator(lamda=3)
    assert str(error.value) == "DNFClassifier has no parameter 'lamda'."


@every
def test_what_is_not_fitted_has_no_model(classifier, tmp_path):
    with pytest.raises(NotFittedError) as error:
        save(classifier(), tmp_path / "model.json")
    assert str(error.value).startswith(f"This {classifier.__name__} instance is not fitted yet.")
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_saved(tmp_path):
    for what in (3, DNFClassifier, make_pipeline(DNFClassifier()), {"imli": "model"}):
        with pytest.raises(TypeError) as error:
            save(what, tmp_path / "model.json")
        assert str(error.value).startswith("Only a fitted classifier of imli, a rule or a model can be saved. Got ")


def test_a_saved_rule(tmp_path):
    rule = parse_rule("IF age > 60 AND smoker THEN risk is high ELSE risk is low")
    save(rule, tmp_path / "rule.json")
    model = load(tmp_path / "rule.json")
    assert model.rule == rule
    assert model.labels == ("low", "high")
    assert set(model.card.to_dict()) == {"created", "fingerprint", "versions"}
    assert str(model) == f"{rule}\n\nSaved on {model.card.created[:10]}."
    assert model.kinds == {"age": "number", "smoker": "number"}
    with pytest.raises(ValueError) as error:
        model.predict_proba({"age": [1], "smoker": [1]})
    assert str(error.value) == (
        "This model has no counts of training rows, so it knows no probabilities. "
        "Count the rule anew: model.with_rule(model.rule.counted_on(X, y))."
    )


def test_counts_of_other_rows():
    rule, table = parse_rule("IF age > 60 THEN high ELSE low"), {"age": [70, 65, 40, 30]}
    model = Model.of_rule(rule)
    again = model.with_rule(rule.counted_on(table, ["high", "low", "low", "low"]))
    assert again.predict_proba({"age": [70, 40]}).tolist() == [
        pytest.approx([0.5 - 5e-7, 0.5 + 5e-7], abs=1e-3),
        pytest.approx([0.875, 0.125]),
    ]
    assert Model.from_dict(again.to_dict()) == again
    with pytest.raises(ValueError) as error:
        model.with_rule(rule.counted_on(table, ["high", "low", "low", "medium"]))
    assert str(error.value) == (
        "The rule's counts are of the classes ['low', 'high', 'medium'], but the labels are ['low', 'high']. "
        "They must be the same, in the same order."
    )


def test_a_model_is_a_value():
    clf = DNFClassifier(**QUICK, never=["city"], feature_costs={"age": 2}).fit(ROWS, LABELS["text"])
    model = clf.to_model()
    for part, name in ((model, "rule"), (model.card, "cost")):
        with pytest.raises(FrozenInstanceError):
            setattr(part, name, None)
    for mapping in (model.columns, model.card.parameters, model.card.parameters["feature_costs"]):
        with pytest.raises(TypeError):
            mapping["x"] = 1
    before = model.to_dict()
    model.to_dict()["card"]["parameters"]["never"].append("age")
    clf.never.append("age")
    assert model.to_dict() == before
    assert model != Model.of_rule(model.rule)
    assert model != model.rule
    assert Model.of_rule(parse_rule("IF a THEN 1 ELSE 0")) != Model.of_rule(parse_rule("IF a THEN true ELSE false"))


def test_checks_are_added():
    model = DNFClassifier(**QUICK).fit(ROWS, LABELS["text"]).to_model()
    checked = model.with_check({"kind": "holdout", "accuracy": 0.9, "rows": 50})
    checked = checked.with_check(
        {"kind": "cv", "accuracy": np.mean([0.83, 0.85]), "rows": 60, "folds": 5, "standard_error": 0.013}
    )
    assert not model.card.checks
    assert len(checked.card.checks) == 2
    assert Model.from_dict(checked.to_dict()) == checked
    assert str(checked).endswith(
        "90.0 % correct on 50 rows held out. 84.0 ± 1.3 % correct in 5-fold cross-validation on 60 rows."
    )
    with pytest.raises(ValueError) as error:
        model.with_check({"kind": "cv", "accuracy": 1.5, "rows": 60})
    assert str(error.value) == "This must be a number from 0 to 1. Got 1.5."


def test_saving_twice_gives_the_same_file(tmp_path):
    clf = DNFClassifier(**QUICK).fit(ROWS, LABELS["text"])
    save(clf, tmp_path / "one.json")
    save(imli.load(tmp_path / "one.json"), str(tmp_path / "two.json"))
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
