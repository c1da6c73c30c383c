"""When a search ends: its time limit, a stop from another thread, and the settings that carry both."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from imli.learning.answer import Progress
    from imli.learning.backends import Backend
    from imli.learning.strategies import Strategy


@dataclass(frozen=True)
class Deadline:
    """A point in time on the monotonic clock, for the time limit of a whole fit."""

    moment: float = math.inf

    @classmethod
    def after(cls, seconds: float | None) -> "Deadline":
        """Return the deadline in this many seconds; None is never."""
        return cls() if seconds is None else cls(monotonic() + seconds)

    def sooner(self, seconds: float) -> "Deadline":
        """Return the deadline in this many seconds, or this one if it comes first."""
        return Deadline(min(self.moment, monotonic() + seconds))

    def __reduce__(self) -> tuple[Callable[[float | None], "Deadline"], tuple[float | None]]:
        """Return the seconds left, for pickling: clocks of other processes and machines start at other times."""
        return Deadline.after, (self.remaining,)

    @property
    def remaining(self) -> float | None:
        """Return the seconds left, at least 0, or None when there is no limit."""
        return None if math.isinf(self.moment) else max(0.0, self.moment - monotonic())

    @property
    def passed(self) -> bool:
        return monotonic() >= self.moment


@dataclass(frozen=True)
class SearchSettings:
    """The strategy, the backend, the seed and the deadline of a search, its listener, and a flag that ends it.

    The flag is for other threads.
    """

    strategy: "Strategy"
    backend: "Backend"
    seed: int
    deadline: Deadline
    on_progress: "Callable[[Progress], None] | None" = field(default=None, compare=False)
    stop: Event = field(default_factory=Event)

    def __reduce__(self) -> tuple[type["SearchSettings"], tuple[Any, ...]]:
        # without listener and flag: other processes cannot be reached, and end by themselves
        return SearchSettings, (self.strategy, self.backend, self.seed, self.deadline)

    def sooner(self, share: float) -> "SearchSettings":
        """Return the settings with a share of the time left."""
        remaining = self.deadline.remaining
        return self if remaining is None else replace(self, deadline=Deadline.after(share * remaining))

    @property
    def is_over(self) -> bool:
        """Return True if the time is over or the search was stopped."""
        return self.deadline.passed or self.stop.is_set()
