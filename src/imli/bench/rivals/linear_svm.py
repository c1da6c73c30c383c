"""A linear support vector machine of scikit-learn on scaled numbers and one-hot texts.

Of the two that it has, liblinear's, which takes large tables; libsvm's needs hours for them.
"""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import grids, threads
from .columns import Matrix
from .fitted import Fitted

TITLE = "Linear SVM"
REQUIRES: tuple[str, ...] = ()
IS_READABLE = False
QUICK_ROWS = 0


def grid(n: int) -> list[dict[str, Any]]:
    """The regularisation, as the paper varies it."""
    return grids.logarithmic("C", -3, 3, n)


def fit(X: pd.DataFrame, y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Fitted:
    from sklearn.svm import LinearSVC

    matrix = Matrix(X, scale=True)
    model = LinearSVC(**{"dual": "auto", "random_state": seed, **settings})
    with threads.at_most(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has not converged after so many steps
        model.fit(matrix(X), y)
    return Fitted(lambda frame: model.predict(matrix(frame)))
