"""A decision tree of scikit-learn, on one-hot texts, grown best leaf first to 16 leaves if nothing else is asked for.

Its conditions are those on the way to each positive leaf. The setting ``most_conditions`` is for the largest tree that
has no more of them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from .columns import Matrix, Numeric, shortened
from .fitted import Fitted

TITLE = "CART"
REQUIRES: tuple[str, ...] = ()
IS_READABLE = True
QUICK_ROWS = 0


def grid(n: int) -> list[dict[str, Any]]:
    """Numbers of leaves, of which the paper has none."""
    leaves: list[dict[str, Any]] = [{"max_leaf_nodes": leaves} for leaves in (4, 8, 32, 2, 6, 12, 24, 48, 64, 128)]
    return [{}, *leaves][:n]


def fit(X: pd.DataFrame, y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Fitted:
    matrix = Matrix(X, fill=False)
    table = matrix(X)
    settings = dict(settings)
    most = settings.pop("most_conditions", None)
    model = _grow(table, y, settings, seed) if most is None else _largest(table, y, settings, seed, most)
    n_conditions = positive_conditions(model.tree_)
    text = shortened(_lines(model.tree_, matrix.columns))
    return Fitted(lambda frame: model.predict(matrix(frame)), n_conditions, n_conditions, text)


def positive_conditions(tree: Any) -> int:
    """How many conditions there are on the ways to positive leaves."""
    return sum(len(path) for path, positive in _leaves(tree) if positive)


def _grow(table: npt.NDArray[np.float64], y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(**{"max_leaf_nodes": 16, "random_state": seed, **settings}).fit(table, y)


def _largest(
    table: npt.NDArray[np.float64], y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int, most: int
) -> Any:
    """By bisection: grown best leaf first, a tree of one more leaf is the same tree with one leaf split.

    A split takes no condition away, since one side of a positive leaf is positive.
    """

    def grow(leaves: int) -> Any:
        return _grow(table, y, {**settings, "max_leaf_nodes": leaves}, seed)

    fits, fails, best = 1, 2, None
    while True:  # to a number of leaves that are too many, or more than the tree comes to have
        model = grow(fails)
        if positive_conditions(model.tree_) > most:
            break
        best, fits = model, fails
        if model.tree_.n_leaves < fails:
            return best
        fails *= 2
    while fails - fits > 1:
        middle = (fits + fails) // 2
        model = grow(middle)
        if positive_conditions(model.tree_) > most:
            fails = middle
        else:
            best, fits = model, middle
    if best is None:  # even two leaves are too many, and scikit-learn takes no smaller number; so no split is worth it
        best = _grow(table, y, {**settings, "min_impurity_decrease": 1e9}, seed)
    return best


def _leaves(tree: Any) -> list[tuple[list[tuple[int, bool, float]], bool]]:
    """The way to each leaf, as (column, whether at or below, threshold), and whether the leaf is positive."""
    found = []
    ahead: list[tuple[int, list[tuple[int, bool, float]]]] = [(0, [])]
    while ahead:
        node, path = ahead.pop()
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left < 0:
            found.append((path, bool(tree.value[node][0].argmax())))
        else:
            column, threshold = int(tree.feature[node]), float(tree.threshold[node])
            ahead += [(right, [*path, (column, False, threshold)]), (left, [*path, (column, True, threshold)])]
    return found


def _lines(tree: Any, columns: Sequence[Numeric]) -> list[str]:
    ways = [path for path, positive in _leaves(tree) if positive]
    return ["IF " + " AND ".join(_condition(columns[j], below, cut) for j, below, cut in path) for path in ways]


def _condition(column: Numeric, below: bool, threshold: float) -> str:
    if column.value is not None:
        return f"{column.column} is not {column.value}" if below else str(column)
    return f"{column.column} {'<=' if below else '>'} {threshold:.6g}"
