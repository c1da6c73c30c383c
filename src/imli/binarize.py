"""From columns to literals: which tests a rule may choose from. Looks at values, never at labels."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal as OneOf

import numpy as np

from imli.arrays import AnyArray, BoolArray, FloatArray, IntArray
from imli.frames import Column, Frame
from imli.literals import Compare, InInterval, IsIn, IsMissing, IsTrue, Literal
from imli.tabulate import Kinds
from imli.weights import to_units

Test = tuple[Literal, Literal]  # a test and its opposite


@dataclass(frozen=True)
class Binning:
    """How columns become literals.

    Numbers are cut at ``bins`` − 1 places at most: between quantiles of the rows or at equal widths. With open
    intervals each cut gives a test on either side (``x <= t``, ``x > t``); with closed ones, as in the paper,
    each bin that holds a row is a test (``a <= x < b``, the outer ones unbounded), and integers of at most
    2·``bins`` values are tested for each value. Text is tested for each category, truth values as they are.
    With ``negations`` each test comes with its opposite.

    A column without missing cells gives tests that fail on a missing cell. A column with some gives each test
    also in the form that accepts missing cells, and the test for being missing. Tests that hold in all rows or
    in none are left out, so a constant column gives none.
    """

    bins: int = 10
    binning: OneOf["quantile", "uniform"] = "quantile"
    intervals: OneOf["open", "closed"] = "open"
    negations: bool = True

    def literals(self, frame: Frame, weights: FloatArray | None = None) -> tuple[Literal, ...]:
        """The vocabulary for these rows, counted by weight where quantiles are taken."""
        # as integers, whose sums do not depend on the order of rows
        row_weights = to_units(np.ones(frame.n_rows) if weights is None else weights).amounts[0]
        return tuple(literal for column in frame.columns.values() for literal in self._useful(column, row_weights))

    def _useful(self, column: Column, weights: IntArray) -> Iterator[Literal]:
        """The literals that hold in some rows and not in all."""
        literals = tuple(self._column_literals(column, weights))
        counts = Kinds.of(column, literals).counts() if literals else ()
        yield from (each for each, count in zip(literals, counts, strict=True) if 0 < count < len(column.missing))

    def _column_literals(self, column: Column, weights: IntArray) -> Iterable[Literal]:
        literals: list[Literal] = []
        for test, opposite in self._tests(column, weights):
            literals += [test, opposite] if self.negations else [test]
        if column.missing.any():
            literals.append(IsMissing(column.name))
            if self.negations:
                literals += [~literal for literal in literals]
        return dict.fromkeys(literals)

    def _tests(self, column: Column, weights: IntArray) -> Iterator[Test]:
        """The tests on cells that are there."""
        there = ~column.missing
        if column.kind == "text":
            seen = np.unique(column.values[there])
            yield from _value_tests(column.name, [column.categories[code] for code in seen])
            return
        distinct, share = _distinct(column.numbers(), there, weights)
        if len(distinct) == 2 and distinct.tolist() == [0, 1]:
            flag = IsTrue(column.name)
            yield flag, flag.opposite()
        elif self.intervals == "closed" and _is_few_integers(distinct, 2 * self.bins):
            yield from _value_tests(column.name, [int(value) for value in distinct])
        elif len(distinct) > 1:
            for test in self._interval_tests(column.name, distinct, share):
                yield test, test.opposite()

    def _interval_tests(self, name: str, distinct: AnyArray, share: IntArray) -> Iterator[Literal]:
        closed = self.intervals == "closed"
        if self.binning == "uniform":
            cuts = _uniform_cuts(distinct, self.bins, closed)
        else:
            cuts = _quantile_cuts(distinct, share, self.bins, closed)
        if not closed:
            yield from (Compare(name, "<=", cut) for cut in cuts)
            return
        for place in sorted(set(np.searchsorted(cuts, distinct, side="right").tolist())):
            if place == 0:
                yield Compare(name, "<", cuts[0])
            elif place == len(cuts):
                yield Compare(name, ">=", cuts[-1])
            else:
                yield InInterval(name, cuts[place - 1], cuts[place])


def _value_tests(name: str, values: list[str] | list[int]) -> Iterator[Test]:
    """A test for each value. Of two values one is enough: the other is its opposite, and reads better."""
    tests = [IsIn(name, (value,)) for value in values]
    if len(tests) == 2:
        yield tests[0], tests[1]
    elif len(tests) > 2:
        yield from ((test, test.opposite()) for test in tests)


def _is_few_integers(distinct: AnyArray, most: int) -> bool:
    return 1 < len(distinct) <= most and all(float(value).is_integer() for value in distinct.tolist())


def _uniform_cuts(distinct: AnyArray, bins: int, closed: bool) -> list[float]:
    """Cuts at equal widths of the finite range, each moved a little to where it has few digits."""
    if _are_past_floats(distinct):
        first, width = int(distinct[0]), int(distinct[-1]) - int(distinct[0])
        return sorted({first + max(1, width * i // bins) - (not closed) for i in range(1, bins)})
    finite = distinct[np.isfinite(distinct)].astype(float)
    if len(finite) < 2:
        return _quantile_cuts(distinct, np.ones(len(distinct), dtype=np.int64), bins, closed)
    # halved before subtracting, since the width of a range can be past the largest float
    half_width = (finite[-1] / 2 - finite[0] / 2) / bins
    cuts: list[float] = []
    for i in range(1, bins):
        cut = finite[0] + half_width * i + half_width * i
        # between its neighbours, even where widths are so small that the cut falls on a value
        above = min(max(1, int(np.searchsorted(distinct, cut, side="left"))), len(distinct) - 1)
        low, high = float(distinct[above - 1]), float(distinct[above])
        nudge = half_width / 10
        if max(low, cut - nudge) < min(high, cut + nudge):
            cuts.append(_short_cut(max(low, cut - nudge), min(high, cut + nudge), closed))
        else:
            cuts.append(_short_cut(low, high, closed))
    return sorted({cut for cut in cuts if math.isfinite(cut)})


def _distinct(numbers: AnyArray, there: BoolArray, weights: IntArray) -> tuple[AnyArray, IntArray]:
    """The different values that are there, in ascending order, and what the rows of each weigh together."""
    numbers = numbers[there] if not there.all() else numbers
    if not len(numbers):
        return numbers, np.zeros(0, dtype=np.int64)
    if weights.min() == weights.max():
        ordered, counted = np.sort(numbers), np.ones(1, dtype=np.int64)
    else:
        order = np.argsort(numbers, kind="stable")
        ordered, counted = numbers[order], weights[there][order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    if len(counted) == 1:
        return ordered[first], np.diff(np.append(first, len(ordered)))
    return ordered[first], np.add.reduceat(counted, first)


def _quantile_cuts(distinct: AnyArray, share: IntArray, bins: int, closed: bool) -> list[float]:
    """Cuts between neighbouring values, as close to equal shares of the weight as values allow."""
    below = np.cumsum(share)[:-1]  # the weight left of the cut after each value
    total = int(share.sum())
    places = set()
    for i in range(1, bins):
        after = int(np.searchsorted(below, -(-i * total // bins)))  # in whole numbers, which do not round
        near = [place for place in (after - 1, after) if 0 <= place < len(below)]
        places.add(min(near, key=lambda place: abs(int(below[place]) * bins - i * total)))
    if _are_past_floats(distinct):
        return [int(distinct[place + closed]) for place in sorted(places)]
    cuts = (_short_cut(float(distinct[place]), float(distinct[place + 1]), closed) for place in sorted(places))
    return [cut for cut in cuts if math.isfinite(cut)]


def _are_past_floats(distinct: AnyArray) -> bool:
    """Whether these are integers so large that floats cannot tell them apart."""
    return distinct.dtype.kind == "i" and max(-int(distinct[0]), int(distinct[-1])) > 2**53


def _short_cut(low: float, high: float, closed: bool) -> float:
    """A number of few digits that separates low from high: ``x < cut`` if closed, else ``x <= cut``.

    Not finite if there is no such number, as between the largest float and infinity.
    """
    return 0.0 - _shortest_in(-high, -low) if closed else _shortest_in(low, high)


def _shortest_in(low: float, high: float) -> float:
    """A number with as few digits as possible in low <= number < high.

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
