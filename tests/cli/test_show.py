"""``imli show`` and ``imli export``."""

import json
import sqlite3

import polars as pl
import pytest
from support.passengers import write_passengers

import imli


def test_the_rule_and_what_is_known_of_it(run, model):
    status, out, _ = run("show", model)
    rule = imli.load(model).rule
    assert status == 0
    assert out.startswith(f"{rule}\n\nClause 1 covers ")
    assert "\nCost " in out


def test_on_other_rows(run, model, tmp_path):
    new = write_passengers(tmp_path / "new.csv", n_rows=50, seed=2)
    _, out, _ = run("show", model, new)
    frame = pl.read_csv(new, try_parse_dates=True)
    assert out.startswith(str(imli.load(model).rule.counted_on(frame, frame["survived"])))
    assert "of 50 rows." in out
    assert "cost" not in out


def test_the_card(run, model):
    _, out, _ = run("show", model, "--card")
    lines = dict(line.split(maxsplit=1) for line in out.split("\n\n")[-1].splitlines())
    assert lines["learner"] == "DNFClassifier"
    assert lines["data.rows"] == "400"
    assert lines["parameters.effort"] == "0.1"
    assert lines["versions.imli"] == imli.__version__


def test_json(run, model):
    content = json.loads(run("show", model, "--json")[1])
    assert imli.Model.from_dict({name: value for name, value in content.items() if name != "text"}) == imli.load(model)


def test_a_rule_that_was_edited_by_hand(run, model, passengers):
    content = json.loads(model.read_text())
    content["rule"]["slots"] = content["rule"]["slots"][:1]
    model.write_text(json.dumps(content))
    _, out, _ = run("show", model)
    assert out.endswith(
        "It was edited by hand after it was learned, so its counts, cost and bound are no longer valid.\n"
    )
    assert "rows right" not in out
    _, out, _ = run("show", model, passengers)
    assert out.endswith("of 400 rows.\nIt was edited by hand after it was learned.\n")


def test_a_file_that_is_no_model(run, passengers, tmp_path):
    sentence = f"imli: In {str(passengers)!r}: Line 1, column 1 is not JSON. Expecting value.\n"
    assert run("show", passengers) == (2, "", sentence)
    missing = tmp_path / "none.json"
    assert run("show", missing) == (3, "", f"imli: Cannot read {str(missing)!r}: No such file or directory.\n")


def test_sql_decides_alike(run, model, passengers, tmp_path):
    status, expression, _ = run("export", model, "--to", "sql", "--dialect", "sqlite")
    assert status == 0
    frame = pl.read_csv(passengers)
    with sqlite3.connect(":memory:") as database:
        names = ", ".join(f'"{name}"' for name in frame.columns)
        database.execute(f"CREATE TABLE passengers ({names})")
        database.executemany(f"INSERT INTO passengers VALUES ({', '.join('?' * frame.width)})", frame.rows())
        decided = [row[0] for row in database.execute(f"SELECT {expression} FROM passengers")]
    assert decided == imli.load(model).predict(pl.read_csv(passengers, try_parse_dates=True)).tolist()


def test_python_decides_alike(run, model, passengers, tmp_path):
    output = tmp_path / "decide.py"
    assert run("export", model, "--to", "python", "--name", "survives", "-o", output) == (0, "", "")
    scope: dict = {}
    exec(compile(output.read_text(), str(output), "exec"), scope)
    frame = pl.read_csv(passengers, try_parse_dates=True)
    assert [scope["survives"](row) for row in frame.to_dicts()] == imli.load(model).predict(frame).tolist()


@pytest.mark.parametrize("form", ["markdown", "text", "json", "html"])
def test_other_forms(run, model, form):
    status, out, err = run("export", model, "--to", form)
    assert (status, err) == (0, "")
    assert "survived" in out


def test_options_of_other_forms(run, model):
    sentence = "--dialect is for --to sql. Got --to text."
    assert run("export", model, "--to", "text", "--dialect", "sqlite") == (2, "", f"imli: {sentence}\n")
