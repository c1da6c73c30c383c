"""Gradient boosting of scikit-learn, on histograms: 100 iterations, texts as categories."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import grids, threads
from .columns import MISSING, is_text, to_floats, to_texts
from .fitted import Fitted

TITLE = "Gradient boosting"
REQUIRES: tuple[str, ...] = ()
IS_READABLE = False
QUICK_ROWS = 0

_MOST_CATEGORIES = 250  # it takes 255, the rarest are taken for missing


def grid(n: int) -> list[dict[str, Any]]:
    """The paper has none."""
    return grids.crossed({"learning_rate": (0.03, 0.1, 0.3), "max_leaf_nodes": (7, 15, 31, 63)}, n)


def fit(X: pd.DataFrame, y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Fitted:
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
    with threads.at_most(n_jobs):
        model.fit(matrix(X), y)
    return Fitted(lambda frame: model.predict(matrix(frame)))


def _frequent(cells: npt.NDArray[np.object_]) -> dict[str, int]:
    values, times = np.unique(cells.astype(str), return_counts=True)
    by_frequency = values[np.argsort(-times, kind="stable")][:_MOST_CATEGORIES]
    return {str(value): code for code, value in enumerate(by_frequency) if value != MISSING}


def _coded(cells: npt.NDArray[np.object_], codes: dict[str, int]) -> npt.NDArray[np.float64]:
    return np.array([codes.get(cell, np.nan) for cell in cells], dtype=np.float64)
