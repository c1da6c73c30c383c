"""Learners of scikit-learn: a decision tree, linear models, neighbours, forests and gradient boosting.

Texts are one-hot columns but for gradient boosting, which takes categories. CART is grown best leaf first to 16 leaves
if nothing else is asked for; its conditions are those on the way to each positive leaf. Of the two linear support
vector machines it is liblinear's, which takes large tables; libsvm's needs hours for them.
"""

import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from .forms import (
    MISSING,
    Adapter,
    BoolArray,
    Fitted,
    Matrix,
    Numeric,
    Settings,
    at_most_threads,
    crossed_grid,
    is_text,
    linear_grid,
    logarithmic_grid,
    shortened,
    to_floats,
    to_texts,
)


def fit_cart(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:
    matrix = Matrix(X, fill=False)
    table = matrix(X)
    settings = dict(settings)
    most = settings.pop("most_conditions", None)
    model = _grow(table, y, settings, seed) if most is None else _largest(table, y, settings, seed, most)
    n_conditions = positive_conditions(model.tree_)
    text = shortened(_lines(model.tree_, matrix.columns))
    return Fitted(lambda frame: model.predict(matrix(frame)), n_conditions, n_conditions, text)


def positive_conditions(tree: Any) -> int:
    """Return how many conditions there are on the ways to positive leaves."""
    return sum(len(path) for path, positive in _leaves(tree) if positive)


def _grow(table: npt.NDArray[np.float64], y: BoolArray, settings: Settings, seed: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(**{"max_leaf_nodes": 16, "random_state": seed, **settings}).fit(table, y)


def _largest(table: npt.NDArray[np.float64], y: BoolArray, settings: Settings, seed: int, most: int) -> Any:
    """Return the largest tree that has no more than ``most`` conditions, by bisection of the leaves.

    Grown best leaf first, a tree of one more leaf is the same tree with one leaf split. A split
    takes no condition away, since one side of a positive leaf is positive.
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
    """Return the way to each leaf, as (column, whether at or below, threshold), and whether the leaf is positive."""
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


def _fit_linear(model: Any, X: pd.DataFrame, y: BoolArray) -> Fitted:
    matrix = Matrix(X, scale=True)
    with at_most_threads(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has not converged after so many steps
        model.fit(matrix(X), y)
    return Fitted(lambda frame: model.predict(matrix(frame)))


def fit_logistic_regression(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:
    from sklearn.linear_model import LogisticRegression

    return _fit_linear(LogisticRegression(**{"max_iter": 200, "random_state": seed, **settings}), X, y)


def fit_linear_svm(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:
    from sklearn.svm import LinearSVC

    return _fit_linear(LinearSVC(**{"dual": "auto", "random_state": seed, **settings}), X, y)


def fit_knn(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:  # noqa: ARG001
    from sklearn.neighbors import KNeighborsClassifier

    n_jobs = settings.get("n_jobs", 1)
    n_neighbors = min(settings.get("n_neighbors", 5), len(X))  # a small table has fewer than the grid asks for
    matrix = Matrix(X, scale=True)
    model = KNeighborsClassifier(**{**settings, "n_neighbors": n_neighbors, "n_jobs": n_jobs})
    model.fit(matrix(X), y)

    def predict(frame: pd.DataFrame) -> BoolArray:
        with at_most_threads(n_jobs):
            decided: BoolArray = model.predict(matrix(frame))
        return decided

    return Fitted(predict)


def fit_random_forest(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:
    from sklearn.ensemble import RandomForestClassifier

    matrix = Matrix(X, fill=False)  # its trees send missing numbers to the better side
    model = RandomForestClassifier(**{"random_state": seed, "n_jobs": 1, **settings})
    model.fit(matrix(X), y)
    return Fitted(lambda frame: model.predict(matrix(frame)))


_MOST_CATEGORIES = 250  # it takes 255, the rarest are taken for missing


def fit_gradient_boosting(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:
    from sklearn.ensemble import HistGradientBoostingClassifier

    known = {name: _frequent(to_texts(X[name])) for name in X.columns if is_text(X[name])}

    def matrix(frame: pd.DataFrame) -> npt.NDArray[np.float64]:
        codes = [_coded(to_texts(frame[n]), known[n]) if n in known else to_floats(frame[n]) for n in X.columns]
        return np.column_stack(codes)

    settings = dict(settings)
    n_jobs = settings.pop("n_jobs", 1)
    model = HistGradientBoostingClassifier(
        **{
            "categorical_features": [name in known for name in X.columns],
            "early_stopping": False,  # which would keep a tenth of the rows from it
            "random_state": seed,
            **settings,
        }
    )
    with at_most_threads(n_jobs):
        model.fit(matrix(X), y)
    return Fitted(lambda frame: model.predict(matrix(frame)))


def _frequent(cells: npt.NDArray[np.object_]) -> dict[str, int]:
    values, times = np.unique(cells.astype(str), return_counts=True)
    by_frequency = values[np.argsort(-times, kind="stable")][:_MOST_CATEGORIES]
    return {str(value): code for code, value in enumerate(by_frequency) if value != MISSING}


def _coded(cells: npt.NDArray[np.object_], codes: dict[str, int]) -> npt.NDArray[np.float64]:
    return np.array([codes.get(cell, np.nan) for cell in cells], dtype=np.float64)


def _grid_of_leaves(n: int) -> list[Settings]:
    """Return numbers of leaves, of which the paper has none."""
    leaves: list[Settings] = [{"max_leaf_nodes": leaves} for leaves in (4, 8, 32, 2, 6, 12, 24, 48, 64, 128)]
    return [{}, *leaves][:n]


_GRID_OF_BOOSTING = {"learning_rate": (0.03, 0.1, 0.3), "max_leaf_nodes": (7, 15, 31, 63)}  # the paper has none

ADAPTERS = {
    "cart": Adapter("CART", fit_cart, _grid_of_leaves, is_readable=True),
    "logistic_regression": Adapter(
        "Logistic regression", fit_logistic_regression, partial(logarithmic_grid, "C", -3, 3), is_readable=False
    ),
    "linear_svm": Adapter("Linear SVM", fit_linear_svm, partial(logarithmic_grid, "C", -3, 3), is_readable=False),
    "knn": Adapter(  # learning takes no time at all, deciding does
        "k nearest neighbours", fit_knn, partial(linear_grid, "n_neighbors", 1, 500), is_readable=False,
        quick_rows=20_000,
    ),
    "random_forest": Adapter(
        "Random forest", fit_random_forest, partial(linear_grid, "min_samples_leaf", 3, 500), is_readable=False
    ),
    "gradient_boosting": Adapter(
        "Gradient boosting", fit_gradient_boosting, partial(crossed_grid, _GRID_OF_BOOSTING), is_readable=False
    ),
}  # fmt: skip
