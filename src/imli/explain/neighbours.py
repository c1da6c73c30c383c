"""Tables made of the cells of a given one, which are of the same library, types and categories as it is.

Rows like a given one, made of its own cells and of those that a table has: so each cell has been seen before.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import narwhals as nw
import numpy as np

from imli.errors import UnknownColumnError, brief
from imli.rules.literals import Literal
from imli.table.frame import AnyArray, BoolArray, Column, Frame, IntArray
from imli.table.read import as_frame, is_missing, refuse_odd_tables, rows_as_array


class Source(ABC):
    """A table whose cells can be put together anew, column by column."""

    frame: Frame  # the same cells, as we read them

    @abstractmethod
    def gather(self, rows: IntArray) -> Any:
        """A table like the given one: in row i and column j the cell that column j has in row ``rows[i, j]``."""

    @abstractmethod
    def with_row(self, cells: dict[str, Any]) -> Self:
        """The same table with one more row, the last."""

    @property
    def n_rows(self) -> int:
        return self.frame.n_rows

    def take(self, rows: IntArray) -> Any:
        """Whole rows."""
        return self.gather(np.repeat(rows[:, None], len(self.frame.names), axis=1))

    def gathered(self, rows: IntArray) -> Frame:
        """The same as ``gather``, as we read it."""
        columns = {name: column.take(rows[:, j]) for j, (name, column) in enumerate(self.frame.columns.items())}
        return Frame(columns, len(rows))


class _FrameSource(Source):
    """A data frame that narwhals knows."""

    def __init__(self, table: "nw.DataFrame[Any]") -> None:
        self.frame = as_frame(table.to_native())
        self._table = nw.maybe_reset_index(table)

    def gather(self, rows: IntArray) -> Any:
        table = self._table
        if table.implementation.is_pandas():  # by arrays, since its series would look for each other's index
            native = table.to_native()
            cells = {j: native.iloc[:, j].array.take(rows[:, j]) for j in range(rows.shape[1])}
            found = type(native)(cells)
            found.columns = native.columns
            return found
        columns = [table.get_column(name)[rows[:, j].tolist()] for j, name in enumerate(table.columns)]
        return table[rows[:, 0].tolist()].with_columns(*columns).to_native()

    def with_row(self, cells: dict[str, Any]) -> Self:
        if self._table.implementation.is_pandas():
            return self._with_row_in_pandas(cells)
        columns, row = [], []
        for name, ours in zip(self._table.columns, self.frame.columns.values(), strict=True):
            column = _roomy(self._table.get_column(name), ours, cells[ours.name])
            cell = _like(cells[ours.name], column.dtype)
            columns.append(column)
            row.append(nw.new_series(name, [cell], column.dtype, backend=column.implementation))
        table = self._table.with_columns(*columns)
        last = table[:1].with_columns(*row)
        if table.implementation.is_pyarrow():  # which has several types of text
            last = nw.from_native(last.to_native().cast(table.to_native().schema), eager_only=True)
        return type(self)(nw.concat([table, last], how="vertical"))

    def _with_row_in_pandas(self, cells: dict[str, Any]) -> Self:
        pd, native = nw.dependencies.get_pandas(), self._table.to_native()
        joined = {}
        for j, ours in enumerate(self.frame.columns.values()):
            cell = cells[ours.name]
            column = _roomy(self._table.get_column(native.columns[j]), ours, cell).to_native()
            if cell is None and column.dtype == bool:  # which cannot have a gap
                column = column.astype(object)
            last = pd.Series([_like(cell, nw.from_native(column, series_only=True).dtype)], dtype=column.dtype)
            joined[j] = pd.concat([column, last], ignore_index=True)
        found = type(native)(joined)
        found.columns = native.columns
        return type(self)(nw.from_native(found, eager_only=True))


class _ArraySource(Source):
    """A NumPy array, or a list of rows."""

    def __init__(self, table: AnyArray, as_list: bool) -> None:
        self.frame = as_frame(table)
        self._table, self._as_list = table, as_list

    def gather(self, rows: IntArray) -> Any:
        found = self._table[rows, np.arange(rows.shape[1])]
        return found.tolist() if self._as_list else found

    def with_row(self, cells: dict[str, Any]) -> Self:
        return type(self)(_longer(self._table, list(cells.values())), self._as_list)


class _ColumnsSource(Source):
    """A dict of columns."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.frame = as_frame(columns)
        self._columns = columns

    def gather(self, rows: IntArray) -> Any:
        return {name: _picked(cells, rows[:, j]) for j, (name, cells) in enumerate(self._columns.items())}

    def with_row(self, cells: dict[str, Any]) -> Self:
        joined: dict[str, Any] = {}
        for name, column in self._columns.items():
            cell = cells[str(name)]
            joined[name] = _longer(column, cell) if isinstance(column, np.ndarray) else [*_as_list(column), cell]
        return type(self)(joined)


def read_source(X: Any) -> Source:
    """The table as a source of others."""
    refuse_odd_tables(X)
    if nw.dependencies.is_into_dataframe(X):
        return _FrameSource(nw.from_native(X, eager_only=True))
    if isinstance(X, Mapping):
        return _ColumnsSource(X)
    is_array = isinstance(X, np.ndarray)
    return _ArraySource(X if is_array else rows_as_array(X), as_list=not is_array)


def some_rows(X: Any, n: int, keep: int | None, chance: np.random.Generator) -> tuple[Any, int | None]:
    """So many rows of a table, drawn at random, if it has more; and where among them the row to keep is."""
    refuse_odd_tables(X)
    n_rows = _n_rows(X)
    if n_rows <= n or (keep is not None and not 0 <= keep < n_rows):
        return X, keep
    rows = chance.choice(n_rows, n, replace=False)
    if keep is not None and keep not in rows:
        rows[0] = keep
    rows.sort()
    place = None if keep is None else int(np.searchsorted(rows, keep))
    if nw.dependencies.is_into_dataframe(X):
        return nw.from_native(X, eager_only=True)[rows.tolist()].to_native(), place
    if isinstance(X, Mapping):
        return {name: _picked(cells, rows) for name, cells in X.items()}, place
    return (X[rows] if isinstance(X, np.ndarray) else [X[row] for row in rows.tolist()]), place


def _n_rows(X: Any) -> int:
    if nw.dependencies.is_into_dataframe(X):
        return len(nw.from_native(X, eager_only=True))
    if isinstance(X, Mapping):
        return min((len(cells) for cells in X.values() if hasattr(cells, "__len__")), default=0)
    return len(X) if hasattr(X, "__len__") else 0


def read_row(owner: str, row: Any, source: Source) -> tuple[Source, int]:
    """A source that has the row, and its place in there. A row is given by its place already, or as cells."""
    if isinstance(row, int | np.integer) and not isinstance(row, bool):
        if not 0 <= row < source.n_rows:
            raise ValueError(f"{owner}: row must be a place in X, 0 to {source.n_rows - 1}, or cells. Got {row}.")
        return source, int(row)
    cells = _cells(owner, row, source.frame.names)
    one = as_frame({name: [cell] for name, cell in cells.items()})
    for name, column in source.frame.columns.items():
        _refuse_other_kind(owner, column, one[name], cells[name])
    longer = source.with_row(cells)
    return longer, longer.n_rows - 1


def _cells(owner: str, row: Any, names: Sequence[str]) -> dict[str, Any]:
    """The cells by column, missing ones None."""
    by_name = _by_name(owner, row)
    if by_name is None:
        values = _by_place(owner, row, len(names))
        by_name = dict(zip(names, values, strict=True))
    for name in names:
        if name not in by_name:
            raise ValueError(f"{owner}: the row has no column {name!r}. Give it a cell for each column of X.")
    for name in by_name:
        if name not in names:
            raise UnknownColumnError.named(name, names)
    plain = {name: by_name[name] for name in names}
    return {name: None if is_missing(cell) else _python(cell) for name, cell in plain.items()}


def _by_name(owner: str, row: Any) -> dict[str, Any] | None:
    """The cells of a row that says which column they are of."""
    if isinstance(row, Mapping):
        return {str(name): cell for name, cell in row.items()}
    if nw.dependencies.is_into_series(row) and hasattr(row, "index"):  # a row of a pandas frame
        names = list(row.index)
        return dict(zip(names, row.tolist(), strict=True)) if all(isinstance(name, str) for name in names) else None
    if nw.dependencies.is_into_dataframe(row):
        table = nw.from_native(row, eager_only=True)
        if len(table) != 1:
            raise ValueError(f"{owner}: row must be one row. Got a table of {len(table):,}.")
        if all(isinstance(name, str) for name in table.columns):
            return {name: table.get_column(name).to_list()[0] for name in table.columns}
    return None


def _by_place(owner: str, row: Any, n_columns: int) -> list[Any]:
    if nw.dependencies.is_into_dataframe(row):
        row = list(nw.from_native(row, eager_only=True).row(0))
    elif hasattr(row, "tolist"):
        row = row.tolist()
    if isinstance(row, str) or not isinstance(row, Sequence):
        raise TypeError(f"{owner}: row must be a place in X, or the cells of a row. Got {brief(row)}.")
    if len(row) == 1 and isinstance(row[0], Sequence) and not isinstance(row[0], str):
        row = row[0]  # a table of one row
    if len(row) != n_columns:
        raise ValueError(f"{owner}: the row has {len(row)} cells, but X has {n_columns} columns.")
    return list(row)


def _refuse_other_kind(owner: str, column: Column, one: Column, cell: Any) -> None:
    if one.missing.all() or column.missing.all() or one.kind == column.kind:
        return
    if {one.kind, column.kind} == {"flag", "number"} and cell in (0, 1):
        return
    raise TypeError(
        f"{owner}: the row holds {brief(cell)} in column {column.name!r}, but there X holds {column.kind_in_words}."
    )


def _python(cell: Any) -> Any:
    return cell.item() if isinstance(cell, np.generic) and not isinstance(cell, np.datetime64) else cell


def _roomy(column: "nw.Series[Any]", ours: Column, cell: Any) -> "nw.Series[Any]":
    """The column with a type that can hold the cell too."""
    if column.dtype.is_integer():
        has_no_gaps = column.implementation.is_pandas() and isinstance(column.to_native().dtype, np.dtype)
        if has_no_gaps if cell is None else not float(cell).is_integer():
            return column.cast(nw.Float64)
    known = _fixed_categories(column)
    if known is not None and cell is not None and cell not in known:
        raise ValueError(
            f"The row holds {brief(cell)} in column {ours.name!r}, which is none of the categories that the column "
            "has. Add it to them."
        )
    return column


def _fixed_categories(column: "nw.Series[Any]") -> list[str] | None:
    """The categories that a column can have; None if it can have any."""
    if isinstance(column.dtype, nw.Enum):
        return list(column.dtype.categories)
    if column.dtype == nw.Categorical and column.implementation.is_pandas():
        return [str(category) for category in column.to_native().cat.categories]
    return None


def _like(cell: Any, dtype: Any) -> Any:
    """The cell as a value that a column of this type takes."""
    if isinstance(cell, int | float):
        if dtype == nw.Boolean:
            return bool(cell)
        return float(cell) if dtype.is_float() else int(cell) if dtype.is_integer() else cell
    return cell


def _longer(array: AnyArray, last: Any) -> AnyArray:
    """The array with one more cell, or row of cells, of which missing ones are None; they must stay missing."""
    added = np.empty((1, *array.shape[1:]), dtype=object)
    added[0] = last
    if array.dtype == object or (array.dtype.kind in "bUM" and any(cell is None for cell in added.ravel().tolist())):
        return np.concatenate([array.astype(object), added])
    plain = np.array([math.nan if cell is None else cell for cell in added.ravel().tolist()])
    return np.concatenate([array, plain.reshape(added.shape)])


def _picked(cells: Any, rows: IntArray) -> Any:
    if nw.dependencies.is_into_series(cells):
        return nw.from_native(cells, series_only=True)[rows.tolist()].to_native()
    if isinstance(cells, np.ndarray):
        return cells[rows]
    return [cells[row] for row in rows.tolist()]


def _as_list(cells: Any) -> list[Any]:
    return list(cells.to_list() if hasattr(cells, "to_list") else cells.tolist() if hasattr(cells, "tolist") else cells)


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Where neighbours of a row come from. They are arrays that say for each cell from which row it is."""

    source: Source
    row: int
    rows: IntArray  # those of the table that neighbours are made of
    chance: np.random.Generator

    def near(self, n: int) -> IntArray:
        """Rows of the table in which some cells are those of the row: from few of them to nearly all."""
        shape = n, len(self.source.frame.names)
        kept = self.chance.random(shape) < self.chance.random((n, 1))
        return np.where(kept, self.row, self._drawn(n)[:, None])

    def within(self, clause: Sequence[Literal], n: int) -> IntArray:
        """Rows of the table in which cells that break the clause are replaced by others that keep it."""
        found = np.repeat(self._drawn(n)[:, None], len(self.source.frame.names), axis=1)
        for j, column in enumerate(self.source.frame.columns.values()):
            own = [literal for literal in clause if literal.column == column.name]
            if own:
                keeps: BoolArray = np.logical_and.reduce([literal.holds(column) for literal in own])
                fit = np.append(self.rows[keeps[self.rows]], self.row)
                broken = ~keeps[found[:, j]]
                found[broken, j] = self.chance.choice(fit, int(broken.sum()))
        return found

    def _drawn(self, n: int) -> IntArray:
        return self.chance.choice(self.rows, n)

    def whole(self, rows: IntArray) -> IntArray:
        """Rows of the table as they are, in the same form."""
        return np.repeat(rows[:, None], len(self.source.frame.names), axis=1)


def table_of(source: Source, *parts: IntArray) -> tuple[Any, int]:
    """The parts as one table, and how many rows it has."""
    cells = np.concatenate(parts)
    return source.gather(cells), len(cells)
