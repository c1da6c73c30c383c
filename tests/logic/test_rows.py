"""Rows in all forms in which people have them, and what is said of those that are none."""

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import imli
from imli import parse_rule
from imli.errors import UnknownColumnError, UnreadableColumnError

RULE = parse_rule("IF age > 60 AND smoker OR city is Bath AND signed >= 2021-01-01 THEN high ELSE low")
ROW = {"id": 7, "age": 70, "smoker": True, "city": "York", "signed": date(2020, 5, 5)}
TABLE = {name: [cell] for name, cell in ROW.items()}


@pytest.mark.parametrize(
    "row",
    [
        ROW,
        TABLE,
        pd.DataFrame(TABLE),
        pd.DataFrame(TABLE).iloc[0],
        next(pd.DataFrame(TABLE).itertuples()),
        pl.DataFrame(TABLE),
        pl.DataFrame(TABLE).row(0, named=True),
        pa.table(TABLE),
        ROW | {"age": np.float64(70), "smoker": np.True_, "signed": np.datetime64("2020-05-05")},
    ],
    ids=["dict", "columns", "pandas", "series", "tuple", "polars", "named", "arrow", "numpy"],
)
def test_any_form_of_a_row(row):
    why = RULE.why(row)
    assert why.conditions == ("age > 60", "smoker")
    assert why.row == {name: pytest.approx(cell) if name == "age" else why.row[name] for name, cell in why.row.items()}
    assert tuple(why.row) == RULE.columns
    assert RULE.what_if(row, keep=["id", "age"]).row["smoker"] is False


@pytest.mark.parametrize(
    "row",
    [[2, 0, 1], (2, 0, 1), np.array([2, 0, 1]), np.array([[2, 0, 1]]), [[2, 0, 1]], pd.Series([2, 0, 1]),
     pl.Series([2, 0, 1]), pd.DataFrame([[2, 0, 1]])],
)  # fmt: skip
def test_cells_without_names(row):
    rule = parse_rule("IF x0 > 1 AND x2 <= 3 THEN a ELSE b")
    assert str(rule.why(row)) == "a, because x0 > 1 AND x2 <= 3."


def test_a_row_of_the_table_that_a_classifier_learned_from():
    X = pd.DataFrame({"age": [25, 32, 62, 70] * 6, "smoker": [True, False] * 12})
    clf = imli.DNFClassifier(lam=1).fit(X, ["ill" if age > 47 else "well" for age in X["age"]])
    assert str(clf.rule_.why(X.iloc[3])) == "ill, because age > 50."
    assert clf.rule_.what_if(X.iloc[3], values=X).row == {"age": 50}


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (lambda: RULE.why({"age": 70}), UnknownColumnError, "No column 'smoker' in the data."),
        (lambda: RULE.why(ROW | {"age": "old"}), UnreadableColumnError,
         "Column 'age' holds text, but the rule compares it with numbers. Convert the column to numbers first."),
        (lambda: RULE.why(ROW | {"city": 3}), UnreadableColumnError,
         "Column 'city' holds numbers, but the rule compares it with text: 'city is Bath'. "
         "Convert the column to text first."),
        (lambda: RULE.why(pd.DataFrame({name: cells * 2 for name, cells in TABLE.items()})), ValueError,
         "One row is explained at a time, and this table has 2. Give one of them, such as X.iloc[0] of a pandas "
         "table, X[0:1] of a polars table or an array, or a dict."),
        (lambda: RULE.what_if(pd.DataFrame(TABLE).head(0)), ValueError,
         "One row is explained at a time, and this table has 0. Give one of them, such as X.iloc[0] of a pandas "
         "table, X[0:1] of a polars table or an array, or a dict."),
        (lambda: RULE.why([1, 2, 3]), UnknownColumnError,
         "The rule looks at columns by name, such as 'age', and a list of cells has no names. "
         "Give the row as a dict: {'age': …}."),
        (lambda: parse_rule("x0 > 1 AND x2 > 1").why([1]), UnknownColumnError,
         "The rule looks at column 'x2', but the row has only 1 cell."),
        (lambda: RULE.why("age"), TypeError,
         "A row is a dict from column names to cells, a row of a data frame, a table of one row or a list of cells. "
         "Got 'age'."),
        (lambda: RULE.what_if(ROW, keep=["smokr"]), UnknownColumnError,
         "No column 'smokr' in the data. Did you mean 'smoker'?"),
        (lambda: RULE.what_if(ROW, to="medium"), ValueError,
         "The rule never decides for 'medium'. It decides for 'low' or 'high'."),
        (lambda: RULE.why(ROW, values={"age": 5}), TypeError,
         "What column 'age' can hold must be a list of cells like those that are possible, a set of exactly those "
         "that are possible, or a Domain. Got 5."),
        (lambda: RULE.why(ROW, values={"age": ["a"]}), TypeError,
         "The rule compares column 'age' with numbers, but values says that it can hold 'a'."),
        (lambda: RULE.why(ROW, values={"agee": [1, 2]}), UnknownColumnError,
         "No column 'agee' in the data. Did you mean 'age'?"),
        (lambda: RULE.why(ROW, values={1, 2}), TypeError,
         "values must be a table with values that columns can take, or a dict from columns to such values. "
         "Got {1, 2}."),
        (lambda: RULE.why(ROW, values=pd.DataFrame({"age": [1]})), UnknownColumnError,
         "No column 'smoker' in the data."),
        (lambda: parse_rule("c is A OR c > 3").why({"c": 4}), ValueError,
         "Column 'c' is compared with text in 'c is A' and with numbers in 'c > 3', but no column holds both. "
         "Remove one of the two."),
    ],
)  # fmt: skip
def test_mistakes(call, kind, sentence):
    with pytest.raises(kind) as error:
        call()
    assert str(error.value) == sentence


def test_a_table_says_which_values_are_possible():
    rule = parse_rule("IF age > 60 OR city is Bath OR smoker or missing OR signed > 2021-01-01 THEN high ELSE low")
    row = {"age": 50, "city": "York", "smoker": False, "signed": date(2020, 1, 1)}
    assert rule.why(row).conditions == ("age <= 60", "city is not Bath", "not smoker", "signed <= 2021-01-01")
    table = {
        "age": [18, 60],
        "city": ["York", "Rome"],
        "smoker": [True, False],
        "signed": [date(2019, 1, 1), date(2021, 1, 1)],
    }
    assert rule.why(row, values=pd.DataFrame(table)).conditions == ("not smoker",)
    assert rule.why(row, values=table).conditions == ("not smoker",)
    assert rule.why(row, values={"age": table["age"]}).conditions == (
        "city is not Bath", "not smoker", "signed <= 2021-01-01",
    )  # fmt: skip


def test_with_two_categories_one_is_what_the_other_is_not():
    rule = parse_rule("IF sex is male AND age > 9 OR sex is female AND age > 50 THEN yes ELSE no")
    row = {"sex": "male", "age": 60}
    assert rule.why(row).conditions == ("sex is male", "age > 9")
    assert rule.why(row, values={"sex": {"male", "female"}}).conditions == ("age > 50",)


def test_a_model_knows_what_its_columns_can_hold():
    X = {"age": [25, 32, 62, 70] * 6, "city": ["Bath", "York"] * 12}
    model = imli.DNFClassifier(lam=1).fit(X, [age > 47 for age in X["age"]]).to_model()
    model = model.with_rule(
        parse_rule("IF age > 80 OR city is Rome OR age > 47 AND city is not Bath THEN true ELSE false")
    )
    row = {"age": 62, "city": "York"}
    assert model.rule.why(row).conditions == ("age > 47", "city is not Bath")
    assert model.why({"age": 25, "city": "York"}).conditions == ("age <= 47",)
    assert model.what_if(row, keep="age").row == {"age": 62, "city": "Bath"}
    assert not model.what_if({"age": 25, "city": "Bath"}, keep="age").is_possible
    assert model.what_if({"age": 25, "city": "Bath"}, keep="city", values={"age": [20, 90]}).row["age"] == 81
    assert model.what_if({"age": 25, "city": "Bath"}, keep="city", values=X | {"age": [20] * 24}).instead is None
