"""Rivals, each behind the same form: ``fit(X, y, seed)`` on a pandas frame gives a ``Fitted``."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Fitted:
    """A learned model: how it decides rows, and how many conditions a reader would read (None if that is no use)."""

    predict: Callable[[pd.DataFrame], np.ndarray]
    n_conditions: int | None = None


NAMES = ("imli", "ripper", "hist_gradient_boosting", "logistic_regression")


def find(name: str) -> Callable[[pd.DataFrame, np.ndarray, int], Fitted]:
    """The adapter of this name."""
    return import_module(f"rivals.{name}").fit
