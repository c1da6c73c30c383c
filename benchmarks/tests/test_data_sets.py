"""Problems: found by name, read from a folder, and refused in one sentence each."""

import numpy as np
import pandas as pd
import pytest

from imli_bench import generated
from imli_bench.data_sets import PROBLEMS, DataSet, load, read_parquet

REAL = (
    "parkinsons", "wdbc", "pima", "titanic", "magic", "tomshardware", "credit_default", "adult", "bank_marketing",
    "connect4", "weather_aus", "skin",
)  # fmt: skip
SMALL = ("vote", "labor", "credit_g")


@pytest.fixture
def folder(tmp_path):
    """A folder of data sets with two of them, small ones."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3 == 0
    frame = pd.DataFrame(
        {
            "hours": rng.integers(30, 45, 60).astype(np.int32),
            "wage": np.where(y, np.nan, rng.normal(size=60)),
            "pension": pd.array(["none", None, "full"] * 20, "string"),
            "union": y ^ (rng.random(60) < 0.2),
            "target": y.astype(int),
        }
    )
    frame.to_parquet(tmp_path / "labor.parquet")
    frame.to_parquet(tmp_path / "extra.parquet")
    return tmp_path


def test_the_names():
    assert tuple(PROBLEMS)[:15] == REAL + SMALL
    assert {name: problem.original for name, problem in PROBLEMS.items() if problem.original} == {
        f"lookalike-{name}": name for name in SMALL
    }
    assert all(name.startswith("planted-") for name in tuple(PROBLEMS)[18:])
    assert all(problem.name == name for name, problem in PROBLEMS.items())
    on_openml = {name for name, problem in PROBLEMS.items() if problem.openml}
    assert on_openml == set(REAL + SMALL) - {
        "wdbc",
        "tomshardware",
        "weather_aus",
    }


def test_from_a_folder(folder):
    table = load("labor", folder)
    assert table.name == "labor"
    assert table.positive == "good"
    assert table.truth is None
    assert [str(dtype) for dtype in table.X.dtypes] == ["int64", "float64", "object", "bool"]
    assert table.X["pension"].tolist() == ["none", None, "full"] * 20
    assert table.y.tolist() == [True, False, False] * 20


def test_a_file_that_is_no_problem_can_be_read_too(folder):
    X, y = read_parquet("extra", folder)
    assert X.shape == (60, 4)
    assert y.sum() == 20


def test_wdbc_is_there_without_a_folder():
    table = load("wdbc")
    assert table.X.shape == (569, 30)
    assert table.y[:3].tolist() == [True, True, True]
    assert (len(table.y), int(table.y.sum())) == (PROBLEMS["wdbc"].n_rows, PROBLEMS["wdbc"].n_positive)


def test_a_lookalike_is_of_the_original_in_the_folder(folder, tmp_path, monkeypatch):
    small = {"lookalike-labor": DataSet("lookalike-labor", "", "good", 500, original="labor")}
    monkeypatch.setattr("imli_bench.data_sets.PROBLEMS", PROBLEMS | small)
    made = load("lookalike-labor", folder)
    small = load("labor", folder)
    pd.testing.assert_frame_equal(made.X, generated.draw_lookalike(small.X, small.y, 500)[0])
    assert made.positive == "good"
    kept = load("lookalike-labor", folder, cache=tmp_path / "cache")
    assert len(list((tmp_path / "cache").iterdir())) == 1
    pd.testing.assert_frame_equal(made.X, kept.X)


def test_a_planted_problem_needs_no_data():
    table = load("planted-noise")
    assert (table.truth.predict(table.X) == table.y).mean() == 0.9
    assert len(table.y) == PROBLEMS["planted-noise"].n_rows


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("adlt", "There is no problem 'adlt'. Did you mean 'adult'?"),
        ("lookalike-votes", "There is no problem 'lookalike-votes'. Did you mean 'lookalike-vote'?"),
        ("zzz", f"There is no problem 'zzz'. Problems are {', '.join(PROBLEMS)}."),
    ],
)
def test_unknown(name, sentence):
    with pytest.raises(ValueError) as caught:
        load(name)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("name", ["tomshardware", "weather_aus"])
def test_not_on_openml(name):
    with pytest.raises(ValueError) as caught:
        load(name)
    assert str(caught.value) == (
        f"OpenML does not have '{name}' with the rows and labels that results are about. "
        f"Give a folder that has {name}.parquet."
    )


def test_no_folder(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        load("adult", tmp_path / "dta")
    assert str(caught.value) == f"There is no folder '{tmp_path / 'dta'}'. Give one that has adult.parquet."


def test_no_such_file(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    (folder / "adults.parquet").write_bytes(b"")
    sentences = {
        ("adult", folder): "It has adults.parquet.",
        ("skin", folder): "It has others.",
        ("adult", tmp_path / "empty"): "It has no Parquet files at all.",
    }
    for (name, where), hint in sentences.items():
        with pytest.raises(FileNotFoundError) as caught:
            load(name, where)
        assert str(caught.value) == f"The folder '{where}' has no file '{name}.parquet'. {hint}"


def test_no_parquet(folder):
    path = folder / "labor.parquet"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError) as caught:
        load("labor", folder)
    assert str(caught.value) == f"'{path}' is not a Parquet file that can be read."


def test_no_labels(folder):
    path = folder / "labor.parquet"
    pd.DataFrame({"a": [1, 2]}).to_parquet(path)
    with pytest.raises(ValueError) as caught:
        load("labor", folder)
    assert str(caught.value) == f"'{path}' has no column 'target'. Its labels, 0 and 1, must be there."


@pytest.mark.parametrize(("labels", "shown"), [(["win", "loss"], "'win'"), ([0, 2], "2"), ([1.0, None], "nan")])
def test_odd_labels(folder, labels, shown):
    path = folder / "labor.parquet"
    pd.DataFrame({"a": [1, 2], "target": labels}).to_parquet(path)
    with pytest.raises(ValueError) as caught:
        load("labor", folder)
    assert str(caught.value) == f"The column 'target' of '{path}' must hold 0 and 1 only. Got {shown}."
