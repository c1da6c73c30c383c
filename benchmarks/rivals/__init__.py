"""Rivals, each behind the same form: ``fit(X, y, seed)`` on a pandas frame gives a ``Fitted``."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Fitted:
    """A learned model: how it decides rows, how many conditions a reader would read, and how many atoms these have.

    Both are None where reading is of no use.
    """

    predict: Callable[[pd.DataFrame], np.ndarray]
    n_conditions: int | None = None
    size: int | None = None


TEXT = ["category", "object", "str"]


def filled(X: pd.DataFrame) -> pd.DataFrame:
    """Missing texts as a category of their own, for rivals that cannot read them."""
    texts = X.select_dtypes(include=TEXT)
    return X.assign(**{name: texts[name].astype(object).where(texts[name].notna(), "missing") for name in texts})


NAMES = ("imli", "ripper", "cart", "random_forest", "hist_gradient_boosting", "logistic_regression")


def find(name: str) -> Callable[[pd.DataFrame, np.ndarray, int], Fitted]:
    """The adapter of this name."""
    return import_module(f"rivals.{name}").fit
