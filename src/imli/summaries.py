"""What literals are made from, instead of rows: sums over the rows of a column, which add up over parts of a table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from imli.arrays import AnyArray, IntArray
from imli.frames import Column, ColumnKind, Frame
from imli.valuecounts import ValueCounts

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
