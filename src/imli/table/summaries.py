"""Which numbers occur and what their rows weigh, in bounded memory, the same in whatever parts the rows come.

Up to ``MOST_VALUES`` different numbers are known one by one. Of more, those are counted together that agree in the
leading bits of a float, in as many bits as keeps the groups few enough: a matter of the numbers alone.

What literals are made from, instead of rows: sums over the rows of a column, which add up over parts of a table.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from imli.table.frame import AnyArray, BoolArray, Column, ColumnKind, Frame, IntArray

MOST_VALUES = 2**16


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Groups of numbers in ascending order: the least and the largest of each, and what its rows weigh in each class.

    At ``level`` 0 each number is a group of its own. Otherwise that many of the last bits do not tell numbers apart.

    >>> counts = ValueCounts.of(np.array([3, 1, 3]), np.array([1, 1, 2]))
    >>> counts.low.tolist(), counts.totals.tolist()
    ([1, 3], [1, 3])
    """

    low: AnyArray
    high: AnyArray
    weights: IntArray  # a row for each group, a column for each class; one column if classes do not matter
    level: int = 0

    @classmethod
    def of(
        cls,
        numbers: AnyArray,
        weights: IntArray,
        there: BoolArray | None = None,
        labels: IntArray | None = None,
        n_classes: int = 1,
    ) -> "ValueCounts":
        """Of the numbers that are there. Labels are positions of classes."""
        if there is not None and not there.all():
            numbers, weights = numbers[there], weights[there]
            labels = None if labels is None else labels[there]
        if not len(numbers):
            return cls(numbers, numbers, np.zeros((0, n_classes), dtype=np.int64))
        if labels is None and weights.min() == weights.max():
            ordered = np.sort(numbers)
            first = _firsts(ordered)
            sums = (np.diff(np.append(first, len(ordered))) * int(weights[0]))[:, None]
        else:
            order = np.argsort(numbers, kind="stable")
            ordered = numbers[order]
            first = _firsts(ordered)
            sums = _group_sums(weights[order], None if labels is None else labels[order], first, n_classes)
        return cls(ordered[first], ordered[first], sums).within(MOST_VALUES)

    def __len__(self) -> int:
        return len(self.low)

    @property
    def totals(self) -> IntArray:
        """What the rows of each group weigh, of all classes."""
        return np.asarray(self.weights.sum(axis=1), dtype=np.int64)

    @property
    def ends(self) -> AnyArray:
        """The least and the largest of each group, in ascending order."""
        return self.low if self.level == 0 else np.column_stack([self.low, self.high]).ravel()

    def merge(self, other: "ValueCounts") -> "ValueCounts":
        """Of both together; whole numbers beside fractions become such."""
        low = np.concatenate([self.low, other.low])
        high = np.concatenate([self.high, other.high])
        weights = np.concatenate([self.weights, other.weights])
        order = np.argsort(low, kind="stable")
        level = max(self.level, other.level)
        return _grouped(low[order], high[order], weights[order], level).within(MOST_VALUES)

    def within(self, most: int) -> "ValueCounts":
        """In at most so many groups."""
        if len(self) <= most:
            return self
        keys = _keys(self.low)
        apart = (keys[1:] ^ keys[:-1]).view(np.uint64)
        enough, least = 64, self.level  # a level at which the groups are few, and one that the next may be
        while least < enough:
            level = (least + enough) // 2
            if np.count_nonzero(apart >> np.uint64(level)) < most:
                enough = level
            else:
                least = level + 1
        return _grouped(self.low, self.high, self.weights, max(1, enough))


def merged(counts: "list[ValueCounts]") -> ValueCounts:
    return reduce(ValueCounts.merge, counts)


def _firsts(ordered: AnyArray) -> IntArray:
    return np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))


def _group_sums(weights: IntArray, labels: IntArray | None, first: IntArray, n_classes: int) -> IntArray:
    if labels is None:
        return np.add.reduceat(weights, first)[:, None]
    by_class = [np.add.reduceat(np.where(labels == label, weights, 0), first) for label in range(n_classes)]
    return np.column_stack(by_class)


def _keys(numbers: AnyArray) -> IntArray:
    """Whole numbers in the order of the floats."""
    bits = (numbers.astype(np.float64) + 0.0).view(np.int64)  # no -0.0
    return np.where(bits < 0, np.int64(-1) ^ (bits & np.int64(2**63 - 1)), bits)


def _grouped(low: AnyArray, high: AnyArray, weights: IntArray, level: int) -> ValueCounts:
    """Those that are the same at this level as one."""
    if not len(low):
        return ValueCounts(low, high, weights, level)
    first = _firsts(low if level == 0 else _keys(low) >> level)
    return ValueCounts(low[first], np.maximum.reduceat(high, first), np.add.reduceat(weights, first), level)


Categories = dict[str, IntArray]  # what the rows of each weigh by class


@dataclass(frozen=True, eq=False)
class Weighed:
    """What the rows weigh in whole units, and of which class they are, if that is known."""

    weights: IntArray
    labels: IntArray | None = None
    n_classes: int = 1


@dataclass(frozen=True, eq=False)
class Summary:
    """A column: what its numbers (dates, truth values) or its categories weigh, and how many cells are missing."""

    name: str
    kind: ColumnKind
    n_rows: int
    n_missing: int
    values: ValueCounts | None = None
    categories: tuple[str, ...] = ()  # that occur, in ascending order
    by_class: IntArray | None = None  # of each of them
    counts: IntArray | None = None  # rows of each of them

    @classmethod
    def of(cls, column: Column, rows: Weighed, classes_of_numbers: bool = False) -> "Summary":
        """Numbers are looked at class by class only if that is asked for."""
        n_rows = len(column.missing)
        n_missing = int(np.count_nonzero(column.missing))
        if column.kind == "text" and n_missing < n_rows:
            return cls(column.name, "text", n_rows, n_missing, None, *_categories(column, rows))
        values = column.moments() if column.kind == "date" else column.numbers()
        labels = rows.labels if classes_of_numbers else None
        n_classes = rows.n_classes if labels is not None else 1
        counts = ValueCounts.of(values, rows.weights, ~column.missing, labels, n_classes)
        return cls(column.name, column.kind, n_rows, n_missing, counts)

    @property
    def is_empty(self) -> bool:
        """Whether all cells are missing, so that nothing tells of what kind they would be."""
        return self.n_missing == self.n_rows

    @property
    def examples(self) -> Column:
        """A column with cells such as occur, which every literal tells apart as it does those of all rows."""
        cells: AnyArray
        if self.kind == "text":
            cells = np.arange(len(self.categories), dtype=np.int32)
        else:
            assert self.values is not None
            cells = self.values.ends.astype(bool) if self.kind == "flag" else self.values.ends
        missing = np.zeros(len(cells), dtype=bool)
        if self.n_missing:
            cells, missing = np.append(cells, cells.dtype.type(0)), np.append(missing, True)
        return Column(self.name, self.kind, cells, missing, self.categories)

    def merge(self, other: "Summary") -> "Summary":
        """Of the rows of both."""
        if self.is_empty or other.is_empty:
            known, empty = (other, self) if self.is_empty else (self, other)
            return replace(known, n_rows=known.n_rows + empty.n_rows, n_missing=known.n_missing + empty.n_missing)
        if self.kind != other.kind:
            raise TypeError(
                f"Column {self.name!r} holds {self.examples.kind_in_words} in some parts of the data and "
                f"{other.examples.kind_in_words} in others. Convert all of its cells to one of the two."
            )
        counted = {"n_rows": self.n_rows + other.n_rows, "n_missing": self.n_missing + other.n_missing}
        if self.values is not None and other.values is not None:
            return replace(self, values=self.values.merge(other.values), **counted)  # type: ignore[arg-type]
        assert self.by_class is not None
        assert other.by_class is not None
        categories = tuple(sorted({*self.categories, *other.categories}))
        by_class = np.zeros((len(categories), self.by_class.shape[1]), dtype=np.int64)
        counts = np.zeros(len(categories), dtype=np.int64)
        position = {category: place for place, category in enumerate(categories)}
        for part in (self, other):
            places = [position[category] for category in part.categories]
            by_class[places] += part.by_class  # type: ignore[arg-type]
            counts[places] += part.counts  # type: ignore[arg-type]
        return replace(self, categories=categories, by_class=by_class, counts=counts, **counted)  # type: ignore[arg-type]


def summarize(frame: Frame, rows: Weighed, classes_of_numbers: bool = False) -> dict[str, Summary]:
    """The summaries of all columns of a table."""
    return {name: Summary.of(column, rows, classes_of_numbers) for name, column in frame.columns.items()}


def merge(parts: Iterable[Mapping[str, Summary]]) -> dict[str, Summary]:
    """Of tables with the same columns."""
    found: dict[str, Summary] = {}
    for part in parts:
        found = {name: found[name].merge(summary) if found else summary for name, summary in part.items()}
    return found


def _categories(column: Column, rows: Weighed) -> tuple[tuple[str, ...], IntArray, IntArray]:
    there = np.flatnonzero(~column.missing)
    codes, weights = column.values[there].astype(np.int64), rows.weights[there]
    n_classes = rows.n_classes if rows.labels is not None else 1
    cells = codes if rows.labels is None else codes * n_classes + rows.labels[there]
    n_cells = len(column.categories) * n_classes
    by_class = _sums(cells, weights, n_cells).reshape(len(column.categories), n_classes)
    counts = np.bincount(codes, minlength=len(column.categories))
    seen = np.flatnonzero(counts)
    return tuple(column.categories[code] for code in seen.tolist()), by_class[seen], counts[seen]


def _sums(codes: IntArray, weights: IntArray, n_codes: int) -> IntArray:
    """What the rows of each code weigh, in whole numbers."""
    if len(weights) and weights.min() == weights.max():
        return np.bincount(codes, minlength=n_codes) * int(weights[0])
    sums = np.zeros(n_codes, dtype=np.int64)
    np.add.at(sums, codes, weights)
    return sums
