"""RIPPER of the package ``wittgenstein``."""

import warnings

import numpy as np
import pandas as pd

from rivals import Fitted


def fit(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    import wittgenstein

    model = wittgenstein.RIPPER(random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y, pos_class=True)
    n_conditions = sum(len(rule.conds) for rule in model.ruleset_.rules)
    return Fitted(lambda table: np.array(model.predict(table), dtype=bool), n_conditions, n_conditions)
