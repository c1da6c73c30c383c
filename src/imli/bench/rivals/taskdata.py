"""Reads what imli.bench.taskfile has written. It runs in environments that may have nothing but NumPy and pandas."""

from pathlib import Path
from typing import Any, Tuple, Union  # noqa: UP035 of the Pythons that rivals ask for, some are old

import numpy as np
import pandas as pd


def read(path: Union[str, Path]) -> Tuple[pd.DataFrame, Any, Any, Any]:  # noqa: UP006, UP007
    """The rows, their labels, the positions to learn from, and those held out."""
    with np.load(path, allow_pickle=False) as content:
        columns = {}
        for j, name in enumerate(_texts(content, "names")[:-1]):
            cells = content[str(j)]
            if f"{j}.texts" in content:
                # code -1 is the last of the texts, None
                columns[name] = pd.Series(_texts(content, f"{j}.texts")[cells], dtype=object)
            else:
                columns[name] = pd.Series(cells)
        y, train, test = (content[key] for key in ("y", "train", "test"))
    return pd.DataFrame(columns, index=pd.RangeIndex(len(y))), y, train, test


def _texts(content: Any, key: str) -> Any:
    """Texts, and None after the last."""
    joined = content[key].tobytes()
    ends = content[f"{key}.ends"].tolist()
    texts = [joined[begin:end].decode("utf-8", "surrogatepass") for begin, end in zip([0, *ends], ends)]  # noqa: B905
    found = np.empty(len(texts) + 1, dtype=object)
    found[:-1] = texts
    return found
