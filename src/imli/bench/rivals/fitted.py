"""What an adapter gives back. It runs in an environment that may have nothing but numpy, pandas and the rival."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd


@dataclass(frozen=True)
class Fitted:
    """A learned model: how it decides rows, and how much of it a person would have to read.

    ``size`` counts literals, each time one is written; ``n_conditions`` counts a test on a range or on a list of values
    once. Both are None where reading is of no use. ``text`` is what a person would read.
    """

    predict: Callable[[pd.DataFrame], npt.NDArray[np.bool_]]
    n_conditions: int | None = None
    size: int | None = None
    text: str = ""
