"""Strategies: which queries to ask a backend. They compose: the paper's IMLI is ``Iterative(MiniBatch())``."""

from imli.learning.strategies.joint import Joint, Revising
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

STRATEGIES = ("joint", "exact", "minibatch", "iterative", "incremental")


def find_strategy(strategy: str | Strategy, batch_size: int, rounds: int, prove: bool | float = False) -> Strategy:
    """Return the strategy of this name, with the mini-batches or the proof that it takes, or the given strategy."""
    if isinstance(strategy, str):
        batches = MiniBatch(batch_size, rounds)
        named: dict[str, Strategy] = dict(
            zip(STRATEGIES, (Joint(prove), Exact(), batches, Iterative(), Iterative(batches)), strict=True)
        )
        if strategy not in named:
            known = ", ".join(map(repr, STRATEGIES))
            raise ValueError(f"strategy must be one of {known}, or a Strategy. Got {strategy!r}.")
        return named[strategy]
    if isinstance(strategy, type) or not isinstance(strategy, Strategy):
        raise TypeError(f"strategy must be a name or a Strategy. Got {strategy!r}.")
    return strategy


def is_as_printed(strategy: Strategy) -> bool:
    """Return True if the strategy, or its ``one_clause`` part, has ``paper=True``."""
    parts = (strategy, getattr(strategy, "one_clause", None))
    return any(getattr(part, "paper", False) for part in parts)
