"""Summaries of columns, from which literals are made: the values that occur and the weight of their rows.

Summaries take bounded memory and can be merged: those of the parts of a table give that of the whole, however it is
divided. Up to ``MOST_VALUES`` different numbers are counted one by one. Beyond that, numbers that agree in the leading
bits of a float are counted together; how many bits depends on the numbers alone.
"""

from dataclasses import dataclass, replace

import numpy as np

from imli.table.frame import AnyArray, BoolArray, Column, ColumnKind, Frame, IntArray

MOST_VALUES = 2**16


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Groups of numbers in ascending order: the least and the largest of each, and the weight of its rows by class.

    At ``level`` 0 each number is a group of its own; otherwise numbers that differ only in so many last bits share one.

    >>> counts = ValueCounts.of(np.array([3, 1, 3]), np.array([1, 1, 2]))
    >>> counts.low.tolist(), counts.totals.tolist()
    ([1, 3], [1, 3])
    """

    low: AnyArray
    high: AnyArray
    weights: IntArray  # a line for each group and a column for each class, or one column for all classes
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
        """Count the numbers that are ``there``; labels are positions of classes."""
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
        """Return the weight of the rows of each group, summed over the classes."""
        return np.asarray(self.weights.sum(axis=1), dtype=np.int64)

    @property
    def ends(self) -> AnyArray:
        """Return the least and the largest number of each group, in ascending order."""
        return self.low if self.level == 0 else np.column_stack([self.low, self.high]).ravel()

    def merge(self, other: "ValueCounts") -> "ValueCounts":
        """Return the counts of both together; integers become floats if the other numbers are floats."""
        low = np.concatenate([self.low, other.low])
        high = np.concatenate([self.high, other.high])
        weights = np.concatenate([self.weights, other.weights])
        order = np.argsort(low, kind="stable")
        level = max(self.level, other.level)
        return _grouped(low[order], high[order], weights[order], level).within(MOST_VALUES)

    def within(self, most: int) -> "ValueCounts":
        """Return the counts in at most ``most`` groups, at the lowest level that allows it."""
        if len(self) <= most:
            return self
        keys = _keys(self.low)
        apart = (keys[1:] ^ keys[:-1]).view(np.uint64)
        enough, least = 64, self.level  # the level is at most the first, at least the second
        while least < enough:
            level = (least + enough) // 2
            if np.count_nonzero(apart >> np.uint64(level)) < most:
                enough = level
            else:
                least = level + 1
        return _grouped(self.low, self.high, self.weights, max(1, enough))


def _firsts(ordered: AnyArray) -> IntArray:
    """Return the position of the first of each run of equal values."""
    return np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))


def _group_sums(weights: IntArray, labels: IntArray | None, first: IntArray, n_classes: int) -> IntArray:
    """Return the weight of each group, which begins at a position in ``first``, by class."""
    if labels is None:
        return np.add.reduceat(weights, first)[:, None]
    by_class = [np.add.reduceat(np.where(labels == label, weights, 0), first) for label in range(n_classes)]
    return np.column_stack(by_class)


def _keys(numbers: AnyArray) -> IntArray:
    """Return integers in the order of the floats, with the bits of each float."""
    bits = (numbers.astype(np.float64) + 0.0).view(np.int64)  # no -0.0
    return np.where(bits < 0, np.int64(-1) ^ (bits & np.int64(2**63 - 1)), bits)


def _grouped(low: AnyArray, high: AnyArray, weights: IntArray, level: int) -> ValueCounts:
    """Return ordered groups, those that are equal at this level as one."""
    if not len(low):
        return ValueCounts(low, high, weights, level)
    first = _firsts(low if level == 0 else _keys(low) >> level)
    return ValueCounts(low[first], np.maximum.reduceat(high, first), np.add.reduceat(weights, first), level)


@dataclass(frozen=True, eq=False)
class Summary:
    """The values of a column with the weight of their rows, and the number of missing cells.

    ``values`` has the numbers, dates or truth values of a column; ``categories``, ``by_class`` and ``counts`` are for
    text: the categories that occur, in ascending order, and the weight by class and the number of the rows of each.
    """

    name: str
    kind: ColumnKind
    n_rows: int
    n_missing: int
    values: ValueCounts | None = None
    categories: tuple[str, ...] = ()
    by_class: IntArray | None = None
    counts: IntArray | None = None

    @classmethod
    def of(
        cls,
        column: Column,
        weights: IntArray,
        labels: IntArray | None = None,
        n_classes: int = 1,
        classes_of_numbers: bool = False,
    ) -> "Summary":
        """Summarize a column of rows with these weights and labels, numbers by class only on request."""
        n_rows = len(column.missing)
        n_missing = int(np.count_nonzero(column.missing))
        if column.kind == "text" and n_missing < n_rows:
            return cls(column.name, "text", n_rows, n_missing, None, *_categories(column, weights, labels, n_classes))
        values = column.moments() if column.kind == "date" else column.numbers()
        by_class = (labels, n_classes) if classes_of_numbers else ()
        counts = ValueCounts.of(values, weights, ~column.missing, *by_class)
        return cls(column.name, column.kind, n_rows, n_missing, counts)

    @property
    def is_empty(self) -> bool:
        """Return True if all cells are missing, so that the kind of the column is arbitrary."""
        return self.n_missing == self.n_rows

    @property
    def examples(self) -> Column:
        """Return a column of cells that occur, on which each literal takes all the values that it takes on the rows."""
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
        """Return the summary of the rows of both."""
        known = other if self.is_empty else self
        both = replace(known, n_rows=self.n_rows + other.n_rows, n_missing=self.n_missing + other.n_missing)
        if self.is_empty or other.is_empty:
            return both
        if self.kind != other.kind:
            raise TypeError(
                f"Column {self.name!r} holds {self.examples.kind_in_words} in some parts of the data and "
                f"{other.examples.kind_in_words} in others. Convert all of its cells to one of the two."
            )
        if self.values is not None and other.values is not None:
            return replace(both, values=self.values.merge(other.values))
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
        return replace(both, categories=categories, by_class=by_class, counts=counts)


def summarize(
    frame: Frame,
    weights: IntArray,
    labels: IntArray | None = None,
    n_classes: int = 1,
    *,
    classes_of_numbers: bool = False,
) -> dict[str, Summary]:
    """Return the summary of each column, from weights in integer units; numbers are summed by class on request."""
    return {
        name: Summary.of(column, weights, labels, n_classes, classes_of_numbers)
        for name, column in frame.columns.items()
    }


def _categories(
    column: Column, weights: IntArray, labels: IntArray | None, n_classes: int
) -> tuple[tuple[str, ...], IntArray, IntArray]:
    """Return the categories that occur, the weight of their rows by class, and the number of their rows."""
    there = np.flatnonzero(~column.missing)
    codes, weights = column.values[there].astype(np.int64), weights[there]
    cells = codes if labels is None else codes * n_classes + labels[there]
    n_cells = len(column.categories) * n_classes
    by_class = _sums(cells, weights, n_cells).reshape(len(column.categories), n_classes)
    counts = np.bincount(codes, minlength=len(column.categories))
    seen = np.flatnonzero(counts)
    return tuple(column.categories[code] for code in seen.tolist()), by_class[seen], counts[seen]


def _sums(codes: IntArray, weights: IntArray, n_codes: int) -> IntArray:
    """Return the weight of the rows of each code, in integer units."""
    if len(weights) and weights.min() == weights.max():
        return np.bincount(codes, minlength=n_codes) * int(weights[0])
    sums = np.zeros(n_codes, dtype=np.int64)
    np.add.at(sums, codes, weights)
    return sums
