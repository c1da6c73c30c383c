"""A moment to stop at, fixed once and handed down."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic


@dataclass(frozen=True)
class Deadline:
    """A point in time on the monotonic clock; the time limit of a whole fit is one of these."""

    moment: float = math.inf

    @classmethod
    def after(cls, seconds: float | None) -> "Deadline":
        return cls() if seconds is None else cls(monotonic() + seconds)

    def sooner(self, seconds: float) -> "Deadline":
        """After so many seconds, or at this deadline if that comes first."""
        return Deadline(min(self.moment, monotonic() + seconds))

    def __reduce__(self) -> tuple[Callable[[float | None], "Deadline"], tuple[float | None]]:
        """Clocks of other processes and machines begin elsewhere, so what travels are the seconds left."""
        return Deadline.after, (self.remaining,)

    @property
    def remaining(self) -> float | None:
        """Seconds left, at least 0, or None when there is no limit."""
        return None if math.isinf(self.moment) else max(0.0, self.moment - monotonic())

    @property
    def passed(self) -> bool:
        return monotonic() >= self.moment
