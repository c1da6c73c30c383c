"""Neighbours of a row, made of its cells and those of a table, and tables of them in the library of the given table.

Neighbours are arrays of row numbers: the cell in row i and column j is that of row ``cells[i, j]`` in column j of the
table. So each cell has been seen before.
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


class Template(ABC):
    """A table from whose cells other tables of its library, column types and categories are made."""

    frame: Frame  # the table as a frame of imli

    @abstractmethod
    def gather(self, rows: IntArray) -> Any:
        """Return a table whose cell in row i and column j is that of row ``rows[i, j]`` in column j."""

    @abstractmethod
    def with_row(self, cells: dict[str, Any]) -> Self:
        """Return a template with one more row, the last."""

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return self.frame.n_rows

    def gather_frame(self, rows: IntArray) -> Frame:
        """Return the result of ``gather`` as a frame of imli."""
        columns = {name: column.take(rows[:, j]) for j, (name, column) in enumerate(self.frame.columns.items())}
        return Frame(columns, len(rows))


class _FrameTemplate(Template):
    """A data frame of a library that narwhals supports."""

    def __init__(self, table: "nw.DataFrame[Any]") -> None:
        self.frame = as_frame(table.to_native())
        self._table = nw.maybe_reset_index(table)

    def gather(self, rows: IntArray) -> Any:
        table = self._table
        if table.implementation.is_pandas():  # by arrays, because series would be aligned by their index
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
        if table.implementation.is_pyarrow():  # pyarrow has several types of text
            last = nw.from_native(last.to_native().cast(table.to_native().schema), eager_only=True)
        return type(self)(nw.concat([table, last], how="vertical"))

    def _with_row_in_pandas(self, cells: dict[str, Any]) -> Self:
        pd, native = nw.dependencies.get_pandas(), self._table.to_native()
        joined = {}
        for j, ours in enumerate(self.frame.columns.values()):
            cell = cells[ours.name]
            column = _roomy(self._table.get_column(native.columns[j]), ours, cell).to_native()
            if cell is None and column.dtype == bool:  # bool has no missing value
                column = column.astype(object)
            last = pd.Series([_like(cell, nw.from_native(column, series_only=True).dtype)], dtype=column.dtype)
            joined[j] = pd.concat([column, last], ignore_index=True)
        found = type(native)(joined)
        found.columns = native.columns
        return type(self)(nw.from_native(found, eager_only=True))


class _ArrayTemplate(Template):
    """A NumPy array, or a list of rows."""

    def __init__(self, table: AnyArray, as_list: bool) -> None:
        self.frame = as_frame(table)
        self._table, self._as_list = table, as_list

    def gather(self, rows: IntArray) -> Any:
        found = self._table[rows, np.arange(rows.shape[1])]
        return found.tolist() if self._as_list else found

    def with_row(self, cells: dict[str, Any]) -> Self:
        return type(self)(_longer(self._table, list(cells.values())), self._as_list)


class _ColumnsTemplate(Template):
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


def read_template(X: Any) -> Template:
    """Return a table as a template."""
    refuse_odd_tables(X)
    if nw.dependencies.is_into_dataframe(X):
        return _FrameTemplate(nw.from_native(X, eager_only=True))
    if isinstance(X, Mapping):
        return _ColumnsTemplate(X)
    is_array = isinstance(X, np.ndarray)
    return _ArrayTemplate(X if is_array else rows_as_array(X), as_list=not is_array)


def some_rows(X: Any, n: int, keep: int | None, chance: np.random.Generator) -> tuple[Any, int | None]:
    """Return at most ``n`` rows of a table, drawn at random, and the place of the row to keep among them."""
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


def read_row(owner: str, row: Any, template: Template) -> tuple[Template, int]:
    """Return a template that has the row, and the place of the row in it. The row is given by its place or as cells."""
    if isinstance(row, int | np.integer) and not isinstance(row, bool):
        if not 0 <= row < template.n_rows:
            raise ValueError(f"{owner}: row must be a place in X, 0 to {template.n_rows - 1}, or cells. Got {row}.")
        return template, int(row)
    cells = _cells(owner, row, template.frame.names)
    one = as_frame({name: [cell] for name, cell in cells.items()})
    for name, column in template.frame.columns.items():
        _refuse_other_kind(owner, column, one[name], cells[name])
    longer = template.with_row(cells)
    return longer, longer.n_rows - 1


def _cells(owner: str, row: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return the cells of a row by column; missing cells are None."""
    by_name = _by_name(owner, row)
    if by_name is None:
        by_name = dict(zip(names, _by_place(owner, row, len(names)), strict=True))
    for name in names:
        if name not in by_name:
            raise ValueError(f"{owner}: the row has no column {brief(name)}. Give it a cell for each column of X.")
    for name in by_name:
        if name not in names:
            raise UnknownColumnError.named(name, names)
    return {name: _python(by_name[name]) for name in names}


def _by_name(owner: str, row: Any) -> dict[str, Any] | None:
    """Return the cells by column of a row with column names; None for other rows."""
    if isinstance(row, Mapping):
        return {str(name): cell for name, cell in row.items()}
    if nw.dependencies.is_into_series(row) and hasattr(row, "index"):  # a row of a data frame of pandas
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
    """Return the cells of a row without column names."""
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
        f"{owner}: the row holds {brief(cell)} in column {brief(column.name)}, but there X holds "
        f"{column.kind_in_words}."
    )


def _python(cell: Any) -> Any:
    """Return the cell as a Python object; None if it is missing."""
    if is_missing(cell):
        return None
    return cell.item() if isinstance(cell, np.generic) and not isinstance(cell, np.datetime64) else cell


def _roomy(column: "nw.Series[Any]", ours: Column, cell: Any) -> "nw.Series[Any]":
    """Return the column with a type that can hold the cell, too."""
    if column.dtype.is_integer():
        has_no_gaps = column.implementation.is_pandas() and isinstance(column.to_native().dtype, np.dtype)
        if has_no_gaps if cell is None else not float(cell).is_integer():
            return column.cast(nw.Float64)
    known = _fixed_categories(column)
    if known is not None and cell is not None and cell not in known:
        raise ValueError(
            f"The row holds {brief(cell)} in column {brief(ours.name)}, which is none of the categories that the "
            "column "
            "has. Add it to them."
        )
    return column


def _fixed_categories(column: "nw.Series[Any]") -> list[str] | None:
    """Return the categories that a column may have; None if all are allowed."""
    if isinstance(column.dtype, nw.Enum):
        return list(column.dtype.categories)
    if column.dtype == nw.Categorical and column.implementation.is_pandas():
        return [str(category) for category in column.to_native().cat.categories]
    return None


def _like(cell: Any, dtype: Any) -> Any:
    """Return the cell as a value of the type of a column."""
    if isinstance(cell, int | float):
        if dtype == nw.Boolean:
            return bool(cell)
        return float(cell) if dtype.is_float() else int(cell) if dtype.is_integer() else cell
    return cell


def _longer(array: AnyArray, last: Any) -> AnyArray:
    """Return the array with one more cell, or row of cells, in which None stands for missing cells."""
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
    """The rows of a table from which neighbours of one row are drawn."""

    template: Template
    row: int
    rows: IntArray  # whose cells neighbours are made of
    chance: np.random.Generator

    def near(self, n: int) -> IntArray:
        """Draw rows of the table and replace some of their cells, from few to nearly all, by those of the row."""
        shape = n, len(self.template.frame.names)
        kept = self.chance.random(shape) < self.chance.random((n, 1))
        return np.where(kept, self.row, self.chance.choice(self.rows, n)[:, None])

    def within(self, clause: Sequence[Literal], n: int) -> IntArray:
        """Draw rows of the table and replace cells that violate the clause by cells that satisfy it."""
        found = self.whole(self.chance.choice(self.rows, n))
        for j, column in enumerate(self.template.frame.columns.values()):
            own = [literal for literal in clause if literal.column == column.name]
            if own:
                keeps: BoolArray = np.logical_and.reduce([literal.holds(column) for literal in own])
                allowed = np.append(self.rows[keeps[self.rows]], self.row)
                broken = ~keeps[found[:, j]]
                found[broken, j] = self.chance.choice(allowed, int(broken.sum()))
        return found

    def whole(self, rows: IntArray) -> IntArray:
        """Return whole rows of the table in the form of neighbours."""
        return np.repeat(rows[:, None], len(self.template.frame.names), axis=1)
