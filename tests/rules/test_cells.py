import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.generated import COLUMNS, literals, tables

from imli import parse_literal
from imli.rules.cells import Cells, cells_by_column
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
