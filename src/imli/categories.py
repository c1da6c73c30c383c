"""Which categories are tested alone, and which groups of them together."""

from collections.abc import Iterator

import numpy as np

from imli.arrays import IntArray

_MOST_VALUES = 50  # of a column
_LEAST_SHARE = 1000  # a category that is tested has at least one row in so many
_MOST_LISTED = 5  # in a group: longer lists are not read any more, and gained no accuracy
_PRIOR_ROWS = 10  # with which the rate of a rare category is drawn to that of all rows


def frequent_values(weights: IntArray) -> IntArray:
    """The positions of the categories that are worth a test of their own, by what their rows weigh.

    A column of very many values would else give as many tests, each on next to no rows.

    >>> frequent_values(np.array([500, 0, 1, 2500])).tolist()
    [0, 3]
    """
    enough = np.flatnonzero((weights > 0) & (weights * _LEAST_SHARE >= weights.sum()))
    by_weight = enough[np.argsort(-weights[enough], kind="stable")]
    return np.sort(by_weight[:_MOST_VALUES])


def groups(by_class: IntArray, scale: int = 1) -> Iterator[tuple[int, ...]]:
    """Groups of two or more categories whose rows are more often of some class than those of the others.

    ``by_class`` has a row for each category and a column for each class. The categories are ordered by how often
    they are of the class; a group is a part of that order from either end, whichever is shorter. A row weighs
    ``scale``.

    >>> list(groups(np.array([[90, 10], [10, 90], [80, 20], [20, 80]])))
    [(1, 3)]
    """
    totals = by_class.sum(axis=1)
    everything = max(int(totals.sum()), 1)
    prior = _PRIOR_ROWS * scale
    seen: set[tuple[int, ...]] = set()
    for position in range(1 if by_class.shape[1] == 2 else 0, by_class.shape[1]):
        own = by_class[:, position]
        rate = (own + prior * (int(own.sum()) / everything)) / (totals + prior)
        order = np.argsort(rate, kind="stable")
        for cut in range(1, len(order)):
            shorter = order[:cut] if 2 * cut < len(order) else order[cut:]
            group = tuple(sorted(shorter.tolist()))
            if 2 <= len(group) <= _MOST_LISTED and group not in seen:
                seen.add(group)
                yield group
