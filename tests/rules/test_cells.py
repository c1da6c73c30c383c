from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.generated import COLUMNS, literals, tables

from imli import parse_literal
from imli.rules.cells import Cells, cells_by_column, wordings
from imli.table.read import as_frame


def cells_of(*texts):
    cells = Cells.of(map(parse_literal, texts))
    return [cells.cell(n) for n in range(cells.n)]


@given(st.lists(literals(names=COLUMNS), min_size=1, max_size=4), tables())
def test_every_cell_of_a_table_is_told_apart_as_one_of_the_examples(tests, table):
    for name, cells in cells_by_column(tests).items():
        own = [test for test in tests if test.column == name]
        examples = {tuple(cells.accepted(test) >> n & 1 for test in own) for n in range(cells.n)}
        found = set(zip(*(test.holds(table[name]).astype(int).tolist() for test in own), strict=True))
        assert found <= examples


@given(st.lists(literals(names=COLUMNS), min_size=1, max_size=4))
def test_an_example_is_accepted_where_the_literal_holds(tests):
    for name, cells in cells_by_column(tests).items():
        for test in (test for test in tests if test.column == name):
            for n in range(cells.n):
                column = as_frame({name: [cells.cell(n)]})[name]
                assert test.holds(column).tolist() == [bool(cells.accepted(test) >> n & 1)]


def test_numbers_lie_below_at_between_and_above_the_cuts():
    assert cells_of("x > 3", "x <= 7", "x is missing") == [2, 3, 5, 7, 8, None]
    assert cells_of("smoker") == [0, 1, 2, None]


def test_between_neighbouring_numbers_there_is_nothing():
    assert cells_of("x > 0", "x >= 5e-324") == [-1, 0, 5e-324, 1, None]


def test_categories_that_nobody_names_have_an_example_too():
    assert cells_of("c is B or A", "c is not C") == ["A", "B", "C", "something else", None]
    assert cells_of('c is "something else"') == ["something else", "something else or else", None]


def test_large_numbers_are_asked_for_as_integers_too():
    below, at, above = 2.0**53 - 1, 2.0**53, 2.0**53 + 2  # as floats; the cut is rounded
    assert cells_of("x > 9007199254740993") == [below, at, above, None, 2**53, 2**53 + 1, 2**53 + 2]


def test_a_column_that_is_only_asked_for_its_gaps_has_a_number_and_a_gap():
    assert cells_of("x is missing", "x is not missing") == [0, None]


def test_text_and_numbers_do_not_go_together():
    with pytest.raises(ValueError) as error:
        cells_of("c is missing", "c is A", "c > 3")
    assert str(error.value) == (
        "Column 'c' is compared with text in 'c is A' and with numbers in 'c > 3', but no column holds both. "
        "Remove one of the two."
    )


@pytest.mark.parametrize(
    ("text", "kind"),
    [("x > 3", "number"), ("1 <= x < 2", "number"), ("x is 3", "number"), ("x is A", "text"), ("x", "number"),
     ("x is missing", None)],
)  # fmt: skip
def test_each_literal_says_what_it_reads(text, kind):
    assert parse_literal(text).reads == kind


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


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("x > 3", "x > 1"), ["x > 3", "x > 3"]),
        (("x >= 3", "x <= 7", "x is not 5"), ["x >= 3 AND x <= 7 AND x is not 5"]),
        (("x > 3", "x >= 7", "x is not 7", "not 8 <= x < 9"), ["x > 7 AND not 8 <= x < 9"]),
        (("not 2 <= x < 5", "not 4 <= x < 8", "x is not 8"), ["not 2 <= x < 8 AND x is not 8"]),
        (("c is not B", "c is not A or missing"), ["c is neither A nor B"]),
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
        (("x is 3", "x is 5 or missing"), ["x is 3, 5 or missing"]),
        (("x < 3", "x >= 3"), ["x is not missing"]),
        (("x < 3", "x >= 3", "x is missing"), [""]),
        (("c is A", "c is not B"), ["c is not B", "c is not B"]),
    ],
)
def test_what_any_of_some_literals_accepts(texts, words):
    assert worded(*texts, join="or") == words
