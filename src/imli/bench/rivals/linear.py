"""What linear models of scikit-learn have in common here: scaled numbers, one-hot texts, one thread."""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import grids, threads
from .columns import Matrix
from .fitted import Fitted


def grid(n: int) -> list[dict[str, Any]]:
    """The regularisation, as the paper varies it."""
    return grids.logarithmic("C", -3, 3, n)


def fitted(model: Any, X: pd.DataFrame, y: npt.NDArray[np.bool_]) -> Fitted:
    matrix = Matrix(X, scale=True)
    with threads.at_most(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has not converged after so many steps
        model.fit(matrix(X), y)
    return Fitted(lambda frame: model.predict(matrix(frame)))
