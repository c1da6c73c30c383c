"""A random forest of scikit-learn with 100 trees, on one-hot texts."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import grids
from .columns import Matrix
from .fitted import Fitted

TITLE = "Random forest"
REQUIRES: tuple[str, ...] = ()
IS_READABLE = False
QUICK_ROWS = 0


def grid(n: int) -> list[dict[str, Any]]:
    """How many rows a leaf must have, as the paper varies it."""
    return grids.linear("min_samples_leaf", 3, 500, n)


def fit(X: pd.DataFrame, y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Fitted:
    from sklearn.ensemble import RandomForestClassifier

    matrix = Matrix(X, fill=False)  # its trees send missing numbers to the better side
    model = RandomForestClassifier(**{"random_state": seed, "n_jobs": 1, **settings})
    model.fit(matrix(X), y)
    return Fitted(lambda frame: model.predict(matrix(frame)))
