"""Costs as integers: solvers count in units, and sums of integers do not depend on their order."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from imli.arrays import FloatArray, IntArray

# MaxSAT programs add up weights in 64 bits; one bit is left for the sum of hard weights.
_LARGEST_SUM = 2**62
_LARGEST_DENOMINATOR = 10**6
_LARGEST_SCALE = 10**9


@dataclass(frozen=True, eq=False)
class Units:
    """Integer costs: ``amounts`` in units, ``scale`` of which make a cost of 1."""

    amounts: tuple[IntArray, ...]
    scale: int
    rounding: float  # the largest relative change of any amount; 0 when all are exact


def to_units(*costs: FloatArray) -> Units:
    """Express several arrays of costs in one unit, exactly if their denominators allow it.

    >>> units = to_units(np.array([1.0, 0.5]), np.array([0.1]))
    >>> units.scale, [amount.tolist() for amount in units.amounts], units.rounding
    (10, [[10, 5], [1]], 0.0)
    """
    # each distinct cost is turned into a fraction once, however many rows share it
    distinct, positions = np.unique(
        np.concatenate([np.asarray(cost, dtype=float) for cost in costs]), return_inverse=True
    )
    counts = np.bincount(positions, minlength=len(distinct))
    fractions = [Fraction(repr(float(cost))).limit_denominator(_LARGEST_DENOMINATOR) for cost in distinct]
    total = math.ceil(sum(fraction * int(count) for fraction, count in zip(fractions, counts, strict=True)))
    scale_limit = min(_LARGEST_SCALE, _LARGEST_SUM // max(1, total))
    if scale_limit == 0:
        raise ValueError(f"The weights add up to {total:.3g}, which is too much. Divide them by a constant.")
    scale = math.lcm(*(fraction.denominator for fraction in fractions), 1)
    is_exact = scale <= scale_limit and all(
        float(fraction) == cost for fraction, cost in zip(fractions, distinct, strict=True)
    )
    if not is_exact:
        scale = scale_limit
        fractions = [Fraction(float(cost)) for cost in distinct]
    units = np.array([round(fraction * scale) for fraction in fractions], dtype=np.int64)
    rounding = max(
        (abs(int(unit) / scale - cost) / cost for unit, cost in zip(units, distinct, strict=True) if cost > 0),
        default=0.0,
    )
    amounts = np.split(units[positions], np.cumsum([len(cost) for cost in costs])[:-1])
    return Units(tuple(amounts), scale, 0.0 if is_exact else float(rounding))
