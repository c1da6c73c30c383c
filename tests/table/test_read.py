import decimal
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from imli.errors import UnreadableColumnError
from imli.table.read import as_frame

DATA = {
    "age": [40, 50, 60],
    "income": [1.5, None, float("inf")],
    "city": ["Rome", None, "Oslo"],
    "smoker": [True, False, True],
    "insured": [True, None, False],
    "born": [datetime(1980, 5, 6), None, datetime(1990, 1, 1, 12, 30)],
}

LIBRARIES = {
    "dict": lambda: DATA,
    "pandas": lambda: pd.DataFrame(DATA),
    "pandas object": lambda: pd.DataFrame(DATA).astype(object),
    "pandas nullable": lambda: pd.DataFrame(DATA).convert_dtypes(),
    "pandas category": lambda: pd.DataFrame(DATA).astype({"city": "category"}),
    "polars": lambda: pl.DataFrame(DATA),
    "polars categorical": lambda: pl.DataFrame(DATA).cast({"city": pl.Categorical}),
    "arrow": lambda: pa.table(DATA),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_reads_alike(library):
    frame = as_frame(LIBRARIES[library]())
    assert frame.n_rows == 3
    assert [column.kind for column in frame.columns.values()] == ["number", "number", "text", "flag", "flag", "date"]
    assert [column.missing.tolist() for column in frame.columns.values()] == [
        [False, False, False],
        [False, True, False],
        [False, True, False],
        [False, False, False],
        [False, True, False],
        [False, True, False],
    ]
    assert frame["age"].cells().tolist() == [40, 50, 60]
    assert frame["income"].cells().tolist() == [1.5, None, float("inf")]
    assert frame["city"].cells().tolist() == ["Rome", None, "Oslo"]
    assert frame["city"].categories == ("Oslo", "Rome")
    assert frame["insured"].cells().tolist() == [True, None, False]
    assert frame["born"].cells().tolist() == DATA["born"]


def test_arrays_and_lists_have_columns_by_position():
    for data in (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]], pd.DataFrame([[1, 2], [3, 4]])):
        assert as_frame(data)["x1"].cells().tolist() == [2, 4]
    mixed = as_frame([[1, "a"], [2.5, None]])
    assert [mixed[name].kind for name in mixed.names] == ["number", "text"]
    assert mixed["x1"].cells().tolist() == ["a", None]


def test_numbers_of_all_sorts_are_numbers():
    frame = as_frame(
        {
            "decimal": [decimal.Decimal("1.5"), None],
            "unsigned": np.array([2**63, 1], dtype=np.uint64),
            "short": np.array([1, 2], dtype=np.int8),
            "half": np.array([0.5, np.nan], dtype=np.float16),
            "arrow": pl.Series([decimal.Decimal("1.5"), None]),
        }
    )
    assert frame["decimal"].cells().tolist() == [1.5, None]
    assert frame["unsigned"].cells().tolist() == [2.0**63, 1.0]
    assert frame["short"].values.dtype == np.int64
    assert frame["half"].missing.tolist() == [False, True]
    assert frame["arrow"].cells().tolist() == [1.5, None]


def test_dates_of_all_sorts_are_dates():
    rome = timezone(timedelta(hours=1))
    moment, day = datetime(2021, 1, 1, 12, tzinfo=UTC), datetime(2021, 1, 1)
    frame = as_frame(
        {
            "date": [date(2021, 1, 1), None],
            "zone": [datetime(2021, 1, 1, 13, tzinfo=rome), None],
            "pandas zone": pd.Series([moment, None]).dt.tz_convert("Europe/Rome"),
            "polars date": pl.Series([date(2021, 1, 1), None]),
            "arrow": pa.chunked_array([[date(2021, 1, 1), None]]),
            "nanoseconds": np.array(["2021-01-01T12", "NaT"], dtype="datetime64[ns]"),
            "stamps": np.array([pd.Timestamp(day), pd.NaT], dtype=object),
        }
    )
    noon = moment.replace(tzinfo=None)
    assert {name: frame[name].cells().tolist() for name in frame.names} == {
        "date": [day, None],
        "zone": [noon, None],
        "pandas zone": [noon, None],
        "polars date": [day, None],
        "arrow": [day, None],
        "nanoseconds": [noon, None],
        "stamps": [day, None],
    }


def test_only_the_asked_columns_are_looked_at():
    assert as_frame({"a": [1], "b": [object()]}, only=["a"]).names == ("a",)


@pytest.mark.parametrize(
    ("data", "error", "sentence"),
    [
        ({"a": [1, 2], "b": [1]}, ValueError, "Column 'b' has 1 rows, the first one has 2. Make them equally long."),
        ([[1, 2], [3]], ValueError, "The rows have different lengths: [1, 2]. Give each row the same number of cells."),
        (
            {"a": [[1], [2]]},
            UnreadableColumnError,
            "Column 'a' holds [1] in row 0, but a cell argument must be a string or a number. "
            "Drop or convert the column.",
        ),
        (
            {"a": [1, "x"]},
            UnreadableColumnError,
            "Column 'a' mixes text and numbers. Convert all of its cells to one of the two.",
        ),
        (
            pd.DataFrame([[1, 2]], columns=["a", "a"]),
            ValueError,
            "The data has 2 columns named 'a'. Rename all but one.",
        ),
        (
            pl.DataFrame({"a": [[1], [2]]}),
            UnreadableColumnError,
            "Column 'a' has type List(Int64), which is not supported. "
            "Convert it to numbers, truth values, dates or text.",
        ),
        (
            {"long": np.array([3], dtype="timedelta64[D]")},
            UnreadableColumnError,
            "Column 'long' has type timedelta64[D], which is not supported. "
            "Convert it to numbers, truth values, dates or text.",
        ),
        (
            {"when": np.array(["20000-01-01"], dtype="datetime64[D]")},
            UnreadableColumnError,
            "Column 'when' holds a date that is not in the years 1 to 9999. Drop such rows.",
        ),
        ({"a": 3}, TypeError, "Column 'a' must be a list or an array of cells. Got 3."),
        (np.arange(3), ValueError, "Expected a table with rows and columns. Got an array of 1 dimension(s)."),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_not_a_table(data, error, sentence):
    with pytest.raises(error) as raised:
        as_frame(data)
    assert str(raised.value) == sentence


@pytest.mark.parametrize("kind", ["datetime64[us]", "datetime64[us, UTC]", "timestamp[us][pyarrow]", "object"])
def test_a_missing_neighbour_changes_no_date(kind):
    times = [datetime(2300, 1, 1, 0, 0, 0, 1), datetime(9999, 12, 31, 23, 59, 59, 999999), datetime(1, 1, 1)]
    cells = pd.Series(np.array([*times, "NaT"], dtype="datetime64[us]"))
    cells = cells.dt.tz_localize("UTC") if "UTC" in kind else cells.astype(kind)
    assert as_frame({"d": cells})["d"].cells().tolist() == [*times, None]
