import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imli.learning.units import to_units


def test_costs_that_are_fractions_are_exact():
    units = to_units(np.array([1.0, 569 / (2 * 212)]), np.array([0.1, 0.25, 0.0]))
    assert units.rounding == 0.0
    assert [amount / units.scale for amount in units.amounts[0].tolist()] == [1.0, 569 / (2 * 212)]
    assert [amount / units.scale for amount in units.amounts[1].tolist()] == [0.1, 0.25, 0.0]


def test_what_cannot_be_exact_is_rounded_and_said():
    units = to_units(np.array([1.0]), np.array([10**-2.75]))
    assert 0 < units.rounding < 1e-6
    assert units.amounts[1][0] / units.scale == pytest.approx(10**-2.75, rel=1e-6)


def test_a_weight_that_vanishes_beside_the_others_is_said():
    assert to_units(np.array([1e12, 1e-12])).rounding == 1.0


def test_too_much_is_refused():
    with pytest.raises(ValueError) as error:
        to_units(np.array([1e19]))
    assert str(error.value) == "The weights add up to 1e+19, which is too much. Divide them by a constant."


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20))
def test_units_stay_within_64_bits_and_close_to_the_costs(costs):
    units = to_units(np.array(costs))
    amounts = units.amounts[0]
    assert sum(amounts.tolist()) < 2**63
    back = amounts / units.scale
    assert np.all(np.abs(back - costs) <= np.array(costs) * (units.rounding + 1e-12))
