"""Bits as the paper makes them, on tables small enough to write them down."""

import numpy as np
import pandas as pd

from imli_bench.adapters.forms import Binary, Conjunction, count_conjunctions


def texts(*cells):
    return pd.Series(np.array(cells, dtype=object), dtype=object)


def named(binary, frame):
    return {str(bit): column.astype(int).tolist() for bit, column in zip(binary.bits, binary(frame).T, strict=True)}


def test_ten_bins_of_equal_width_closed_on_the_left():
    frame = pd.DataFrame({"x": np.arange(0.0, 101.0)})
    binary = Binary(frame)
    table = binary(frame)
    assert [bit.test for bit in binary.bits] == [
        "< 10", "in [10, 20)", "in [20, 30)", "in [30, 40)", "in [40, 50)",
        "in [50, 60)", "in [60, 70)", "in [70, 80)", "in [80, 90)", ">= 90",
    ]  # fmt: skip
    assert table.sum(axis=0).tolist() == [10] * 9 + [11]
    assert table[10].tolist() == [False, True] + [False] * 8


def test_rows_that_are_new_fall_into_the_bins_of_the_training_rows():
    binary = Binary(pd.DataFrame({"x": [0.0, 10.0]}))
    assert named(binary, pd.DataFrame({"x": [-5.0, 0.5, 5.0, 12.0]})) == {"x < 1": [1, 1, 0, 0], "x >= 9": [0, 0, 0, 1]}


def test_bins_that_no_training_row_is_in_are_left_out():
    binary = Binary(pd.DataFrame({"x": [0, 0, 1]}))
    assert [str(bit) for bit in binary.bits] == ["x < 0.1", "x >= 0.9"]


def test_a_column_per_category_of_which_missing_is_one():
    frame = pd.DataFrame({"port": texts("Cork", "Rome", None, "Cork")})
    expected = {"port is Cork": [1, 0, 0, 1], "port is Rome": [0, 1, 0, 0], "port is missing": [0, 0, 1, 0]}
    assert named(Binary(frame), frame) == expected


def test_a_text_that_is_new_is_none_of_those_known():
    binary = Binary(pd.DataFrame({"port": texts("Cork", "Rome")}))
    assert named(binary, pd.DataFrame({"port": texts("York")})) == {"port is Cork": [0], "port is Rome": [0]}


def test_a_truth_value_is_two_categories():
    frame = pd.DataFrame({"cabin": [True, False, False]})
    assert named(Binary(frame), frame) == {"cabin is true": [1, 0, 0], "cabin is false": [0, 1, 1]}


def test_a_missing_number_is_in_no_bin():
    frame = pd.DataFrame({"x": [0.0, 1.0, np.nan]})
    assert named(Binary(frame), frame) == {"x < 0.1": [1, 0, 0], "x >= 0.9": [0, 1, 0], "x is missing": [0, 0, 1]}


def test_a_column_that_is_the_same_everywhere_or_nowhere_known_has_no_bits():
    frame = pd.DataFrame({"x": [3.0, 3.0], "nothing": [np.nan, np.nan], "port": texts("Cork", "Cork")})
    assert Binary(frame).bits == []
    assert Binary(frame)(frame).shape == (2, 0)


def test_infinite_numbers_are_at_the_ends():
    frame = pd.DataFrame({"x": [-np.inf, 0.0, 10.0, np.inf]})
    assert named(Binary(frame), frame) == {"x < 1": [1, 1, 0, 0], "x >= 9": [0, 0, 1, 1]}


def test_conjunctions_hold_read_and_count():
    frame = pd.DataFrame({"x": [0.0, 1.0, 0.5], "port": texts("Cork", "Rome", "York")})
    binary = Binary(frame)
    assert [str(bit) for bit in binary.bits] == [
        "x < 0.1", "x in [0.5, 0.6)", "x >= 0.9", "port is Cork", "port is Rome", "port is York",
    ]  # fmt: skip
    rule = Conjunction((0,), (4, 5))
    assert rule.holds(binary(frame)).tolist() == [True, False, False]
    assert rule.to_text(binary.bits) == "x < 0.1 AND not (port is Rome) AND not (port is York)"
    assert Conjunction(()).holds(binary(frame)).all()
    assert Conjunction(()).to_text(binary.bits) == "always"
    # neither Rome nor York is one condition of two literals
    assert count_conjunctions([rule, Conjunction((1,)), Conjunction(())], binary.bits) == (3, 4)
