"""Looks at a table in Python."""

import re
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import imli

AGES = [20 + 7 * n % 50 for n in range(60)]
PEOPLE = {"age": AGES, "left": [None, "x"] * 30, "old": [age > 45 for age in AGES], "none": [None] * 60}


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_columns_of_any_table(make):
    found = imli.inspect(make(PEOPLE), "old")
    assert (found.n_rows, found.target, found.classes) == (60, "old", ((False, 32), (True, 28)))
    assert [(each.name, each.n_distinct, each.n_missing) for each in found.columns] == [
        ("age", 50, 0), ("left", 1, 30), ("none", 0, 60),
    ]  # fmt: skip
    assert found.columns[0].examples == ("20", "43", "69")
    assert found.columns[0].tells == 0.975
    assert found.columns[2].kind == "empty"


def test_labels_beside_the_table():
    frame = pd.DataFrame(PEOPLE)
    by_name = imli.inspect(frame, "old")
    beside = imli.inspect(frame.drop(columns="old"), frame["old"])
    assert by_name == beside
    nameless = imli.inspect(frame.drop(columns="old"), frame["old"].tolist())
    assert nameless.target == ""
    assert str(nameless).startswith(
        "The table has 60 rows and 3 columns; the target is false in 53 % and true in 47 %."
    )


def test_an_array_and_arrow_and_files(tmp_path):
    assert [each.name for each in imli.inspect(np.eye(3)).columns] == ["x0", "x1", "x2"]
    frame = pl.DataFrame({name: PEOPLE[name] for name in ("age", "left", "old")})
    frame.write_parquet(tmp_path / "people.parquet")
    found = imli.inspect(tmp_path / "people.parquet", "old")
    assert found.columns == imli.inspect(frame.to_arrow(), "old").columns
    assert imli.inspect(str(tmp_path / "people.parquet")).columns[2].name == "old"


def test_as_a_frame_and_as_a_dict():
    found = imli.inspect(PEOPLE, "old")
    frame = found.to_frame("polars")
    assert frame["name"].to_list() == ["age", "left", "none"]
    assert frame["examples"].to_list() == ["20, 43, 69", "x", ""]
    content = found.to_dict()
    assert content["rows"] == 60
    assert content["findings"] == [finding.to_dict() for finding in found.findings]


def test_the_page_escapes_what_comes_from_the_table():
    found = imli.inspect({"<b>id</b>": [f"<i>{n}</i>" for n in range(60)], "x": [1, 2] * 30})
    assert "<b>" not in found.html
    assert "<i>" not in found.html
    assert re.search(r"<iframe title=\"The table\"", found._repr_html_())


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ({"x": []}, None, "The data has no rows."),
        ({"x": [1, 2]}, [1], "There are 1 labels for 2 rows. Give one per row."),
        ({"x": [1, 2]}, "z", "No column 'z' in the data."),
    ],
)
def test_tables_that_cannot_be_looked_at(X, y, message):
    with pytest.raises(ValueError) as raised:
        imli.inspect(X, y)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        ([None] * 60, "Column 'y' is missing in all 60 rows, so there is nothing to learn."),
        ([1] * 60, "Column 'y' is 1 in all 60 rows, so there is nothing to learn."),
        (
            [n / 7 for n in range(60)],
            "Column 'y' has 60 different values in 60 rows, but a rule predicts one of a few classes, 50 at "
            "most. Choose another target, or put its values into classes first.",
        ),
    ],
)
def test_labels_that_no_rule_decides_between_are_a_finding(y, sentence):
    found = imli.inspect({"x": [1, 2, 3] * 20}, y)
    assert found.target is None
    assert [str(finding) for finding in found.findings if finding.grade == "serious"] == [sentence]


def test_a_look_needs_no_learner():
    import subprocess

    code = "import sys, imli; imli.inspect({'x': [1, 2]}); print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.slow
def test_a_table_on_a_cluster_is_looked_at_as_the_whole():
    import dask
    import dask.dataframe as dd

    frame = pd.DataFrame({name: PEOPLE[name] for name in ("age", "old")})
    with dask.config.set(scheduler="threads"):  # whatever cluster another test has left behind
        found = imli.inspect(dd.from_pandas(frame, npartitions=3), "old")
    assert found == imli.inspect(frame, "old")
    with pytest.raises(TypeError) as raised:
        imli.inspect(dd.from_pandas(frame, npartitions=3))
    assert str(raised.value) == "Of a table on a cluster, y is the name of the column of labels. Got None."
