"""Which numbers occur and what their rows weigh, in bounded memory, the same in whatever parts the rows come.

Up to ``MOST_VALUES`` different numbers are known one by one. Of more, those are counted together that agree in the
leading bits of a float, in as many bits as keeps the groups few enough: a matter of the numbers alone.
"""

from dataclasses import dataclass
from functools import reduce

import numpy as np

from imli.arrays import AnyArray, BoolArray, IntArray

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
            sums = _sums(weights[order], None if labels is None else labels[order], first, n_classes)
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


def _sums(weights: IntArray, labels: IntArray | None, first: IntArray, n_classes: int) -> IntArray:
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
