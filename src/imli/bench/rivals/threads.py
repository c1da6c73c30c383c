"""How many cores the numerical libraries of this process may use."""

from contextlib import AbstractContextManager
from typing import Any


def at_most(n: int) -> AbstractContextManager[Any]:
    """Within the block, so many threads. scikit-learn brings along what it takes."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(limits=n)
    return limits
