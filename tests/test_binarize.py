import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer

from imli.binarize import Binning
from imli.frames import as_frame
from imli.tabulate import tabulate


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


@pytest.mark.parametrize("cells", [[1, 1, 1], ["a", "a"], [None, None], [True, True], [np.inf, np.inf]])
def test_a_constant_column_gives_no_literals(cells):
    assert texts(cells) == []


def test_thresholds_have_as_few_digits_as_separate_the_values():
    assert texts([0.1234, 0.1239, 15.2], bins=3, negations=False) == ["c <= 0.1234", "c <= 10"]
    assert texts([0.1 + 0.2, 0.7], negations=False) == ["c <= 0.4"]
    assert texts([1000.5, 98765.4], negations=False) == ["c <= 10,000"]


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
