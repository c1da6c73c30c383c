"""Two tables, one below the other: as if they had been one."""

import numpy as np
import pytest

from imli.errors import UnreadableColumnError
from imli.table.frame import stacked
from imli.table.read import as_frame

COLUMNS = {
    "whole": [1, 2, 3, 4, 5, 6],
    "broken": [1.5, None, -2.0, 3.0, None, 0.25],
    "flag": [True, False, True, True, False, False],
    "some flags": [True, None, False, None, True, False],
    "text": ["b", "a", None, "c", "ä", "b"],
    "date": np.array(["2020-01-01", "NaT", "1999-12-31", "2020-01-01", "2021-05-05", "NaT"], dtype="datetime64[D]"),
    "late": [None, None, None, "x", "y", None],
    "gone": [4.0, 5.0, 6.0, None, None, None],
    "never": [None] * 6,
}


@pytest.mark.parametrize("at", [1, 2, 3, 4, 5])
def test_the_parts_of_a_table_make_the_table(at):
    upper = as_frame({name: cells[:at] for name, cells in COLUMNS.items()})
    lower = as_frame({name: cells[at:] for name, cells in COLUMNS.items()})
    both, whole = stacked(upper, lower), as_frame(COLUMNS)
    assert both.names == whole.names
    assert both.n_rows == 6
    for name, column in whole.columns.items():
        found = both[name]
        assert found.kind == column.kind, name
        assert found.categories == column.categories, name
        assert found.cells().tolist() == column.cells().tolist(), name


def test_flags_below_numbers_are_numbers():
    both = stacked(as_frame({"x": [0, 3]}), as_frame({"x": [True, False]}))
    assert (both["x"].kind, both["x"].values.tolist()) == ("number", [0, 3, 1, 0])


def test_text_below_numbers_is_refused():
    with pytest.raises(UnreadableColumnError) as error:
        stacked(as_frame({"age": [40]}), as_frame({"age": ["forty"]}))
    assert str(error.value) == "Column 'age' holds text, but held numbers before. Convert it to numbers."
