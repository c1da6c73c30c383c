"""Cuts in a column of numbers: between quantiles, at equal widths, or where they separate the classes best.

Every cut separates two neighbouring values, and has as few digits as that needs.
"""

import math
from heapq import heappop, heappush

import numpy as np

from imli.table.dates import short_moment
from imli.table.frame import FloatArray, IntArray
from imli.table.summaries import ValueCounts

_MOST_PLACES = 1024  # candidates for supervised cuts


def uniform_cuts(values: ValueCounts, bins: int, closed: bool) -> list[float]:
    """Return cuts at equal widths of the finite range, each moved a little to a number of few digits."""
    if _are_past_floats(values):
        first, width = int(values.low[0]), int(values.high[-1]) - int(values.low[0])
        return sorted({first + max(1, width * i // bins) - (not closed) for i in range(1, bins)})
    ends = values.ends
    finite = ends[np.isfinite(ends)].astype(float)
    if len(finite) < 2:
        return cuts_after(values, quantile_places(np.ones(len(values), dtype=np.int64), bins), closed)
    # halved before subtracting, because the width of a range can exceed the largest float
    half_width = (finite[-1] / 2 - finite[0] / 2) / bins
    cuts: list[float] = []
    for i in range(1, bins):
        cut = finite[0] + half_width * i + half_width * i
        # between its neighbours, even where widths are so small that the cut falls on a value
        above = min(max(1, int(np.searchsorted(values.low, cut, side="left"))), len(values) - 1)
        low, high = float(values.high[above - 1]), float(values.low[above])
        nudge = half_width / 10
        if max(low, cut - nudge) < min(high, cut + nudge):
            cuts.append(_short_cut(max(low, cut - nudge), min(high, cut + nudge), closed))
        else:
            cuts.append(_short_cut(low, high, closed))
    return sorted({cut for cut in cuts if math.isfinite(cut)})


def supervised_places(by_class: IntArray, bins: int) -> list[int]:
    """Return the values to cut after, as a small tree chooses them: the next cut is the one that lowers entropy most.

    ``by_class`` has a row for each value and a column for each class. Of very many values only some are candidates.
    """
    candidates = np.array(quantile_places(by_class.sum(axis=1), _MOST_PLACES), dtype=np.intp)
    below = np.cumsum(by_class, axis=0)
    edges = np.vstack([np.zeros(by_class.shape[1], dtype=np.int64), below[candidates], below[-1]])
    chosen: list[int] = []
    ahead: list[tuple[float, int, int, int]] = []  # the best split of each part: gain, place, and the part's ends

    def consider(start: int, end: int) -> None:
        if end - start < 2:
            return
        left, right = edges[start + 1 : end] - edges[start], edges[end] - edges[start + 1 : end]
        gains = _disorder((edges[end] - edges[start])[None, :])[0] - _disorder(left) - _disorder(right)
        best = int(gains.argmax())
        if gains[best] > 1e-9:
            heappush(ahead, (-float(gains[best]), start + 1 + best, start, end))

    consider(0, len(edges) - 1)
    while ahead and len(chosen) < bins - 1:
        _, place, start, end = heappop(ahead)
        chosen.append(int(candidates[place - 1]))
        consider(start, place)
        consider(place, end)
    return sorted(chosen)


def dates_near(values: ValueCounts, places: list[int], bins: int) -> list[int]:
    """Return a moment near each of these places: the start of a year if there is one, else of a month, a day, ….

    Days and seconds are so close that a cut right between two would need all its digits, so a cut may move by a fifth
    of a bin.
    """
    slack, last = len(values) // (5 * bins), len(values) - 1
    low, high = values.low, values.high
    around = ((high[max(place - slack, 0)], low[min(place + 1 + slack, last)], low[place + 1]) for place in places)
    return sorted({short_moment(*map(int, window)) for window in around})


def uniform_places(values: ValueCounts, bins: int) -> list[int]:
    """Return the values to cut after, at equal widths."""
    first, width = int(values.low[0]), int(values.high[-1]) - int(values.low[0])
    cuts = [first + width * i // bins for i in range(1, bins)]
    after = np.searchsorted(values.low, cuts, side="right") - 1
    return sorted({min(place, len(values) - 2) for place in after.tolist()})


def quantile_places(share: IntArray, bins: int) -> list[int]:
    """Return the values to cut after, such that the parts have about equal weights."""
    below = np.cumsum(share)[:-1]  # the weight left of the cut after each value
    total = int(share.sum())
    if len(below) < bins:
        return list(range(len(below)))
    places = set()
    for i in range(1, bins):
        after = int(np.searchsorted(below, -(-i * total // bins)))  # in integers, which are exact
        near = [place for place in (after - 1, after) if 0 <= place < len(below)]
        places.add(min(near, key=lambda place: abs(int(below[place]) * bins - i * total)))
    return sorted(places)


def _disorder(counts: IntArray) -> FloatArray:
    """Return entropy times weight for each row of class weights."""
    total = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * np.log(counts / total), 0.0)
    return np.asarray(-terms.sum(axis=1), dtype=np.float64)


def cuts_after(values: ValueCounts, places: list[int], closed: bool) -> list[float]:
    """Return a number between each of these values and the next."""
    if _are_past_floats(values):
        return [int(values.low[place + 1] if closed else values.high[place]) for place in places]
    cuts = (_short_cut(float(values.high[place]), float(values.low[place + 1]), closed) for place in places)
    return [cut for cut in cuts if math.isfinite(cut)]


def _are_past_floats(values: ValueCounts) -> bool:
    """Return True for integers so large that neighbours are equal as floats."""
    return values.low.dtype.kind == "i" and max(-int(values.low[0]), int(values.high[-1])) > 2**53


def _short_cut(low: float, high: float, closed: bool) -> float:
    """Return a number of few digits that separates low from high: by ``x < cut`` if closed, else by ``x <= cut``.

    The result is infinite if there is no such number, as between the largest float and infinity.
    """
    return 0.0 - _shortest_in(-high, -low) if closed else _shortest_in(low, high)


def _shortest_in(low: float, high: float) -> float:
    """Return a number with as few digits as possible in low <= number < high.

    >>> _shortest_in(9.83, 15.2), _shortest_in(0.12345, 0.1239), _shortest_in(3, 4), _shortest_in(-math.inf, 2)
    (10.0, 0.1235, 3.0, 0.0)
    """
    if math.isinf(low):
        low = 0.0 if math.isinf(high) else high - max(1.0, abs(high))
    if math.isinf(high):
        high = low + max(1.0, abs(low))
    if math.isinf(low) or math.isinf(high):
        return low
    exponent = math.floor(math.log10(min(high - low, 1e300))) + 1
    while exponent > -300:
        # dividing by a power of ten that is itself exact keeps 0.1235 from becoming 0.12350000000000001
        power = 10.0 ** abs(exponent)
        whole = math.ceil(low / power if exponent > 0 else low * power)
        number = whole * power if exponent > 0 else whole / power
        if low <= number < high:
            return number + 0.0  # no -0.0
        if abs(whole) >= 2**53:
            break
        exponent -= 1
    return low
