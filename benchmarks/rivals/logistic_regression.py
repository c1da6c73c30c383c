"""Logistic regression of scikit-learn on scaled numbers and one-hot categories."""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rivals import Fitted


def fit(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:  # noqa: ARG001
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include=["category", "object", "str"])),
        remainder=StandardScaler(),
    )
    model = make_pipeline(encode, LogisticRegression(max_iter=200))
    model.fit(X, y)
    return Fitted(model.predict)
