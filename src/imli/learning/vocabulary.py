"""The vocabulary: from columns to the literals that a rule may choose from.

Numbers and dates are cut between quantiles, at equal widths, or where the cuts separate the classes best. Every cut
separates two neighbouring values, and is as round as that allows. Among very many values, cuts between quantiles move a
little to be rounder.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from heapq import heappop, heappush

import numpy as np

from imli.learning.bits import count_holding
from imli.learning.objective import to_units
from imli.learning.parameter_table import BinningName, IntervalsName
from imli.rules.literals import Compare, CompareDate, InInterval, IsIn, IsMissing, IsTrue, Literal
from imli.rules.notation import number_length
from imli.table.dates import short_moment, write_moment
from imli.table.frame import AnyArray, BoolArray, FloatArray, Frame, IntArray
from imli.table.summaries import Summary, ValueCounts, summarize

FINER_BINS = 32  # between the cuts on either side of a threshold
_MOST_PLACES = 1024  # candidates for supervised cuts
_MOST_VALUES = 50  # categories of a column
_LEAST_SHARE = 1000  # a category that is tested has at least one row in this many
_MOST_LISTED = 5  # categories in a group: people do not read longer lists, and these gained no accuracy
_PRIOR_ROWS = 10  # weight of the rate of all rows in the estimated rate of a category

Test = tuple[Literal, Literal]  # a test and its opposite


@dataclass(frozen=True)
class Binning:
    """How columns become literals.

    Numbers are cut at ``bins`` − 1 places at most: between quantiles of the rows, at equal widths, or where the cuts
    separate the classes best ("supervised", which needs labels). With open intervals each cut gives a test on either
    side (``x <= t``, ``x > t``); with closed ones, as in the paper, each bin that holds a row is a test
    (``a <= x < b``, the outer ones unbounded), and integers of at most 2·``bins`` values are tested for each value.

    Dates are cut in the same places, always with open intervals: ``x < t``, ``x >= t``.

    Text is tested for each category that has one row in a thousand, at most the 50 most frequent ones; with open
    intervals and labels also for groups of two to five categories with similar classes. Truth values are tested
    directly. With ``negations`` each test comes with its opposite.

    A column without missing cells gives tests that fail on a missing cell. A column with missing cells gives each
    test also in the form that accepts missing cells, and the test for a missing cell. Tests that hold in all rows or
    in no row are left out, so a constant column gives none.
    """

    bins: int = 20
    binning: BinningName = "quantile"
    intervals: IntervalsName = "open"
    negations: bool = True

    def literals(
        self, frame: Frame, weights: FloatArray | None = None, labels: BoolArray | IntArray | None = None
    ) -> tuple[Literal, ...]:
        """Return the vocabulary for these rows, counted by weight; labels are positions of classes."""
        if self.binning == "supervised" and labels is None:
            raise ValueError("binning='supervised' needs labels. Give y, or use 'quantile' or 'uniform'.")
        # integers, because their sums do not depend on the order of rows
        (units,), scale, _ = to_units(np.ones(frame.n_rows) if weights is None else weights)
        positions = None if labels is None else labels.astype(np.int64)
        n_classes = 1 if positions is None else max(2, int(positions.max(initial=1)) + 1)
        by_class = self.looks_at_classes
        found = summarize(frame, units, positions, n_classes, classes_of_numbers=by_class)
        return self.literals_of(found, scale)

    @property
    def looks_at_classes(self) -> bool:
        """Return True if the cuts of numbers depend on the classes of the rows."""
        return self.binning == "supervised"

    def literals_of(self, summaries: Mapping[str, Summary], scale: int = 1) -> tuple[Literal, ...]:
        """Return the vocabulary for summaries of columns, in which a row of weight 1 has ``scale`` units."""
        return tuple(literal for summary in summaries.values() for literal in self._useful(summary, scale))

    def finer(
        self,
        frame: Frame,
        weights: FloatArray,
        used: Iterable[Literal],
        known: Iterable[Literal],
        bins: int = FINER_BINS,
    ) -> tuple[Literal, ...]:
        """Return more thresholds for the comparisons in ``used``, between the next ``known`` ones on either side."""
        windows = windows_of(used, known)
        (units,), _, _ = to_units(weights)
        return finer_in(windows, [window.counts(frame, units) for window in windows], bins)

    def _useful(self, summary: Summary, scale: int) -> Iterator[Literal]:
        """Yield the literals of a column that hold in some rows but not in all."""
        literals = tuple(self._column_literals(summary, scale))
        if literals:
            examples = summary.examples
            counts = count_holding(examples, literals)
            yield from (each for each, n in zip(literals, counts, strict=True) if 0 < n < len(examples.missing))

    def _column_literals(self, summary: Summary, scale: int) -> Iterable[Literal]:
        literals: list[Literal] = []
        for test, opposite in self._tests(summary, scale):
            literals += [test, opposite] if self.negations else [test]
        if summary.n_missing:
            literals.append(IsMissing(summary.name))
            if self.negations:
                literals += [~literal for literal in literals]
        return dict.fromkeys(literals)

    def _tests(self, summary: Summary, scale: int) -> Iterator[Test]:
        """Yield the tests of a column, for cells that are not missing."""
        name, values = summary.name, summary.values
        if values is None:
            yield from self._category_tests(summary, scale)
        elif summary.kind == "date":
            for cut in dates_near(values, self._places(values), self.bins):
                before = CompareDate(name, "<", write_moment(cut))
                yield before, before.opposite()
        elif values.low.tolist() == [0, 1]:
            flag = IsTrue(name)
            yield flag, flag.opposite()
        elif self.intervals == "closed" and _is_few_integers(values.low, 2 * self.bins):
            yield from _value_tests(name, [int(value) for value in values.low])
        elif len(values) > 1:
            closed = self.intervals == "closed"
            if self.binning == "uniform":
                cuts = uniform_cuts(values, self.bins, closed)
            else:
                # a quantile may move as far as thresholds are told apart later on; bins of the paper stay exact
                slack = _slack(values, self.bins * FINER_BINS) if self.binning == "quantile" and not closed else 0
                cuts = cuts_after(values, self._places(values), closed, slack)
            for test in _interval_tests(name, values.ends, cuts, closed):
                yield test, test.opposite()

    def _places(self, values: ValueCounts) -> list[int]:
        """Return the values to cut after."""
        if len(values) < 2:
            return []
        if self.binning == "uniform":
            return uniform_places(values, self.bins)
        if self.binning == "quantile":
            return quantile_places(values.totals, self.bins)
        return supervised_places(values.weights, self.bins)

    def _category_tests(self, summary: Summary, scale: int) -> Iterator[Test]:
        assert summary.by_class is not None
        kept = frequent_values(summary.by_class.sum(axis=1))
        names = [summary.categories[place] for place in kept.tolist()]
        yield from _value_tests(summary.name, names, are_all=len(names) == len(summary.categories))
        if summary.by_class.shape[1] == 1 or self.intervals == "closed" or len(names) < 3:
            return
        for group in groups(summary.by_class[kept], scale):
            test = IsIn(summary.name, tuple(names[place] for place in group))
            yield test, test.opposite()


@dataclass(frozen=True)
class Window:
    """A comparison and the next known cuts on either side, between which another threshold may be better."""

    literal: Compare | CompareDate
    least: float | None
    most: float | None

    def counts(self, frame: Frame, weights: IntArray) -> ValueCounts:
        """Return the values of these rows inside the window."""
        column = frame[self.literal.column]
        values = column.moments() if isinstance(self.literal, CompareDate) else column.numbers()
        near = ~column.missing
        if self.least is not None:
            near = near & np.greater_equal(values, self.least)
        if self.most is not None:
            near = near & np.less_equal(values, self.most)
        return ValueCounts.of(values, weights, near)


def windows_of(used: Iterable[Literal], known: Iterable[Literal]) -> list[Window]:
    """Return the windows in which to look for better thresholds of the comparisons in ``used``."""
    cuts: dict[str, set[float]] = {}
    for literal in known:
        if isinstance(literal, Compare | CompareDate):
            cuts.setdefault(literal.column, set()).update(literal.cuts)
    found = []
    for literal in used:
        if isinstance(literal, Compare | CompareDate):
            near = sorted(cuts[literal.column])
            place = bisect_left(near, literal.cuts[0])
            least = near[place - 1] if place > 0 else None
            most = near[place + 1] if place + 1 < len(near) else None
            found.append(Window(literal, least, most))
    return found


def finer_in(windows: Iterable[Window], counts: Iterable[ValueCounts], bins: int = FINER_BINS) -> tuple[Literal, ...]:
    """Return the comparisons of the windows with other thresholds, at most ``bins`` − 1 in each window."""
    found: dict[Literal, None] = {}
    for window, values in zip(windows, counts, strict=True):
        if len(values) < 2:
            continue
        literal, places = window.literal, quantile_places(values.totals, bins)
        if isinstance(literal, CompareDate):
            moments = dates_near(values, places, bins)
            found |= dict.fromkeys(replace(literal, moment=write_moment(moment)) for moment in moments)
        else:
            closed = literal.operator in ("<", ">=")
            cuts = cuts_after(values, places, closed, _slack(values, bins))
            found |= dict.fromkeys(replace(literal, threshold=cut) for cut in cuts)
    return tuple(found)


def _value_tests(name: str, values: list[str] | list[int], are_all: bool = True) -> Iterator[Test]:
    """Yield a test for each value; of two values, the test for one has the test for the other as its opposite."""
    tests = [IsIn(name, (value,)) for value in values]
    if len(tests) == 2 and are_all:
        yield tests[0], tests[1]
    elif len(tests) > 1 or not are_all:
        yield from ((test, test.opposite()) for test in tests)


def _interval_tests(name: str, distinct: AnyArray, cuts: list[float], closed: bool) -> Iterator[Literal]:
    if not closed:
        yield from (Compare(name, "<=", cut) for cut in cuts)
        return
    if not cuts:
        return
    for place in sorted(set(np.searchsorted(cuts, distinct, side="right").tolist())):
        if place == 0:
            yield Compare(name, "<", cuts[0])
        elif place == len(cuts):
            yield Compare(name, ">=", cuts[-1])
        else:
            yield InInterval(name, cuts[place - 1], cuts[place])


def _is_few_integers(distinct: AnyArray, most: int) -> bool:
    return 1 < len(distinct) <= most and all(float(value).is_integer() for value in distinct.tolist())


def frequent_values(weights: IntArray) -> IntArray:
    """Return the positions of the categories that get a test of their own, by the weights of their rows.

    Otherwise a column of very many values would give as many tests, each on hardly any rows.

    >>> frequent_values(np.array([500, 0, 1, 2500])).tolist()
    [0, 3]
    """
    enough = np.flatnonzero((weights > 0) & (weights * _LEAST_SHARE >= weights.sum()))
    by_weight = enough[np.argsort(-weights[enough], kind="stable")]
    return np.sort(by_weight[:_MOST_VALUES])


def groups(by_class: IntArray, scale: int = 1) -> Iterator[tuple[int, ...]]:
    """Yield groups of two to five categories whose rows have some class more often than the other rows.

    ``by_class`` has a row for each category and a column for each class. The categories are ordered by the rate of
    the class; a cut in this order gives the shorter of its two sides as a group. A row of weight 1 has ``scale``
    units.

    >>> list(groups(np.array([[90, 10], [10, 90], [80, 20], [20, 80]])))
    [(1, 3)]
    """
    totals = by_class.sum(axis=1)
    everything = max(int(totals.sum()), 1)
    prior = _PRIOR_ROWS * scale
    seen: set[tuple[int, ...]] = set()
    for position in range(1 if by_class.shape[1] == 2 else 0, by_class.shape[1]):
        own = by_class[:, position]
        rate = (own + prior * (int(own.sum()) / everything)) / (totals + prior)
        order = np.argsort(rate, kind="stable")
        for cut in range(1, len(order)):
            group = tuple(sorted((order[:cut] if 2 * cut < len(order) else order[cut:]).tolist()))
            if 2 <= len(group) <= _MOST_LISTED and group not in seen:
                seen.add(group)
                yield group


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


def cuts_after(values: ValueCounts, places: list[int], closed: bool, slack: int = 0) -> list[float]:
    """Return a number between each of these values and the next, in ascending order.

    For a rounder number, a cut may move over other values, of a weight of at most ``slack``.
    """
    if _are_past_floats(values):
        return [int(values.low[place + 1] if closed else values.high[place]) for place in places]
    firsts, lasts = _places_within(values, places, slack)
    ends = zip(values.high[firsts].tolist(), values.low[lasts + 1].tolist(), strict=True)
    cuts = (_short_cut(float(low), float(high), closed) for low, high in ends)
    return sorted({cut for cut in cuts if math.isfinite(cut)})


def _places_within(values: ValueCounts, places: list[int], slack: int) -> tuple[IntArray, IntArray]:
    """Return for each place the first and the last place with at most a weight of ``slack`` between."""
    chosen = np.array(places, dtype=np.intp)
    if slack == 0:
        return chosen, chosen
    below = np.cumsum(values.totals)[:-1]
    firsts = np.searchsorted(below, below[chosen] - slack, side="left")
    return firsts, np.searchsorted(below, below[chosen] + slack, side="right") - 1


def _slack(values: ValueCounts, bins: int) -> int:
    """Return half the weight of one of so many bins; 0 if each place between two values can have a cut of its own."""
    return 0 if len(values) <= bins else int(values.totals.sum()) // (2 * bins)


def _are_past_floats(values: ValueCounts) -> bool:
    """Return True for integers so large that neighbours are equal as floats."""
    return values.low.dtype.kind == "i" and max(-int(values.low[0]), int(values.high[-1])) > 2**53


def _short_cut(low: float, high: float, closed: bool) -> float:
    """Return a number of few digits that separates low from high: by ``x < cut`` if closed, else by ``x <= cut``.

    The result is infinite if there is no such number, as between the largest float and infinity.
    """
    return 0.0 - _shortest_in(-high, -low) if closed else _shortest_in(low, high)


def _shortest_in(low: float, high: float) -> float:
    """Return a number with as few digits as possible in low <= number < high, and of those the roundest.

    Among equally round numbers, return the one nearest to the middle.

    >>> _shortest_in(9.83, 15.2), _shortest_in(0.12345, 0.1239), _shortest_in(3, 4), _shortest_in(-math.inf, 2)
    (10.0, 0.1235, 3.0, 0.0)
    >>> _shortest_in(3, 9), _shortest_in(21.3, 29), _shortest_in(30, 39)
    (5.0, 25.0, 30.0)
    """
    if math.isinf(low):
        low = 0.0 if math.isinf(high) else high - max(1.0, abs(high))
    if math.isinf(high):
        high = low + max(1.0, abs(low))
    if math.isinf(low) or math.isinf(high):
        return low
    exponent = math.floor(math.log10(min(high - low, 1e300))) + 1
    while exponent > -300:
        power = 10.0 ** abs(exponent)
        first = math.ceil(low / power if exponent > 0 else low * power)
        if abs(first) >= 2**53:
            break
        # ten and not more of them lie between the ends, or else there was one of fewer digits
        # read as text, because a product with a power of ten may be 0.12350000000000001
        near = [float(f"{whole}e{exponent}") for whole in range(first, first + 11)]
        if found := [number for number in near if low <= number < high]:
            middle = low / 2 + high / 2
            return min(found, key=lambda number: (number_length(number), abs(number - middle), number)) + 0.0  # no -0.0
        exponent -= 1
    return low
