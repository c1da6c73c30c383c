"""Readers of tables: the only module that deals with the types of frame libraries and of NumPy."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import Any

import narwhals as nw
import numpy as np

from imli.errors import UnknownColumnError, UnreadableColumnError, brief
from imli.table.csv_cells import read_dictionary
from imli.table.dates import EARLIEST, LATEST, moment_of
from imli.table.frame import AnyArray, BoolArray, Column, Frame, with_gaps

_NUMBERS = (Real, Decimal, np.number)


def as_frame(data: Any, only: Iterable[str] | None = None) -> Frame:
    """Read a data frame of any library that narwhals knows, an array, a list of rows or a dict of columns.

    Columns without a name get the names x0, x1, …. ``only`` has the columns to read, in order.

    >>> as_frame({"age": [40, None], "smoker": [True, False]})["age"].missing.tolist()
    [False, True]
    """
    if isinstance(data, Frame):
        return data
    refuse_odd_tables(data)
    if isinstance(data, Mapping):
        _refuse_duplicates([str(name) for name in data])
        series: dict[str, Any] = {str(name): _cells(name, values) for name, values in data.items()}
        n_rows = len(next(iter(series.values()), ()))
        for name, values in series.items():
            if len(values) != n_rows:
                raise ValueError(
                    f"Column {brief(name)} has {len(values)} rows, the first one has {n_rows}. Make them equally long."
                )
    elif nw.dependencies.is_into_dataframe(data):
        series, n_rows = _narwhals_series(data)
    else:
        array = data if isinstance(data, np.ndarray) else rows_as_array(data)
        if array.ndim != 2:
            raise ValueError(f"Expected a table with rows and columns. Got an array of {array.ndim} dimension(s).")
        series, n_rows = {f"x{j}": array[:, j] for j in range(array.shape[1])}, array.shape[0]
    names = tuple(series if only is None else only)
    for name in names:
        if name not in series:
            raise UnknownColumnError.named(name, series)
    return Frame({name: _read_column(name, series[name]) for name in names}, n_rows)


def refuse_odd_tables(data: Any) -> None:
    """Raise a TypeError for objects that look like tables but cannot be read, with what to do about it."""
    kind = type(data).__name__
    if hasattr(data, "toarray"):
        raise TypeError("Sparse data is not supported. Convert it to a dense array with .toarray() first.")
    if kind == "LazyFrame":
        raise TypeError("A LazyFrame has no rows yet. Call .collect() first.")
    if kind == "RecordBatch":
        raise TypeError("A RecordBatch is not supported. Make it a table with pyarrow.Table.from_batches([batch]).")
    if isinstance(data, np.ma.MaskedArray):
        raise TypeError("Masked arrays are not supported. Fill the gaps with NaN first: X.filled(numpy.nan).")
    if data is None or isinstance(data, str | bytes) or (isinstance(data, np.ndarray) and data.dtype.names):
        raise TypeError(f"Expected a data frame, an array, a list of rows or a dict of columns. Got {kind}.")


def is_dataset(X: Any) -> bool:
    """Return True for a dataset of pyarrow. A table, which is in memory, knows how many rows it has."""
    is_arrow = type(X).__module__.startswith("pyarrow") and hasattr(X, "to_batches") and hasattr(X, "schema")
    return is_arrow and not hasattr(X, "num_rows")


def is_on_cluster(X: Any) -> bool:
    """Return True for a data frame or an array of Dask."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "dask")


def _refuse_duplicates(names: Iterable[Any]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"The data has {count} columns named {brief(name)}. Rename all but one.")


def is_missing(cell: Any) -> bool:
    """Return True if a Python object stands for a missing cell."""
    # Comparing pandas.NA gives no truth value; NaN is the only number that is unequal to itself.
    return cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, _NUMBERS) and cell != cell)


def rows_as_array(rows: Iterable[Any]) -> AnyArray:
    """Return a list of rows as an array, in which numbers beside text stay numbers."""
    rows = list(rows)
    widths = sorted({len(row) for row in rows if isinstance(row, Sequence | np.ndarray)})
    if len(widths) > 1:
        raise ValueError(f"The rows have different lengths: {widths}. Give each row the same number of cells.")
    plain = all(isinstance(cell, Real) for row in rows if isinstance(row, Sequence) for cell in row)
    if plain or not widths:
        return np.asarray(rows)
    array = np.empty((len(rows), widths[0]), dtype=object)
    for position, row in enumerate(rows):
        array[position] = row
    return array


def _narwhals_series(data: Any) -> tuple[dict[str, Any], int]:
    """Return the columns of a data frame by name, and the number of rows."""
    # narwhals refuses duplicates too, but only when a column is read.
    _refuse_duplicates(getattr(data, "column_names", None) or list(data.columns))
    frame = nw.from_native(data, eager_only=True)
    # pandas allows numbers as names; scikit-learn, too, then names columns by position.
    are_texts = all(isinstance(name, str) for name in frame.columns)
    series = {name if are_texts else f"x{j}": frame.get_column(name) for j, name in enumerate(frame.columns)}
    return series, len(frame)


def _cells(name: Any, values: Any) -> Any:
    if isinstance(values, nw.Series) or nw.dependencies.is_into_series(values):
        return nw.from_native(values, series_only=True)
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise TypeError(f"Column {brief(str(name))} must be a list or an array of cells. Got {values!r}.")
    return _cells_array(values)


def _cells_array(values: Any) -> AnyArray:
    if isinstance(values, np.ndarray):
        return values
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _read_column(name: str, cells: Any) -> Column:
    return _read_series(name, cells) if isinstance(cells, nw.Series) else _read_array(name, cells)


def _read_series(name: str, series: "nw.Series[Any]") -> Column:
    dtype = series.dtype
    null = np.asarray(series.is_null().to_numpy(), dtype=bool)
    if dtype == nw.Boolean and not null.any():
        return Column(name, "flag", np.asarray(series.to_numpy(), dtype=bool), null)
    if dtype.is_integer() and not null.any():
        return _read_array(name, np.asarray(series.to_numpy()))
    if dtype.is_integer():
        whole = np.asarray(series.fill_null(0).to_numpy())
        fits = whole.dtype.kind == "i" or whole.max(initial=0) < 2**63
        return _read_array(name, with_gaps(whole.astype(np.int64), null) if fits else whole.astype(np.float64), null)
    if dtype.is_numeric():
        return _read_array(name, np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64), null)
    if dtype in (nw.Categorical, nw.Enum) or dtype == nw.String:
        if series.implementation.is_pandas_like():
            return _read_pandas_text(name, series)
        if series.implementation.is_pyarrow():
            return _read_arrow_text(name, series)
        return _read_text_series(name, series.cast(nw.String), null)
    if dtype in (nw.Datetime, nw.Date):
        # of the present cells alone: beside a missing one, pandas would return the moments as floats
        moments = np.zeros(len(null), dtype=np.int64)
        moments[~null] = series.drop_nulls().dt.timestamp("us").to_numpy()
        return _dates(name, moments, null)
    if dtype in (nw.Boolean, nw.Object, nw.Unknown):
        cells = [None if gone else cell for cell, gone in zip(series.to_list(), null, strict=True)]
        return _read_objects(name, cells)
    raise _unsupported(name, dtype)


def _read_array(name: str, array: AnyArray, missing: BoolArray | None = None) -> Column:
    if array.ndim != 1:
        raise ValueError(f"Column {brief(name)} must have one cell per row. Got an array of {array.ndim} dimensions.")
    kind = array.dtype.kind
    if missing is None:
        missing = np.zeros(len(array), dtype=bool)
    if kind == "b":
        return Column(name, "flag", array, missing)
    if kind in "iu":
        # Unsigned numbers past 2^63 do not fit; as floats they still compare correctly.
        fits = kind == "i" or array.size == 0 or int(array.max()) < 2**63
        return Column(name, "number", array.astype(np.int64 if fits else np.float64, copy=False), missing)
    if kind == "f":
        numbers = array.astype(np.float64, copy=False)
        return Column(name, "number", numbers, missing | np.isnan(numbers))
    if kind == "U":
        return read_text(name, array.tolist())
    if kind == "M":
        return _dates(name, array.astype("datetime64[us]").astype(np.int64), missing | np.isnat(array))
    if kind == "O":
        return _read_objects(name, array.tolist())
    raise _unsupported(name, array.dtype)


def _unsupported(name: str, dtype: Any) -> UnreadableColumnError:
    return UnreadableColumnError(
        f"Column {brief(name)} has type {dtype}, which is not supported. Convert it to numbers, truth values, dates "
        "or text."
    )


def _read_objects(name: str, cells: list[Any]) -> Column:
    """Read Python objects: all flags, all numbers, all text or all dates, apart from missing cells."""
    cells = [None if is_missing(cell) else cell for cell in cells]
    present = [cell for cell in cells if cell is not None]
    missing = np.array([cell is None for cell in cells], dtype=bool)
    if present and all(isinstance(cell, bool | np.bool_) for cell in present):
        return Column(name, "flag", np.array([bool(cell) for cell in cells], dtype=bool), missing)
    if all(isinstance(cell, Real | Decimal | np.bool_) for cell in present):
        is_whole = all(isinstance(cell, int | np.integer) and -(2**63) <= cell < 2**63 for cell in present)
        if present and is_whole:
            whole = np.array([0 if cell is None else int(cell) for cell in cells], dtype=np.int64)
            return _read_array(name, with_gaps(whole, missing) if missing.any() else whole, missing)
        try:
            numbers = np.array([math.nan if cell is None else float(cell) for cell in cells], dtype=np.float64)
        except OverflowError:
            raise UnreadableColumnError(f"Column {brief(name)} holds a number past 1e308. Divide the column.") from None
        return Column(name, "number", numbers, missing)
    if all(isinstance(cell, str) for cell in present):
        return read_text(name, cells)
    if all(isinstance(cell, date) for cell in present):
        moments = [0 if cell is None else moment_of(cell) for cell in cells]
        return _dates(name, np.array(moments, dtype=np.int64), missing)
    for row, cell in enumerate(cells):
        if cell is not None and not isinstance(cell, str | Real | Decimal | np.bool_):
            raise UnreadableColumnError(
                f"Column {brief(name)} holds {cell!r} in row {row}, but a cell argument must be a string or a number. "
                "Drop or convert the column."
            )
    raise UnreadableColumnError(
        f"Column {brief(name)} mixes text and numbers. Convert all of its cells to one of the two."
    )


def _dates(name: str, moments: AnyArray, missing: BoolArray) -> Column:
    there = moments[~missing]
    if len(there) and not (there.min() >= EARLIEST and there.max() <= LATEST):
        raise UnreadableColumnError(
            f"Column {brief(name)} holds a date that is not in the years 1 to 9999. Drop such rows."
        )
    return Column(name, "date", moments, missing)


def read_text(name: str, cells: Sequence[str | None]) -> Column:
    """Read text as positions in the sorted categories, which do not depend on the order of rows."""
    distinct = set(cells)
    categories = sorted(cell for cell in distinct if cell is not None)
    position: dict[str | None, int] = {category: code for code, category in enumerate(categories)}
    position[None] = -1
    codes = np.fromiter(map(position.__getitem__, cells), dtype=np.int32, count=len(cells))
    return Column(name, "text", codes, codes < 0, tuple(categories))


def _read_text_series(name: str, series: "nw.Series[Any]", null: BoolArray) -> Column:
    """Read text with the replacement of the frame library, which is faster than a loop in Python."""
    categories = sorted(series.drop_nulls().unique().to_list())
    if not categories:
        return read_text(name, [None] * len(null))
    codes = series.fill_null(categories[0]).replace_strict(
        categories, list(range(len(categories))), return_dtype=nw.Int32
    )
    return Column(name, "text", np.where(null, np.int32(-1), np.asarray(codes.to_numpy())), null, tuple(categories))


def _read_pandas_text(name: str, series: "nw.Series[Any]") -> Column:
    """Read text with the categories of pandas, which are known without a loop over the cells."""
    known = series.to_native().astype("category").cat
    found = known.codes.to_numpy()
    texts = [str(category) for category in known.categories.tolist()]
    seen = np.unique(found[found >= 0]).tolist()
    categories = sorted({texts[code] for code in seen})
    position = {category: code for code, category in enumerate(categories)}
    kind = np.int8 if len(texts) < 128 else np.int32
    ours = np.array([*(position.get(text, -1) for text in texts), -1], dtype=kind)  # the last for missing cells
    codes = ours[found]
    return Column(name, "text", codes, codes < 0, tuple(categories))


def _read_arrow_text(name: str, series: "nw.Series[Any]") -> Column:
    """Return a column of text from pyarrow, which finds the distinct texts faster than Python could."""
    encoded = series.cast(nw.String).to_native().dictionary_encode().unify_dictionaries()
    return read_dictionary(name, encoded) if encoded.num_chunks else read_text(name, [])


def read_labels(labels: Any) -> AnyArray:
    """Return labels as an array of text, numbers, truth values or dates; missing labels are None."""
    if isinstance(labels, Column):
        return labels.cells()
    if nw.dependencies.is_into_series(labels):
        series = nw.from_native(labels, series_only=True)
        # As a list, so that categories keep their type: numbers stay numbers.
        cells = _cells_array(series.to_list()) if series.dtype in (nw.Categorical, nw.Enum) else series
        return _read_column("y", cells).cells()
    array = np.asarray(labels)
    if array.dtype.kind != "O" or array.ndim != 1:
        return array
    return _read_objects("y", array.tolist()).cells()


def missing_labels(labels: AnyArray) -> BoolArray:
    """Return which labels are missing."""
    if labels.dtype.kind == "f":
        return np.isnan(labels)
    if labels.dtype.kind == "O":
        return np.array([is_missing(label) for label in labels.tolist()], dtype=bool)
    return np.zeros(len(labels), dtype=bool)
