"""``imli fit`` on tables that are read in parts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from support.passengers import write_passengers

import imli

LEARN = ("--target", "survived", "--effort", "0.02")
SAID = (
    "They are read in parts from {}, and their bits go to a temporary file. No rows are held out to check the rule.\n"
)


@pytest.fixture
def whole(tmp_path) -> Path:
    """All rows in one file, beside a folder that has them in three."""
    frame = pl.read_csv(write_passengers(tmp_path / "all.csv", n_rows=2500), try_parse_dates=True)
    frame = frame.with_columns(weight=1 + frame["id"] % 3)
    frame.write_parquet(tmp_path / "all.parquet")
    (tmp_path / "big" / "more").mkdir(parents=True)
    frame[:1000].write_parquet(tmp_path / "big" / "1.parquet")
    frame[1000:1001].write_parquet(tmp_path / "big" / "2.parquet")
    frame[1001:].write_parquet(tmp_path / "big" / "more" / "3.parquet")
    return tmp_path / "all.parquet"


@pytest.fixture
def big(whole) -> Path:
    return whole.parent / "big"


def in_parts(out: str, where: str) -> str:
    """What is printed of a table in memory, with the line about parts."""
    first, _, rest = out.partition("\n")
    return f"{first}\n{SAID.format(where)}{rest}"


def test_files_a_folder_and_a_pattern_give_the_rule_of_all_rows(run, whole, big):
    _, out, _ = run("fit", whole, *LEARN, "--no-check")
    assert out.startswith(
        "Learning a DNF rule for 'survived' from 2,500 rows and 7 columns.\n\n"
        "- 'id' looks like an identifier: its 2,500 cells are all different. No condition is on it unless --use id "
        "asks for it.\n- 'sex' and 'age' are personal attributes by their names. --never sex --never age keeps them "
        "out of the rule.\n\nIF "
    )
    expected = (0, in_parts(out, "3 Parquet files"), "")
    assert run("fit", big / "1.parquet", big / "2.parquet", big / "more" / "3.parquet", *LEARN) == expected
    assert run("fit", big, *LEARN) == expected
    assert run("fit", big / "**" / "*.parquet", *LEARN) == expected
    assert run("fit", big / "*", *LEARN) == expected  # a folder is among what it names
    assert run("fit", whole, *LEARN, "--engine", "parts") == (0, in_parts(out, "one Parquet file"), "")


def test_several_files_can_be_read_into_memory(run, whole, big):
    assert run("fit", big, *LEARN, "--engine", "memory") == run("fit", whole, *LEARN)


def test_a_large_file_is_read_in_parts(run, whole, monkeypatch):
    monkeypatch.setattr("imli.cli.data.LARGE", 2500 * 8)
    _, out, _ = run("fit", whole, *LEARN, "--no-check")
    assert "in parts" not in out
    monkeypatch.setattr("imli.cli.data.LARGE", 2500 * 8 - 1)
    assert run("fit", whole, *LEARN) == (0, in_parts(out, "one Parquet file"), "")
    assert run("fit", whole, *LEARN, "--engine", "memory", "--no-check")[1] == out


@pytest.mark.parametrize(
    "options",
    [
        ["--weight", "weight", "--never", "class", "--class-weight", "yes=2"],
        ["--kind", "cnf", "--always", "age", "--monotone", "age=down", "--feature-costs", "port=3"],
        ["--kind", "set", "--locked", "IF age <= 9 THEN yes", "--class-weight", "balanced", "--min-rows", "20"],
    ],
)
def test_columns_and_classes_go_by_name(run, whole, big, options):
    _, out, _ = run("fit", whole, *LEARN, *options, "--no-check")
    assert run("fit", big, *LEARN, *options) == (0, in_parts(out, "3 Parquet files"), "")


def test_the_kind_goes_by_the_classes(run, whole, big):
    options = ("--target", "port", "--effort", "0.02")
    _, out, _ = run("fit", whole, *options, "--no-check")
    assert out.startswith("Learning a decision list for 'port' from 2,500 rows and 7 columns.\n")
    status, printed, warned = run("fit", big, *options)
    assert (status, printed) == (0, in_parts(out, "3 Parquet files"))
    assert "No rule was better than that on rows held out" in warned  # ports are drawn by chance


def test_the_model_is_saved_and_printed_as_json(run, whole, big, tmp_path):
    status, out, err = run("fit", big, *LEARN, "--json", "--save", tmp_path / "model.json")
    assert (status, err) == (0, "")
    content = json.loads(out)
    assert content.pop("text") == str(imli.load(tmp_path / "model.json").rule)
    assert imli.Model.from_dict(content).card.data.rows == 2500
    assert content["rule"] == json.loads(run("fit", whole, *LEARN, "--json", "--no-check")[1])["rule"]
    status, _, _ = run("fit", big, *LEARN, "--warm-start", tmp_path / "model.json", "--kind", "dnf")
    assert status == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "Which column should the rule predict? Add --target and one of: id, sex, age, class, port, booked, "
         "survived, weight."),
        (["--target", "survivd"], "No column 'survivd' in the data. Did you mean 'survived'?"),
        (["--target", "survived", "--weight", "wieght"], "No column 'wieght' in the data. Did you mean 'weight'?"),
        (["--target", "survived", "--weight", "sex"],
         "--weight needs a column of numbers without gaps. 'sex' is not."),
        (["--target", "survived", "--weight", "age"],
         "--weight needs a column of numbers without gaps. 'age' is not."),
        (["--target", "booked"], "Column 'booked' holds dates, which are no classes. Choose another target."),
        (["--target", "id"],
         "Column 'id' has more than 1,000 different values in 2,500 rows, but a rule predicts one of a few classes, 50 "
         "at most. Choose another target, or put its values into classes first."),
        (["--target", "survived", "--cv", "5"],
         "--cv needs all rows in memory, but this table is read in parts. Leave it out, or add --engine memory."),
        (["--target", "survived", "--holdout", "0.2"],
         "--holdout needs all rows in memory, but this table is read in parts. Leave it out, or add --engine memory."),
        (["--target", "survived", "--engine", "parts", "--scheduler", "tcp://127.0.0.1:8786"],
         "--scheduler is for --engine dask. Got --engine parts."),
    ],
)  # fmt: skip
def test_mistakes_get_one_sentence(run, big, options, sentence):
    assert run("fit", big, *options) == (2, "", f"imli: {sentence}\n")


def test_rows_without_a_target_are_left_out(run, whole, tmp_path):
    frame = pl.read_parquet(whole).with_row_index("n")
    gaps = frame.with_columns(survived=pl.when(pl.col("n") % 7 == 3).then(None).otherwise("survived")).drop("n")
    gaps.write_parquet(tmp_path / "gaps.parquet")
    gaps.drop_nulls("survived").write_parquet(tmp_path / "none.parquet")
    n_missing = gaps["survived"].null_count()
    said = f"- {n_missing} of 2,500 rows have no 'survived', and are left out.\n"
    for engine in ("memory", "parts"):
        options = (*LEARN, "--engine", engine, "--no-check") if engine == "memory" else (*LEARN, "--engine", engine)
        status, out, _ = run("fit", tmp_path / "gaps.parquet", *options)
        assert (status, out.count(said)) == (0, 1)
        assert out.replace(said, "") == run("fit", tmp_path / "none.parquet", *options)[1]
    gaps.with_columns(survived=pl.lit(None, dtype=pl.String)).write_parquet(tmp_path / "gaps.parquet")
    sentence = "Column 'survived' is missing in all 2,500 rows, so there is nothing to learn."
    for engine in ("memory", "parts"):
        assert run("fit", tmp_path / "gaps.parquet", *LEARN, "--engine", engine) == (2, "", f"imli: {sentence}\n")


def test_one_class_and_no_rows(run, tmp_path):
    for name in "ab":
        pl.DataFrame({"x": [1, 2], "y": ["no", "no"]}).write_parquet(tmp_path / f"{name}.parquet")
    sentence = "Column 'y' is no in all 4 rows, so there is nothing to learn."
    assert run("fit", tmp_path, "--target", "y") == (2, "", f"imli: {sentence}\n")
    for name in "ab":
        pl.DataFrame({"x": [1], "y": ["no"]})[:0].write_parquet(tmp_path / f"{name}.parquet")
    assert run("fit", tmp_path, "--target", "y") == (2, "", "imli: The data has no rows.\n")


@pytest.mark.parametrize(
    ("options", "what"),
    [(["--prove"], "prove"), (["--lam", "cv"], "lam='cv'"), (["--strategy", "exact"], "strategy Exact"),
     (["--memory", "100"], "memory=100")],
)  # fmt: skip
def test_what_needs_all_rows_is_refused(run, big, options, what):
    status, out, err = run("fit", big, *LEARN, *options)
    assert (status, "IF" in out) == (2, False)
    assert err.startswith(f"imli: DNFClassifier: {what}")
    assert err.endswith(
        " needs all rows in memory, but this table is read in parts. Leave it out, or learn from some of the rows.\n"
    )


@pytest.fixture
def in_csv(whole, tmp_path) -> Path:
    """The rows as CSV, in one file and in two."""
    frame = pl.read_parquet(whole)
    frame.write_csv(tmp_path / "all.csv")
    frame[:1700].write_csv(tmp_path / "some.csv")
    frame[1700:].write_csv(tmp_path / "sole.csv")
    return tmp_path / "all.csv"


def test_csv_files_are_read_in_parts_too(run, in_csv, monkeypatch, tmp_path):
    options = (*LEARN, "--weight", "weight", "--type", "class=text")
    _, out, _ = run("fit", in_csv, *options, "--no-check")
    assert "in parts" not in out
    monkeypatch.setattr("imli.table.csv_source._BLOCK", 10_000)
    monkeypatch.setattr("imli.table.csv_source._PART", 1)
    assert run("fit", in_csv, *options, "--engine", "parts") == (0, in_parts(out, "one CSV file"), "")
    expected = (0, in_parts(out, "2 CSV files"), "")
    assert run("fit", tmp_path / "some.csv", tmp_path / "sole.csv", *options) == expected
    assert run("fit", tmp_path / "so*.csv", *options) == expected
    assert run("fit", tmp_path / "so*.csv", *options, "--engine", "memory", "--no-check")[1] == out


def test_a_large_csv_file_is_read_in_parts(run, in_csv, monkeypatch):
    _, out, _ = run("fit", in_csv, *LEARN, "--no-check")
    monkeypatch.setattr("imli.cli.data.LARGE", 2501 * 8)  # with the header
    assert run("fit", in_csv, *LEARN, "--no-check") == (0, out, "")
    monkeypatch.setattr("imli.cli.data.LARGE", 2501 * 8 - 1)
    assert run("fit", in_csv, *LEARN) == (0, in_parts(out, "one CSV file"), "")


def test_mistakes_in_csv_files_that_are_read_in_parts(run, in_csv, whole, tmp_path):
    parts = ("--engine", "parts")
    with in_csv.open("a") as file:
        file.write("1,2\n" * 200)
    sentence = f"imli: {str(in_csv)!r} has 2 cells in row 2502, but 8 columns.\n"
    assert run("fit", in_csv, *LEARN, *parts) == (2, "", sentence)
    sentence = (
        f"imli: CSV and Parquet files are not read as one table, but {str(whole)!r} and {str(in_csv)!r} differ. Name "
        "files of one kind.\n"
    )
    assert run("fit", whole, in_csv, *LEARN) == (2, "", sentence)
    other = tmp_path / "other.csv"
    other.write_text("a,survived\n1,yes\n")
    sentence = f"imli: {str(other)!r} has other columns than {str(in_csv)!r}. Name files with the same columns.\n"
    assert run("fit", in_csv, other, *LEARN) == (2, "", sentence)
    sentence = (
        f"imli: --engine dask reads Parquet files, and {str(in_csv)!r} is none. Convert it to Parquet, or use --engine "
        "parts.\n"
    )
    assert run("fit", in_csv, *LEARN, "--engine", "dask") == (2, "", sentence)
    assert run("fit", tmp_path / "s*.csv", "--target", "survived", "--type", "sex=number")[2].endswith(
        "in row 2, which is no number. Correct it, or read the column as text with --type 'sex=text'.\n"
    )


def test_files_that_are_not_there(run, whole, tmp_path):
    gone, pattern, folder = tmp_path / "gone.parquet", tmp_path / "none*.parquet", tmp_path / "empty"
    folder.mkdir()
    assert run("fit", whole, gone, *LEARN) == (3, "", f"imli: Cannot read {str(gone)!r}: No such file or directory.\n")
    assert run("fit", pattern, *LEARN) == (2, "", f"imli: No file matches the pattern {str(pattern)!r}.\n")
    sentence = f"{str(folder)!r} is a folder without CSV, Parquet or Arrow files. Name a file."
    assert run("fit", folder, *LEARN) == (2, "", f"imli: {sentence}\n")
    sentence = "Standard input is one table, which is read at once. Write it to a Parquet file first."
    assert run("fit", "-", *LEARN, "--engine", "parts") == (2, "", f"imli: {sentence}\n")
    sentence = "--engine parts reads Parquet files. Add the names of some, or of a folder."
    assert run("fit", "--engine", "parts") == (2, "", f"imli: {sentence}\n")


@pytest.mark.parametrize("engine", ["parts", "memory"])
def test_a_file_that_is_damaged(run, big, engine):
    damaged = big / "2.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-8])
    status, out, err = run("fit", big, *LEARN, "--engine", engine)
    assert (status, out) == (2, "")
    assert str(big) in err
    assert err.count("\n") == 1


def test_no_room_for_the_bits(whole, tmp_path):
    code = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    code += "from imli.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", code, "fit", str(whole), *LEARN, "--engine", "parts"]
    room = {**os.environ, "TMPDIR": str(tmp_path)}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=room)
    assert result.returncode == 2
    assert result.stderr == (
        f"imli: There is no room for the bits of the rows in {str(tmp_path)!r}. Name a folder that has more in the "
        "variable TMPDIR.\n"
    )


def test_an_update_is_of_one_file(run, model, whole, big):
    sentence = "--update goes on with one file at a time. Name one, and call it again for each other."
    assert run("fit", "--update", model, whole, whole) == (2, "", f"imli: {sentence}\n")
    assert run("fit", "--update", model, big) == (2, "", f"imli: {sentence}\n")
    sentence = "--update reads the new rows into memory. Remove --engine parts."
    assert run("fit", "--update", model, whole, "--engine", "parts") == (2, "", f"imli: {sentence}\n")
    sentence = "--update reads the new rows into memory. Remove --scheduler."
    assert run("fit", "--update", model, whole, "--scheduler", "tcp://a:1") == (2, "", f"imli: {sentence}\n")


@pytest.mark.parametrize("name", ["big", "all.csv", "all.parquet"])
def test_pyarrow_that_is_not_installed(whole, in_csv, tmp_path, name):
    code = "import sys; sys.modules['pyarrow'] = None\nfrom imli.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", code, "fit", str(tmp_path / name), *LEARN]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == (
        "imli: CSV and Parquet files need pyarrow. Install it with: pip install \"imli[cli]\".\n"
    )  # fmt: skip
