"""``imli inspect``."""

import json

import polars as pl
import pytest
from support.messy import MESSY, TARGET
from support.passengers import write_passengers

BY_NAME = {messy.name: messy for messy in MESSY}


def test_a_line_for_each_column_and_the_findings(run, passengers):
    status, out, err = run("inspect", passengers, "--target", "survived")
    assert (status, err) == (0, "")
    assert out == (
        f"{str(passengers)!r} has 400 rows and 6 columns; 'survived' is no in 74 % and yes in 26 %.\n"
        "\n"
        "column  type    distinct  missing  tells  examples\n"
        "id      number       400        0    0 %  1,000 … 1,199 … 1,399\n"
        "sex     text           2        0   47 %  male, female\n"
        "age     number        63       35   17 %  1 … 30 … 79\n"
        "class   number         3        0   40 %  1 … 3\n"
        "port    text           3        0    6 %  Le Havre, Cork, Southampton\n"
        "booked  date         241        0    3 %  1911-01-01 … 1911-07-09 … 1911-12-28\n"
        "\n"
        "notable: 'id' looks like an identifier: its 400 cells are all different. No condition is on it unless --use "
        "id asks for it.\n"
        "remark: 'sex' and 'age' are personal attributes by their names. --never sex --never age keeps them out of "
        "the rule.\n"
    )


def test_without_a_target(run, passengers):
    status, out, _ = run("inspect", passengers)
    assert status == 0
    assert out.startswith(f"{str(passengers)!r} has 400 rows and 7 columns.\n\ncolumn    type    distinct")
    assert "tells" not in out
    assert "'id' looks like an identifier" in out


def test_how_a_file_was_read(run, tmp_path):
    path = BY_NAME["euros behind"].write(tmp_path)
    _, out, _ = run("inspect", path, "--target", TARGET)
    lines = [line.split("  ") for line in out.splitlines()]
    read = {line[0].strip(): [part.strip() for part in line if part.strip()][2] for line in lines[3:6]}
    assert read["income"] == "decimal comma, '.' between thousands, in €"
    assert read["rate"] == "decimal comma"
    assert "remark: 'income' and 'balance' are read as numbers: '33.561,58 €' is 33561.58." in out


def test_json_and_a_page(run, passengers, tmp_path):
    page = tmp_path / "look.html"
    status, out, _ = run("inspect", passengers, "--target", "survived", "--json", "--html", page)
    found = json.loads(out)
    assert status == 0
    assert found["classes"] == [{"label": "no", "rows": 295}, {"label": "yes", "rows": 105}]
    assert [column["name"] for column in found["columns"]] == ["id", "sex", "age", "class", "port", "booked"]
    assert [finding["kind"] for finding in found["findings"]] == ["identifier", "personal"]
    assert "looks like an identifier" in page.read_text()
    assert run("inspect", passengers, "--html", page)[1].endswith(f"\n\nWrote {page}.\n")


def test_parts_are_looked_at_as_the_whole(run, passengers, tmp_path):
    table = pl.read_csv(passengers, try_parse_dates=True)
    whole = tmp_path / "whole.parquet"
    table.write_parquet(whole)
    for number in range(2):
        table[200 * number : 200 * number + 200].write_parquet(tmp_path / f"part {number}.parquet")
        table[200 * number : 200 * number + 200].write_csv(tmp_path / f"part {number}.csv")
    at_once, *in_parts = (
        json.loads(run("inspect", tmp_path / name, "--target", "survived", "--json")[1])
        for name in ("whole.parquet", "part*.parquet", "part*.csv")
    )
    for found in in_parts:
        assert found | {"title": ""} == at_once | {"title": ""}


@pytest.mark.parametrize("pattern", ["passengers.csv", "passengers*.csv"])
def test_a_target_without_classes_is_said_to_have_none(run, passengers, pattern):
    write_passengers(passengers.with_name("passengers too.csv"))
    status, out, _ = run("inspect", passengers.with_name(pattern), "--target", "age", "--strict")
    assert status == 1
    rows = 400 if pattern == "passengers.csv" else 800
    assert (
        f"\n\nserious: Column 'age' has 63 different values in {rows} rows, but a rule predicts one of a few "
        "classes, 50 at most. Choose another target, or put its values into classes first.\n"
    ) in out


def test_rows_without_a_label_and_a_rare_class(run, tmp_path):
    path = tmp_path / "t.csv"
    labels = ["a"] * 150 + ["b"] * 145 + ["c"] * 3 + [""] * 2
    path.write_text("x,y\n" + "".join(f"{row % 7},{label}\n" for row, label in enumerate(labels)))
    status, out, _ = run("inspect", path, "--target", "y", "--strict")
    assert status == 0
    assert out.splitlines()[-2:] == [
        "notable: The class c has 3 of 298 rows, too few to learn and to check a rule for, so it is never "
        "predicted by default. Collect more of them, or put them into another class.",
        "notable: 2 of 300 rows have no 'y', and are left out.",
    ]


def test_mistakes(run, passengers, tmp_path):
    assert run("inspect", passengers, "--target", "survivd") == (
        2, "", "imli: No column 'survivd' in the data. Did you mean 'survived'?\n",
    )  # fmt: skip
    assert run("inspect", tmp_path / "no.csv")[0] == 3
    assert run("inspect")[0] == 2
