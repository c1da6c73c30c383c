"""Tables: four types of columns, whatever they come from."""

import numpy as np
import pandas as pd
import pytest

from imli_bench.data_sets import tidied

COLUMNS = {
    "small integers": (np.array([1, 2], dtype=np.int8), "int64", [1, 2]),
    "unsigned": (np.array([1, 2], dtype=np.uint32), "int64", [1, 2]),
    "large integers": (pd.array([2**60 + 1, 2], "Int64"), "int64", [2**60 + 1, 2]),
    "integers with gaps": (pd.array([1, None], "Int32"), "float64", [1.0, None]),
    "short reals": (np.array([0.5, np.nan], dtype=np.float32), "float64", [0.5, None]),
    "reals with gaps": (pd.array([0.5, None], "Float64"), "float64", [0.5, None]),
    "flags": (np.array([True, False]), "bool", [True, False]),
    "nullable flags": (pd.array([True, False], "boolean"), "bool", [True, False]),
    "flags with gaps": (pd.array([True, None], "boolean"), "object", ["True", None]),
    "texts": (pd.array(["", "ä"], "str"), "object", ["", "ä"]),
    "nullable texts": (pd.array(["a", None], "string"), "object", ["a", None]),
    "objects": (np.array(["a", np.nan], dtype=object), "object", ["a", None]),
    "categories": (pd.Categorical(["b", None], ["a", "b"]), "object", ["b", None]),
    "no cells at all": (np.array([None, None], dtype=object), "object", [None, None]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column(name):
    cells, dtype, expected = COLUMNS[name]
    column = tidied(pd.DataFrame({name: pd.Series(cells)}))[name]
    assert str(column.dtype) == dtype
    found = column.tolist()
    assert [None if cell != cell else cell for cell in found] == expected
    if dtype == "object":
        assert {type(cell) for cell in found} <= {str, type(None)}


def test_rows_are_counted_anew():
    frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]}, index=[5, 5, 7])[1:]
    assert tidied(frame).to_dict("list") == {"a": [2, 3], "b": ["y", "z"]}
    assert tidied(frame).index.tolist() == [0, 1]
