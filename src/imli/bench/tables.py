"""Tables to learn from, in one form whatever they were read from."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from imli.arrays import BoolArray
from imli.rules import Rule


@dataclass(frozen=True, eq=False)
class Table:
    """Rows to learn from: ``X`` is as ``tidied`` leaves it, and ``truth`` the rule that made the labels, if one did."""

    name: str
    X: pd.DataFrame
    y: BoolArray
    positive: str  # what True means, in words
    truth: Rule | None = None


def tidied(frame: pd.DataFrame) -> pd.DataFrame:
    """The same cells in four types: int64, float64 (missing cells are NaN), bool, and object for texts (and None).

    Integers with missing cells become float64, truth values with missing cells texts.

    >>> frame = pd.DataFrame({"n": pd.array([1, None], "Int8"), "word": pd.Categorical(["a", None])})
    >>> [str(dtype) for dtype in tidied(frame).dtypes]
    ['float64', 'object']
    """
    columns = {str(name): _tidied(frame.iloc[:, j]) for j, name in enumerate(frame.columns)}
    return pd.DataFrame(columns, index=pd.RangeIndex(len(frame)))


def _tidied(column: pd.Series) -> pd.Series:
    missing = column.isna().to_numpy()
    if pd.api.types.is_bool_dtype(column.dtype) and not missing.any():
        return pd.Series(column.to_numpy(dtype=bool))
    if pd.api.types.is_integer_dtype(column.dtype) and not missing.any():
        return pd.Series(column.to_numpy(dtype=np.int64))
    if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
        return pd.Series(column.to_numpy(dtype=np.float64, na_value=np.nan))
    codes, values = pd.factorize(column)
    texts = np.array([*map(str, values), None], dtype=object)
    return pd.Series(texts[codes], dtype=object)  # a missing cell has code -1, the last
