"""Decisions by a saved model."""

import csv
import io
import subprocess
import sys

import polars as pl
import pytest
from support.passengers import write_passengers

import imli


@pytest.fixture
def new(tmp_path):
    return write_passengers(tmp_path / "new.csv", n_rows=50, seed=2)


def test_one_decision_a_line(run, model, new):
    status, out, err = run("predict", model, new)
    assert (status, err) == (0, "")
    header, *decisions = out.splitlines()
    assert header == "survived"
    assert decisions == imli.load(model).predict(pl.read_csv(new, try_parse_dates=True)).tolist()


def test_columns_can_be_kept_beside_it(run, model, new):
    _, out, _ = run("predict", model, new, "--keep", "id", "--keep", "survived", "--name", "decided")
    rows = list(csv.reader(io.StringIO(out)))
    assert rows[0] == ["id", "survived", "decided"]
    assert [row[0] for row in rows[1:]] == [str(1000 + n) for n in range(50)]
    _, out, _ = run("predict", model, new, "--keep", "all")
    assert out.splitlines()[0] == "id,sex,age,class,port,booked,survived,survived (predicted)"
    assert out.splitlines()[1].startswith(new.read_text().splitlines()[1])


@pytest.mark.parametrize("source", ["csv", "parquet"])
@pytest.mark.parametrize("target", ["csv", "parquet"])
def test_files_of_both_formats(run, model, new, tmp_path, source, target):
    expected = run("predict", model, new)[1].split()[1:]
    path = new
    if source == "parquet":
        path = tmp_path / "new.parquet"
        pl.read_csv(new, try_parse_dates=True).write_parquet(path)
    output = tmp_path / f"decided.{target}"
    assert run("predict", model, path, "-o", output, "--probability") == (0, "", "")
    decided = pl.read_csv(output) if target == "csv" else pl.read_parquet(output)
    assert decided.columns == ["survived", "p(no)", "p(yes)"]
    assert decided["survived"].to_list() == expected
    probable = [float(p) > 0.5 for p in decided["p(yes)"]]
    assert probable == [label == "yes" for label in expected]


def test_the_types_are_those_of_training(run, tmp_path):
    # 'code' is text that may look like numbers
    train, new, model = tmp_path / "train.csv", tmp_path / "new.csv", tmp_path / "model.json"
    train.write_text("code,y\n" + "12,yes\nA1,no\n" * 20)
    new.write_text("code\n12\n13\n")
    assert run("fit", train, "--target", "y", "--no-check", "--save", model)[0] == 0
    status, out, _ = run("predict", model, new)
    assert (status, out) == (0, "y\nyes\nno\n")


def test_the_score(run, model, passengers):
    status, _, err = run("predict", model, passengers, "--score", "-o", "/dev/null")
    assert status == 0
    rule = imli.load(model).rule
    frame = pl.read_csv(passengers, try_parse_dates=True)
    assert err == f"imli: Correct on {100 * rule.score(frame, frame['survived']):.1f} % of 400 rows.\n"


def test_mistakes(run, model, new, tmp_path):
    narrow = write_passengers(tmp_path / "narrow.csv", n_rows=5, columns=("id", "sex", "port"))
    status, out, err = run("predict", model, narrow)
    assert (status, out) == (2, "")
    assert err in ("imli: No column 'age' in the data.\n", "imli: No column 'class' in the data.\n")
    assert run("predict", model, new, "--keep", "idd") == (
        2, "", "imli: No column 'idd' in the data. Did you mean 'id'?\n"
    )  # fmt: skip
    assert run("predict", model, new, "--keep", "id", "--name", "id") == (
        2, "", "imli: Column 'id' is there already. Give the decisions another --name.\n"
    )  # fmt: skip
    assert run("predict", model, narrow, "--score") == (2, "", err)


def test_a_reader_that_has_seen_enough_is_no_error(model, tmp_path):
    new = write_passengers(tmp_path / "many.csv", n_rows=60_000)
    command = f"{sys.executable} -m imli predict {model} {new} --keep all | head -1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert result.stdout == "id,sex,age,class,port,booked,survived,survived (predicted)\n141\n"
    assert result.stderr == ""


def test_neither_the_learner_nor_the_kernel_is_imported(model, new):
    code = "import sys\nfrom imli.cli import main\nstatus = main(sys.argv[1:])\n"
    code += (
        "print({'sklearn', 'pandas', 'pysat', 'imli._kernel', 'rich', 'polars'} & set(sys.modules), file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "predict", str(model), str(new)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stderr == "set()\n"


@pytest.mark.parametrize("target", ["csv", "parquet"])
def test_reasons(run, model, new, tmp_path, target):
    output = tmp_path / f"decided.{target}"
    assert run("predict", model, new, "--keep", "id", "--reasons", "--probability", "-o", output) == (0, "", "")
    decided = pl.read_csv(output) if target == "csv" else pl.read_parquet(output)
    assert decided.columns == ["id", "survived", "p(no)", "p(yes)", "clause", "reason"]
    rule, frame = imli.load(model).rule, pl.read_csv(new, try_parse_dates=True)
    rows = zip(decided["clause"].to_list(), decided["reason"].to_list(), decided["survived"].to_list(), strict=True)
    for number, (clause, reason, label) in enumerate(rows):
        row = frame.row(number, named=True)
        assert clause == str(rule.why(row).clause or "default")
        assert imli.parse_rule(reason).predict(frame[number]).tolist() == [True]
        assert label == rule.predict(frame[number])[0]


def test_reasons_beside_columns_of_their_names(run, tmp_path, model, new):
    renamed = tmp_path / "renamed.csv"
    renamed.write_text(new.read_text().replace("id,", "reason,", 1))
    _, out, _ = run("predict", model, renamed, "--keep", "reason", "--reasons")
    assert out.splitlines()[0] == "reason,survived,clause,reason (predicted)"
