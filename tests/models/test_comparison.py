"""What ``model.check`` finds in new rows, and how seldom it finds something in rows like those of training."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact, ks_2samp
from support.mixed_tables import draw_mixed

import imli
from imli import DecisionListClassifier, DNFClassifier, Model, UnknownColumnError
from imli.models.comparison import _fisher, _smirnov

pytestmark = pytest.mark.filterwarnings("ignore::imli.FindingWarning")
OLD = Path(__file__).parent.parent / "golden" / "model_before.json"


def learned(n_rows, rng, maker=DNFClassifier, weights=None, lam=3.0):
    X, y = draw_mixed(n_rows, rng)
    return maker(effort=0.01, lam=lam, never=["many"]).fit(X, y, weights).to_model()


@pytest.fixture(scope="module")
def model():
    return learned(400, np.random.default_rng(0))


@pytest.fixture
def rows():
    """Fresh rows of the same kind, and their labels."""
    X, y = draw_mixed(300, np.random.default_rng(1))
    return pd.DataFrame(X), y


def found(comparison):
    """The columns and what differs in them."""
    assert comparison.differs == bool(comparison.differences)
    return {(each["column"], each["what"]) for each in comparison.summary["differences"]}


def test_rows_of_the_same_kind(model, rows):
    comparison = model.check(*rows)
    assert found(comparison) == set()
    assert str(comparison).startswith(
        "Compared 300 rows with the 400 that the rule was learned from: no difference beyond chance.\n"
    )
    assert json.loads(json.dumps(comparison.summary, allow_nan=False)) == comparison.summary
    assert [each["name"] for each in comparison.summary["columns"]] == list(model.columns)
    assert sum(each["now"] for each in comparison.summary["clauses"]) == pytest.approx(1)
    assert comparison.summary["accuracy"]["now"] == model.rule.score(*rows)


def test_each_difference_is_named(model, rows):
    X, _ = rows
    changes = {
        "smooth": (X["smooth"] + 1, ("shifted",)),
        "rounded": (X["rounded"] * 100, ("shifted", "range")),
        "gaps": (np.nan, ("missing",)),
        "flag": (~X["flag"], ("shifted",)),
        "day": (X["day"] + pd.Timedelta(days=400), ("shifted", "range")),
        "few": (X["few"].replace("blue", "violet"), ("unseen", "shifted")),
        "many": ("name of a kind", ("unseen", "shifted")),
        "two": ("2", ("type",)),
    }
    for name, (cells, expected) in changes.items():
        changed = {(column, what) for column, what in found(model.check(X.assign(**{name: cells}))) if column}
        assert {column for column, _ in changed} == {name}
        assert {what for _, what in changed} >= set(expected), (name, changed)
    without = model.check(X.drop(columns="constant"))
    assert without.differences == ("There is no column constant.",)


def test_a_few_cells_far_outside(model, rows):
    """Five cells in the wrong unit are too few for a shift."""
    X, _ = rows
    X.loc[:4, "heavy"] = 1e9
    assert found(model.check(X)) == set()  # with tails like these, five of 300 are no surprise
    X.loc[:19, "heavy"] = 1e9
    assert found(model.check(X)) == {("heavy", "range")}


def test_sentences():
    ages = [*range(20, 80)] * 5
    towns = ["Bath", "Rome", "Oslo"] * 100
    y = ["ill" if age > 60 else "well" for age in ages]
    table = {"age": ages, "town": towns, "gone": [None, 1.5, 2.5] * 100}
    model = DNFClassifier(lam=1).fit(table, y).to_model()
    new = {"age": [age + 30 for age in ages], "town": ["Bath", "York", "Cork"] * 100, "gone": [None] * 300}
    assert str(model.check(new, y[::-1])) == (
        "Compared 300 rows with the 300 that the rule was learned from: 8 differences.\n"
        "\n"
        "age is above 79, the largest value in training, in 150 of the rows (50.0 %).\n"
        "age is at most 49 in 0.0 % of the rows, in training in 50.0 %.\n"
        "town has categories that training did not have, in 200 rows: Cork (100), York (100).\n"
        "town is Oslo in 0.0 % of the rows, in training in 33.3 %.\n"
        "gone is missing in 100.0 % of the rows, in training in 33.3 %.\n"
        "Clause 1 decides 81.7 % of the rows, in training 31.7 %.\n"
        "The default decides 18.3 % of the rows, in training 68.3 %.\n"
        "The rule is correct on 13.3 % of 300 rows (95 % interval 9.7 to 17.7 %); on the rows that it was learned "
        "from, which it fits too well, on 100.0 %.\n"
        "\n"
        "                        now  in training\n"
        "Clause 1 (ill)       81.7 %       31.7 %\n"
        "The default (well)   18.3 %       68.3 %\n"
        "\n"
        "10 tests, which together find a difference by mere chance in at most 1 % of cases."
    )


def test_a_number_of_the_row_is_not_compared():
    rng = np.random.default_rng(2)
    x = rng.normal(size=200)
    model = DNFClassifier(effort=0.01, lam=3).fit({"id": np.arange(200), "x": x}, x > 0).to_model()
    new = model.check({"id": np.arange(200) + 200, "x": rng.normal(size=200)})
    assert found(new) == set()
    assert "id numbered the rows of training, and is not compared." in new.summary["remarks"]


def test_columns_can_be_left_out(model, rows):
    X, _ = rows
    X = X.assign(day=pd.Timestamp("2030-01-01"), rounded=0.0)
    assert {column for column, _ in found(model.check(X)) if column} == {"day", "rounded"}
    assert {column for column, _ in found(model.check(X, ignore=["day"])) if column} == {"rounded"}
    with pytest.raises(UnknownColumnError, match=r"^No column 'dai' in the data. Did you mean 'day'\?$"):
        model.check(X, ignore=["dai"])
    with pytest.raises(ValueError, match=r"^level must be a probability between 0 and 1. Got 2.$"):
        model.check(X, level=2)
    with pytest.raises(ValueError, match=r"^There are no new rows to compare.$"):
        model.check(X.iloc[:0])


def test_new_categories_are_named_even_if_they_are_few(model, rows):
    X, _ = rows
    X.loc[7, "few"] = "violet"
    comparison = model.check(X)
    assert not comparison.differs
    assert "few has categories that training did not have, in 1 row: violet (1)." in comparison.summary["remarks"]


def test_how_often_it_is_right(model, rows):
    X, y = rows
    share = model.rule.score(X, y)
    checked = model.with_check({"kind": "cv", "accuracy": share, "rows": 400, "folds": 5, "standard_error": 0.01})
    assert not checked.check(X, y).differs
    worse = checked.check(X, np.where(np.arange(300) % 3, y, "no"))
    wrong = checked.check(X, np.where(y == "yes", "no", "yes"))
    assert found(worse) <= {(None, "right")}
    assert found(wrong) == {(None, "right")}
    assert wrong.differences[0].endswith(
        f"; rules learned the same way were correct on {100 * share:.1f} % of rows held out in training."
    )
    # without a check, only the rows that were learned from say how it was, and too well
    assert found(model.check(X, np.where(y == "yes", "no", "yes"))) == {(None, "right")}
    some = y.astype(object)
    some[::2] = None
    assert model.check(X, some).summary["accuracy"]["rows"] == 150


def test_rows_with_weights():
    rng = np.random.default_rng(3)
    weights = rng.integers(1, 4, 300).astype(float)
    model = learned(300, rng, weights=weights)
    X, y = draw_mixed(300, rng)
    comparison = model.check(X, y, sample_weight=weights)
    assert comparison.summary["accuracy"]["now"] == pytest.approx(model.rule.score(X, y, weights))
    assert any("its rows had weights" in remark for remark in comparison.summary["remarks"])
    assert not comparison.differs
    assert found(model.check({**X, "few": ["violet"] * 300})) >= {("few", "unseen"), ("few", "shifted")}


def test_files_part_by_part(model, rows, tmp_path):
    pytest.importorskip("pyarrow")
    X, y = rows
    table = X.assign(y=y)
    for number in range(3):
        table.iloc[100 * number : 100 * number + 100].to_parquet(tmp_path / f"{number}.parquet")
    parts = model.check(str(tmp_path / "*.parquet"), "y").summary
    assert parts == model.check(X, y).summary


def test_a_file_of_before():
    """It has no cuts and counts, so ends and missing cells are compared, and the page says what is not."""
    old = imli.load(OLD)
    rng = np.random.default_rng(4)
    new = {
        "age": rng.integers(20, 95, 300) * 100,
        "stairs": rng.random(300) < 0.4,
        "city": ["Bath", "Cork", "Oslo", "Rome", "Zürich"] * 60,
        "moved in": np.datetime64("2015-01-05") + rng.integers(0, 2900, 300),
        "weight": [None] * 300,
    }
    comparison = old.check(new)
    assert {each for each in found(comparison) if each[0]} == {("age", "range"), ("weight", "missing")}
    assert (
        "How numbers and dates were distributed in training is not known (the model file does not say): "
        "no shift is seen."
    ) in comparison.summary["remarks"]
    alone = Model.of_rule(old.rule).check(new)
    assert not alone.differs
    assert "The model does not say how many rows it was learned from, so little could be tested." in str(alone)


def test_the_page(model, rows, tmp_path):
    X, y = rows
    comparison = model.check(X.assign(few="<b>violet</b>"), y)
    comparison.save(tmp_path / "new.html")
    page = (tmp_path / "new.html").read_text(encoding="utf-8")
    assert page == comparison.html
    assert "They differ" in page
    assert "&lt;b&gt;violet&lt;/b&gt;" in page
    assert "<b>violet" not in page
    assert "No difference beyond chance" in model.check(X, y).html


def test_the_tests_are_those_of_scipy():
    rng = np.random.default_rng(5)
    for _ in range(20):
        a, b = rng.integers(0, 6, 2)
        table = [[a, 20 - a], [b, 30 - b]]
        sides = [fisher_exact(table, alternative=side).pvalue for side in ("less", "greater")]
        assert float(_fisher(a, 20, b, 30)) == pytest.approx(min(1, 2 * min(sides)))
        now, then = rng.integers(0, 8, 60), rng.integers(0, 9, 90)
        counts = [np.bincount(sample, minlength=9) for sample in (now, then)]
        expected = ks_2samp(now, then, method="asymp")
        p, place = _smirnov(*counts)
        assert p == pytest.approx(expected.pvalue)
        assert place == expected.statistic_location


def alarms(sizes, n_models, n_samples):
    """In how many of how many fresh samples something is found."""
    n_found = n_all = 0
    for n_train, n_new in sizes:
        for number in range(n_models):
            rng = np.random.default_rng([n_train, n_new, number])
            weights = rng.integers(1, 4, n_train).astype(float) if number % 4 == 3 else None
            model = learned(n_train, rng, (DNFClassifier, DecisionListClassifier)[number % 2], weights, 1.0)
            for _ in range(n_samples):
                n_found += model.check(*draw_mixed(n_new, rng)).differs
                n_all += 1
    return n_found, n_all


def test_false_alarms_are_rare():
    n_found, n_all = alarms([(150, 60)], 1, 40)
    assert n_found <= 0.05 * n_all


@pytest.mark.slow
@pytest.mark.parametrize("n_train", [40, 200, 1500])
@pytest.mark.parametrize("n_new", [12, 300, 3000])
def test_false_alarms_are_rare_at_any_size(n_train, n_new):
    n_found, n_all = alarms([(n_train, n_new)], 8, 25)
    assert n_all == 200
    assert n_found <= 0.05 * n_all
