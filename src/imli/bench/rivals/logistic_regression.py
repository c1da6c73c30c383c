"""Logistic regression of scikit-learn on scaled numbers and one-hot texts."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from .fitted import Fitted
from .linear import fitted, grid

__all__ = ["IS_READABLE", "QUICK_ROWS", "REQUIRES", "TITLE", "fit", "grid"]

TITLE = "Logistic regression"
REQUIRES: tuple[str, ...] = ()
IS_READABLE = False
QUICK_ROWS = 0


def fit(X: pd.DataFrame, y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Fitted:
    from sklearn.linear_model import LogisticRegression

    return fitted(LogisticRegression(**{"max_iter": 200, "random_state": seed, **settings}), X, y)
