"""CORELS of the package ``corels``: optimal rule lists, on the paper's bits. It takes them and their complements."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import grids
from .binary import Binary, Conjunction, counts
from .columns import shortened
from .fitted import Fitted

TITLE = "CORELS"
# Its last release is of 2019: its sources compile with no newer Python, and use names that numpy 1.24 took away. They
# are built without isolation, which would fetch the newest numpy. With the headers of GMP installed it is quicker.
REQUIRES: tuple[str, ...] = (
    "python==3.10", "numpy==1.23.5", "pandas<2.3", "setuptools<70", "wheel", "--no-build-isolation", "corels==1.1.29",
)  # fmt: skip
IS_READABLE = True
QUICK_ROWS = 5_000


def grid(n: int) -> list[dict[str, Any]]:
    """The paper's three parameters: literals of a rule, share of the rows it must have, price of a rule."""
    values = {
        "max_card": (2, 3, 4, 5),
        "min_support": (0.01, 0.17, 0.33, 0.5),
        "c": (0.005, 0.01, 0.015, 0.02, 0.025, 0.03),
    }
    return grids.crossed(values, n)


def fit(X: pd.DataFrame, y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Fitted:  # noqa: ARG001
    import corels

    binary = Binary(X)
    model = corels.CorelsClassifier(**{"verbosity": [], **settings})
    model.fit(binary(X).astype(np.uint8), y.astype(np.uint8), [f"b{place}" for place in range(len(binary.bits))])
    listed = [(_read(rule["antecedents"]), bool(rule["prediction"])) for rule in model.rl_.rules]

    def predict(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
        table = binary(frame)
        decided = np.zeros(len(table), dtype=np.bool_)
        for rule, decision in reversed(listed):
            decided[rule.holds(table)] = decision
        return decided

    n_conditions, size = counts([rule for rule, _ in listed], binary.bits)
    lines = [f"IF {rule.to_text(binary.bits)} THEN {'yes' if decision else 'no'}" for rule, decision in listed]
    return Fitted(predict, n_conditions, size, shortened(lines))


def _read(antecedents: list[int]) -> Conjunction:
    """Bits are counted from 1, below zero where they must be 0; a single 0 is the default."""
    ones = tuple(number - 1 for number in antecedents if number > 0)
    return Conjunction(ones, tuple(-number - 1 for number in antecedents if number < 0))
