"""``imli path`` and ``imli report``."""

import json
import re

import polars as pl
import pytest

import imli

FEW = ("--target", "survived", "--n-rules", "4", "--cv", "3", "--effort", "0.1")


def test_it_is_printed_saved_and_drawn(run, passengers, tmp_path):
    saved, plot = tmp_path / "path.json", tmp_path / "path.svg"
    status, out, err = run("path", passengers, *FEW, "--save", saved, "--plot", plot)
    assert (status, err) == (0, "")
    frame = pl.read_csv(passengers, try_parse_dates=True)
    path = imli.rule_path(frame.drop("survived"), frame["survived"], n_rules=4, cv=3, effort=0.1)
    assert out == f"Learning DNF rules for 'survived' from 400 rows and 6 columns.\n\n{path}\n"
    assert json.loads(saved.read_text()) == path.to_dict()
    assert "<svg" in plot.read_text()


def test_json(run, passengers):
    status, out, _ = run("path", passengers, *FEW, "--json", "--kind", "list")
    assert status == 0
    assert json.loads(out)["points"]


def test_mistakes(run, passengers):
    sentence = "--plot must end in .png, .svg, .pdf. Got 'path.bmp'."
    assert run("path", passengers, *FEW, "--plot", "path.bmp") == (2, "", f"imli: {sentence}\n")
    sentence = "rule_path: lam has no place here, since the path goes through all values. Got 3.0."
    status, _, err = run("path", passengers, *FEW, "--lam", "3")
    assert (status, err) == (2, f"imli: {sentence}\n")


def test_a_report(run, model, passengers, tmp_path):
    status, out, err = run("report", model, passengers, "--no-path", "--no-columns")
    page = tmp_path / "model.html"
    assert (status, out, err) == (0, f"Wrote {page}.\n", "")
    assert "survived is yes" in page.read_text()
    output = tmp_path / "other.html"
    assert run("report", model, passengers, "--no-path", "--no-columns", "-o", output)[0] == 0
    # but for the moment at which it was made
    pages = [re.sub(r"\d\d:\d\d(:\d\d)?", "", path.read_text()) for path in (page, output)]
    assert pages[0] == pages[1]


def test_the_summary_of_a_report(run, model, passengers, tmp_path):
    _, out, _ = run("report", model, passengers, "--json", "--no-path", "--no-columns", "-o", tmp_path / "page.html")
    assert json.loads(out)["rule"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--target", "survivd"], "No column 'survivd' in the data. Did you mean 'survived'?"),
        (["--weight", "idd"], "No column 'idd' in the data. Did you mean 'id'?"),
    ],
)
def test_mistakes_with_a_report(run, model, passengers, arguments, sentence):
    assert run("report", model, passengers, *arguments) == (2, "", f"imli: {sentence}\n")
