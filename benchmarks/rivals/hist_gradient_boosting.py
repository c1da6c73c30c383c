"""Gradient boosting of scikit-learn: 100 iterations, as many threads as there are cores."""

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

from rivals import Fitted


def fit(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    model = HistGradientBoostingClassifier(
        max_iter=100, categorical_features="from_dtype", early_stopping=False, random_state=seed
    )
    model.fit(X, y)
    return Fitted(model.predict)
