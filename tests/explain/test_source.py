"""Tables that are made of the cells of others: the same library, the same types, one more row."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from support.explain_tables import mixed, to_polars

from imli.explain.neighbours import read_row, read_template, some_rows
from imli.table.read import as_frame

TABLE = mixed(50)
ROW = {"age": 33.5, "visits": 4, "city": "Oslo", "smoker": True, "since": pd.Timestamp("2020-05-05")}
GAPS = dict.fromkeys(ROW)


def nullable(table):
    types = {"age": "Float64", "visits": "Int64", "city": "string", "smoker": "boolean"}
    return table.astype(types)


def as_arrays(table):
    return {name: table[name].to_numpy() for name in table}


FORMS = {
    "pandas": lambda: TABLE,
    "nullable": lambda: nullable(TABLE),
    "polars": lambda: to_polars(TABLE).with_columns(pl.col("since").cast(pl.Datetime("us"))),
    "arrow": lambda: to_polars(TABLE).with_columns(pl.col("since").cast(pl.Datetime("us"))).to_arrow(),
    "array": lambda: TABLE.to_numpy(dtype=object),
    "rows": lambda: TABLE.to_numpy(dtype=object).tolist(),
    "arrays": lambda: as_arrays(TABLE),
    "lists": lambda: {name: TABLE[name].tolist() for name in TABLE},
}


def cells_of(table, row):
    frame = as_frame(table)
    return [column.take(np.array([row])).cells().tolist()[0] for column in frame.columns.values()]


def row_at(template, place):
    return template.gather(np.full((1, len(template.frame.names)), place))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("row", [ROW, GAPS, {**ROW, "visits": 2.5}], ids=["row", "gaps", "fraction"])
def test_one_more_row(form, row):
    table = FORMS[form]()
    given = row if form not in ("array", "rows") else list(row.values())
    template, place = read_row("test", given, read_template(table))
    found = template.gather(np.repeat(np.array([[place], [3]]), 5, axis=1))
    assert type(found) is type(table)
    expected = [dt.datetime(2020, 5, 5) if cell == ROW["since"] else cell for cell in row.values()]
    assert cells_of(found, 0) == expected
    assert cells_of(found, 1) == cells_of(table, 3)
    assert template.frame.n_rows == 51


@pytest.mark.parametrize("form", FORMS)
def test_cells_of_several_rows(form):
    table = FORMS[form]()
    template = read_template(table)
    rows = np.random.default_rng(0).integers(0, 50, (20, 5))
    found = template.gather(rows)
    assert type(found) is type(table)
    columns = [as_frame(table)[name].cells().tolist() for name in as_frame(table).names]
    for i in range(20):
        assert cells_of(found, i) == [columns[j][rows[i, j]] for j in range(5)]
        assert cells_of(template.gather_frame(rows), i) == cells_of(found, i)
    if hasattr(table, "dtypes"):
        assert list(found.dtypes) == list(table.dtypes)


@pytest.mark.parametrize("form", FORMS)
def test_some_rows_and_one_that_is_kept(form):
    table = FORMS[form]()
    some, place = some_rows(table, 10, 37, np.random.default_rng(0))
    assert type(some) is type(table)
    assert as_frame(some).n_rows == 10
    assert cells_of(some, place) == cells_of(table, 37)
    same, place = some_rows(table, 50, 37, np.random.default_rng(0))
    assert same is table
    assert place == 37


def test_arrays_of_numbers_and_text_stay_what_they_are():
    numbers = np.arange(12).reshape(4, 3)
    template, place = read_row("test", [1, 2, 3], read_template(numbers))
    assert row_at(template, place).dtype == numbers.dtype
    template, place = read_row("test", [1, None, 3], read_template(numbers))
    assert np.isnan(row_at(template, place)[0, 1])
    texts = np.array([["a", "b"], ["c", "d"]])
    template, place = read_row("test", ["longer", "b"], read_template(texts))
    assert row_at(template, place).tolist() == [["longer", "b"]]
    template, place = read_row("test", [None, "b"], read_template(texts))
    assert row_at(template, place).tolist() == [[None, "b"]]


def test_numbered_columns_of_pandas():
    table = pd.DataFrame(np.arange(12).reshape(4, 3))
    for row in (table.iloc[2], table.iloc[[2]], [6, 7, 8]):
        template, place = read_row("test", row, read_template(table))
        found = row_at(template, place)
        assert found.columns.tolist() == [0, 1, 2]
        assert found.to_numpy().tolist() == [[6, 7, 8]]


def test_categories():
    table = TABLE.assign(city=TABLE["city"].astype("category"))
    template, place = read_row("test", {**ROW, "city": "Ulm"}, read_template(table))
    found = row_at(template, place)
    assert found["city"].dtype == table["city"].dtype
    assert found["city"].tolist() == ["Ulm"]
    frame = to_polars(TABLE).with_columns(pl.col("city").cast(pl.Enum(["Bath", "Rome", "York", "Ulm"])))
    with pytest.raises(ValueError, match="none of the categories that the column has"):
        read_row("test", {**ROW, "since": dt.date(2020, 5, 5)}, read_template(frame))
