"""``imli fit --update``: what is said, what is written, and what is refused."""

import csv
import json

import pytest
from support.passengers import COLUMNS, passenger_rows

import imli


@pytest.fixture
def files(tmp_path):
    """Three tables of passengers; in the last those survive who did not before. A model of the first."""
    rows = list(passenger_rows(900))
    target = COLUMNS.index("survived")
    flipped = [[*row[:target], "no" if row[target] == "yes" else "yes", *row[target + 1 :]] for row in rows[600:]]
    for name, some in (("a", rows[:300]), ("b", rows[300:600]), ("c", flipped)):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *some])
    return tmp_path


@pytest.fixture
def saved(files, run):
    arguments = ("--target", "survived", "--never", "id", "--memory", "200", "--effort", "0.1", "--no-check")
    assert run("fit", files / "a.csv", *arguments, "--save", files / "model.json")[0] == 0
    return files / "model.json"


def test_the_model_goes_on_and_says_what_the_rows_did(run, files, saved):
    status, out, err = run("fit", "--update", saved, files / "b.csv")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith(f"Going on from {saved} with 300 rows; ")
    assert lines[0].endswith(" rows before are remembered.")
    assert lines[-2].startswith("The old rule is wrong on ")
    assert lines[-1] == f"Saved as {saved}."
    model = imli.load(saved)
    assert len(model.stream.log) == 1
    assert model.stream.n_rows == 600
    assert model.card.parameters["never"] == ("id",)  # the conditions of the first fit still hold
    assert model.rule.score(*columns_of(files / "b.csv")) > 0.85


def columns_of(path):
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    numbers = {"age", "class", "id"}
    table = {
        name: [(float(row[name]) if row[name] else None) if name in numbers else row[name] for row in rows]
        for name in COLUMNS
        if name not in ("survived", "booked")
    }
    return table, [row["survived"] for row in rows]


def test_a_drift_is_told_in_words(run, files, saved):
    run("fit", "--update", saved, files / "b.csv")
    status, out, _ = run("fit", "--update", saved, files / "c.csv", "--save", files / "new.json")
    assert status == 0
    assert (
        "The new rows differ from those before: the rule did much worse on them than on any batch so far. "
        "The remembered rows are dropped. The old rule is wrong on "
    ) in out
    assert imli.load(files / "new.json").stream.log[-1].is_drift
    assert len(imli.load(saved).stream.log) == 1  # with --save the old file stays as it is


def test_json_is_the_model(run, files, saved):
    status, out, _ = run("fit", "--update", saved, files / "b.csv", "--json")
    assert status == 0
    content = json.loads(out)
    text = content.pop("text")
    assert imli.Model.from_dict(content) == imli.load(saved)
    assert text == str(imli.load(saved).rule)


def test_columns_in_another_order_and_more_of_them_do_no_harm(run, files, saved):
    lines = (files / "b.csv").read_text().splitlines()
    turned = [",".join([*reversed(line.split(",")), "x"]) for line in lines]
    (files / "turned.csv").write_text("\n".join([turned[0][:-1] + "more", *turned[1:]]) + "\n")
    run("fit", "--update", saved, files / "b.csv", "--save", files / "one.json")
    run("fit", "--update", saved, files / "turned.csv", "--save", files / "other.json")
    assert imli.load(files / "one.json").rule == imli.load(files / "other.json").rule


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("{saved}",), "--update needs DATA, the new rows. Add the name of a CSV or Parquet file."),
        (("{saved}", "{b}", "--kind", "list"), "--kind does not go with --update. Remove it."),
        (("{saved}", "{b}", "--cv", "3"), "--cv does not go with --update. Remove it."),
        (("{saved}", "{short}"), "No column 'class' in the data."),
        (("{saved}", "{third}"), "DNFClassifier decides between two classes, but there are 3: ['maybe', 'no', 'yes']. "
         "Use DecisionListClassifier or DecisionSetClassifier."),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_and_changes_nothing(run, files, saved, arguments, sentence):
    table = (files / "b.csv").read_text()
    (files / "short.csv").write_text("sex,age,id,port,booked,survived\nmale,30,1,Cork,1911-01-01,no\n")
    (files / "third.csv").write_text(table + "1,male,30,3,Cork,1911-01-01,maybe\n")
    before = saved.read_bytes()
    places = {"saved": saved, "b": files / "b.csv", "short": files / "short.csv", "third": files / "third.csv"}
    status, _, err = run("fit", "--update", *(argument.format(**places) for argument in arguments))
    assert status == 2
    assert err == f"imli: {sentence}\n"
    assert saved.read_bytes() == before


def test_text_where_the_labels_are_numbers_is_said(run, tmp_path):
    lines = [f"{n},{int(n > 30)}" for n in range(60)]
    (tmp_path / "a.csv").write_text("\n".join(["age,ill", *lines]))
    (tmp_path / "b.csv").write_text("age,ill\n40,yes\n20,no\n")
    model = tmp_path / "model.json"
    assert run("fit", tmp_path / "a.csv", "--target", "ill", "--memory", "50", "--no-check", "--save", model)[0] == 0
    status, _, err = run("fit", "--update", model, tmp_path / "b.csv")
    assert status == 2
    assert err == (
        "imli: Column 'ill' holds text such as 'yes', but the model decides between 0, 1. "
        "Write the labels as they were.\n"
    )
