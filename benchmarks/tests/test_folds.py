"""Folds and smaller parts of them: classes in the same shares, the same rows each time."""

import numpy as np
import pandas as pd
import pytest

from imli_bench.data_sets import LabelledTable, folds, sub_sample


def table(n_rows=1000, share=0.2):
    y = np.random.default_rng(0).permutation(n_rows) < share * n_rows
    return LabelledTable("made", pd.DataFrame({"a": np.arange(n_rows)}), y, "true")


def test_each_row_is_held_out_once():
    made = table()
    parts = folds(made, 10, seed=3)
    assert sorted(np.concatenate([test for _, test in parts]).tolist()) == list(range(1000))
    for train, test in parts:
        assert sorted([*train.tolist(), *test.tolist()]) == list(range(1000))
        assert made.y[test].sum() == 20
        assert len(test) == 100


def test_rows_are_shuffled_by_the_seed():
    first, again, other = (folds(table(), 5, seed)[0][1].tolist() for seed in (0, 0, 1))
    assert first == again
    assert first != other
    assert first != list(range(200))


@pytest.mark.parametrize("n_folds", [1, 0, 201])
def test_too_many_or_few(n_folds):
    with pytest.raises(ValueError) as caught:
        folds(table(), n_folds)
    assert str(caught.value) == (
        f"n_folds must be 2 or more, and no more than 'made' has rows of its rarer class, 200. Got {n_folds}."
    )


def test_smaller_parts_are_nested_and_in_order():
    made = table()
    positions = folds(made, 4)[0][0]
    before: set[int] = set()
    for most in range(1, len(positions) + 1, 7):
        part = sub_sample(positions, made.y, most, seed=5)
        assert len(part) == len(set(part.tolist())) == most
        assert (np.diff(part) > 0).all()
        assert before <= set(part.tolist()) <= set(positions.tolist())
        assert abs(made.y[part].sum() - 0.2 * most) <= 1
        before = set(part.tolist())


def test_no_class_gets_lost():
    y = np.arange(100_000) == 77_777
    assert 77_777 in sub_sample(np.arange(100_000), y, 2)


def test_the_seed_decides():
    y = table().y
    first, again, other = (sub_sample(np.arange(1000), y, 50, seed).tolist() for seed in (0, 0, 1))
    assert first == again
    assert first != other


@pytest.mark.parametrize("most", [0, 5, 6])
def test_all_of_them(most):
    positions = np.array([9, 3, 5, 1, 0])
    assert sub_sample(positions, np.arange(10) < 4, most).tolist() == [9, 3, 5, 1, 0]


def test_less_than_none():
    with pytest.raises(ValueError) as caught:
        sub_sample(np.arange(5), np.arange(5) < 2, -1)
    assert str(caught.value) == "most must be a number of rows, or 0 for all. Got -1."
