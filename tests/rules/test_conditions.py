import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.generated import COLUMNS, literals, tables

from imli import CNF, DNF
from imli.rules.literals import Compare, InInterval, IsMissing, IsTrue, as_clause
from imli.rules.text import write_conditions

SMOKER = IsTrue("smoker")


def age(operator, threshold, or_missing=False):
    return Compare("age", operator, threshold, or_missing=or_missing)


@pytest.mark.parametrize(
    ("clause", "conditions"),
    [
        ([age(">", 33), age("<=", 50)], ["33 < age <= 50"]),
        ([age("<", 50), SMOKER, age(">", 33)], ["33 < age < 50", "smoker"]),
        ([age(">=", 33), age("<=", 5000.5)], ["33 <= age <= 5,000.5"]),
        ([age(">", 33, True), age("<=", 50, True)], ["33 < age <= 50 or missing"]),
        # these would read as an interval, or as something else than they mean
        ([age(">=", 33), age("<", 50)], ["age >= 33", "age < 50"]),
        ([age(">", 33), age("<=", 50, True)], ["age > 33", "(age <= 50 or missing)"]),
        ([age(">", 50), age("<=", 33)], ["age > 50", "age <= 33"]),
        ([InInterval("age", 20, 30), age(">", 25)], ["age > 25", "20 <= age < 30"]),
        # a column's literals stand together
        ([age(">", 33), SMOKER, IsMissing("age", or_missing=False)], ["age > 33", "age is not missing", "smoker"]),
        ([age(">", 1), age(">", 2), age("<=", 5), age("<=", 9)], ["1 < age <= 5", "2 < age <= 9"]),
    ],
)
def test_two_ends_of_a_range_are_one_condition(clause, conditions):
    assert write_conditions(as_clause(clause), "AND") == conditions
    assert DNF((clause,)).n_conditions == len(conditions)
    assert DNF((clause,)).size == sum(literal.size for literal in clause)


def test_literals_joined_by_or_stay_apart():
    rule = CNF(((age(">", 50), SMOKER, age("<=", 33)),))
    assert str(rule).splitlines()[0] == "IF    (age <= 33 OR age > 50 OR smoker)"
    assert rule.n_conditions == 3


@given(st.lists(literals(names=COLUMNS), max_size=6), tables(), st.sampled_from(["AND", "OR"]))
def test_the_order_of_reading_changes_no_decision(clause, table, joined_by):
    arranged = as_clause(clause, joined_by)
    assert set(arranged) == set(clause)
    assert as_clause(arranged, joined_by) == arranged
    kind = DNF if joined_by == "AND" else CNF
    held = np.array([literal.holds(table[literal.column]) for literal in clause]).reshape(-1, table.n_rows)
    expected = held.all(axis=0) if joined_by == "AND" else held.any(axis=0)
    assert np.array_equal(kind((clause,)).decide(table), expected)
