"""Strategies by name."""

from imli.learning.strategies.joint import Joint
from imli.learning.strategies.paper import Exact, Iterative, MiniBatch
from imli.learning.strategies.strategy import Strategy

STRATEGIES = ("joint", "exact", "minibatch", "iterative", "incremental")


def find_strategy(strategy: str | Strategy, batch_size: int, rounds: int, prove: bool | float = False) -> Strategy:
    """The strategy of this name, with these mini-batches or this proof if it has such; or the one given."""
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
    """Whether the strategy, or one that it is made of, does what the paper prints."""
    parts = (strategy, getattr(strategy, "one_clause", None))
    return any(getattr(part, "paper", False) for part in parts)
