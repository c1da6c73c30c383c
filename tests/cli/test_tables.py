"""Tables from files, whatever their format."""

import io
import sys
from datetime import datetime
from types import SimpleNamespace

import polars as pl
import pytest

from imli.cli.data import open_table
from imli.table.sources import CsvFormat


@pytest.fixture
def read(tmp_path):
    def read_text(content: str | bytes, only=None, **reading):
        path = tmp_path / "table.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return open_table(str(path), CsvFormat(**reading)).frame(only)

    return read_text


def cells(frame):
    return {name: column.cells().tolist() for name, column in frame.columns.items()}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_out(read, delimiter):
    frame = read(f"a{delimiter}b\n1{delimiter}x\n2{delimiter}y\n")
    assert cells(frame) == {"a": [1, 2], "b": ["x", "y"]}


def test_the_delimiter_can_be_given(read):
    assert cells(read("a:b\n1:2\n", delimiter=":")) == {"a": [1], "b": [2]}


def test_types_are_found_out(read):
    frame = read("whole,real,flag,day,moment,text\n1,1.5,true,2021-01-31,2021-01-31 12:30,a\n-2,1e3,FALSE,2021-02-01,"
                 "2021-02-01T00:00:01,1\n")  # fmt: skip
    assert {name: column.kind for name, column in frame.columns.items()} == {
        "whole": "number", "real": "number", "flag": "flag", "day": "date", "moment": "date", "text": "text",
    }  # fmt: skip
    assert frame["real"].cells().tolist() == [1.5, 1000.0]
    assert frame["flag"].cells().tolist() == [True, False]
    assert frame["moment"].cells().tolist()[1] == datetime(2021, 2, 1, 0, 0, 1)


def test_what_only_looks_like_a_number_or_a_date_is_text(read):
    frame = read("a,b,c\n1_000,2021-02-30,0x10\n2,2021-01-01,7\n")
    assert {column.kind for column in frame.columns.values()} == {"text"}


def test_missing_cells(read):
    assert cells(read("a,b\n1,\nNA,x\n"))["a"] == [1, None]
    assert cells(read("a,b\n1,\nNA,x\n", missing=("?",))) == {"a": ["1", "NA"], "b": [None, "x"]}
    assert cells(read("a,b\n?,x\n3,?\n", missing=("?",))) == {"a": [None, 3], "b": ["x", None]}


def test_types_can_be_given(read):
    frame = read("zip,day,flag,n\n01234,2021-01-01,1,3\n99999,,0,4\n",
                 kinds={"zip": "text", "day": "date", "flag": "flag", "n": "number"})  # fmt: skip
    assert cells(frame)["zip"] == ["01234", "99999"]
    assert frame["flag"].kind == "flag"
    with pytest.raises(ValueError) as caught:
        read("age\n3\nold\n", kinds={"age": "number"})
    assert str(caught.value).endswith(
        "holds 'old' in row 3, which is no number. Correct it, or read the column as text with --type 'age=text'."
    )
    with pytest.raises(ValueError, match="No column 'agee' in the data. Did you mean 'age'?"):
        read("age\n3\n", kinds={"agee": "number"})


def test_quotes_line_breaks_and_marks_of_spreadsheets(read):
    frame = read('\ufeffa,"b ""c"""\n"x, y","two\nlines"\n\nz,w\n')
    assert cells(frame) == {"a": ["x, y", "z"], 'b "c"': ["two\nlines", "w"]}


def test_encodings(read):
    assert cells(read("größe\nß\n".encode("latin-1"), encoding="latin-1")) == {"größe": ["ß"]}
    assert cells(read("größe\nß\n".encode("utf-16"), encoding="utf-16")) == {"größe": ["ß"]}


def test_parquet_is_read_and_only_the_columns_that_are_needed(tmp_path):
    path = tmp_path / "table.parquet"
    frame = pl.DataFrame({"a": [1, None], "b": ["x", "y"], "c": [[1], [2]]})  # c cannot be read
    frame.write_parquet(path)
    table = open_table(str(path), CsvFormat())
    assert table.columns == ("a", "b", "c")
    assert cells(table.frame(("b", "a"))) == {"a": [1.0, None], "b": ["x", "y"]}
    assert table.frame(()).n_rows == 2


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_standard_input(monkeypatch, form):
    buffer = io.BytesIO()
    frame = pl.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    frame.write_csv(buffer) if form == "csv" else frame.write_parquet(buffer)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(buffer.getvalue())))
    assert cells(open_table("-", CsvFormat()).frame()) == {"a": [1, 2], "b": ["x", "y"]}
