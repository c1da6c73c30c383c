"""Bits from columns, against ``Literal.holds`` on every cell."""

from datetime import date, datetime
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.generated import literals

from imli import _kernel
from imli.learning.bits import count_holding, tabulate
from imli.rules.literals import Compare, InInterval, IsIn, IsTrue, Literal
from imli.table.frame import Column, Frame
from imli.table.read import as_frame

INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)
FLOATS = st.floats(allow_nan=False) | st.sampled_from([-1.5, -0.0, 0.0, 1.0, 2.25, 1e300])


def check(frame: Frame, tests: list[Literal]) -> None:
    table = tabulate(frame, tests)
    for j, literal in enumerate(tests):
        expected = literal.holds(frame[literal.column])
        assert table.column(j).tolist() == expected.tolist(), literal
        assert count_holding(frame[literal.column], [literal]).tolist() == [np.count_nonzero(expected)]


@given(data=st.data(), tests=st.lists(literals(names=True), max_size=12))
def test_any_literals_on_any_cells(data, tests):
    n_rows = data.draw(st.integers(1, 150))

    def cells(values):
        return data.draw(st.lists(st.none() | values, min_size=n_rows, max_size=n_rows))

    frame = as_frame(
        {
            "mean radius": cells(st.sampled_from([-2.0, -1.5, 0.0, 1.0, 2.0, 2.25, 1e300, float("inf")])),
            'odd "name"': cells(st.sampled_from(["red", "dark blue", "3", "or", "never seen"])),
            "is it so?": cells(st.booleans()),
            "signed on": cells(st.sampled_from([date(1969, 12, 31), date(2021, 1, 1), datetime(2020, 2, 29, 12, 30)])),
        }
    )
    # a column that is all missing has no kind; what text asks of it is tested elsewhere
    check(frame, [each for each in tests if not frame[each.column].missing.all()])


@pytest.mark.parametrize(("values", "dtype"), [(INTEGERS, np.int64), (FLOATS, np.float64)])
@given(data=st.data())
def test_cuts_at_and_around_the_cells(values, dtype, data):
    cells = np.array(data.draw(st.lists(values, min_size=1, max_size=80)), dtype=dtype)
    missing = np.array(data.draw(st.lists(st.booleans(), min_size=len(cells), max_size=len(cells))))
    some = st.sampled_from(cells.tolist()) | st.sampled_from([-(2.0**70), -1, 0, 0.5, 1, 2.0**70])
    cuts = [cut for cut in data.draw(st.lists(some, min_size=1, max_size=6)) if abs(cut) < 1e308]
    tests: list[Literal] = [IsTrue("x"), IsTrue("x", negated=True, or_missing=True)]
    for cut in cuts:
        tests += [Compare("x", operator, cut) for operator in ("<", "<=", ">", ">=")]
        tests += [IsIn("x", (cut,)), IsIn("x", (cut,), negated=True)]
    tests += [InInterval("x", low, high) for low, high in pairwise(cuts) if low < high]
    column = Column("x", "number", cells, missing)
    check(Frame({"x": column}, len(cells)), tests)


def test_literals_of_one_column_need_not_stand_together():
    frame = as_frame({"a": [1, 2, 3], "b": [3.5, None, 1.5]})
    check(frame, [Compare("a", ">", 1), Compare("b", ">", 2), Compare("a", "<=", 2), Compare("b", "<=", 2)])


def test_the_kernel_refuses_arrays_that_do_not_fit():
    out = np.zeros((1, 1), dtype=np.uint64)
    with pytest.raises(ValueError, match="as long as values"):
        _kernel.pack_numbers(np.zeros(3), np.zeros(2, dtype=bool), np.zeros(0), np.zeros((2, 1), dtype=bool), out)
    with pytest.raises(ValueError, match="for each kind of cell"):
        _kernel.pack_numbers(np.zeros(3), np.zeros(3, dtype=bool), np.zeros(1), np.zeros((2, 1), dtype=bool), out)
    with pytest.raises(ValueError, match="no kind of cell"):
        _kernel.pack_codes(np.full(3, 7, np.int32), np.zeros(3, dtype=bool), np.zeros((2, 1), dtype=bool), out)
