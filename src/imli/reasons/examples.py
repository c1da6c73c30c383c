"""Values that people would write, as near to another as a range allows."""

import math
from collections.abc import Iterable
from dataclasses import replace

from imli.reasons.domains import Domain
from imli.reasons.regions import Region

# A day, an hour, a minute, a second and the least there is, in microseconds.
_TIMES = (86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000, 1)


def near_number(domain: Domain, region: Region, near: float | None, *, prefers_whole: bool) -> float:
    """A possible number of the region near to another, whole if that is preferred and there is one.

    >>> near_number(Domain(), Region(40, math.inf), 20.5, prefers_whole=False)
    40.1
    >>> near_number(Domain(), Region(40.25, math.inf), 20, prefers_whole=True)
    41
    """
    if prefers_whole and domain.only is None:
        found = replace(domain, whole=True).nearest(region, near)
        if found is not None and math.isfinite(found):
            return found
    found = domain.nearest(region, near)
    assert found is not None, "the region has possible numbers"
    if region.has(found):
        return found
    sign = 1 if found == region.low else -1
    n_decimals = max(1, len(repr(float(found)).partition(".")[2].partition("e")[0]))
    tried = (round(found + sign * 10.0**-n, n) for n in range(n_decimals, n_decimals + 3))
    beyond = _first_possible(domain, region, tried)
    return math.nextafter(found, sign * math.inf) if beyond is None else beyond


def near_moment(domain: Domain, region: Region, near: float | None) -> float:
    """A possible moment of the region near to another."""
    found = domain.nearest(region, near)
    assert found is not None, "the region has possible moments"
    if region.has(found):
        return found
    sign = 1 if found == region.low else -1
    beyond = _first_possible(domain, region, (found + sign * step for step in _TIMES))
    assert beyond is not None, "the least step stays in the region"
    return beyond


def _first_possible(domain: Domain, region: Region, tried: Iterable[float]) -> float | None:
    return next((one for one in tried if region.has(one) and domain.nearest(Region.point(one), one) is not None), None)
