"""Explainable boosting machines of the package interpret: sums of curves, one per column, and of pairs of columns."""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import grids
from .columns import is_text, to_floats, to_texts
from .fitted import Fitted

TITLE = "EBM"
REQUIRES: tuple[str, ...] = ("interpret-core==0.7.8",)
IS_READABLE = False  # its curves are looked at one by one, its decisions are not read
QUICK_ROWS = 2_000
# Of 14 bags, and of nine pairs for ten columns, which take 15 times as long as all the rest.
QUICK_SETTINGS = {"outer_bags": 2, "interactions": 0}


def grid(n: int) -> list[dict[str, Any]]:
    """The paper has none."""
    return grids.crossed({"learning_rate": (0.005, 0.015, 0.04), "interactions": (0, 0.5, 0.9)}, n)


def fit(X: pd.DataFrame, y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Fitted:
    from interpret.glassbox import ExplainableBoostingClassifier

    texts = [is_text(X[name]) for name in X.columns]

    def table(frame: pd.DataFrame) -> pd.DataFrame:
        """Missing numbers it reads as they are."""
        cells = [
            to_texts(frame[name]) if text else to_floats(frame[name])
            for name, text in zip(X.columns, texts, strict=True)
        ]
        return pd.DataFrame({f"c{place}": column for place, column in enumerate(cells)})

    kinds = ["nominal" if text else "continuous" for text in texts]
    model = ExplainableBoostingClassifier(
        **{"random_state": seed, "n_jobs": 1, "feature_types": kinds, **settings},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(table(X), y)

    def predict(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
        return np.asarray(model.predict(table(frame)), dtype=np.bool_)

    return Fitted(predict)
