"""Strategies: which queries to ask a backend. They compose: the paper's IMLI is ``Iterative(MiniBatch())``."""

from collections.abc import Callable

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

# By name, from the mini-batches and the proof that strategies take.
STRATEGIES: dict[str, Callable[[int, int, bool | float], Strategy]] = {
    "joint": lambda _, __, prove: Joint(prove),
    "exact": lambda _, __, ___: Exact(),
    "minibatch": lambda batch_size, rounds, _: MiniBatch(batch_size, rounds),
    "iterative": lambda _, __, ___: Iterative(),
    "incremental": lambda batch_size, rounds, _: Iterative(MiniBatch(batch_size, rounds)),
}


def find_strategy(strategy: str | Strategy, batch_size: int, rounds: int, prove: bool | float = False) -> Strategy:
    """Return the strategy of this name, with the mini-batches or the proof that it takes, or the given strategy."""
    if isinstance(strategy, str):
        if strategy not in STRATEGIES:
            known = ", ".join(map(repr, STRATEGIES))
            raise ValueError(f"strategy must be one of {known}, or a Strategy. Got {strategy!r}.")
        return STRATEGIES[strategy](batch_size, rounds, prove)
    if isinstance(strategy, type) or not isinstance(strategy, Strategy):
        raise TypeError(f"strategy must be a name or a Strategy. Got {strategy!r}.")
    return strategy


def is_as_printed(strategy: Strategy) -> bool:
    """Return True if the strategy, or its ``one_clause`` part, has ``paper=True``."""
    parts = (strategy, getattr(strategy, "one_clause", None))
    return any(getattr(part, "paper", False) for part in parts)
