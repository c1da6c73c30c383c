"""STreeD: optimal decision trees, of depth three if nothing else is asked for.

It makes its own bits: five thresholds of each number, at quantiles, and up to five groups of each text. Its conditions
are those on the way to each positive leaf.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import grids
from .columns import Plain, shortened
from .fitted import Fitted

TITLE = "STreeD"
REQUIRES: tuple[str, ...] = ("pystreed==1.4.0",)
IS_READABLE = True
QUICK_ROWS = 0


def grid(n: int) -> list[dict[str, Any]]:
    """Depth and number of nodes; the paper has none."""
    return grids.crossed({"max_depth": (2, 3, 4), "max_num_nodes": (3, 7, 15), "n_thresholds": (5, 10)}, n)


def fit(X: pd.DataFrame, y: npt.NDArray[np.bool_], settings: dict[str, Any], seed: int) -> Fitted:
    from pystreed import STreeDClassifier

    plain = Plain(X)

    settings = dict(settings)
    if "max_num_nodes" in settings:  # no more than a tree of the depth can have
        settings["max_num_nodes"] = min(settings["max_num_nodes"], 2 ** settings.get("max_depth", 3) - 1)
    model = STreeDClassifier(**{"random_seed": seed, **settings})
    model.fit(plain(X), y.astype(int))
    names = [str(name) for name in model.feature_names_in_]  # of its bits, such as "c3 <= 12.5"
    ways = _positive_ways(model.get_tree())
    size = sum(len(way) for way in ways)
    lines = [
        "IF " + " AND ".join(_condition(names, feature, holds, plain.titles) for feature, holds in way) for way in ways
    ]

    def predict(frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
        return np.asarray(model.predict(plain(frame)) == 1)

    return Fitted(predict, size, size, shortened(lines))


def _positive_ways(tree: Any) -> list[list[tuple[int, bool]]]:
    """The way to each positive leaf, as (bit, whether it holds)."""
    found = []
    ahead: list[tuple[Any, list[tuple[int, bool]]]] = [(tree, [])]
    while ahead:
        node, way = ahead.pop()
        if not node.is_leaf_node():
            ahead += [
                (node.right_child, [*way, (node.feature, True)]),
                (node.left_child, [*way, (node.feature, False)]),
            ]
        elif node.label == 1:
            found.append(way)
    return found


def _condition(names: list[str], feature: int, holds: bool, titles: dict[str, str]) -> str:
    short, _, test = names[feature].partition(" ")
    text = f"{titles.get(short, short)} {test}".strip()
    return text if holds else f"not ({text})"
