"""Strategies decide which queries to ask. They compose: the paper's IMLI is ``Iterative(MiniBatch())``."""

from imli.learning.strategies.joint import Joint, Revising
from imli.learning.strategies.named import STRATEGIES, find_strategy, is_as_printed
from imli.learning.strategies.paper import Exact, Iterative, MiniBatch
from imli.learning.strategies.strategy import Strategy

__all__ = [
    "STRATEGIES",
    "Exact",
    "Iterative",
    "Joint",
    "MiniBatch",
    "Revising",
    "Strategy",
    "find_strategy",
    "is_as_printed",
]
