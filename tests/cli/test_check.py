"""``imli check``."""

import json

import polars as pl
import pytest
from support.passengers import write_passengers


@pytest.fixture
def new(tmp_path):
    return write_passengers(tmp_path / "new.csv", n_rows=200, seed=2)


def test_rows_of_the_same_kind(run, model, new):
    status, out, err = run("check", model, new)
    assert (status, err) == (0, "")
    assert out.startswith(
        "Compared 200 rows with the 400 that the rule was learned from: no difference beyond chance.\n"
    )
    assert " % of 200 rows (95 % interval " in out


def test_differences_have_a_status_of_their_own(run, model, new, tmp_path):
    odd = tmp_path / "odd.csv"
    odd.write_text(new.read_text().replace(",female,", ",weiblich,"))
    status, out, err = run("check", model, odd, "--html", tmp_path / "new.html")
    assert (status, err) == (1, "")
    assert "sex has categories that training did not have, in " in out
    assert out.endswith(f"\n\nWrote {tmp_path / 'new.html'}.\n")
    assert "weiblich" in (tmp_path / "new.html").read_text()
    status, out, _ = run("check", model, odd, "--json")
    assert status == 1
    assert {each["column"] for each in json.loads(out)["differences"]} >= {"sex"}
    assert run("check", model, odd, "--json", "--level", "1e-300")[0] == 0


def test_labels_are_not_needed(run, model, new, tmp_path):
    narrow = write_passengers(
        tmp_path / "narrow.csv", n_rows=200, seed=2, columns=("id", "sex", "age", "class", "port")
    )
    status, out, _ = run("check", model, narrow, "--ignore", "booked")
    assert status == 0
    assert "is correct on" not in out
    status, out, _ = run("check", model, narrow)
    assert status == 1
    assert "There is no column booked.\n" in out
    assert run("check", model, narrow, "--target", "survived") == (2, "", "imli: No column 'survived' in the data.\n")


def test_parts(run, model, new, tmp_path):
    table = pl.read_csv(new, try_parse_dates=True)
    for number in range(2):
        table[100 * number : 100 * number + 100].write_parquet(tmp_path / f"{number}.parquet")
    assert run("check", model, tmp_path / "*.parquet", "--json") == run("check", model, new, "--json")


def test_mistakes(run, model, tmp_path):
    narrow = write_passengers(tmp_path / "narrow.csv", n_rows=5, columns=("id", "port"))
    status, out, err = run("check", model, narrow)
    assert (status, out) == (2, "")
    assert err.startswith("imli: No column '")
    assert run("check", model, tmp_path / "none.csv")[0] == 3
    assert run("check", model, narrow, "--html", tmp_path)[0] == 2
