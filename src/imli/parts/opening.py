"""Which tables are learned from in parts, and who looks at the parts."""

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from imli.arrays import AnyArray
from imli.frames import Frame
from imli.parts.engine import Engine
from imli.parts.local import LocalEngine
from imli.parts.sources import is_dataset, open_rows, open_source


def is_on_cluster(X: Any) -> bool:
    """Whether this is a data frame or an array of Dask."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "dask")


def is_large(X: Any) -> bool:
    """Whether a table is read in parts: paths, a dataset of pyarrow, frames one after the other, or one of Dask."""
    if isinstance(X, str | Path):
        return True
    if isinstance(X, list | tuple):
        return bool(X) and all(isinstance(each, str | Path) for each in X)
    return is_dataset(X) or isinstance(X, Iterator) or is_on_cluster(X)


def open_engine(X: Any, y: Any, sample_weight: Any, n_threads: int) -> Engine:
    """Who looks at a table, with the labels and maybe weights: columns of it, by name."""
    if is_on_cluster(X):
        from imli.parts.cluster import DaskEngine  # which needs Dask

        return DaskEngine.of(X, y, sample_weight)
    return LocalEngine(open_source(X, y, sample_weight), n_threads)


def decide_in_parts(
    X: Any, names: tuple[str, ...], columns: Collection[str], decide: Callable[[Frame], AnyArray], target: str | None
) -> Any:
    """What is decided about each row, by these of its columns: an array, or of a table of Dask one that is like it."""
    if is_on_cluster(X):
        from imli.parts.cluster import decide_partitions  # which needs Dask

        return decide_partitions(X, names, columns, decide, target)
    decided = [decide(frame) for frame in open_rows(X, columns)]
    if not decided:
        raise ValueError("The data has no rows.")
    return np.concatenate(decided)
