"""The classifier, its rule, and the JSON and text of the rule decide alike on every kind of frame."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imli import (
    ChecklistClassifier,
    CNFClassifier,
    DecisionListClassifier,
    DecisionSetClassifier,
    DNFClassifier,
    ScoreClassifier,
    parse_rule,
    rule_from_dict,
)

CLASSIFIERS = [
    CNFClassifier,
    DNFClassifier,
    ScoreClassifier,
    ChecklistClassifier,
    DecisionListClassifier,
    DecisionSetClassifier,
]

cells = {
    "age": st.none() | st.integers(0, 90),
    "dose (mg)": st.none() | st.floats(-1e6, 1e6) | st.sampled_from([0.1, 0.25]),
    "city": st.none() | st.sampled_from(["Oslo", "São Paulo", "a, b or c", "New York", "missing", "42"]),
    "smoker": st.none() | st.booleans(),
    "seen": st.none() | st.datetimes(pd.Timestamp("2000-01-01"), pd.Timestamp("2030-01-01")),
}
unseen = cells | {"city": cells["city"] | st.sampled_from(["Rome", "OR", ""]), "age": st.none() | st.integers(-9, 999)}


def columns(kinds, n_rows):
    lists = {name: st.lists(cell, min_size=n_rows, max_size=n_rows) for name, cell in kinds.items()}
    return st.fixed_dictionaries(lists).map(lambda drawn: {name: drawn[name] for name in kinds})


def as_pandas(data):
    types = {"age": "Int64", "dose (mg)": "float64", "city": "object", "smoker": "boolean", "seen": "datetime64[us]"}
    return pd.DataFrame({name: pd.Series(data[name], dtype=kind) for name, kind in types.items()})


def as_polars(data):
    types = {
        "age": pl.Int64,
        "dose (mg)": pl.Float64,
        "city": pl.String,
        "smoker": pl.Boolean,
        "seen": pl.Datetime("us"),
    }
    return pl.DataFrame(data, schema=types)


LIBRARIES = {
    "dict": lambda data: data,
    "pandas": as_pandas,
    "pandas object": lambda data: pd.DataFrame(data, dtype=object),
    "pandas category": lambda data: as_pandas(data).astype({"city": "category"}),
    "pandas arrow": lambda data: as_pandas(data).convert_dtypes(dtype_backend="pyarrow"),
    "polars": as_polars,
    "polars categorical": lambda data: as_polars(data).cast({"city": pl.Categorical}),
    "arrow": lambda data: as_polars(data).to_arrow(),
}


@pytest.mark.filterwarnings("ignore::imli.ConstantRuleWarning")
@pytest.mark.filterwarnings("ignore::imli.FindingWarning")
@pytest.mark.parametrize("classifier", CLASSIFIERS)
@settings(max_examples=8, deadline=None)
@given(
    data=columns(cells, 30),
    new=columns(unseen, 12),
    labels=st.lists(st.sampled_from(["no", "yes", "(both)"]), min_size=30, max_size=30),
)
def test_every_way_to_the_rule_decides_alike(classifier, data, new, labels):
    labels = ["no", "yes", *labels[2:]]
    if classifier in CLASSIFIERS[:4]:
        labels = [label.replace("(both)", "yes") for label in labels]
    fitted = classifier(effort=0.001, lam=0.3, n_jobs=1).fit(as_pandas(data), labels)
    rule = fitted.rule_
    same = [
        rule,
        fitted.answer_.rule,
        rule_from_dict(json.loads(json.dumps(rule.to_dict()))),
        parse_rule(str(rule), rule.kind),
        parse_rule(rule.to_text(clauses=True, ascii=True, width=60), rule.kind),
    ]
    for rows in (data, new):
        expected = fitted.predict(as_pandas(rows)).tolist()
        for name, build in LIBRARIES.items():
            table = build(rows)
            assert fitted.predict(table).tolist() == expected, name
            for other in same:
                assert other.predict(table).tolist() == expected, name
        assert fitted.classes_[fitted.predict_proba(as_pandas(rows)).argmax(axis=1)].tolist() == expected


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_an_unseen_category_is_none_of_those_that_the_rule_names(classifier):
    table = {"city": ["Oslo"] * 20 + ["Rome"] * 20 + ["Bath"] * 20}
    fitted = classifier(effort=0.01).fit(table, [1] * 20 + [0] * 40)
    assert "Oslo" in str(fitted.rule_)
    unseen = fitted.predict({"city": ["never seen", "Bath"]})
    assert unseen[0] == unseen[1]


def test_zeros_and_ones_in_an_array_read_like_truth_values():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 6))
    y = X[:, 0] & ~X[:, 3] | X[:, 5]
    fitted = DNFClassifier(effort=0.01).fit(X, y)
    assert fitted.rule_ == DNFClassifier(effort=0.01).fit(X.astype(bool), y).rule_
    assert fitted.rule_ == DNFClassifier(effort=0.01).fit(X.astype(float), y).rule_
    assert {str(literal) for literal in fitted.rule_.literals} == {"x0", "not x3", "x5"}
