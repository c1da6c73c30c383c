"""A random forest of scikit-learn with 100 trees, on categories as numbers."""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from rivals import TEXT, Fitted, filled


def fit(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    encode = make_column_transformer(
        (
            OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
            make_column_selector(dtype_include=TEXT),
        ),
        remainder="passthrough",
    )
    model = make_pipeline(encode, RandomForestClassifier(random_state=seed, n_jobs=1))
    model.fit(filled(X), y)
    return Fitted(lambda table: model.predict(filled(table)))
