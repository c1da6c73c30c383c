"""Rows that are not all at hand: what a search needs to know of them, as sums over parts."""

from imli.learning.rows.coreset import MOST_ROWS, Core, core_of
from imli.learning.rows.engine import (
    Counting,
    Covering,
    Engine,
    Look,
    Looking,
    Zooming,
    decide_in_parts,
    is_large,
    is_on_cluster,
    open_engine,
)
from imli.learning.rows.packing import Packing

__all__ = [
    "MOST_ROWS",
    "Core",
    "Counting",
    "Covering",
    "Engine",
    "Look",
    "Looking",
    "Packing",
    "Zooming",
    "core_of",
    "decide_in_parts",
    "is_large",
    "is_on_cluster",
    "open_engine",
]
