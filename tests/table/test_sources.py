"""Tables from CSV and Parquet files, whole and in parts."""

import csv
import io
import re
import subprocess
import sys
from datetime import datetime
from types import SimpleNamespace

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imli.table.csv_source
from imli import DNFClassifier
from imli.cli.data import open_table
from imli.table.csv_source import CsvFormat
from imli.table.sources import open_content, open_files


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


def test_a_pipe_is_read_once(tmp_path):
    with open(tmp_path / "table.csv", "w") as file:
        file.write("a,b\n" + "1,x\n" * 50_000)
    code = "import sys; from imli.cli.data import open_table; from imli.table.sources import CsvFormat\n"
    code += "print(open_table(sys.argv[1], CsvFormat()).frame().n_rows)"
    command = f"{sys.executable} -c '{code}' <(cat {tmp_path / 'table.csv'})"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert result.stdout == "50000\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a,b\n1,2\n\n3\n4,5,6\n", "has 1 cells in row 3, but 2 columns."),
        ("a,b\n" + "1,2\n" * 5000 + "4,5,6\n", "has 3 cells in row 5002, but 2 columns."),
        ('a,b\n"x\ny",2\n4,5,6\n', "has 3 cells in row 3, but 2 columns."),
        ("\n\n", "is empty."),
        ("a,b\n\n", "has no rows under its header."),
        (b"a\n" + b"x\n" * 50_000 + b"\xff\n",
         "is not text in UTF-8. Save it as CSV in UTF-8, or name its --encoding."),
        (b"a\nx\x00\n", "is not a table but binary data; imli reads CSV and Parquet files."),
        (b"SQLite format 3\x00", "is a SQLite database. Export the table as CSV; imli reads CSV and Parquet files."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_the_row(read, tmp_path, monkeypatch, content, sentence):
    monkeypatch.setattr(imli.table.csv_source, "_BLOCK", 1000)
    monkeypatch.setattr(imli.table.csv_source, "_PART", 1)
    with pytest.raises(ValueError) as caught:
        read(content)
    assert str(caught.value) == f"{str(tmp_path / 'table.csv')!r} {sentence}"


def test_encodings_that_are_wrong_are_said(read, tmp_path):
    name = repr(str(tmp_path / "table.csv"))
    with pytest.raises(ValueError) as caught:
        read("größe\n1\n".encode(), encoding="ascii")
    assert str(caught.value) == f"{name} is not text in ascii. Save it as CSV in UTF-8, or name its --encoding."
    with pytest.raises(ValueError) as caught:
        read("a\n1\n", encoding="klingon")
    assert str(caught.value) == "--encoding must be one that Python knows, such as latin-1. Got 'klingon'."


def test_the_row_of_a_cell_that_does_not_fit_counts_through_all_parts(read, tmp_path, monkeypatch):
    monkeypatch.setattr(imli.table.csv_source, "_BLOCK", 100)
    monkeypatch.setattr(imli.table.csv_source, "_PART", 1)
    with pytest.raises(ValueError) as caught:
        read("age\n" + "30\n" * 400 + "old\n" + "40\n" * 400, kinds={"age": "number"})
    assert str(caught.value) == (
        f"Column 'age' of {str(tmp_path / 'table.csv')!r} holds 'old' in row 402, which is no number. Correct it, or "
        "read the column as text with --type 'age=text'."
    )
    with pytest.raises(ValueError, match="holds '2021-02-30' in row 3, which is no date"):
        read("day\n2021-02-28\n2021-02-30\n", kinds={"day": "date"})


def test_a_row_may_be_larger_than_a_part(read, monkeypatch):
    monkeypatch.setattr(imli.table.csv_source, "_BLOCK", 100)
    monkeypatch.setattr(imli.table.csv_source, "_PART", 1)
    long = "x" * 5000
    assert cells(read("a,b\n" + "1,y\n" * 50 + f'2,"{long}\n"\n' + "3,z\n" * 50)) == {
        "a": [1] * 50 + [2] + [3] * 50,
        "b": ["y"] * 50 + [long] + ["z"] * 50,
    }


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_line_ends_inside_cells_stay_wherever_a_part_ends(read, monkeypatch, encoding):
    text = "a,b\r\n" + '"one\r\ntwo",ß\r\n' * 60
    for size in range(60, 80):
        monkeypatch.setattr(imli.table.csv_source, "_BLOCK", size)
        frame = read(text.encode(encoding), encoding=encoding)
        assert cells(frame) == {"a": ["one\r\ntwo"] * 60, "b": ["ß"] * 60}


def test_several_files_are_one_table_with_the_kinds_that_fit_all(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,2021-01-01\n")
    (tmp_path / "2.csv").write_text("a,b\n")
    (tmp_path / "3.csv").write_text("b;a\n;1.5\n2021-01-02;2\n")
    source = open_files(sorted(tmp_path.iterdir()))
    first, second, third = datetime(2021, 1, 1), None, datetime(2021, 1, 2)
    assert cells(source.frame()) == {"a": [1.0, 1.5, 2.0], "b": [first, second, third]}
    assert [cells(frame) for frame, _ in source.rows(["a", "b"])] == [
        {"a": [1.0], "b": [first]},
        {"a": [1.5, 2.0], "b": [second, third]},
    ]
    assert source.n_rows == 3
    (tmp_path / "3.csv").write_text("b;c\n;1.5\n")
    with pytest.raises(ValueError) as caught:
        open_files(sorted(tmp_path.iterdir()))
    one, other = (repr(str(tmp_path / name)) for name in ("3.csv", "1.csv"))
    assert str(caught.value) == f"{one} has other columns than {other}. Name files with the same columns."


def test_whole_numbers_past_the_precision_of_floats(tmp_path):
    table = pl.DataFrame({"a": [2**53 + 1, None], "b": [2**53 + 1, 1]})
    table.write_parquet(tmp_path / "a.parquet")
    table.write_csv(tmp_path / "a.csv")
    for name in ("a.parquet", "a.csv"):
        assert cells(open_files([tmp_path / name]).frame()) == {"a": [2**53 + 1, None], "b": [2**53 + 1, 1]}


# The rules for kinds once more, cell by cell as a person would write them.
INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf", re.IGNORECASE)
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?")


def read_day(text):
    if not DAY.fullmatch(text):
        raise ValueError
    return datetime.fromisoformat(text)


def by_hand(column):
    stripped = [cell.strip() for cell in column]
    stripped = [None if cell in ("", "NA", "NaN", "nan", "null", "None") else cell for cell in stripped]
    present = [cell for cell in stripped if cell is not None]
    if any(re.fullmatch(r"0[0-9]+", cell) for cell in present) and all(cell.isdigit() for cell in present):
        return "text", stripped  # codes
    if all(map(INTEGER.fullmatch, present)):
        return "number", [None if cell is None else int(cell) for cell in stripped]
    if all(map(NUMBER.fullmatch, present)):
        return "number", [None if cell is None else float(cell) for cell in stripped]
    if all(cell.lower() in ("true", "false") for cell in present):
        return "flag", [None if cell is None else cell.lower() == "true" for cell in stripped]
    try:
        return "date", [None if cell is None else read_day(cell) for cell in stripped]
    except ValueError:
        return "text", stripped


NUMBERS = st.one_of(st.integers(-(10**20), 10**20).map(str), st.floats(allow_nan=False).map(repr),
                    st.sampled_from(["007", "+5", "-0", ".5", "5.", "1e3", "1E-400", "1e400", "-INF"]))  # fmt: skip
DAYS = st.one_of(st.datetimes().map(str), st.dates().map(str), st.sampled_from(["2021-01-31T12:30", "0001-01-01"]))
ODD = st.sampled_from(["", " ", "NA", " NA ", "nan", " 12 ", "\u00a07\u00a0", "0x1F", "1_000", "infinity", "+-1",
                       "2021-02-30", "0000-01-01", "2021-01-31 12", "2021-01-31 24:00", "True",
                       'a "b"', "x,y", "two\nlines", "ß", "日本"])  # fmt: skip
TEXT = st.text(st.characters(codec="utf-8", categories=["L"]), max_size=5)
FAMILIES = (NUMBERS, st.integers(0, 99).map(str), DAYS, st.sampled_from(["true", "False"]), TEXT)


@st.composite
def tables(draw):
    n_rows, columns = draw(st.integers(1, 12)), []
    for _ in range(draw(st.integers(1, 3))):
        cell = draw(st.sampled_from(FAMILIES))
        cell = cell | ODD if draw(st.booleans()) else cell | st.just("")
        columns.append(draw(st.lists(cell, min_size=n_rows, max_size=n_rows)))
    return columns


@settings(max_examples=200)
@given(tables(), st.sampled_from([2**24, 64]))
def test_kinds_and_values_are_those_of_python_whatever_the_parts(columns, size):
    text = io.StringIO()
    rows = zip(*columns, strict=True)
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([[f"c{n}" for n in range(len(columns))], *rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(imli.table.csv_source, "_BLOCK", size)
        patch.setattr(imli.table.csv_source, "_PART", 1)
        source = open_content(text.getvalue().encode(), "the text", CsvFormat(delimiter=","))
        frame = source.frame()
        parts = [part for part, _ in source.rows(source.columns)]
    for column, given_cells in zip(frame.columns.values(), columns, strict=True):
        kind, values = by_hand(given_cells)
        if any(value is not None for value in values):
            assert (column.kind, column.cells().tolist()) == (kind, values)
        in_parts = [cell for part in parts for cell in part[column.name].cells().tolist()]
        assert in_parts == column.cells().tolist()
        assert {part[column.name].kind for part in parts} == {column.kind}


def test_python_learns_from_a_path(tmp_path):
    (tmp_path / "a.csv").write_text("age,sex,ill\n" + "".join(f"{n},{'mf'[n % 2]},{n > 40}\n" for n in range(80)))
    classifier = DNFClassifier().fit(tmp_path / "a.csv", "ill")
    assert str(classifier.rule_.clauses[0][0]) == "age > 40"
    assert classifier.predict(str(tmp_path / "a.csv"))[39:42].tolist() == [False, False, True]
