"""Ranges of numbers, or of dates as microseconds."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Region:
    """All numbers between two ends, which are in it or not."""

    low: float
    high: float
    closed: tuple[bool, bool] = (False, False)

    @staticmethod
    def point(value: float) -> "Region":
        """One number."""
        return Region(value, value, (True, True))

    @staticmethod
    def around(value: float, cuts: Sequence[float]) -> "Region":
        """All numbers that lie between the same cuts, which are in order; if it is a cut, that alone.

        >>> Region.around(25, [20, 30]), Region.around(30, [20, 30])
        (Region(low=20, high=30, closed=(False, False)), Region(low=30, high=30, closed=(True, True)))
        """
        above = bisect_left(cuts, value)
        if above < len(cuts) and cuts[above] == value:
            return Region.point(value)
        return Region(cuts[above - 1] if above else -math.inf, cuts[above] if above < len(cuts) else math.inf)

    def has(self, value: float) -> bool:
        """Whether the number is in it."""
        return self.low < value < self.high or value in (
            end for end, is_in in zip((self.low, self.high), self.closed, strict=True) if is_in
        )
