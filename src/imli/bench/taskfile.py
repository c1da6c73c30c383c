"""The rows of a trial in one file, for a process that may have other versions of NumPy and pandas, and no imli.

``rivals/taskdata.py`` reads it. It holds plain arrays only: a column of texts is these texts as UTF-8, one after the
other, and for each row which of them it has.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from imli.arrays import AnyArray, IntArray
from imli.bench.tables import Table
from imli.files import new_file


def write(path: str | Path, table: Table, train: IntArray, test: IntArray) -> None:
    """All rows of a table, the positions to learn from and those held out, in a file that is whole or not there."""
    arrays: dict[str, AnyArray] = {"y": table.y, "train": train, "test": test}
    arrays |= _texts("names", [str(name) for name in table.X.columns])
    for j in range(table.X.shape[1]):
        arrays |= _column(str(j), table.X.iloc[:, j])
    with new_file(path) as unfinished, unfinished.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type] # which takes the names for its own parameters


def _column(key: str, column: pd.Series) -> dict[str, AnyArray]:
    if column.dtype != object:
        return {key: column.to_numpy()}
    codes, values = pd.factorize(column)
    for value in values:
        if not isinstance(value, str):
            raise TypeError(
                f"The column {column.name!r} holds {value!r} among texts. A task file takes texts, numbers and truth "
                "values, each in columns of their own."
            )
    return {key: codes.astype(np.min_scalar_type(-len(values) - 1)), **_texts(f"{key}.texts", values)}


def _texts(key: str, values: Any) -> dict[str, AnyArray]:
    as_bytes = [value.encode("utf-8", "surrogatepass") for value in values]
    ends = np.cumsum([len(value) for value in as_bytes], dtype=np.int64)
    return {key: np.frombuffer(b"".join(as_bytes), dtype=np.uint8), f"{key}.ends": ends}
