"""From columns to literals: which tests a rule may choose from."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal as OneOf

import numpy as np

from imli.arrays import AnyArray, BoolArray, FloatArray, IntArray
from imli.categories import frequent_values, groups
from imli.cuts import (
    cuts_after,
    dates_near,
    distinct_values,
    quantile_places,
    supervised_places,
    uniform_cuts,
    uniform_places,
)
from imli.frames import Column, Frame
from imli.literals import Compare, CompareDate, InInterval, IsIn, IsMissing, IsTrue, Literal
from imli.moments import write_moment
from imli.tabulate import Kinds
from imli.weights import to_units

Test = tuple[Literal, Literal]  # a test and its opposite

FINER_BINS = 32  # between the cuts on either side of one


@dataclass(frozen=True, eq=False)
class _Rows:
    """What the rows weigh, and of which class they are, if that is known."""

    weights: IntArray
    scale: int  # what a row of weight 1 weighs
    labels: IntArray | None
    n_classes: int


@dataclass(frozen=True)
class Binning:
    """How columns become literals.

    Numbers are cut at ``bins`` − 1 places at most: between quantiles of the rows, at equal widths, or where the
    classes part best ("supervised", which needs labels). With open intervals each cut gives a test on either side
    (``x <= t``, ``x > t``); with closed ones, as in the paper, each bin that holds a row is a test
    (``a <= x < b``, the outer ones unbounded), and integers of at most 2·``bins`` values are tested for each value.

    Dates are cut likewise, always with open intervals: ``x < t``, ``x >= t``.

    Text is tested for each category that has one row in a thousand, the 50 most frequent of them at most; with
    open intervals and labels also for groups of two to five categories that are alike in their classes. Truth
    values are tested as they are. With ``negations`` each test comes with its opposite.

    A column without missing cells gives tests that fail on a missing cell. A column with some gives each test
    also in the form that accepts missing cells, and the test for being missing. Tests that hold in all rows or
    in none are left out, so a constant column gives none.
    """

    bins: int = 20
    binning: OneOf["quantile", "uniform", "supervised"] = "quantile"
    intervals: OneOf["open", "closed"] = "open"
    negations: bool = True

    def literals(
        self, frame: Frame, weights: FloatArray | None = None, labels: BoolArray | IntArray | None = None
    ) -> tuple[Literal, ...]:
        """The vocabulary for these rows, counted by weight. Labels are positions of classes."""
        if self.binning == "supervised" and labels is None:
            raise ValueError("binning='supervised' needs labels. Give y, or use 'quantile' or 'uniform'.")
        # as integers, whose sums do not depend on the order of rows
        units = to_units(np.ones(frame.n_rows) if weights is None else weights)
        positions = None if labels is None else labels.astype(np.int64)
        n_classes = 0 if positions is None else max(2, int(positions.max(initial=1)) + 1)
        rows = _Rows(units.amounts[0], units.scale, positions, n_classes)
        return tuple(literal for column in frame.columns.values() for literal in self._useful(column, rows))

    def finer(
        self,
        frame: Frame,
        weights: FloatArray,
        used: Iterable[Literal],
        known: Iterable[Literal],
        bins: int = FINER_BINS,
    ) -> tuple[Literal, ...]:
        """Further thresholds for the comparisons among ``used``, up to the next ones on either side that are known."""
        cuts: dict[str, set[float]] = {}
        for literal in known:
            if isinstance(literal, Compare | CompareDate):
                cuts.setdefault(literal.column, set()).update(literal.cuts)
        units = to_units(weights).amounts[0]
        found: dict[Literal, None] = {}
        for literal in used:
            if isinstance(literal, Compare | CompareDate):
                near = sorted(cuts[literal.column])
                found |= dict.fromkeys(_finer(literal, frame[literal.column], units, near, bins))
        return tuple(found)

    def _useful(self, column: Column, rows: _Rows) -> Iterator[Literal]:
        """The literals that hold in some rows and not in all."""
        literals = tuple(self._column_literals(column, rows))
        counts = Kinds.of(column, literals).counts() if literals else ()
        yield from (each for each, count in zip(literals, counts, strict=True) if 0 < count < len(column.missing))

    def _column_literals(self, column: Column, rows: _Rows) -> Iterable[Literal]:
        literals: list[Literal] = []
        for test, opposite in self._tests(column, rows):
            literals += [test, opposite] if self.negations else [test]
        if column.missing.any():
            literals.append(IsMissing(column.name))
            if self.negations:
                literals += [~literal for literal in literals]
        return dict.fromkeys(literals)

    def _tests(self, column: Column, rows: _Rows) -> Iterator[Test]:
        """The tests on cells that are there."""
        if column.kind == "text":
            yield from self._category_tests(column, rows)
            return
        there = ~column.missing
        is_date = column.kind == "date"
        values = column.moments() if is_date else column.numbers()
        distinct, share = distinct_values(values, there, rows.weights)
        if is_date:
            places = self._places(values, there, distinct, share, rows)
            for cut in dates_near(distinct, places, self.bins):
                before = CompareDate(column.name, "<", write_moment(cut))
                yield before, before.opposite()
        elif len(distinct) == 2 and distinct.tolist() == [0, 1]:
            flag = IsTrue(column.name)
            yield flag, flag.opposite()
        elif self.intervals == "closed" and _is_few_integers(distinct, 2 * self.bins):
            yield from _value_tests(column.name, [int(value) for value in distinct])
        elif len(distinct) > 1:
            closed = self.intervals == "closed"
            if self.binning == "uniform":
                cuts = uniform_cuts(distinct, self.bins, closed)
            else:
                cuts = cuts_after(distinct, self._places(values, there, distinct, share, rows), closed)
            for test in _interval_tests(column.name, distinct, cuts, closed):
                yield test, test.opposite()

    def _places(
        self, values: AnyArray, there: BoolArray, distinct: AnyArray, share: IntArray, rows: _Rows
    ) -> list[int]:
        """After which of the different values to cut."""
        if len(distinct) < 2:
            return []
        if self.binning == "uniform":
            return uniform_places(distinct, self.bins)
        if self.binning == "quantile":
            return quantile_places(share, self.bins)
        by_class = np.zeros((len(distinct), rows.n_classes), dtype=np.int64)
        for position in range(rows.n_classes):
            own, weight = distinct_values(values, there & (rows.labels == position), rows.weights)
            by_class[np.searchsorted(distinct, own), position] = weight
        return supervised_places(by_class, self.bins)

    def _category_tests(self, column: Column, rows: _Rows) -> Iterator[Test]:
        there = np.flatnonzero(~column.missing)
        codes, weights = column.values[there].astype(np.int64), rows.weights[there]
        n_values = len(column.categories)
        kept = frequent_values(_sums(codes, weights, n_values))
        names = [column.categories[code] for code in kept.tolist()]
        n_seen = len(np.unique(codes))
        yield from _value_tests(column.name, names, are_all=len(names) == n_seen)
        if rows.labels is None or self.intervals == "closed" or len(names) < 3:
            return
        by_class = _sums(codes * rows.n_classes + rows.labels[there], weights, n_values * rows.n_classes)
        by_class = by_class.reshape(n_values, rows.n_classes)[kept]
        for group in groups(by_class, rows.scale):
            test = IsIn(column.name, tuple(names[place] for place in group))
            yield test, test.opposite()


def _sums(codes: IntArray, weights: IntArray, n_codes: int) -> IntArray:
    """What the rows of each code weigh, in whole numbers."""
    if len(weights) and weights.min() == weights.max():
        return np.bincount(codes, minlength=n_codes) * int(weights[0])
    sums = np.zeros(n_codes, dtype=np.int64)
    np.add.at(sums, codes, weights)
    return sums


def _value_tests(name: str, values: list[str] | list[int], are_all: bool = True) -> Iterator[Test]:
    """A test for each value. Of two values one is enough: the other is its opposite, and reads better."""
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


def _finer(
    literal: Compare | CompareDate, column: Column, weights: IntArray, cuts: list[float], bins: int
) -> Iterator[Literal]:
    """The same comparison with other thresholds, between the cuts next to its own."""
    is_date = isinstance(literal, CompareDate)
    values = column.moments() if is_date else column.numbers()
    place = bisect_left(cuts, literal.cuts[0])
    near = ~column.missing
    if place > 0:
        near = near & (np.greater_equal(values, cuts[place - 1]))
    if place + 1 < len(cuts):
        near = near & (np.less_equal(values, cuts[place + 1]))
    distinct, share = distinct_values(values, near, weights)
    if len(distinct) < 2:
        return
    places = quantile_places(share, bins)
    if isinstance(literal, CompareDate):
        for moment in dates_near(distinct, places, bins):
            yield replace(literal, moment=write_moment(moment))
    else:
        for cut in cuts_after(distinct, places, closed=literal.operator in ("<", ">=")):
            yield replace(literal, threshold=cut)


def _is_few_integers(distinct: AnyArray, most: int) -> bool:
    return 1 < len(distinct) <= most and all(float(value).is_integer() for value in distinct.tolist())
