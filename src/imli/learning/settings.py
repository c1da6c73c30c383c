"""."""

from dataclasses import dataclass, field, replace
from threading import Event

from imli.learning.answer import Deadline
from imli.learning.backends import Backend
from imli.learning.strategies import Strategy


class Stop:
    """Tells searches in threads of this process that nobody waits for them any more."""

    def __init__(self) -> None:
        self._event = Event()

    def set(self) -> None:
        self._event.set()

    def is_set(self) -> bool:
        return self._event.is_set()

    def __reduce__(self) -> tuple[type["Stop"], tuple[()]]:
        return type(self), ()  # other processes cannot be told, and end by themselves


@dataclass(frozen=True)
class SearchSettings:
    """How questions are asked: by which strategy and backend, with which seed, and until when."""

    strategy: Strategy
    backend: Backend
    seed: int
    deadline: Deadline
    stop: Stop = field(default_factory=Stop)

    def sooner(self, share: float) -> "SearchSettings":
        """The same in a share of the time."""
        remaining = self.deadline.remaining
        return self if remaining is None else replace(self, deadline=Deadline.after(share * remaining))

    @property
    def is_over(self) -> bool:
        return self.deadline.passed or self.stop.is_set()
