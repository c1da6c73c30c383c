"""Which rows are held out, and from which others is learned."""

from collections.abc import Iterable
from hashlib import blake2b
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imli.arrays import IntArray
from imli.estimators.parameters import require_integer
from imli.estimators.training import TableTraining
from imli.frames import Column, Frame

UIntArray = NDArray[np.uint64]
Part = tuple[IntArray, IntArray]  # rows to learn from, rows to try the rule on


def make_parts(owner: str, cv: Any, training: TableTraining, seed: int) -> list[Part]:
    """The parts that a number of folds, a splitter of scikit-learn or a list of splits makes of the training rows.

    Folds by number are stratified, and there are no more of them than rows of the second most frequent class, but two
    at least. Which row is in which fold depends on the seed and on what is in the rows, not on their order.
    """
    if isinstance(cv, Integral):
        fold = _deal(training, require_integer(owner, "cv", cv, least=2), seed)
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(int(fold.max()) + 1)]
    if hasattr(cv, "split") and not isinstance(cv, str):
        parts = list(cv.split(np.zeros((training.frame.n_rows, 1)), training.positions.astype(np.int64)))
    elif isinstance(cv, Iterable) and not isinstance(cv, str):
        parts = [(_rows_in_use(train, training), _rows_in_use(test, training)) for train, test in cv]
    else:
        raise TypeError(f"{owner}: cv must be a number of folds, a splitter or a list of splits. Got {cv!r}.")
    if len(parts) < 2:
        raise ValueError(f"{owner}: cv must give at least two splits. Got {len(parts)}.")
    for number, (train, test) in enumerate(parts, 1):
        if len(train) == 0 or len(test) == 0:
            what = "learn from" if len(train) == 0 else "try a rule on"
            raise ValueError(f"{owner}: split {number} of cv has no rows of positive weight to {what}.")
    return parts


def _rows_in_use(rows: Any, training: TableTraining) -> IntArray:
    """Where rows of the table as it was given, by position or as a mask, are among those of positive weight."""
    given = np.asarray(rows)
    given = np.flatnonzero(given) if given.dtype == bool else given.astype(np.int64)
    place = np.cumsum(training.in_use) - 1
    return place[given[training.in_use[given]]]


def _deal(training: TableTraining, n_folds: int, seed: int) -> IntArray:
    """The fold of each row. The rows of a class are dealt out in the order of a hash, one class after the other."""
    positions = training.positions.astype(np.int64)
    n_folds = max(2, min(n_folds, int(np.sort(np.bincount(positions))[-2])))
    order = np.lexsort((training.weights, _fingerprints(training.frame, seed), positions))
    fold = np.empty(len(positions), dtype=np.int64)
    fold[order] = np.arange(len(positions)) % n_folds
    return fold


def _fingerprints(frame: Frame, seed: int) -> UIntArray:
    """A number for each row that depends on the seed and its cells, and nothing else."""
    keys = np.full(frame.n_rows, seed, dtype=np.uint64)
    for column in frame.columns.values():
        keys = _mixed(keys * np.uint64(0x9E3779B97F4A7C15) + _column_keys(column))
    return keys


def _column_keys(column: Column) -> UIntArray:
    if column.kind == "text":
        digests = [blake2b(name.encode(errors="surrogatepass"), digest_size=8).digest() for name in column.categories]
        named = np.frombuffer(b"".join(digests) or bytes(8), dtype="<u8").astype(np.uint64)
        keys = named[np.where(column.missing, 0, column.values)]
    else:
        keys = (column.values.astype(np.float64) + 0.0).view(np.uint64)  # -0.0 is 0.0
    return _mixed(np.where(column.missing, np.uint64(1), keys))


def _mixed(keys: UIntArray) -> UIntArray:
    """Bits that depend on all bits, as in splitmix64."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: UIntArray = keys ^ (keys >> np.uint64(31))
    return mixed
