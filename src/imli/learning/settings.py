"""Search settings: the strategy, the backend, the seed and the deadline."""

from dataclasses import dataclass, field, replace
from threading import Event

from imli.learning.answer import Deadline
from imli.learning.backends import Backend
from imli.learning.strategies import Strategy


class Stop:
    """A flag that ends searches in other threads of this process."""

    def __init__(self) -> None:
        self._event = Event()

    def set(self) -> None:
        """End the searches."""
        self._event.set()

    def is_set(self) -> bool:
        """Return True if the searches should end."""
        return self._event.is_set()

    def __reduce__(self) -> tuple[type["Stop"], tuple[()]]:
        return type(self), ()  # other processes cannot be reached, and end by themselves


@dataclass(frozen=True)
class SearchSettings:
    """The strategy, the backend, the seed and the deadline of a search."""

    strategy: Strategy
    backend: Backend
    seed: int
    deadline: Deadline
    stop: Stop = field(default_factory=Stop)

    def sooner(self, share: float) -> "SearchSettings":
        """Return the settings with a share of the time left."""
        remaining = self.deadline.remaining
        return self if remaining is None else replace(self, deadline=Deadline.after(share * remaining))

    @property
    def is_over(self) -> bool:
        """Return True if the time is over or the search was stopped."""
        return self.deadline.passed or self.stop.is_set()
