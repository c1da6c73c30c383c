"""A moment to stop at, fixed once and handed down.

What a backend says about a query.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Literal

from imli.rules import Rule


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


Status = Literal["optimal", "feasible", "interrupted"]


@dataclass(frozen=True)
class Answer:
    """A rule, its cost, and what is proven about it.

    ``bound`` is a proven lower bound on the cost of every rule in ``scope``. The status is "optimal" when the
    cost meets it, "feasible" when the search ended before a proof, "interrupted" when the user ended it.
    """

    rule: Rule
    cost: float
    bound: float
    status: Status
    seconds: float
    scope: str
    backend: str
    rounding: float = 0.0
    is_clause_optimal: bool = False  # proven: no rule that differs in one clause costs less
    n_locked: int = 0  # clauses, the first of the rule, that were given and so are no part of what is proven

    @property
    def gap(self) -> float:
        """How much of the cost could at most be saved, as a share of it."""
        return 0.0 if self.cost <= self.bound else (self.cost - self.bound) / self.cost

    def __str__(self) -> str:
        if self.status == "optimal":
            return f"a cost of {self.cost:g}, proven the lowest of all {self.scope}"
        one_clause = ""
        if self.is_clause_optimal:
            which = "one clause that is not locked" if self.n_locked else "one clause"
            one_clause = f"; it is proven that changing {which} cannot lower it"
        if self.bound <= 0:
            return f"a cost of {self.cost:g}, the lowest found but not proven to be, of all {self.scope}{one_clause}"
        return f"a cost of {self.cost:g}{one_clause}; none can cost less than {self.bound:g} among {self.scope}"


@dataclass(frozen=True)
class Progress:
    """How far a search has come: the cost of the best rule so far, the proven bound, and the seconds it took.

    ``share`` is how much of the work that it may do it has done, or 0 if it does not know.
    """

    cost: float
    bound: float
    seconds: float
    share: float = 0.0

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s: cost {self.cost:g}, at least {self.bound:g}"
