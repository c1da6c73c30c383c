"""Decisions about tables that are read and written in parts."""

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
from support.passengers import write_passengers

import imli


@pytest.fixture
def whole(tmp_path) -> Path:
    """All rows in one file, with some columns that no rule looks at, beside a folder that has them in three."""
    frame = pl.read_csv(write_passengers(tmp_path / "new.csv", n_rows=700, seed=2), try_parse_dates=True)
    frame = frame.with_columns(
        port=frame["port"].cast(pl.Categorical),
        price=pl.Series([f"{n}.50" for n in range(700)]).cast(pl.Decimal(10, 2)),
        moment=pl.lit(datetime(2021, 1, 31, 12, 30, 0, 5)),
        share=frame["age"] / 7,
        said=pl.Series(['a, "b"\nc', None] * 350),
        parts=pl.Series([[1, 2], []] * 350),
    )
    frame.write_parquet(tmp_path / "all.parquet")
    (tmp_path / "big").mkdir()
    for n, (begin, end) in enumerate([(0, 300), (300, 300), (300, 700)]):
        frame[begin:end].write_parquet(tmp_path / "big" / f"{n}.parquet", row_group_size=120)
    return tmp_path / "all.parquet"


@pytest.fixture
def big(whole) -> Path:
    return whole.parent / "big"


# what no CSV file can hold is not asked for
FLAT = [option for name in ("id", "port", "price", "moment", "share", "said") for option in ("--keep", name)]


@pytest.mark.parametrize("options", [[], FLAT, ["--probability", "--keep", "id", "--keep", "survived"]])
def test_csv_is_written_as_if_all_were_in_memory(run, model, whole, big, tmp_path, options):
    expected = run("predict", model, whole, *options)
    assert expected[0] == 0
    assert run("predict", model, big, *options) == expected
    assert run("predict", model, big / "*.parquet", *options) == expected
    assert run("predict", model, *sorted(big.iterdir()), *options, "-o", tmp_path / "decided.csv") == (0, "", "")
    assert (tmp_path / "decided.csv").read_text() == expected[1]


@pytest.mark.parametrize("options", [[], ["--keep", "all", "--probability"], ["--name", "d", "--keep", "id"]])
def test_parquet_is_written_as_if_all_were_in_memory(run, model, whole, big, tmp_path, options):
    one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
    assert run("predict", model, whole, *options, "-o", one) == (0, "", "")
    assert run("predict", model, big, *options, "-o", other) == (0, "", "")
    expected, got = pl.read_parquet(one), pl.read_parquet(other)
    assert got.schema == expected.schema
    assert got.equals(expected)
    assert pq.ParquetFile(other).num_row_groups == 1  # small parts are put together


def test_many_rows_make_several_groups(run, model, whole, big, tmp_path, monkeypatch):
    monkeypatch.setattr("imli.table.sources.ROWS_AT_A_TIME", 200)
    assert run("predict", model, big, "-o", tmp_path / "decided.parquet")[0] == 0
    assert pq.ParquetFile(tmp_path / "decided.parquet").num_row_groups == 3
    decided = pl.read_parquet(tmp_path / "decided.parquet")["survived"].to_list()
    assert decided == run("predict", model, whole)[1].split()[1:]


def test_a_large_file_is_read_in_parts(run, model, whole, monkeypatch):
    expected = run("predict", model, whole, "--keep", "id")
    monkeypatch.setattr("imli.cli.data.LARGE", 100)
    assert run("predict", model, whole, "--keep", "id") == expected


@pytest.mark.parametrize("options", [[], ["--keep", "all", "--probability"], ["--score", "--keep", "age"]])
def test_csv_files_are_decided_in_parts_and_kept_as_they_are(run, model, tmp_path, monkeypatch, options):
    new = write_passengers(tmp_path / "new.csv", n_rows=700, seed=2)
    new.write_text(new.read_text().replace(",male,", ", male,").replace(",,", ",NA,"))
    expected = run("predict", model, new, *options)
    assert expected[0] == 0
    if "all" in options:
        kept = [",".join(line.split(",")[:7]) for line in expected[1].splitlines()]
        assert kept == new.read_text().splitlines()
    monkeypatch.setattr("imli.cli.data.LARGE", 100)
    monkeypatch.setattr("imli.table.csv_source._BLOCK", 2000)
    monkeypatch.setattr("imli.table.csv_source._PART", 1)
    assert run("predict", model, new, *options) == expected
    assert run("predict", model, new, *options, "-o", tmp_path / "decided.parquet")[0] == 0
    assert pq.ParquetFile(tmp_path / "decided.parquet").num_row_groups > 5
    names = expected[1].partition("\n")[0].split(",")
    assert pl.read_parquet(tmp_path / "decided.parquet").columns == names


def test_the_score(run, model, whole, big, tmp_path):
    expected = run("predict", model, whole, "--score")
    assert expected[2].startswith("imli: Correct on ")
    assert run("predict", model, big, "--score") == expected
    frame = pl.read_parquet(whole).with_columns(survived=pl.lit(None, dtype=pl.String))
    frame.write_parquet(big / "0.parquet")  # rows that nobody knows the outcome of do not count
    assert run("predict", model, big, "--score")[2].endswith(" % of 400 rows.\n")
    for file in big.iterdir():
        frame.write_parquet(file)
    sentence = "imli: There are no rows to score the rule on.\n"
    assert run("predict", model, big, "--score", "-o", tmp_path / "decided.csv") == (2, "", sentence)
    assert not (tmp_path / "decided.csv").exists()


def test_classes_of_numbers_and_truth_values(run, big, tmp_path):
    for labels, dtype in (((0, 1), pl.Int64), ((False, True), pl.Boolean), ((0.5, 1.5), pl.Float64)):
        rule = imli.parse_rule("IF age > 30 THEN no ELSE yes").to_dict()
        imli.save(imli.rule_from_dict({**rule, "classes": list(labels)}), tmp_path / "rule.json")
        whole = tmp_path / "all.parquet"
        assert run("predict", tmp_path / "rule.json", big) == run("predict", tmp_path / "rule.json", whole)
        assert run("predict", tmp_path / "rule.json", big, "-o", tmp_path / "decided.parquet")[0] == 0
        assert pl.read_parquet_schema(tmp_path / "decided.parquet") == {"decision": dtype}


def test_a_rule_without_columns_and_a_table_without_rows(run, model, whole, big, tmp_path):
    imli.save(imli.DNF(()), tmp_path / "never.json")
    expected = run("predict", tmp_path / "never.json", whole)
    assert expected[0] == 0
    assert run("predict", tmp_path / "never.json", big) == expected
    for file in big.iterdir():
        pl.read_parquet(file)[:0].write_parquet(file)
    assert run("predict", model, big, "--keep", "id") == (0, "id,survived\n", "")
    assert run("predict", model, big, "--keep", "id", "-o", tmp_path / "none.parquet") == (0, "", "")
    assert pl.read_parquet(tmp_path / "none.parquet").schema == {"id": pl.Int64, "survived": pl.String}


def test_mistakes_leave_no_file(run, model, big, passengers, tmp_path):
    output = ("-o", tmp_path / "decided.parquet")
    assert run("predict", model, big, "--keep", "idd", *output) == (
        2, "", "imli: No column 'idd' in the data. Did you mean 'id'?\n"
    )  # fmt: skip
    assert run("predict", model, big, "--keep", "id", "--name", "id", *output) == (
        2, "", "imli: Column 'id' is there already. Give the decisions another --name.\n"
    )  # fmt: skip
    first = str(big / "0.parquet")
    sentence = (
        f"imli: CSV and Parquet files are not read as one table, but {first!r} and {str(passengers)!r} differ. Name "
        "files of one kind.\n"
    )
    assert run("predict", model, first, passengers, *output) == (2, "", sentence)
    sentence = (
        "imli: Column 'parts' holds large_list<element: int64>, which no CSV file can hold. Leave it out, or write "
        "Parquet.\n"
    )
    assert run("predict", model, big, "--keep", "parts") == (2, "", sentence)
    for file in big.iterdir():
        pl.read_parquet(file).drop("survived", "age").write_parquet(file)
    assert run("predict", model, big, *output) == (2, "", "imli: No column 'age' in the data.\n")
    imli.save(imli.parse_rule("IF id > 3 THEN survived is yes ELSE survived is no"), tmp_path / "rule.json")
    sentence = f"imli: --score needs the target column, 'survived', which {str(big)!r} does not have.\n"
    assert run("predict", tmp_path / "rule.json", big, "--score", *output) == (2, "", sentence)
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".parquet") == ["all.parquet"]


def test_a_file_that_is_damaged_in_the_middle_leaves_no_output(run, model, big, tmp_path):
    damaged = big / "2.parquet"
    content = bytearray(damaged.read_bytes())
    content[100 : len(content) // 2] = b"\0" * (len(content) // 2 - 100)
    damaged.write_bytes(content)
    status, out, err = run("predict", model, big, "-o", tmp_path / "decided.parquet")
    assert (status, out) == (2, "")
    assert err.startswith(f"imli: {str(big)!r} cannot be read: ")
    assert not [path for path in tmp_path.iterdir() if "decided" in path.name]


def test_no_space_left(run, model, big):
    sentence = "imli: Cannot write '/dev/full': No space left on device.\n"
    assert run("predict", model, big, "-o", "/dev/full") == (3, "", sentence)


def test_a_reader_that_has_seen_enough_is_no_error(model, big):
    frame = pl.read_parquet(big / "2.parquet").drop("parts")
    for n in range(30):
        pl.concat([frame] * 20).write_parquet(big / f"{n}.parquet")
    command = f"{sys.executable} -m imli predict {model} {big} --keep id | head -1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == ("id,survived\n141\n", "")
