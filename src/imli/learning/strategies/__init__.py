"""Strategies: which queries to ask a backend. They compose: the paper's IMLI is ``Iterative(MiniBatch())``."""

from imli.learning.strategies.joint import Joint, Revising
from imli.learning.strategies.paper import Exact, Iterative, MiniBatch
from imli.learning.strategies.strategy import Strategy, find_strategy, is_as_printed, starting_rule

__all__ = [
    "Exact",
    "Iterative",
    "Joint",
    "MiniBatch",
    "Revising",
    "Strategy",
    "find_strategy",
    "is_as_printed",
    "starting_rule",
]
