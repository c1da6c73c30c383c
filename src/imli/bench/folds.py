"""Which rows are learned from, and which are held out."""

import numpy as np

from imli.arrays import BoolArray, IntArray
from imli.bench.tables import Table


def folds(table: Table, n_folds: int, seed: int = 0) -> list[tuple[IntArray, IntArray]]:
    """Positions to learn from and positions held out, each row once; classes in the same shares everywhere."""
    from sklearn.model_selection import StratifiedKFold

    rarest = int(min(table.y.sum(), (~table.y).sum()))
    if not 2 <= n_folds <= rarest:
        raise ValueError(
            f"n_folds must be 2 or more, and no more than {table.name!r} has rows of its rarer class, {rarest}. "
            f"Got {n_folds}."
        )
    splits = StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(len(table.y)), table.y)
    return [(train.astype(np.int64), test.astype(np.int64)) for train, test in splits]


def sub_sample(positions: IntArray, y: BoolArray, most: int, seed: int = 0) -> IntArray:
    """At most so many of the positions, in the same order; classes in the same shares, and never one of them gone.

    The 1,000 of a seed are among its 2,000. 0 is all of them.

    >>> y = np.arange(100) % 4 == 0
    >>> sub_sample(np.arange(100), y, 8).tolist()
    [7, 22, 53, 78, 80, 82, 84, 86]
    >>> set(sub_sample(np.arange(100), y, 8)) <= set(sub_sample(np.arange(100), y, 9))
    True
    """
    if most < 0:
        raise ValueError(f"most must be a number of rows, or 0 for all. Got {most}.")
    if most == 0 or most >= len(positions):
        return positions
    chance = np.random.default_rng(seed)
    labels = y[positions]
    # Each class is shuffled; who is at which part of its class decides who comes first.
    part = np.empty(len(positions))
    for label in (False, True):
        rows = chance.permutation(np.flatnonzero(labels == label))
        part[rows] = np.arange(len(rows)) / max(1, len(rows))
    first = np.argsort(part, kind="stable")[:most]
    return positions[np.sort(first)]
