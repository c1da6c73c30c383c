"""A linear support vector machine of scikit-learn on scaled numbers and one-hot texts.

Of the two that it has, liblinear's, which takes large tables; libsvm's needs hours for them.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from .fitted import Fitted
from .linear import fitted, grid

__all__ = ["IS_READABLE", "QUICK_ROWS", "REQUIRES", "TITLE", "fit", "grid"]

TITLE = "Linear SVM"
REQUIRES: tuple[str, ...] = ()
IS_READABLE = False
QUICK_ROWS = 0


def fit(X: pd.DataFrame, y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Fitted:
    from sklearn.svm import LinearSVC

    return fitted(LinearSVC(**{"dual": "auto", "random_state": seed, **settings}), X, y)
