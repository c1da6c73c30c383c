"""Strategies decide which queries to ask. They compose: the paper's IMLI is ``Iterative(MiniBatch())``."""

from imli.strategies.exact import Exact
from imli.strategies.iterative import Iterative
from imli.strategies.joint import Joint
from imli.strategies.minibatch import MiniBatch
from imli.strategies.named import STRATEGIES, find_strategy, is_as_printed
from imli.strategies.revising import Revising
from imli.strategies.strategy import Strategy

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
