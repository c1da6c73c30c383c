"""What OpenML has, as problems: its columns, codes and labels in the form that results speak of.

The frames here are made by hand, of the same form as OpenML's.
"""

from dataclasses import replace
from errno import ECONNREFUSED
from os import strerror

import numpy as np
import pandas as pd
import pytest

from imli_bench.data_sets import PROBLEMS, fetch, mapped, refuse_another

SOURCES = {name: problem.openml for name, problem in PROBLEMS.items() if problem.openml}


def numbered(n, *rows):
    """Columns V1, V2, … of numbers, as OpenML has them where a file has no names."""
    return pd.DataFrame([list(row) for row in rows], columns=[f"V{i}" for i in range(1, n + 1)]).astype(float)


def test_parkinsons():
    data = numbered(22, np.arange(22) + 0.5, np.arange(22) + 0.25)
    X, y = mapped(SOURCES["parkinsons"], data, pd.Series(pd.Categorical(["2", "1"])))
    assert X.columns[0] == "MDVP:Fo(Hz)"
    assert X.columns[-1] == "PPE"
    assert y.tolist() == [True, False]


def test_pima():
    names = ["preg", "plas", "pres", "skin", "insu", "mass", "pedi", "age"]
    data = pd.DataFrame([[6.0, 148, 72, 35, 0, 33.6, 0.627, 50]], columns=names)
    X, y = mapped(SOURCES["pima"], data, pd.Series(pd.Categorical(["tested_positive"])))
    assert X.iloc[0].to_dict()["Glucose"] == 148
    assert [str(dtype) for dtype in X.dtypes] == ["int64"] * 5 + ["float64"] * 2 + ["int64"]
    assert y.tolist() == [True]


def test_titanic():
    data = pd.DataFrame(
        {
            "pclass": [1, 3, 2], "name": ["A", "B", "C"], "sex": pd.Categorical(["female", "male", "male"]),
            "age": [29.0, np.nan, 30.5], "sibsp": [0.0, 1, 0], "parch": [0.0, 0, 2], "ticket": ["1", "2", "3"],
            "fare": [211.3375, 7.5, 10.0], "cabin": ["B5", None, None],
            "embarked": pd.Categorical(["S", "C", "Q"]), "boat": ["2", None, None], "body": [np.nan] * 3,
            "home.dest": ["x", "y", "z"],
        }
    )  # fmt: skip
    X, y = mapped(SOURCES["titanic"], data, pd.Series(pd.Categorical(["1", "1", "0"])))
    assert X.to_dict("list") == {
        "pclass": [1, 2], "sex": ["female", "male"], "age": [29.0, 30.5], "sibsp": [0, 0], "parch": [0, 2],
        "fare": [211.3375, 10.0], "embarked": ["S", "Q"],
    }  # fmt: skip
    assert y.tolist() == [True, False]


@pytest.mark.parametrize("has_id", [False, True])
def test_magic(has_id):
    names = [f"{name}:" for name in SOURCES["magic"].names]
    data = pd.DataFrame([np.arange(10) + 0.5], columns=names)
    if has_id:
        data.insert(0, "ID", 1)
    X, y = mapped(SOURCES["magic"], data, pd.Series(["g"]))
    assert X.columns.tolist() == list(SOURCES["magic"].names)
    assert X["fLength"].tolist() == [0.5]
    assert y.tolist() == [True]


@pytest.mark.parametrize("codes", [str, int, float, pd.CategoricalDtype(["0", "1", "2", "3", "6"])])
def test_credit_default(codes):
    data = pd.DataFrame(np.zeros((2, 23), dtype=int), columns=[f"x{i}" for i in range(1, 24)])
    data = data.assign(x1=[20000, 50000], x2=["2", "1"], x3=["6", "2"], x4=["0", "3"])
    data = data.astype(dict.fromkeys(("x2", "x3", "x4"), codes))
    X, y = mapped(SOURCES["credit_default"], data, pd.Series(["1", "0"]))
    assert X.iloc[:, :4].to_dict("list") == {
        "LIMIT_BAL": [20000, 50000],
        "SEX": ["female", "male"],
        "EDUCATION": ["undocumented_6", "university"],
        "MARRIAGE": ["undocumented_0", "others"],
    }
    assert X.columns[5:8].tolist() == ["PAY_0", "PAY_2", "PAY_3"]
    assert X.columns[[11, 17, 22]].tolist() == ["BILL_AMT1", "PAY_AMT1", "PAY_AMT6"]
    assert y.tolist() == [True, False]


def test_adult_leaves_out_the_rows_of_the_test_file():
    names = ["age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship",
             "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country"]  # fmt: skip
    data = pd.DataFrame({name: ["x", "y", None] for name in names}).assign(age=[25, 39, 52])
    source = replace(SOURCES["adult"], last_rows=2)
    X, y = mapped(source, data, pd.Series(pd.Categorical(["<=50K", "<=50K", ">50K"])))
    assert X["age"].tolist() == [39, 52]
    assert X["marital_status"].tolist() == ["y", None]
    assert X.columns[-1] == "native_country"
    assert X.index.tolist() == [0, 1]
    assert y.tolist() == [False, True]
    assert SOURCES["adult"].last_rows == PROBLEMS["adult"].n_rows


def test_bank_marketing():
    X, y = mapped(SOURCES["bank_marketing"], numbered(16, range(16), range(16)), pd.Series(["1", "2"]))
    assert X.columns[[0, 5, 11, 15]].tolist() == ["age", "balance", "duration", "poutcome"]
    assert y.tolist() == [False, True]


def test_connect4():
    data = pd.DataFrame({name: pd.Categorical(["0", "1", "2"]) for name in SOURCES["connect4"].names})
    X, y = mapped(SOURCES["connect4"], data, pd.Series(["0", "2", "1"]))
    assert X.columns[[0, 6, 41]].tolist() == ["a1", "b1", "g6"]
    assert X["g6"].tolist() == ["b", "o", "x"]
    assert y.tolist() == [False, True, False]


@pytest.mark.parametrize(("name", "labels"), [
    ("vote", ["democrat", "republican"]), ("labor", ["bad", "good"]), ("credit_g", ["bad", "good"]),
])  # fmt: skip
def test_small_ones_keep_their_columns(name, labels):
    data = pd.DataFrame({"duration": [1.0, np.nan], "pension": pd.Categorical(["none", None])})
    X, y = mapped(SOURCES[name], data, pd.Series(pd.Categorical(labels)))
    assert X["pension"].tolist() == ["none", None]
    assert X["duration"].dtype == float
    assert y.tolist() == [False, True]


def test_other_columns_than_expected():
    with pytest.raises(ValueError) as caught:
        mapped(SOURCES["skin"], numbered(4, range(4)), pd.Series(["1"]))
    assert str(caught.value) == (
        "OpenML's 'skin-segmentation', version 1, has 4 columns where 3 were expected. Give a folder of Parquet files."
    )


def test_other_rows_than_expected():
    refuse_another(PROBLEMS["labor"], np.arange(57) < 37)
    with pytest.raises(ValueError) as caught:
        refuse_another(PROBLEMS["labor"], np.arange(1040) < 37)
    assert str(caught.value) == (
        "What OpenML has as 'labor' is another data set: it has 1,040 rows, 37 of them positive, where 57 and 37 were "
        "expected. Give a folder that has labor.parquet."
    )


def test_no_answer(monkeypatch, tmp_path):
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")  # where nobody is
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    with pytest.warns(UserWarning, match="A network error occurred"), pytest.raises(OSError) as caught:
        fetch(PROBLEMS["labor"])
    assert str(caught.value) == (
        f"OpenML could not be asked for 'labor' ({ConnectionRefusedError(ECONNREFUSED, strerror(ECONNREFUSED))}). "
        "Give a folder that has labor.parquet."
    )
