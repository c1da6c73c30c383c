import json

import numpy as np
import pytest
from hypothesis import given
from support.generated import COLUMNS, literals, tables

from imli.errors import UnreadableColumnError
from imli.rules.literals import Compare, InInterval, IsIn, IsMissing, IsTrue, Literal
from imli.table.read import as_frame


def holds(literal, cells):
    return literal.holds(as_frame({"c": cells})["c"]).tolist()


def test_a_missing_cell_passes_only_where_the_literal_says_so():
    ages = [50, 30, None]
    assert holds(Compare("c", ">=", 40), ages) == [True, False, False]
    assert holds(Compare("c", "<", 40), ages) == [False, True, False]
    assert holds(~Compare("c", ">=", 40), ages) == [False, True, True]
    assert holds(IsMissing("c"), ages) == [False, False, True]
    assert holds(~IsMissing("c"), ages) == [True, True, False]


def test_what_each_test_means():
    assert holds(InInterval("c", 1, 3), [0.0, 1, 2, 3]) == [False, True, True, False]
    assert holds(InInterval("c", 1, 3, negated=True), [0.0, 1, np.inf, np.nan]) == [True, False, True, False]
    assert holds(IsIn("c", ("a", "b")), ["a", "b", "unseen", None]) == [True, True, False, False]
    assert holds(IsIn("c", ("a",), negated=True), ["a", "b", "unseen", None]) == [False, True, True, False]
    assert holds(IsIn("c", (1, 3)), [1, 2, 3]) == [True, False, True]
    assert holds(IsTrue("c"), [True, False, None]) == [True, False, False]
    assert holds(IsTrue("c", negated=True), [1, 0, 2]) == [False, True, True]


@given(literals(names=COLUMNS), tables())
def test_complement_is_exact(literal, table):
    column = table[literal.column]
    assert np.array_equal((~literal).holds(column), ~literal.holds(column))
    assert ~~literal == literal


@given(literals(names=COLUMNS), tables())
def test_opposite_agrees_on_missing_cells_and_differs_elsewhere(literal, table):
    column = table[literal.column]
    same = literal.opposite().holds(column) == literal.holds(column)
    expected = np.zeros_like(same) if isinstance(literal, IsMissing) else column.missing
    assert np.array_equal(same, expected)


@given(literals())
def test_json_round_trip(literal):
    assert Literal.from_dict(json.loads(json.dumps(literal.to_dict()))) == literal


@pytest.mark.parametrize(
    ("literal", "size", "direction"),
    [
        (Compare("a", ">", 1), 1, 1),
        (~Compare("a", ">", 1), 1, -1),
        (InInterval("a", 1, 2), 2, 0),
        (IsIn("a", ("x", "y", "z")), 3, 0),
        (IsTrue("a", negated=True), 1, -1),
        (IsMissing("a"), 1, None),
    ],
)
def test_size_and_direction(literal, size, direction):
    assert (literal.size, literal.direction) == (size, direction)


def test_a_literal_on_the_wrong_kind_of_column_says_so():
    with pytest.raises(UnreadableColumnError) as error:
        holds(Compare("c", ">", 1), ["a"])
    assert str(error.value) == (
        "Column 'c' holds text, but the rule compares it with numbers. Convert the column to numbers first."
    )
    with pytest.raises(UnreadableColumnError) as error:
        holds(IsIn("c", ("a",)), [1])
    assert str(error.value) == (
        "Column 'c' holds numbers, but the rule compares it with text: 'c is a'. Convert the column to text first."
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ([], "A literal must be a JSON object. Got []."),
        ({"test": "magic"}, "Unknown test 'magic' in a literal. Known: compare, date, interval, is, true, missing."),
        (
            {"test": "true", "column": "a"},
            "A literal with test 'true' has the fields column, negated, or_missing. Got column.",
        ),
        (
            {"test": "compare", "column": "a", "operator": "=", "threshold": 1, "or_missing": False},
            "A comparison is one of <, <=, >, >=. Got '='.",
        ),
        (
            {"test": "compare", "column": "a", "operator": "<", "threshold": "1", "or_missing": False},
            "A literal's threshold must be a number. Got '1'.",
        ),
        (
            {"test": "interval", "column": "a", "low": 2, "high": 1, "negated": False, "or_missing": False},
            "An interval's low end must be below its high end. Got 2 and 1.",
        ),
        (
            {"test": "is", "column": "a", "values": ["x", 1], "negated": False, "or_missing": False},
            "'is' compares with text or with numbers, not both. Got ['x', 1].",
        ),
        (
            {"test": "is", "column": "a", "values": [], "negated": False, "or_missing": False},
            "'is' needs one or more different values. Got [].",
        ),
    ],
)
def test_what_is_not_a_literal_is_refused(content, sentence):
    with pytest.raises(ValueError) as error:
        Literal.from_dict(content)
    assert str(error.value) == sentence
