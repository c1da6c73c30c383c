"""k nearest neighbours of scikit-learn, by scaled numbers and one-hot texts."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import grids, threads
from .columns import Matrix
from .fitted import Fitted

TITLE = "k nearest neighbours"
REQUIRES: tuple[str, ...] = ()
IS_READABLE = False
QUICK_ROWS = 20_000  # learning takes no time at all, deciding does


def grid(n: int) -> list[dict[str, Any]]:
    """The number of neighbours, as the paper varies it."""
    return grids.linear("n_neighbors", 1, 500, n)


def fit(X: pd.DataFrame, y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Fitted:  # noqa: ARG001
    from sklearn.neighbors import KNeighborsClassifier

    n_jobs = settings.get("n_jobs", 1)
    n_neighbors = min(settings.get("n_neighbors", 5), len(X))  # a small table has fewer than the grid asks for
    matrix = Matrix(X, scale=True)
    model = KNeighborsClassifier(**{**settings, "n_neighbors": n_neighbors, "n_jobs": n_jobs})
    model.fit(matrix(X), y)

    def predict(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
        with threads.at_most(n_jobs):
            decided: npt.NDArray[np.bool_] = model.predict(matrix(frame))
        return decided

    return Fitted(predict)
