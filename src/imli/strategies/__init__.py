"""Strategies decide which queries to ask. They compose: the paper's IMLI is ``Iterative(MiniBatch())``."""

from imli.strategies.exact import Exact
from imli.strategies.iterative import Iterative
from imli.strategies.minibatch import MiniBatch
from imli.strategies.strategy import Strategy, find_strategy

__all__ = ["Exact", "Iterative", "MiniBatch", "Strategy", "find_strategy"]
