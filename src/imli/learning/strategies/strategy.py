"""What a strategy is, and what strategies that ask many queries share."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol, runtime_checkable

from imli.errors import Interrupted
from imli.learning.answer import Answer, Deadline, Status
from imli.learning.backends import Backend
from imli.learning.query import Query
from imli.rules import Rule

_LEAST_SECONDS = 1.0


@runtime_checkable
class Strategy(Protocol):
    """Answers a query by asking a backend one query or many. The seed decides all that is left to chance.

    The answer is never worse than ``start``, if the query allows that rule.
    """

    def answer(
        self, query: Query, backend: Backend, deadline: Deadline, seed: int = 0, start: Rule | None = None
    ) -> Answer: ...


@dataclass
class Incumbent:
    """The best rule so far of a strategy that asks many queries."""

    query: Query
    backend: Backend
    rule: Rule
    bound: float = 0.0
    began: float = field(default_factory=monotonic)

    def answer(self, interrupted: bool = False) -> Answer:
        cost = self.query.cost(self.rule)
        bound = max(self.bound, self.query.unavoidable() / self.query.scale)
        status: Status = "optimal" if cost <= bound else "interrupted" if interrupted else "feasible"
        return Answer(
            rule=self.rule,
            cost=cost,
            bound=min(bound, cost),
            status=status,
            seconds=monotonic() - self.began,
            scope=self.query.scope,
            backend=self.backend.name,
            rounding=self.query.rounding,
            n_locked=self.query.n_locked,
        )

    @contextmanager
    def kept_on_interrupt(self) -> Iterator[None]:
        """Turn Ctrl-C, wherever it strikes, into Interrupted with the best rule so far."""
        try:
            yield
        except KeyboardInterrupt:
            raise Interrupted(self.answer(interrupted=True)) from None


def share(deadline: Deadline, n_queries: int) -> Deadline:
    """The deadline for the next of so many queries that have to share the time.

    None gets less than a second, if there is one: better a few good answers than many empty ones.
    """
    remaining = deadline.remaining
    if remaining is None:
        return deadline
    return Deadline.after(min(remaining, max(remaining / n_queries, _LEAST_SECONDS)))
