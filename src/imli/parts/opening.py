"""Which tables are learned from in parts, and who looks at the parts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from imli.parts.engine import Engine
from imli.parts.local import LocalEngine
from imli.parts.sources import ArrowSource, is_dataset, open_source


def is_on_cluster(X: Any) -> bool:
    """Whether this is a data frame or an array of Dask."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "dask")


def is_large(X: Any) -> bool:
    """Whether a table is read in parts: paths, a dataset of pyarrow, frames one after the other, or one of Dask."""
    if isinstance(X, str | Path):
        return True
    if isinstance(X, list | tuple):
        return bool(X) and all(isinstance(each, str | Path) for each in X)
    return is_dataset(X) or isinstance(X, Iterator | ArrowSource) or is_on_cluster(X)


def open_engine(X: Any, y: Any, sample_weight: Any, n_threads: int) -> Engine:
    """Who looks at a table, with the labels and maybe weights: columns of it, by name."""
    if is_on_cluster(X):
        from imli.parts.cluster import DaskEngine  # which needs Dask

        return DaskEngine.of(X, y, sample_weight)
    return LocalEngine(open_source(X, y, sample_weight), n_threads)
