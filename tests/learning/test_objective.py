import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imli.learning.objective import to_units


def test_costs_that_are_fractions_are_exact():
    (weights, costs), scale, rounding = to_units(np.array([1.0, 569 / (2 * 212)]), np.array([0.1, 0.25, 0.0]))
    assert rounding == 0.0
    assert [amount / scale for amount in weights.tolist()] == [1.0, 569 / (2 * 212)]
    assert [amount / scale for amount in costs.tolist()] == [0.1, 0.25, 0.0]


def test_what_cannot_be_exact_is_rounded_and_said():
    (_, costs), scale, rounding = to_units(np.array([1.0]), np.array([10**-2.75]))
    assert 0 < rounding < 1e-6
    assert costs[0] / scale == pytest.approx(10**-2.75, rel=1e-6)


def test_a_weight_that_vanishes_beside_the_others_is_said():
    _, _, rounding = to_units(np.array([1e12, 1e-12]))
    assert rounding == 1.0


def test_too_much_is_refused():
    with pytest.raises(ValueError) as error:
        to_units(np.array([1e19]))
    assert str(error.value) == "The weights add up to 1e+19, which is too much. Divide them by a constant."


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20))
def test_units_stay_within_64_bits_and_close_to_the_costs(costs):
    (amounts,), scale, rounding = to_units(np.array(costs))
    assert sum(amounts.tolist()) < 2**63
    back = amounts / scale
    assert np.all(np.abs(back - costs) <= np.array(costs) * (rounding + 1e-12))
