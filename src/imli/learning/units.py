"""Costs as integers: solvers count in units, and sums of integers do not depend on their order."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from imli.table.frame import FloatArray, IntArray

# MaxSAT programs add up weights in 64 bits; one bit is left for the sum of hard weights.
_LARGEST_SUM = 2**62
_LARGEST_DENOMINATOR = 10**6
_LARGEST_SCALE = 10**9
_ACCURACY = 1e-6  # enough; small units suit solvers that count in 32 bits
_MOST_FRACTIONS = 1000  # more different costs than this are measured, not chosen, and need not be exact


@dataclass(frozen=True, eq=False)
class Units:
    """Integer costs: ``amounts`` in units, ``scale`` of which make a cost of 1."""

    amounts: tuple[IntArray, ...]
    scale: int
    rounding: float  # the largest relative change of any amount; 0 when all are exact


def to_units(*costs: FloatArray, rows: float | None = None) -> Units:
    """Return several arrays of costs in one integer unit, exact if their denominators allow it.

    ``rows`` is the weight of all rows, if the first array has each distinct weight only once.

    >>> units = to_units(np.array([1.0, 0.5]), np.array([0.1]))
    >>> units.scale, [amount.tolist() for amount in units.amounts], units.rounding
    (10, [[10, 5], [1]], 0.0)
    """
    together = np.concatenate([np.asarray(cost, dtype=np.float64) for cost in costs])
    distinct = np.unique(together)
    total = float(together.sum())
    if rows is not None:
        total += rows - float(costs[0].sum())
    largest = min(1.0, float(distinct[-1])) if distinct.any() else 1.0  # tiny costs still differ
    scale_limit = int(min(_LARGEST_SCALE / largest, _LARGEST_SUM / max(1.0, total)))
    if scale_limit == 0:
        raise ValueError(f"The weights add up to {total:.3g}, which is too much. Divide them by a constant.")
    scale, rounding = _exact_scale(distinct), 0.0
    if scale is None or scale > scale_limit:
        powers = (10**n for n in range(len(str(scale_limit))))
        scale = next((power for power in powers if _rounding(distinct, power) <= _ACCURACY), scale_limit)
        rounding = _rounding(distinct, scale)
    units = np.round(together * scale).astype(np.int64)
    return Units(tuple(np.split(units, np.cumsum([len(cost) for cost in costs])[:-1])), scale, rounding)


def _exact_scale(costs: FloatArray) -> int | None:
    """Return the least scale that makes all costs integers, or None if there is no small one."""
    if len(costs) > _MOST_FRACTIONS:
        return None
    fractions = [Fraction(repr(cost)).limit_denominator(_LARGEST_DENOMINATOR) for cost in costs.tolist()]
    if any(float(fraction) != cost for fraction, cost in zip(fractions, costs.tolist(), strict=True)):
        return None
    return math.lcm(*(fraction.denominator for fraction in fractions))


def _rounding(costs: FloatArray, scale: int) -> float:
    """Return the largest relative change of a cost when rounded to units of this scale."""
    some = costs[costs > 0]
    return float(np.max(np.abs(np.round(some * scale) / scale - some) / some, initial=0.0))
