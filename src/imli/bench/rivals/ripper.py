"""RIPPER of the package ``wittgenstein``. Its conditions are values, and bins of numbers."""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import grids
from .columns import Plain, shortened
from .fitted import Fitted

TITLE = "RIPPER"
REQUIRES: tuple[str, ...] = ("wittgenstein==0.3.5",)
IS_READABLE = True
QUICK_ROWS = 10_000


def grid(n: int) -> list[dict[str, Any]]:
    """How much is pruned. The paper varies the rows of a leaf instead, which this RIPPER has no parameter for."""
    return grids.crossed({"prune_size": (0.2, 0.33, 0.5), "k": (1, 2, 3), "dl_allowance": (16, 64, 256)}, n)


def fit(X: pd.DataFrame, y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Fitted:
    import wittgenstein

    plain = Plain(X)

    model = wittgenstein.RIPPER(**{"random_state": seed, **settings})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(plain(X), y, pos_class=True)
    rules = [
        [(plain.titles[condition.feature], condition.val) for condition in rule.conds] for rule in model.ruleset_.rules
    ]
    size = sum(len(rule) for rule in rules)
    n_conditions = sum(len({name for name, _ in rule}) for rule in rules)
    text = shortened(["IF " + " AND ".join(f"{name} is {value}" for name, value in rule) for rule in rules])

    def predict(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.array(model.predict(plain(frame)), dtype=np.bool_)

    return Fitted(predict, n_conditions, size, text)
