import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.generated import COLUMNS, counted, pair_rules, point_rules, rules, tables

from imli import DNF, DecisionSet, parse_rule, rule_from_dict
from imli.rules import Counts, count_rows
from imli.rules.literals import Compare, IsTrue

RULE = parse_rule("IF age > 60 OR smoker THEN risk is high ELSE risk is low")
TABLE = {"age": [70, 70, 30, 30], "smoker": [True, False, True, False]}
LABELS = ["high", "high", "low", "low"]


def speaks_in(rule, table, row):
    """For each clause whether it covers the row, by definition."""
    held = [[bool(literal.holds(table[literal.column])[row]) for literal in clause] for clause in rule.clauses]
    if rule.kind == "cnf":
        return [not any(clause) for clause in held]
    covers = [all(clause) for clause in held]
    if rule.kind == "list":
        return [covered and not any(covers[:number]) for number, covered in enumerate(covers)]
    return covers


@settings(max_examples=60)
@given(rules(names=COLUMNS) | pair_rules(names=COLUMNS), tables(), st.data())
def test_counts_are_what_they_are_defined_as(rule, table, data):
    n_rows, classes = table.n_rows, rule.classes
    positions = data.draw(st.lists(st.integers(0, len(classes) - 1), min_size=n_rows, max_size=n_rows))
    weights = data.draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows))
    labels = [classes[position] for position in positions]
    counts = count_rows(rule, rule.holds_in(table), np.array(positions), classes, np.array(weights, dtype=float))
    n_clauses = len(rule.clauses)
    decided = rule.predict(table).tolist()
    without = [rule.without(number).predict(table).tolist() for number in range(n_clauses)]
    covered, right, only_here = np.zeros((3, n_clauses))
    regions, overlap = np.zeros((n_clauses + 1, len(classes))), 0
    for row in range(n_rows):
        weight, label = weights[row], labels[row]
        speaking = speaks_in(rule, table, row)
        for number in np.flatnonzero(speaking):
            covered[number] += weight
            right[number] += weight * (rule.region_classes[number] == label)
        for number in range(n_clauses):
            only_here[number] += weight * (decided[row] == label and without[number][row] != label)
        region = next(
            (n for n in range(n_clauses) if speaking[n] and rule.region_classes[n] == decided[row]), n_clauses
        )
        assert rule.region_classes[region] == decided[row]
        regions[region, classes.index(label)] += weight
        overlap += weight * (sum(speaking) > 1)
    assert counts.classes == classes
    assert counts.covered == tuple(covered)
    assert counts.right == tuple(right)
    assert counts.only_here == tuple(only_here)
    assert np.array_equal(counts.regions, regions)
    assert counts.overlap == overlap
    assert counts.total == sum(weights)
    is_right = [decided[row] == labels[row] for row in range(n_rows)]
    assert counts.n_right(rule.region_classes) == np.dot(weights, is_right)


@given(counted(rules() | pair_rules() | point_rules()))
def test_counts_survive_json_and_pickle_but_make_no_rule_another(rule):
    for copy in (rule_from_dict(json.loads(json.dumps(rule.to_dict()))), pickle.loads(pickle.dumps(rule))):
        assert copy.counts == rule.counts
        assert copy == rule == rule.with_counts(None)
        assert hash(copy) == hash(rule.with_counts(None))


def test_a_complement_and_a_rule_with_one_clause_less_have_no_counts():
    rule = RULE.counted_on(TABLE, LABELS)
    assert (~rule).counts is None
    assert rule.without(0).counts is None
    assert rule.without(0) == parse_rule("IF smoker THEN risk is high ELSE risk is low")
    assert "counts" not in RULE.to_dict()
    assert rule_from_dict(RULE.to_dict() | {"counts": None}).counts is None


def test_the_region_of_a_row_is_the_first_clause_of_the_decided_class():
    old, smoker, fit = Compare("age", ">", 60), IsTrue("smoker"), IsTrue("fit")
    rule = DecisionSet((((fit,), "low"), ((old,), "high"), ((smoker,), "high")), "low")
    table = {"age": [70, 70, 30, 30], "smoker": [True, False, True, False], "fit": [True, True, False, False]}
    held = rule.counted_on(table, ["high"] * 4)
    assert held.predict(table).tolist() == ["high", "low", "high", "low"]
    assert held.counts.regions == ((0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0))


def test_classes_that_the_rule_does_not_know_are_counted_too():
    counts = RULE.counted_on(TABLE, ["high", "medium", "low", "dire"]).counts
    assert counts.classes == ("low", "high", "dire", "medium")
    assert counts.regions == ((0, 1, 0, 1), (1, 0, 0, 0), (0, 0, 1, 0))


def test_zero_weights_and_no_rows():
    weights = [1, 0, 2, 0.5]
    counts = RULE.counted_on(TABLE, ["high", None, "low", "low"], weights).counts
    assert (counts.covered, counts.right, counts.total) == ((1.0, 3.0), (1.0, 1.0), 3.5)
    assert RULE.counted_on(TABLE, LABELS, [0, 0, 0, 0]).counts.total == 0
    assert RULE.counted_on({"age": [], "smoker": []}, []).counts.total == 0
    assert DNF().counted_on({"x": [1, 2]}, [True, False]).counts.regions == ((1.0, 1.0),)


@pytest.mark.parametrize(
    ("labels", "weights", "sentence"),
    [
        (["high"], None, "y must have one label per row, 4. Got shape (1,)."),
        (["high", "low", None, "low"], None, "y has a missing label in row 2. Drop the rows without a label."),
        (["high", None, None, "low"], [1, 0, 1, 1], "y has a missing label in row 2. Drop the rows without a label."),
        (
            [1, 0, 1, 0],
            None,
            "No label in y is a class of the rule. Its classes are ['low', 'high']; the first label is 1. "
            "Name the classes as the rule does.",
        ),
        (LABELS, [1, 2], "sample_weight must have one number per row, 4. Got shape (2,)."),
        (LABELS, [1, 2, -1, 1], "sample_weight must be finite and not negative."),
        (LABELS, [1, 2, np.nan, 1], "sample_weight must be finite and not negative."),
    ],
)
def test_what_cannot_be_counted(labels, weights, sentence):
    with pytest.raises(ValueError) as error:
        RULE.counted_on(TABLE, labels, weights)
    assert str(error.value) == sentence


COUNTS = RULE.counted_on(TABLE, LABELS).counts.to_dict()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            [1],
            "Counts must be a JSON object with the fields classes, covered, only_here, overlap, regions, right. "
            "Got [1].",
        ),
        (
            {"classes": []},
            "Counts must be a JSON object with the fields classes, covered, only_here, overlap, regions, right. "
            "Got classes.",
        ),
        (COUNTS | {"classes": 3}, "The classes of counts must be a list. Got 3."),
        (COUNTS | {"classes": ["a", "a"]}, "The classes of counts must differ. Got ['a', 'a']."),
        (COUNTS | {"regions": 3}, "The regions of counts must be a list. Got 3."),
        (
            COUNTS | {"right": [1, -1]},
            "Counts must be numbers from 0 to 1e300; right is not. Got [1, -1].",
        ),
        (
            COUNTS | {"overlap": True},
            "Counts must be numbers from 0 to 1e300; overlap is not. Got [True].",
        ),
        (
            COUNTS | {"right": [3, 1]},
            "A clause cannot be right in more rows than it covers. Got 3.0 and 2.0.",
        ),
        (
            COUNTS | {"covered": [1]},
            "Counts need as many numbers of rows covered, right and only_here. Got 1, 2 and 2.",
        ),
        (
            COUNTS | {"regions": [[1, 2], [1], [1, 2]]},
            "Each region of counts needs a number for each of 2 classes. Got [1.0].",
        ),
        (
            COUNTS | {"covered": [1], "right": [1], "only_here": [1], "regions": [[1, 2], [1, 2]]},
            "The rule has 2 clauses, but its counts are of 1. Count it anew with counted_on.",
        ),
        (
            COUNTS | {"classes": ["low", "medium"]},
            "The rule decides for 'high', but its counts are of the classes ['low', 'medium']. "
            "Count it anew with counted_on.",
        ),
    ],
)
def test_malformed_counts_are_refused(content, sentence):
    with pytest.raises(ValueError) as error:
        rule_from_dict(RULE.to_dict() | {"counts": content})
    assert str(error.value) == sentence


def test_counts_of_a_rule_must_be_counts():
    with pytest.raises(TypeError, match="A rule's counts must be Counts or None. Got 3."):
        RULE.with_counts(3)
    assert Counts.from_dict(COUNTS) == RULE.counted_on(TABLE, LABELS).counts
