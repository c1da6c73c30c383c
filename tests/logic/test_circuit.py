from dataclasses import replace
from datetime import datetime
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.generated import COLUMNS, category_values, moments, pair_rules, point_rules, rules

from imli import parse_rule
from imli.logic.circuit import difference
from imli.rules import PairRule, PointRule
from imli.table.read import as_frame

two_labels = st.sampled_from(["a", "b"])
any_rules = (
    rules(COLUMNS, labels=two_labels)
    | pair_rules(COLUMNS, labels=st.sampled_from(["a", "b", "c"]))
    | point_rules(COLUMNS, labels=two_labels)
)


def all_rows():
    """Every row that the generated literals can tell apart, and more."""
    cells = {
        "number": [-2.0, -1.5, -1.0, 0.0, 0.5, 1.0, 2.0, 2.25, 9.0, 1e300, np.inf, np.nan],
        "text": [*category_values, "unseen", None],
        "flag": [0.0, 0.5, 1.0, 2.0, np.nan],
        "date": [
            *(datetime(year, 1, 1) for year in (1960, 1980, 2022)),
            *map(datetime.fromisoformat, moments),
            datetime(2020, 6, 1),
            None,
        ],
    }
    rows = list(product(*cells.values()))
    return as_frame({COLUMNS[kind]: [row[n] for row in rows] for n, kind in enumerate(cells)})


ROWS = all_rows()


def decided(rule, row):
    """What a rule decides on one row; a constant rule looks at no column."""
    return rule.predict({"other": [0]} | {name: [cell] for name, cell in row.items()}).tolist()


@settings(deadline=None, max_examples=100)
@given(any_rules, any_rules)
def test_rules_are_equivalent_if_no_row_tells_them_apart(rule, other):
    row = difference(rule, other)
    assert (row is None) == (rule.predict(ROWS).tolist() == other.predict(ROWS).tolist())
    assert rule.equivalent(other) == (row is None)
    if row is not None:
        assert decided(rule, row) != decided(other, row)


@settings(deadline=None, max_examples=100)
@given(any_rules, st.integers(0, 3))
def test_a_rule_without_one_of_its_clauses_is_equivalent_if_no_row_misses_it(rule, position):
    name = "pairs" if isinstance(rule, PairRule) else "items" if isinstance(rule, PointRule) else "slots"
    parts = getattr(rule, name)
    less = replace(rule, **{name: parts[:position] + parts[position + 1 :]})
    assert rule.equivalent(less) == (rule.predict(ROWS).tolist() == less.predict(ROWS).tolist())
    assert rule.equivalent(rule)


@settings(deadline=None, max_examples=50)
@given(rules(COLUMNS, labels=two_labels))
def test_a_formula_and_its_complement_agree_nowhere(rule):
    swapped = type(~rule)((~rule).slots, rule.classes[::-1], rule.target)
    assert not rule.equivalent(~rule)
    assert rule.equivalent(swapped)


@pytest.mark.parametrize(
    ("one", "other", "row"),
    [
        ("age >= 40", "age > 40", {"age": 40}),
        ("age > 40", "age > 40 or missing", {"age": None}),
        ("city is A", "city is not B or C", {"city": "something else"}),
        ("(a OR b) AND (c)", "a AND c OR b AND c", None),
        ("age < 40 OR age >= 40", "age is not missing", None),
        ("IF a THEN 1 ELSE IF b THEN 2 ELSE 3", "IF b THEN 2 IF a THEN 1 IF a THEN 1 OTHERWISE 3", None),
        ("always", "never", {}),
        # rounded to floats the two are the same, but a column may hold integers
        ("x <= 9007199254740993", "x <= 9007199254740992", {"x": 2**53 + 1}),
        # and the reverse: as a float, x < 9007199254740993 refuses 9007199254740992
        ("x < 9007199254740993", "x <= 9007199254740992", {"x": 2.0**53}),
    ],
)
def test_a_row_that_tells_two_rules_apart(one, other, row):
    found = difference(parse_rule(one), parse_rule(other))
    assert found == row
    if found is not None:
        assert decided(parse_rule(one), found) != decided(parse_rule(other), found)


def test_a_class_that_is_never_decided_makes_no_difference():
    rule = parse_rule("IF a AND not a THEN purple ELSE IF b THEN red ELSE blue")
    assert rule.equivalent(parse_rule("IF b THEN red ELSE blue"))
    assert not rule.equivalent(parse_rule("IF b THEN green ELSE blue"))


def test_true_and_one_are_the_same_decision_as_they_are_in_python():
    assert parse_rule("IF a THEN true ELSE false").equivalent(parse_rule("IF a THEN 1 ELSE 0"))


def test_only_rules_can_be_compared():
    with pytest.raises(TypeError) as error:
        parse_rule("a").equivalent("a")
    assert str(error.value) == "A rule can be compared with a rule only. Got 'a'."
