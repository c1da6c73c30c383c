"""The values that columns can take, ranges of numbers and dates, short values inside them, and rows in any form.

Dates are compared by their microseconds.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import narwhals as nw
import numpy as np

from imli.errors import UnknownColumnError, brief, suggest
from imli.rules.cells import Cell, plain_cell
from imli.table.dates import moment_of, read_moment, time_of
from imli.table.frame import AnyArray, Column, Frame
from imli.table.read import as_frame
from imli.table.summaries import ColumnStatistics

# A day, an hour, a minute, a second and a microsecond, in microseconds.
_STEPS = (86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000, 1)


@dataclass(frozen=True)
class Region:
    """All numbers between two ends; ``closed`` has for each end whether it belongs to the region."""

    low: float
    high: float
    closed: tuple[bool, bool] = (False, False)

    @staticmethod
    def point(value: float) -> "Region":
        """Build the region of one number."""
        return Region(value, value, (True, True))

    @staticmethod
    def around(value: float, cuts: Sequence[float]) -> "Region":
        """Build the region of all numbers between the same two sorted cuts as a value; for a cut, that number alone.

        >>> Region.around(25, [20, 30]), Region.around(30, [20, 30])
        (Region(low=20, high=30, closed=(False, False)), Region(low=30, high=30, closed=(True, True)))
        """
        above = bisect_left(cuts, value)
        if above < len(cuts) and cuts[above] == value:
            return Region.point(value)
        is_first, is_last = above == 0, above == len(cuts)
        # infinity itself is a value that cells can have
        return Region(
            -math.inf if is_first else cuts[above - 1], math.inf if is_last else cuts[above], (is_first, is_last)
        )

    def has(self, value: float) -> bool:
        """Return True if the number is in the region."""
        is_end = (self.closed[0] and value == self.low) or (self.closed[1] and value == self.high)
        return is_end or self.low < value < self.high


@dataclass(frozen=True)
class Domain:
    """The possible values of a column. Without arguments: any value, and missing.

    Parameters
    ----------
    missing
        True if a cell can be missing.
    least, most
        The least and greatest possible number or date; None is no limit.
    whole
        True if only whole numbers are possible.
    only
        All possible texts, numbers, truth values or dates; None is no such list.

    Examples
    --------
    >>> from imli import parse_rule
    >>> rule = parse_rule("IF age > 40 OR rooms > 2 AND rooms < 3 THEN yes ELSE no")
    >>> print(rule.why({"age": 30, "rooms": 2}))
    no, because age <= 40 AND rooms <= 2.
    >>> print(rule.why({"age": 30, "rooms": 2}, values={"rooms": Domain(least=0, whole=True)}))
    no, because age <= 40: whatever possible values the other columns hold, the prediction is the same.
    """

    missing: bool = True
    least: int | float | date | None = None
    most: int | float | date | None = None
    whole: bool = False
    only: tuple[Cell, ...] | None = None

    def __post_init__(self) -> None:
        if self.only is not None:
            object.__setattr__(self, "only", tuple(cell for cell in self.only if cell is not None))

    @staticmethod
    def of_column(column: Column) -> "Domain":
        """Return the domain of cells like those of a column.

        Numbers and dates lie between the column's least and greatest, and numbers are whole if all of the column's
        are. Texts and truth values are those of the column. Missing is possible if a cell is missing.

        Parameters
        ----------
        column
            A column of examples.
        """
        missing = bool(column.missing.any())
        there = column.values[~column.missing]
        if column.kind == "text":
            return Domain(missing, only=tuple(column.categories[n] for n in np.unique(there).tolist()))
        if column.kind == "flag":
            return Domain(missing, only=tuple(np.unique(there).tolist()))
        if not len(there):
            return Domain(missing, only=())
        rows = np.flatnonzero(~column.missing)
        ends = column.take(rows[[int(there.argmin()), int(there.argmax())]])
        least, most = plain_cell(ends, 0), plain_cell(ends, 1)
        assert not isinstance(least, str)
        assert not isinstance(most, str)
        whole = column.kind == "number" and bool((there == np.floor(there)).all())
        return Domain(missing, least, most, whole)

    def nearest(self, region: Region, near: float | None) -> float | None:
        """Return the possible number in a region that is nearest to another; None if there is none.

        An end that does not belong to the region is returned if the nearest numbers lie beside it.

        Parameters
        ----------
        region
            A range of numbers, or of dates in microseconds.
        near
            The other number; None prefers the least.
        """
        low, high, closed = region.low, region.high, region.closed
        if self.only is not None:
            inside = [key for key in map(key_of, self.only) if region.has(key)]
            return min(inside, key=lambda key: (0 if near is None else abs(key - near), key), default=None)
        if self.least is not None and key_of(self.least) > low:
            low, closed = key_of(self.least), (True, closed[1])
        if self.most is not None and key_of(self.most) < high:
            high, closed = key_of(self.most), (closed[0], True)
        if self.whole:
            low = (math.ceil(low) if closed[0] else math.floor(low) + 1) if math.isfinite(low) else low
            high = (math.floor(high) if closed[1] else math.ceil(high) - 1) if math.isfinite(high) else high
            closed = True, True
        if low > high or (low == high and not all(closed)):
            return None
        if near is None:
            return low if math.isfinite(low) else high if math.isfinite(high) else 0
        return min(max(near, low), high)


def domain_of(column: ColumnStatistics) -> Domain:
    """Return the domain of cells like those that the statistics of a column describe.

    >>> domain_of(ColumnStatistics("number", n_missing=0, n_distinct=3, least=1, most=3))
    Domain(missing=False, least=1, most=3, whole=True, only=None)
    """
    missing = column.n_missing > 0
    if column.kind == "flag":
        return Domain(missing, only=(False, True))
    if column.kind == "text":  # statistics name only the most frequent texts
        are_all = column.n_distinct is not None and column.n_distinct <= len(column.frequent)
        return Domain(missing, only=tuple(text for text, _ in column.frequent) if are_all else None)
    least, most = (time_of(read_moment(end)) if isinstance(end, str) else end for end in (column.least, column.most))
    return Domain(missing, least, most, whole=isinstance(least, int) and isinstance(most, int))


def key_of(cell: Any) -> float:
    """Return a number or a date as a number for comparisons."""
    if isinstance(cell, date):
        return moment_of(cell)
    if isinstance(cell, str):
        raise TypeError(f"A column of numbers or dates cannot hold {brief(cell)}.")
    return int(cell) if isinstance(cell, bool) else cell


def read_domains(values: Any, columns: Iterable[str], known: Iterable[str]) -> dict[str, Domain]:
    """Return the domains of the columns for which ``values`` has any.

    ``values`` is a table of examples; or a dict from columns to example cells, to a set of exactly the possible
    values, or to a ``Domain``. ``known`` are the names of the row's columns.
    """
    wanted, known = tuple(columns), set(known)
    if values is None:
        return {}
    if isinstance(values, str | int | float | Domain | AbstractSet):
        raise TypeError(
            "values must be a table with values that columns can take, or a dict from columns to such values. "
            f"Got {brief(values)}."
        )
    if not isinstance(values, Mapping):
        frame = as_frame(values, only=wanted)
        return {name: Domain.of_column(frame[name]) for name in wanted}
    lacking = [name for name in wanted if name not in values]
    for name in values:
        # other columns are allowed, but not one with almost the name of a column that the rule reads
        if name not in known and suggest(name, lacking):
            raise UnknownColumnError.named(name, lacking)
    return {name: _read_domain(name, values[name]) for name in wanted if name in values}


def _read_domain(name: str, cells: Any) -> Domain:
    if isinstance(cells, Domain):
        return cells
    if isinstance(cells, AbstractSet):
        column = as_frame({name: list(cells)})[name]
        there = [plain_cell(column, row) for row in range(len(column.missing))]
        present: list[Any] = [cell for cell in there if cell is not None]
        present.sort(key=lambda cell: cell if isinstance(cell, str) else key_of(cell))
        return Domain(None in there, only=tuple(present))
    try:
        column = as_frame({name: cells})[name]
    except TypeError:
        raise TypeError(
            f"What column {brief(name)} can hold must be a list of cells like those that are possible, a set of "
            "exactly "
            f"those that are possible, or a Domain. Got {brief(cells)}."
        ) from None
    return Domain.of_column(column)


def near_value(
    domain: Domain, region: Region, near: float | None, *, is_date: bool = False, prefers_whole: bool = False
) -> float:
    """Return a possible number or moment in the region near to another, whole if that is preferred and possible.

    >>> near_value(Domain(), Region(40, math.inf), 20.5)
    40.1
    >>> near_value(Domain(), Region(40.25, math.inf), 20, prefers_whole=True)
    41
    """
    if prefers_whole and domain.only is None:
        found = replace(domain, whole=True).nearest(region, near)
        if found is not None and math.isfinite(found):
            return found
    found = domain.nearest(region, near)
    assert found is not None, "the region has possible values"
    if region.has(found):
        return found
    sign = 1 if found == region.low else -1
    if is_date:
        tried = [found + sign * step for step in _STEPS]
    else:
        n_decimals = max(1, len(repr(float(found)).partition(".")[2].partition("e")[0]))
        tried = [round(found + sign * 10.0**-n, n) for n in range(n_decimals, n_decimals + 3)]
    possible = (one for one in tried if region.has(one) and domain.nearest(Region.point(one), one) is not None)
    return next(possible, math.nextafter(found, sign * math.inf))


def read_row(row: Any, columns: Iterable[str]) -> tuple[Frame, tuple[str, ...]]:
    """Return a frame of one row with some of its columns, and the names of all columns of the row."""
    wanted = tuple(columns)
    table = _as_table(row, wanted)
    frame = as_frame(table, only=wanted)
    if wanted and frame.n_rows != 1:
        raise ValueError(
            f"One row is explained at a time, and this table has {frame.n_rows:,}. Give one of them, "
            "such as X.iloc[0] of a pandas table, X[0:1] of a polars table or an array, or a dict."
        )
    return frame, _names(table)


def _as_table(row: Any, wanted: tuple[str, ...]) -> Any:
    if hasattr(row, "_asdict"):  # a row of DataFrame.itertuples
        row = row._asdict()
    if isinstance(row, Mapping):
        return _from_mapping(row)
    if nw.dependencies.is_into_dataframe(row) or isinstance(row, Frame):
        return row
    if nw.dependencies.is_into_series(row):
        labels = list(getattr(row, "index", ()))  # a polars series has none
        if labels and all(isinstance(label, str) for label in labels):
            return _from_mapping(dict(zip(labels, row.tolist(), strict=True)))
        row = list(row)
    if isinstance(row, str | bytes) or not isinstance(row, Sequence | np.ndarray):
        raise TypeError(
            "A row is a dict from column names to cells, a row of a data frame, a table of one row or a list of "
            f"cells. Got {brief(row)}."
        )
    if np.ndim(row) == 2 or (len(row) and isinstance(row[0], Sequence) and not isinstance(row[0], str)):
        return row
    return _from_cells(row, wanted)


def _from_mapping(row: Mapping[Any, Any]) -> dict[str, Any]:
    is_table = bool(row) and all(
        isinstance(cells, list | tuple | np.ndarray) or nw.dependencies.is_into_series(cells) for cells in row.values()
    )
    return {str(name): cell if is_table else _as_cells(cell) for name, cell in row.items()}


def _from_cells(cells: Sequence[Any] | AnyArray, wanted: tuple[str, ...]) -> dict[str, Any]:
    found = {f"x{n}": _as_cells(cell) for n, cell in enumerate(cells)}
    for name in wanted:
        if name not in found and not (name[:1] == "x" and name[1:].isdigit()):
            raise UnknownColumnError(
                f"The rule looks at columns by name, such as {brief(name)}, and a list of cells has no names. "
                f"Give the row as a dict: {{{name!r}: …}}."
            )
        if name not in found:
            n_cells = f"{len(cells)} cell{'' if len(cells) == 1 else 's'}"
            raise UnknownColumnError(f"The rule looks at column {brief(name)}, but the row has only {n_cells}.")
    return found


def _as_cells(cell: Any) -> Any:
    # an array keeps the dtype of a NumPy scalar
    return np.array([cell]) if isinstance(cell, np.generic) else [cell]


def _names(table: Any) -> tuple[str, ...]:
    if isinstance(table, Mapping):
        return tuple(table)
    if isinstance(table, Frame):
        return table.names
    if nw.dependencies.is_into_dataframe(table):
        return tuple(map(str, nw.from_native(table, eager_only=True).columns))
    return tuple(f"x{n}" for n in range(np.shape(table)[1]))
