"""Summaries of columns, from which literals are made, and for models their statistics and hashes.

Summaries have the values that occur and the weight of their rows. They take bounded memory and can be merged: those of
the parts of a table give that of the whole, however it is divided. Up to ``MOST_VALUES`` different numbers are counted
one by one. Beyond that, numbers that agree in the leading bits of a float are counted together; how many bits depends
on the numbers alone.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256  # measured: several times as fast as blake2b on processors with SHA instructions
from typing import Any

import numpy as np

from imli.errors import brief
from imli.table.dates import write_moment
from imli.table.frame import AnyArray, BoolArray, Column, ColumnKind, FloatArray, Frame, IntArray, Value
from imli.table.readings import Reading

MOST_VALUES = 2**16
_MOST_DISTINCT = 1000  # numbers or dates that are counted
_MOST_FREQUENT = 50
_N_CUTS = 20
_CHUNK = 2**16  # rows at a time, so that intermediate results stay in the processor's cache


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
        same = len(weights) > 0 and (weights.strides == (0,) or bool(weights.min() == weights.max()))
        if there is not None and not there.all():
            numbers, weights = numbers[there], weights[:1] if same else weights[there]
            labels = None if labels is None else labels[there]
        if not len(numbers):
            return cls(numbers, numbers, np.zeros((0, n_classes), dtype=np.int64))
        if labels is None and same:
            from imli import _kernel  # models are read and decide without it

            low, high, n_rows, level = _kernel.group_sorted(np.sort(numbers), MOST_VALUES)
            return cls(low, high, n_rows[:, None] * int(weights[0]), level)
        if same:
            weights = np.broadcast_to(weights[0], len(numbers))
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
                f"Column {brief(self.name)} holds {self.examples.kind_in_words} in some parts of the data and "
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
    codes = column.values.astype(np.int64)
    if column.missing.any():
        there = np.flatnonzero(~column.missing)
        codes, weights = codes[there], weights[there]
        labels = None if labels is None else labels[there]
    cells = codes if labels is None else codes * n_classes + labels
    n_cells = len(column.categories) * n_classes
    by_class = _sums(cells, weights, n_cells).reshape(len(column.categories), n_classes)
    counts = np.bincount(codes, minlength=len(column.categories))
    seen = np.flatnonzero(counts)
    return tuple(column.categories[code] for code in seen.tolist()), by_class[seen], counts[seen]


def _sums(codes: IntArray, weights: IntArray, n_codes: int) -> IntArray:
    """Return the weight of the rows of each code, in integer units."""
    if len(weights) and (weights.strides == (0,) or weights.min() == weights.max()):
        return np.bincount(codes, minlength=n_codes) * int(weights[0])
    sums = np.zeros(n_codes, dtype=np.int64)
    np.add.at(sums, codes, weights)
    return sums


@dataclass(frozen=True)
class ColumnStatistics:
    """Statistics of a column of training rows.

    ``n_missing`` and ``n_distinct`` are the numbers of missing cells and of different values; the latter is None for
    more than 1,000 different numbers or dates. ``least`` and ``most`` are the ends of the finite numbers, or of the
    dates as text. ``frequent`` has the 50 most frequent categories of text with their numbers of rows, most rows first.
    ``counts`` are numbers of rows up to each of the ``cuts`` and above the one before, and last above all of them; the
    cuts are all values of the column if they are few, else its quantiles. Of flags, there are no cuts, and ``counts``
    has the numbers of rows that are false and true. Rows with weights are not counted.
    ``reading`` says how the cells were read from a file, if they were not written as programs write them.
    """

    kind: ColumnKind
    n_missing: int
    n_distinct: int | None = None
    least: int | float | str | None = None
    most: int | float | str | None = None
    frequent: tuple[tuple[str, int], ...] = ()
    cuts: tuple[int | float | str, ...] = ()
    counts: tuple[int, ...] = ()
    reading: Reading | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return a dict of plain values, for JSON, without statistics that do not apply."""
        lists = {"frequent": list(map(list, self.frequent)), "cuts": list(self.cuts), "counts": list(self.counts)}
        content = asdict(self) | lists
        content["reading"] = None if self.reading is None else self.reading.to_dict()
        return {name: value for name, value in content.items() if value is not None and value != []}


def describe(column: Column, is_weighted: bool = False) -> ColumnStatistics:
    """Return the statistics of a column, without cuts and counts if the rows have weights.

    >>> from imli.table.read import as_frame
    >>> found = describe(as_frame({"age": [40, None, 62.5, 40]})["age"])
    >>> found.n_missing, found.least, found.most, found.cuts, found.counts
    (1, 40.0, 62.5, (40.0, 62.5), (2, 1, 0))
    """
    return describe_summary(Summary.of(column, np.broadcast_to(np.int64(1), len(column.missing))), is_weighted)


def describe_summary(summary: Summary, is_weighted: bool) -> ColumnStatistics:
    """Return the statistics of a column that is known only by its summary."""
    if summary.kind == "text":
        counts = np.zeros(0, dtype=np.int64) if summary.counts is None else summary.counts
        return _describe_text(summary.n_missing, summary.categories, counts)
    assert summary.values is not None
    values, n_values = summary.values, len(summary.values)
    is_exact = values.level == 0 and n_values <= _MOST_DISTINCT
    found = ColumnStatistics(summary.kind, summary.n_missing, n_values if is_exact else None)
    finite = values.ends[np.isfinite(values.ends)]
    if not len(finite):
        return found

    def plain(end: Any) -> Any:
        return write_moment(end.item()) if summary.kind == "date" else end.item()

    unit = int(values.totals.sum()) // (summary.n_rows - summary.n_missing)  # of one row, unless weights differ
    cuts, counts = _distribution(values.high, values.totals // unit)
    if summary.kind == "flag":
        by_value = dict(zip(cuts.tolist(), counts.tolist(), strict=False))
        return replace(found, counts=() if is_weighted else (by_value.get(0, 0), by_value.get(1, 0)))
    found = replace(found, least=plain(finite[0]), most=plain(finite[-1]))
    return found if is_weighted else replace(found, cuts=tuple(map(plain, cuts)), counts=tuple(counts.tolist()))


def _distribution(ends: AnyArray, n_rows: IntArray) -> tuple[AnyArray, IntArray]:
    """Return cuts among the finite numbers, and the number of rows up to each and above the last."""
    is_finite, up_to = np.isfinite(ends), np.cumsum(n_rows)
    cuts, below = ends[is_finite], up_to[is_finite]
    if len(cuts) > _N_CUTS:
        wanted = np.arange(1, _N_CUTS + 1) * int(below[-1]) / _N_CUTS
        chosen = np.unique(np.minimum(np.searchsorted(below, wanted), len(cuts) - 1))
        cuts, below = cuts[chosen], below[chosen]
    return cuts, np.diff([0, *below.tolist(), int(up_to[-1])])


def _describe_text(n_missing: int, categories: tuple[str, ...], counts: IntArray) -> ColumnStatistics:
    """Return the statistics of text with these numbers of rows for each category."""
    order = np.argsort(-counts, kind="stable")[:_MOST_FREQUENT].tolist()
    frequent = tuple((categories[code], int(counts[code])) for code in order if counts[code])
    return ColumnStatistics("text", n_missing, int((counts > 0).sum()), frequent=frequent)


def count_codes(column: Column) -> IntArray:
    """Return the number of cells of each category of a column of text."""
    return _count(column.values, -1, len(column.categories) - 1)[1:]  # a missing cell has the code -1


def _count(values: AnyArray, least: int, most: int) -> IntArray:
    """Return how often each whole number from the least to the most occurs."""
    counts = np.zeros(most - least + 1, dtype=np.int64)
    for start in range(0, len(values), _CHUNK):
        counts += np.bincount(values[start : start + _CHUNK].astype(np.int64) - least, minlength=len(counts))
    return counts


@dataclass(frozen=True)
class DataCard:
    """A description of the rows that a rule was learned from. Rows of weight 0 are not among them.

    ``hash`` is that of the cells, labels and weights in their order; None for rows that were read in parts. ``weight``
    is the sum of all weights; None if all rows weigh 1.
    """

    rows: int
    columns: int
    hash: str | None = None
    weight: float | None = None

    def __str__(self) -> str:
        columns = f"{self.columns:,} column{'' if self.columns == 1 else 's'}"
        return f"{self.rows:,} row{'' if self.rows == 1 else 's'} and {columns}"


def hash_rows(
    names: tuple[str, ...],
    hashes: Iterable[bytes],
    classes: tuple[Value, ...],
    positions: AnyArray,
    weights: FloatArray,
) -> str:
    """Return the SHA-256 hash, in hexadecimal, of columns with these names and hashes, of labels and weights."""
    hashed = sha256()
    hashed.update(repr((len(positions), names, classes)).encode(errors="backslashreplace"))
    for column_hash in hashes:
        hashed.update(column_hash)
    hashed.update(_packed(positions.astype(np.int64)).data)
    if (weights != 1).any():
        hashed.update(_packed(weights).data)
    return hashed.hexdigest()


def hash_column(column: Column) -> bytes:
    """Return the SHA-256 hash of the cells of a column."""
    values: Any = column.values
    categories = column.categories
    if column.kind == "text":
        seen = count_codes(column) > 0
        if not seen.all():  # rows were left out after the column was read
            values = np.append(np.cumsum(seen) - 1, -1)[values]
            categories = tuple(category for category, is_seen in zip(categories, seen, strict=True) if is_seen)
    hashed = sha256(repr((column.kind, values.dtype.kind, categories)).encode(errors="backslashreplace"))
    if column.missing.any():
        hashed.update(np.packbits(column.missing).data)
        values = np.where(column.missing, values.dtype.type(0), values)  # the value under a missing cell is arbitrary
    hashed.update(_packed(values).data)
    return hashed.digest()


def _packed(values: Any) -> Any:
    """Return the values in as few bytes as they need, contiguous and in little-endian order."""
    if values.dtype == bool:
        return np.packbits(values)
    if values.dtype.kind == "i" and len(values):
        least, most = int(values.min()), int(values.max())
        small = next(size for size in (1, 2, 4, 8) if -(1 << 8 * size - 1) <= least and most < 1 << 8 * size - 1)
        return np.ascontiguousarray(values.astype(f"<i{small}", copy=False))
    return np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"), copy=False))
