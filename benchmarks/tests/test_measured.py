"""What counts of an outcome."""

import pytest

from imli_bench import protocols
from imli_bench.data_sets import LOOKALIKES
from imli_bench.pages.marks import KINDS, OURS, STANDS_FOR
from imli_bench.pages.printed import SAME
from imli_bench.pages.standings import (
    Point,
    critical_difference,
    front,
    geometric_mean,
    rank_correlation,
    ratio_of_sizes,
)


def group(results, rival="cart", problem="wdbc", part="defaults"):
    return results().part(part).group(problem, rival)


def test_a_part_that_was_not_measured_is_empty(results):
    assert not results().part("tables")
    assert group(results) is None


@pytest.mark.parametrize("status", ["time limit", "memory limit", "crashed"])
def test_a_failure_counts_as_the_larger_class(add, results, status):
    add("defaults", "wdbc", "cart", 0, accuracy=90.0, size=8)
    add("defaults", "wdbc", "cart", 1, status=status, constant_accuracy=62.0, seconds=60.0)
    found = group(results)
    assert found.values("accuracy") == [90.0, 62.0]
    assert found.mean("accuracy") == 76.0
    assert found.values("size") == [8, 0]
    assert (found.n_failed, found.folds) == (1, [0, 1])


def test_the_larger_class_is_known_from_another_trial_of_the_fold(add, results):
    add("tables", "wdbc", "ripper", 1, accuracy=93.0, constant_accuracy=61.5)
    add("defaults", "wdbc", "cart", 1, status="time limit")
    add("defaults", "wdbc", "cart", 2, status="time limit")
    assert group(results).values("accuracy") == [61.5]


@pytest.mark.parametrize("status", ["not installed", "out of budget"])
def test_what_was_not_tried_counts_as_nothing(add, results, status):
    add("defaults", "wdbc", "cart", 0, status=status, constant_accuracy=62.0)
    assert group(results) is None
    assert results().part("defaults").statuses("wdbc", "cart") == {status: 1}


def test_a_trial_that_was_made_again_counts_as_made_last(add, results):
    add("defaults", "wdbc", "cart", accuracy=90.0, size=3)
    add("defaults", "wdbc", "cart", accuracy=91.0, size=4)
    assert group(results).values("accuracy") == [91.0]


def test_of_samples_the_largest_counts(add, results):
    add("defaults", "adult", "brl", most_rows=1000, n_train=1000, accuracy=70.0)
    add("defaults", "adult", "brl", most_rows=5000, n_train=5000, accuracy=75.0)
    found = group(results, "brl", "adult")
    assert found.values("accuracy") == [75.0]
    assert found.runs[0].is_sample


def test_the_best_settings_have_the_highest_median_and_all_folds(add, results):
    for fold, (first, second) in enumerate([(90.0, 80.0), (70.0, 81.0), (71.0, 79.0)]):
        add("tables", "wdbc", "cart", fold, {"depth": 1}, accuracy=first, size=2)  # median 71, mean 77
        add("tables", "wdbc", "cart", fold, {"depth": 2}, accuracy=second, size=9)  # median 80
        add("tables", "wdbc", "cart", fold, {"depth": 3}, accuracy=second, size=7)  # as accurate and shorter
    add("tables", "wdbc", "cart", 0, {"depth": 4}, accuracy=99.0, size=9)  # one fold does not compete
    best = results().part("tables").best("wdbc", "cart")
    assert best.runs[0].settings == {"depth": 3}
    assert (best.median("accuracy"), best.median("size")) == (80.0, 7)


def test_who_is_readable_is_known_from_the_results(add, results):
    add("defaults", "wdbc", "cart", accuracy=90.0, size=3)
    add("defaults", "wdbc", "random_forest", accuracy=95.0)
    assert results().readable == {"cart"}


def test_where_it_was_measured_is_read_once(add, results):
    add("scale", "lookalike-vote", "cart", accuracy=90.0)
    add("scale", "lookalike-vote", "brl", accuracy=90.0)
    assert [origin.commit for origin in results().origins("scale")] == ["abc1234"]


def test_means_of_sizes_count_a_rule_without_conditions_as_one():
    assert geometric_mean([0, 4, 16]) == pytest.approx(4)  # of 1, 4 and 16
    assert ratio_of_sizes([(0, 8), (8, 4)]) == pytest.approx(0.5)  # of 1/8 and 2


def test_the_critical_difference_is_that_of_the_tables():
    # Demšar's example: four methods on fourteen data sets
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(1, 14) is None


def test_a_front_has_what_no_other_beats():
    short, long = Point("a", 2, 80), Point("b", 9, 90)
    beaten, same = Point("c", 9, 85), Point("d", 20, 90)
    assert front([same, beaten, long, short]) == [short, long]


def test_directions_are_of_ranks():
    assert rank_correlation([(0.0001, 3), (0.001, 2), (10, 1)]) == -1
    assert rank_correlation([(1, 1), (2, 3), (3, 2), (4, 4)]) == pytest.approx(0.8)


def test_titles_are_of_what_is_compared():
    assert tuple(STANDS_FOR.values()) == LOOKALIKES
    assert set(SAME.values()) <= {*protocols.AS_PRINTED, *protocols.TABLE_1, *protocols.TABLE_2}
    assert {OURS, *KINDS} == set(protocols.BY_DEFAULT)
