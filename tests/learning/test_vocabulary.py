import math
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer

from imli.learning.bits import tabulate
from imli.learning.vocabulary import Binning, cuts_after, quantile_places
from imli.rules.literals import Compare
from imli.rules.notation import number_length
from imli.table.read import as_frame
from imli.table.summaries import ValueCounts


def texts(cells, **options):
    return [str(literal) for literal in Binning(**options).literals(as_frame({"c": cells}))]


def test_the_papers_literal_count_on_wdbc():
    frame = as_frame(load_breast_cancer(as_frame=True).data)
    paper = {"bins": 10, "binning": "uniform", "intervals": "closed"}
    assert len(Binning(**paper, negations=False).literals(frame)) == 278
    assert len(Binning(**paper).literals(frame)) == 556


def test_closed_intervals_of_equal_width_are_unbounded_outside_and_skip_empty_bins():
    cells = [0.0, 0.5, 3.5, 9.0, 10.0]
    assert texts(cells, bins=5, binning="uniform", intervals="closed", negations=False) == [
        "c < 2",
        "2 <= c < 4",
        "c >= 8",
    ]
    assert texts(cells, bins=5, binning="uniform", intervals="closed") == [
        "c < 2",
        "c >= 2",
        "2 <= c < 4",
        "not 2 <= c < 4",
        "c >= 8",
        "c < 8",
    ]


def test_few_valued_integers_are_tested_one_by_one_in_closed_mode():
    assert texts([1, 2, 3, 3], bins=2, intervals="closed", negations=False) == ["c is 1", "c is 2", "c is 3"]
    assert texts([1, 2, 2], intervals="closed") == ["c is 1", "c is 2"]
    assert texts(range(5), bins=2, intervals="closed", negations=False) == ["c < 2", "c >= 2"]


def test_open_intervals_test_on_either_side():
    assert texts([1, 2, 3], bins=3) == ["c <= 1", "c > 1", "c <= 2", "c > 2"]


def test_quantiles_count_by_weight_as_if_rows_were_repeated():
    once, weights = np.array([1, 2, 3, 4, 5, 6, 7, 8]), np.array([5, 1, 1, 2, 1, 3, 1, 1])
    frame = as_frame({"c": once})
    weighted = Binning(bins=4).literals(frame, weights.astype(float))
    assert weighted == Binning(bins=4).literals(as_frame({"c": np.repeat(once, weights)}))
    assert weighted != Binning(bins=4).literals(frame)


def test_categories_and_flags():
    assert texts(["red", "green", "blue"], negations=False) == ["c is blue", "c is green", "c is red"]
    assert texts(["yes", "no", "no"]) == ["c is no", "c is yes"]
    assert texts([True, False]) == ["c", "not c"]
    assert texts([0, 1, 1]) == ["c", "not c"]
    assert texts(["3", "4", "5"], negations=False) == ['c is "3"', 'c is "4"', 'c is "5"']


def test_a_column_with_missing_cells_is_also_tested_for_them():
    assert texts([1, 2, None]) == [
        "c <= 1",
        "c > 1",
        "c is missing",
        "c > 1 or missing",
        "c <= 1 or missing",
        "c is not missing",
    ]
    assert texts([1, 2, None], negations=False) == ["c <= 1", "c is missing"]
    assert texts(["a", None]) == ["c is missing", "c is not missing"]


def test_dates_are_cut_at_the_start_of_a_year_month_or_day_if_there_is_one():
    days = np.arange("2019-03-05", "2022-06-01", dtype="datetime64[D]")
    assert texts(days, bins=3, negations=False) == ["c < 2020-04-01", "c < 2021-05-01"]
    assert texts([date(2020, 5, 6), None, date(2021, 2, 3)]) == [
        "c < 2021-01-01",
        "c >= 2021-01-01",
        "c is missing",
        "c >= 2021-01-01 or missing",
        "c < 2021-01-01 or missing",
        "c is not missing",
    ]
    seconds = np.array(["2021-01-01T10:59:58", "2021-01-01T11:00:03", "2021-01-01T11:00:04"], dtype="datetime64[s]")
    assert texts(seconds, binning="uniform", negations=False) == ["c < 2021-01-01 11:00", "c < 2021-01-01 11:00:04"]
    assert texts([date(2020, 1, 1)] * 3) == []


def with_labels(cells, labels, **options):
    return [str(literal) for literal in Binning(**options).literals(as_frame({"c": cells}), labels=np.array(labels))]


def test_categories_with_like_classes_are_grouped():
    cells = ["a"] * 10 + ["b"] * 10 + ["c"] * 10 + ["d"] * 10
    labels = [1] * 9 + [0] + [0] * 10 + [1] * 8 + [0] * 2 + [0] * 9 + [1]
    found = with_labels(cells, labels)
    assert [text for text in found if " a " in text][-2:] == ["c is a or c", "c is neither a nor c"]
    assert with_labels(cells, labels, intervals="closed") == texts(cells, intervals="closed")
    three = with_labels(cells, [0] * 10 + [1] * 10 + [2] * 10 + [1] * 10, negations=False)
    assert three[4:] == ["c is a or d", "c is b or d", "c is c or d"]


def test_a_column_of_many_values_gives_few_tests():
    rng = np.random.default_rng(0)
    cells = [f"id {n}" for n in range(2000)] + ["often"] * 100
    assert texts(cells) == ["c is often", "c is not often"]
    many = [f"id {n}" for n in rng.integers(0, 200, 20_000)]
    assert len(texts(many, negations=False)) == 50


def test_supervised_cuts_lie_where_the_classes_part():
    cells = np.arange(1000) / 10
    labels = (cells > 12.3) & (cells <= 77.7)
    found = with_labels(cells, labels, bins=3, binning="supervised", negations=False)
    assert found == ["c <= 12.3", "c <= 77.7"]
    # where nothing is left to part, there are no more cuts
    assert with_labels(cells, labels, bins=10, binning="supervised", negations=False) == found
    with pytest.raises(ValueError) as error:
        Binning(binning="supervised").literals(as_frame({"c": cells}))
    assert str(error.value) == "binning='supervised' needs labels. Give y, or use 'quantile' or 'uniform'."


def test_labels_by_weight_are_as_if_rows_were_repeated():
    rng = np.random.default_rng(1)
    data = {"c": rng.integers(0, 50, 60), "t": rng.choice(list("abcdef"), 60)}
    labels, weights = rng.integers(0, 3, 60), rng.integers(1, 4, 60)
    twice = {name: np.repeat(cells, weights) for name, cells in data.items()}
    for binning in (Binning(5, "supervised"), Binning(5)):
        weighted = binning.literals(as_frame(data), weights.astype(float), labels)
        assert weighted == binning.literals(as_frame(twice), None, np.repeat(labels, weights))


@pytest.mark.parametrize("cells", [[1, 1, 1], ["a", "a"], [None, None], [True, True], [np.inf, np.inf]])
def test_a_constant_column_gives_no_literals(cells):
    assert texts(cells) == []


def test_thresholds_have_as_few_digits_as_separate_the_values():
    assert texts([0.1234, 0.1239, 15.2], bins=3, negations=False) == ["c <= 0.1235", "c <= 10"]
    assert texts([0.1 + 0.2, 0.7], negations=False) == ["c <= 0.5"]
    assert texts([1000.5, 98765.4], negations=False) == ["c <= 10,000"]
    assert texts([19_955.7, 20_010.3], negations=False) == ["c <= 20,000"]
    assert texts([3, 9], negations=False) == ["c <= 5"]
    assert texts([-29, -21], negations=False) == ["c <= -25"]


numbers = (
    st.integers(-(2**62), 2**62) | st.integers(-30, 30)
    | st.floats(allow_nan=False, allow_infinity=False) | st.floats(-1e-300, 1e-300) | st.floats(-100, 100)
)  # fmt: skip


@given(st.lists(numbers, min_size=2, max_size=40), st.booleans())
def test_a_rounder_cut_never_moves_over_a_value(cells, closed):
    values = ValueCounts.of(np.array(cells, dtype=np.float64), np.ones(len(cells), dtype=np.int64))
    distinct = values.low
    cuts = cuts_after(values, list(range(len(distinct) - 1)), closed)
    assert len(cuts) == len(distinct) - 1
    for low, high, cut in zip(distinct[:-1], distinct[1:], cuts, strict=True):
        assert low < cut <= high if closed else low <= cut < high


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-30, 30), min_size=2, max_size=40), st.booleans())
def test_cuts_between_whole_numbers_are_whole_numbers(cells, closed):
    values = ValueCounts.of(np.array(cells), np.ones(len(cells), dtype=np.int64))
    for cut in cuts_after(values, list(range(len(values) - 1)), closed):
        assert cut == int(cut)


@given(
    st.lists(st.integers(-(10**9), 10**9).map(lambda n: n / 1000), min_size=65, max_size=200),
    st.integers(2, 6),
    st.integers(0, 9),
)
def test_a_cut_moves_over_few_rows_at_most(cells, bins, slack):
    values = ValueCounts.of(np.array(cells), np.ones(len(cells), dtype=np.int64))
    for place in quantile_places(values.totals, bins):
        (exact,), (rounder,) = cuts_after(values, [place], False), cuts_after(values, [place], False, slack)
        assert abs(np.sum(np.array(cells) <= exact) - np.sum(np.array(cells) <= rounder)) <= slack
        assert number_length(rounder) <= number_length(exact)


def test_quantiles_of_many_values_are_round():
    cells = np.random.default_rng(0).normal(20_000, 5_000, 20_000)
    cuts = Binning(bins=10).literals(as_frame({"c": cells}))
    assert all(isinstance(cut, Compare) and cut.threshold % 10 == 0 for cut in cuts)


def test_infinite_values_are_values():
    assert texts([-math.inf, 1, math.inf], bins=3, negations=False) == ["c <= 0", "c <= 1"]
    assert texts([-math.inf, math.inf], negations=False) == ["c <= 0"]
    assert texts([-math.inf, 0.0, 10.0, math.inf], bins=2, binning="uniform", intervals="closed", negations=False) == [
        "c < 5",
        "c >= 5",
    ]


@given(
    st.lists(st.floats(allow_nan=True, width=64) | st.integers(-5, 5).map(float), min_size=1, max_size=30),
    st.integers(2, 12),
    st.sampled_from(["quantile", "uniform"]),
    st.sampled_from(["open", "closed"]),
)
def test_any_numbers_give_literals_that_tell_rows_apart(cells, bins, binning, intervals):
    frame = as_frame({"c": np.array(cells)})
    literals = Binning(bins, binning, intervals).literals(frame)
    counts = tabulate(frame, literals).counts()
    assert np.all((counts > 0) & (counts < frame.n_rows))
    distinct = np.unique(np.array(cells)[~np.isnan(cells)])
    if len(distinct) > 1:
        assert literals, "two different values can be told apart"
    if binning == "quantile" and intervals == "open":
        direct = [literal for literal in literals if not literal.or_missing]
        assert len(direct) <= 2 * (bins - 1) + 1
