"""Rows that are not all at hand: what a search needs to know of them, as sums over parts."""

from imli.parts.coreset import MOST_ROWS, Core, core_of
from imli.parts.counting import Counting, Covering, Zooming
from imli.parts.engine import Engine
from imli.parts.looking import Look, Looking
from imli.parts.opening import decide_in_parts, is_large, is_on_cluster, open_engine
from imli.parts.packing import Packing

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
