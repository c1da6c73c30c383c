"""What the training rows have in a column."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from imli.table.dates import write_moment
from imli.table.frame import AnyArray, Column, ColumnKind, IntArray
from imli.table.summaries import Summary

_MOST_DISTINCT = 1000  # counted of numbers and dates: beyond, nobody asks how many
_MOST_FREQUENT = 10
_SAMPLE = 4000
_CHUNK = 2**16  # rows at a time, so that what is in between stays in the processor's cache


@dataclass(frozen=True)
class ColumnStatistics:
    """A column of training rows: its kind, how many cells are missing, how many different values there are.

    ``least`` and ``most`` are the ends of the finite numbers, or of the dates, as text. ``frequent`` has the most
    frequent categories of text with their rows, most rows first. ``n_distinct`` is None for more than 1,000 different
    numbers or dates.
    """

    kind: ColumnKind
    n_missing: int
    n_distinct: int | None = None
    least: int | float | str | None = None
    most: int | float | str | None = None
    frequent: tuple[tuple[str, int], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values, for JSON, without what does not apply."""
        content = asdict(self) | {"frequent": [list(pair) for pair in self.frequent]}
        return {name: value for name, value in content.items() if value is not None and value != []}


def describe(column: Column) -> ColumnStatistics:
    """The statistics of a column.

    >>> from imli.table.read import as_frame
    >>> describe(as_frame({"age": [40, None, 62.5, 40]})["age"])
    ColumnStatistics(kind='number', n_missing=1, n_distinct=2, least=40.0, most=62.5, frequent=())
    """
    has_missing = bool(column.missing.any())
    n_missing = int(column.missing.sum()) if has_missing else 0
    if column.kind == "text":
        counts = count_codes(column)
        order = np.argsort(-counts, kind="stable")[:_MOST_FREQUENT].tolist()
        frequent = tuple((column.categories[code], int(counts[code])) for code in order if counts[code])
        return ColumnStatistics("text", n_missing, int((counts > 0).sum()), frequent=frequent)
    there = column.values[~column.missing] if has_missing else column.values
    if column.kind == "flag":
        return ColumnStatistics("flag", n_missing, len({bool(there.any()), bool(there.all())}) if len(there) else 0)
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = bool(np.isfinite(there.sum()))  # quicker than asking each cell
    finite = there if is_finite else there[np.isfinite(there)]
    ends: list[Any] = [finite.min().item(), finite.max().item()] if len(finite) else [None, None]
    if column.kind == "date":
        ends = [None if end is None else write_moment(end) for end in ends]
    return ColumnStatistics(column.kind, n_missing, _n_distinct(there), *ends)


def describe_summary(summary: Summary) -> ColumnStatistics:
    """The same of a column of which only a summary is known.

    >>> from imli.table.read import as_frame
    >>> from imli.table.summaries import Weighed
    >>> column = as_frame({"age": [40, None, 62.5, 40]})["age"]
    >>> describe_summary(Summary.of(column, Weighed(np.ones(4, dtype=np.int64)))) == describe(column)
    True
    """
    if summary.kind == "text":
        counts = np.zeros(0, dtype=np.int64) if summary.counts is None else summary.counts
        order = np.argsort(-counts, kind="stable")[:_MOST_FREQUENT].tolist()
        frequent = tuple((summary.categories[place], int(counts[place])) for place in order)
        return ColumnStatistics("text", summary.n_missing, len(counts), frequent=frequent)
    assert summary.values is not None
    ends, n_values = summary.values.ends, len(summary.values)
    if summary.kind == "flag":
        return ColumnStatistics("flag", summary.n_missing, n_values)
    finite = ends[np.isfinite(ends)]
    least, most = (finite[0].item(), finite[-1].item()) if len(finite) else (None, None)
    if summary.kind == "date":
        least, most = (None if end is None else write_moment(end) for end in (least, most))
    is_exact = summary.values.level == 0 and n_values <= _MOST_DISTINCT
    return ColumnStatistics(summary.kind, summary.n_missing, n_values if is_exact else None, least, most)


def count_codes(column: Column) -> IntArray:
    """How many cells have each category of a column of text."""
    return _count(column.values, -1, len(column.categories) - 1)[1:]  # a missing cell has the code -1


def _count(values: AnyArray, least: int, most: int) -> IntArray:
    """How often each whole number from the least to the most occurs."""
    counts = np.zeros(most - least + 1, dtype=np.int64)
    for start in range(0, len(values), _CHUNK):
        counts += np.bincount(values[start : start + _CHUNK].astype(np.int64) - least, minlength=len(counts))
    return counts


def _n_distinct(values: AnyArray) -> int | None:
    """How many different values; None if they are too many."""
    if values.dtype.kind == "i" and len(values):
        least, most = int(values.min()), int(values.max())
        if most - least < _MOST_DISTINCT:  # counting is much faster than sorting
            return int((_count(values, least, most) > 0).sum())
    if len(values) > 2 * _SAMPLE:  # a look at some rows spares sorting all of a column of very many values
        step = len(values) // _SAMPLE
        if len(np.unique(values[::step])) > _MOST_DISTINCT:
            return None
    found = len(np.unique(values))
    return found if found <= _MOST_DISTINCT else None


@dataclass(frozen=True)
class DataCard:
    """The rows that a rule was learned from: how many, how many columns, what they weigh, and what hash they have.

    Rows of weight 0 are as if absent. ``weight`` is None if all rows weigh 1. The hash is that of
    ``imli.models.digest``: of the cells, the labels and the weights, in this order of rows and columns. Rows that were
    read in parts have none.
    """

    rows: int
    columns: int
    hash: str | None = None
    weight: float | None = None

    def __str__(self) -> str:
        return f"{self.rows:,} row{'' if self.rows == 1 else 's'} and {self.columns:,} column{'' if self.columns == 1 else 's'}"
