"""Statistics and hashes of columns: what a model keeps of its training rows."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from hashlib import sha256  # measured: several times as fast as blake2b on processors with SHA instructions
from typing import Any

import numpy as np

from imli.table.dates import write_moment
from imli.table.frame import AnyArray, Column, ColumnKind, FloatArray, IntArray, Value
from imli.table.summaries import Summary

_MOST_DISTINCT = 1000  # numbers or dates that are counted
_MOST_FREQUENT = 10
_SAMPLE = 4000
_CHUNK = 2**16  # rows at a time, so that intermediate results stay in the processor's cache


@dataclass(frozen=True)
class ColumnStatistics:
    """Statistics of a column of training rows.

    ``n_missing`` and ``n_distinct`` are the numbers of missing cells and of different values; the latter is None for
    more than 1,000 different numbers or dates. ``least`` and ``most`` are the ends of the finite numbers, or of the
    dates as text. ``frequent`` has the most frequent categories of text with their numbers of rows, most rows first.
    """

    kind: ColumnKind
    n_missing: int
    n_distinct: int | None = None
    least: int | float | str | None = None
    most: int | float | str | None = None
    frequent: tuple[tuple[str, int], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return a dict of plain values, for JSON, without statistics that do not apply."""
        content = asdict(self) | {"frequent": [list(pair) for pair in self.frequent]}
        return {name: value for name, value in content.items() if value is not None and value != []}


def describe(column: Column) -> ColumnStatistics:
    """Return the statistics of a column.

    >>> from imli.table.read import as_frame
    >>> describe(as_frame({"age": [40, None, 62.5, 40]})["age"])
    ColumnStatistics(kind='number', n_missing=1, n_distinct=2, least=40.0, most=62.5, frequent=())
    """
    has_missing = bool(column.missing.any())
    n_missing = int(column.missing.sum()) if has_missing else 0
    if column.kind == "text":
        return _describe_text(n_missing, column.categories, count_codes(column))
    there = column.values[~column.missing] if has_missing else column.values
    if column.kind == "flag":
        return ColumnStatistics("flag", n_missing, len({bool(there.any()), bool(there.all())}) if len(there) else 0)
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = bool(np.isfinite(there.sum()))  # faster than a test of each cell
    finite = there if is_finite else there[np.isfinite(there)]
    ends = [finite.min(), finite.max()] if len(finite) else []
    return _describe_ordered(column.kind, n_missing, _n_distinct(there), ends)


def describe_summary(summary: Summary) -> ColumnStatistics:
    """Return the statistics of a column that is known only by its summary.

    >>> from imli.table.read import as_frame
    >>> column = as_frame({"age": [40, None, 62.5, 40]})["age"]
    >>> describe_summary(Summary.of(column, np.ones(4, dtype=np.int64))) == describe(column)
    True
    """
    if summary.kind == "text":
        counts = np.zeros(0, dtype=np.int64) if summary.counts is None else summary.counts
        return _describe_text(summary.n_missing, summary.categories, counts)
    assert summary.values is not None
    ends, n_values = summary.values.ends, len(summary.values)
    if summary.kind == "flag":
        return ColumnStatistics("flag", summary.n_missing, n_values)
    finite = ends[np.isfinite(ends)]
    is_exact = summary.values.level == 0 and n_values <= _MOST_DISTINCT
    n_distinct = n_values if is_exact else None
    return _describe_ordered(summary.kind, summary.n_missing, n_distinct, [*finite[:1], *finite[-1:]])


def _describe_ordered(kind: ColumnKind, n_missing: int, n_distinct: int | None, ends: list[Any]) -> ColumnStatistics:
    """Return the statistics of numbers or dates between these ends, if there are any."""
    if not ends:
        return ColumnStatistics(kind, n_missing, n_distinct)
    least, most = (write_moment(end.item()) if kind == "date" else end.item() for end in ends)
    return ColumnStatistics(kind, n_missing, n_distinct, least, most)


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


def _n_distinct(values: AnyArray) -> int | None:
    """Return the number of different values; None if they are too many."""
    if values.dtype.kind == "i" and len(values):
        least, most = int(values.min()), int(values.max())
        if most - least < _MOST_DISTINCT:  # counting is much faster than sorting
            return int((_count(values, least, most) > 0).sum())
    if len(values) > 2 * _SAMPLE:  # a sample often shows that they are too many, without sorting all
        step = len(values) // _SAMPLE
        if len(np.unique(values[::step])) > _MOST_DISTINCT:
            return None
    found = len(np.unique(values))
    return found if found <= _MOST_DISTINCT else None


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
