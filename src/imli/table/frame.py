"""Typed columns of numbers, flags, text or dates, tables of such columns, and the array types of all signatures."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from imli.errors import UnknownColumnError, UnreadableColumnError, brief

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
AnyArray = npt.NDArray[np.generic]

Value = str | int | float | bool  # of a category or a class label
ColumnKind = Literal["number", "flag", "text", "date"]
_EXACT = 2**53  # whole numbers up to here are exact as floats
_IN_WORDS = {"number": "numbers", "flag": "truth values", "text": "text", "date": "dates"}


@dataclass(frozen=True, eq=False)
class Column:
    """A column of cells of one kind, some of which may be missing.

    ``values`` are int64 or float64 for numbers, bool for flags, microseconds since 1970 for dates, and for text the
    positions in ``categories``, which are in ascending order. The value of a missing cell is arbitrary.
    """

    name: str
    kind: ColumnKind
    values: AnyArray
    missing: BoolArray
    categories: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.missing.any():  # true of most columns, which then share one value
            object.__setattr__(self, "missing", np.broadcast_to(np.False_, self.missing.shape))

    @property
    def kind_in_words(self) -> str:
        """Return the kind as a plural noun for messages."""
        return _IN_WORDS[self.kind]

    def numbers(self) -> AnyArray:
        """Return the values as numbers, flags as 0 or 1."""
        values = self._compared_with("numbers", "number", "flag")
        return values.astype(np.int64) if values.dtype == bool else values

    def moments(self) -> AnyArray:
        """Return the values of dates as microseconds since 1970."""
        return self._compared_with("dates", "date")

    def _compared_with(self, what: str, *kinds: str) -> AnyArray:
        """Return the values if the column is of one of these kinds, or empty; raise an error otherwise."""
        if self.missing.all():
            return np.zeros(len(self.missing), dtype=np.int64)
        if self.kind not in kinds:
            raise UnreadableColumnError(
                f"Column {brief(self.name)} holds {self.kind_in_words}, but the rule compares it with {what}. "
                f"Convert the column to {what} first."
            )
        return self.values

    def code(self, category: str) -> int:
        """Return the position of a category, or −1 if the column does not have it."""
        place = bisect_left(self.categories, category)
        return place if place < len(self.categories) and self.categories[place] == category else -1

    def cells(self) -> AnyArray:
        """Return the cells as an array of numbers, truth values, dates or text; missing cells are None."""
        cells = self.values.astype("datetime64[us]") if self.kind == "date" else self.values
        if self.kind == "text":
            cells = np.array([*self.categories, ""])[self.values]
        if not self.missing.any():
            return cells
        with_gaps = cells.astype(object)
        with_gaps[self.missing] = None
        return with_gaps

    def take(self, rows: AnyArray | slice) -> "Column":
        """Return the cells at these positions, where this mask is true, or in this range."""
        return replace(self, values=self.values[rows], missing=self.missing[rows])


def with_gaps(numbers: IntArray, missing: BoolArray) -> AnyArray:
    """Return whole numbers, of which some are missing, as floats, or as they are if floats would round them.

    >>> none = np.array([False, True])
    >>> with_gaps(np.array([1, 0]), none).tolist(), with_gaps(np.array([2**53 + 1, 0]), none).tolist()
    ([1.0, nan], [9007199254740993, 0])
    """
    if ((numbers > _EXACT) | (numbers < -_EXACT)).any():
        return np.where(missing, 0, numbers)
    return np.where(missing, np.nan, numbers)


@dataclass(frozen=True, eq=False)
class Frame:
    """A table: columns of equal length, by name."""

    columns: Mapping[str, Column]
    n_rows: int

    def __getitem__(self, name: str) -> Column:
        if name not in self.columns:
            raise UnknownColumnError.named(name, self.columns)
        return self.columns[name]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns in order."""
        return tuple(self.columns)

    def renamed(self, names: Iterable[str]) -> Self:
        """Return the frame with other names for its columns, in order."""
        pairs = zip(names, self.columns.values(), strict=True)
        return replace(self, columns={name: replace(column, name=name) for name, column in pairs})

    def select(self, names: Iterable[str]) -> Self:
        """Return the frame with only these columns."""
        return replace(self, columns={name: self[name] for name in names})

    def take(self, rows: AnyArray) -> Self:
        """Return the rows at these positions, or where this mask is true."""
        n_rows = int(rows.sum()) if rows.dtype == bool else len(rows)
        return replace(self, columns={name: column.take(rows) for name, column in self.columns.items()}, n_rows=n_rows)


def stacked(upper: Frame, lower: Frame) -> Frame:
    """Return the rows of two frames with equal columns, one below the other.

    >>> from imli.table.read import as_frame
    >>> both = stacked(as_frame({"age": [40], "town": ["Bonn"]}), as_frame({"age": [None], "town": ["Aachen"]}))
    >>> both["age"].missing.tolist(), both["town"].cells().tolist()
    ([False, True], ['Bonn', 'Aachen'])
    """
    columns = {name: _stack(column, lower[name]) for name, column in upper.columns.items()}
    return Frame(columns, upper.n_rows + lower.n_rows)


def _stack(upper: Column, lower: Column) -> Column:
    missing = np.concatenate([upper.missing, lower.missing])
    if upper.kind != lower.kind:
        if lower.missing.all() or upper.missing.all():  # an empty column fits any kind
            full = upper if lower.missing.all() else lower
            upper, lower = (_as_empty(column, full) if column.missing.all() else column for column in (upper, lower))
        elif {upper.kind, lower.kind} == {"number", "flag"}:
            upper, lower = (replace(column, kind="number", values=column.numbers()) for column in (upper, lower))
        else:
            raise UnreadableColumnError(
                f"Column {brief(lower.name)} holds {lower.kind_in_words}, but held {upper.kind_in_words} before. "
                f"Convert it to {upper.kind_in_words}."
            )
    if upper.kind != "text":
        return replace(upper, values=np.concatenate([upper.values, lower.values]), missing=missing)
    categories = sorted({*upper.categories, *lower.categories})
    codes = np.concatenate([_codes(column, categories) for column in (upper, lower)])
    return replace(upper, values=codes, missing=missing, categories=tuple(categories))


def _as_empty(column: Column, kind_of: Column) -> Column:
    """Return an empty column as one of the kind of another."""
    values = np.zeros(len(column.missing), dtype=kind_of.values.dtype)
    return replace(column, kind=kind_of.kind, values=values, categories=kind_of.categories)


def _codes(column: Column, categories: list[str]) -> AnyArray:
    """Return the position of each cell in ``categories``, −1 for missing cells."""
    places = np.append(np.searchsorted(categories, column.categories) if column.categories else [], -1)
    codes: AnyArray = places.astype(np.int32)[np.where(column.missing, -1, column.values)]
    return codes
