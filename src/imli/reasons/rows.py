"""One row, in any of the forms in which people have one."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import narwhals as nw
import numpy as np

from imli.arrays import AnyArray
from imli.cells import plain_number
from imli.frames import Column, Frame, UnknownColumnError, as_frame
from imli.moments import time_of
from imli.notation import Value
from imli.places import brief

# What a row holds in a column; None is missing.
Cell = Value | datetime | None


def read_row(row: Any, columns: Iterable[str]) -> tuple[Frame, tuple[str, ...]]:
    """A frame of that one row with just these columns, and the names of all columns that the row has.

    >>> frame, names = read_row({"age": 40, "city": "Bath"}, ["age"])
    >>> frame["age"].values.tolist(), names
    ([40], ('age', 'city'))
    """
    wanted = tuple(columns)
    table = _as_table(row, wanted)
    frame = as_frame(table, only=wanted)
    if wanted and frame.n_rows != 1:
        raise ValueError(
            f"One row is explained at a time, and this table has {frame.n_rows:,}. Give one of them, "
            "such as X.iloc[0] of a pandas table, X[0:1] of a polars table or an array, or a dict."
        )
    return frame, _names(table)


def plain_cell(column: Column, row: int = 0) -> Cell:
    """The cell as a plain value."""
    if column.missing[row]:
        return None
    value = column.values[row].item()
    if column.kind == "text":
        return str(column.categories[value])
    if column.kind == "date":
        return time_of(value)
    if column.kind == "flag":
        return bool(value)
    return plain_number(value)


def _as_table(row: Any, wanted: tuple[str, ...]) -> Any:
    if hasattr(row, "_asdict"):  # of itertuples
        row = row._asdict()
    if isinstance(row, Mapping):
        return _from_mapping(row)
    if nw.dependencies.is_into_dataframe(row) or isinstance(row, Frame):
        return row
    if nw.dependencies.is_into_series(row):
        labels = list(getattr(row, "index", ()))  # polars has none
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
    return {str(name): cell if is_table else _one(cell) for name, cell in row.items()}


def _from_cells(cells: Sequence[Any] | AnyArray, wanted: tuple[str, ...]) -> dict[str, Any]:
    found = {f"x{n}": _one(cell) for n, cell in enumerate(cells)}
    for name in wanted:
        if name not in found and not (name[:1] == "x" and name[1:].isdigit()):
            raise UnknownColumnError(
                f"The rule looks at columns by name, such as {name!r}, and a list of cells has no names. "
                f"Give the row as a dict: {{{name!r}: …}}."
            )
        if name not in found:
            n_cells = f"{len(cells)} cell{'' if len(cells) == 1 else 's'}"
            raise UnknownColumnError(f"The rule looks at column {name!r}, but the row has only {n_cells}.")
    return found


def _one(cell: Any) -> Any:
    # an array keeps what kind of number or date a cell of NumPy's is
    return np.array([cell]) if isinstance(cell, np.generic) else [cell]


def _names(table: Any) -> tuple[str, ...]:
    if isinstance(table, Mapping):
        return tuple(table)
    if isinstance(table, Frame):
        return table.names
    if nw.dependencies.is_into_dataframe(table):
        return tuple(map(str, nw.from_native(table, eager_only=True).columns))
    return tuple(f"x{n}" for n in range(np.shape(table)[1]))
