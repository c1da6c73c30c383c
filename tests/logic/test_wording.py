from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.generated import COLUMNS, literals

from imli import parse_literal
from imli.logic.wording import shorter, wordings
from imli.rules.cells import Cells, cells_by_column


def worded(*texts, join="and"):
    """The wordings of what all of the literals accept, or any of them."""
    given = [parse_literal(text) for text in texts]
    cells = Cells.of(given)
    sets = [cells.accepted(literal) for literal in given]
    accepted = reduce(int.__and__ if join == "and" else int.__or__, sets)
    return [" AND ".join(map(str, words)) for words in wordings(cells, accepted)]


@given(st.lists(literals(names=COLUMNS), min_size=1, max_size=3))
def test_whatever_some_literals_accept_together_can_be_worded(given):
    for name, cells in cells_by_column(given).items():
        accepted = reduce(int.__and__, (cells.accepted(literal) for literal in given if literal.column == name))
        found = list(wordings(cells, accepted))
        assert found or accepted == 0  # what never holds has no words
        for words in found:
            assert reduce(int.__and__, map(cells.accepted, words), cells.all) == accepted


@given(literals())
def test_a_part_of_a_literal_is_smaller(literal):
    for part in shorter(literal):
        assert part.size < literal.size
        assert (part.column, part.or_missing) == (literal.column, literal.or_missing)


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("x > 3", "x > 1"), ["x > 3", "x > 3"]),
        (("x >= 3", "x <= 7", "x is not 5"), ["x >= 3 AND x <= 7 AND x is not 5"]),
        (("x > 3", "x >= 7", "x is not 7", "not 8 <= x < 9"), ["x > 7 AND not 8 <= x < 9"]),
        (("not 2 <= x < 5", "not 4 <= x < 8", "x is not 8"), ["not 2 <= x < 8 AND x is not 8"]),
        (("c is not B", "c is not A or missing"), ["c is not A or B"]),
        (("x > 3 or missing", "x is missing"), ["x is missing"]),
    ],
)
def test_what_all_of_some_literals_accept(texts, words):
    assert worded(*texts) == words


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("x < 3", "x > 3"), ["x is not 3"]),
        (("x < 3", "x >= 5"), ["not 3 <= x < 5"]),
        (("x <= 3", "x >= 5"), []),
        (("x is 3", "x is 5 or missing"), ["x is 3 or 5 or missing"]),
        (("x < 3", "x >= 3"), ["x is not missing"]),
        (("x < 3", "x >= 3", "x is missing"), [""]),
        (("c is A", "c is not B"), ["c is not B", "c is not B"]),
    ],
)
def test_what_any_of_some_literals_accepts(texts, words):
    assert worded(*texts, join="or") == words
