"""The ``Strategy`` protocol, and what strategies of many queries share: the best rule so far and the time."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol, runtime_checkable

from imli.errors import Interrupted
from imli.learning.answer import Answer, Deadline
from imli.learning.backends import Backend
from imli.learning.backends.backend import answer_with
from imli.learning.query import Query
from imli.rules import Rule

_LEAST_SECONDS = 1.0


@runtime_checkable
class Strategy(Protocol):
    """A way to answer a query by one or many queries to a backend.

    Any object with this method is a strategy; it need not inherit from this class.
    """

    def answer(
        self, query: Query, backend: Backend, deadline: Deadline, seed: int = 0, start: Rule | None = None
    ) -> Answer:
        """Return the best rule that the strategy finds, with its cost on all rows and a proven lower bound.

        Parameters
        ----------
        query
            The rows, the literals and the constraints.
        backend
            The solver that answers each query of the strategy.
        deadline
            When the search has to end. The best rule so far is the answer then.
        seed
            Seed of all random choices.
        start
            A rule to improve. If the query allows it, the answer is never worse.

        Raises
        ------
        InfeasibleError
            If no rule meets the constraints.
        Interrupted
            If the user presses Ctrl-C. The exception carries the best answer so far.
        """


@dataclass
class Incumbent:
    """The best rule so far of a strategy that asks many queries, and a proven bound on the cost, in units."""

    query: Query
    backend: Backend
    rule: Rule
    bound: int = 0
    began: float = field(default_factory=monotonic)

    def offer(self, rule: Rule, at_any_cost: bool = False) -> bool:
        """Take the rule if the query allows it and it is cheaper; return True if it was taken."""
        query = self.query
        is_taken = query.allows(rule) and (at_any_cost or query.units(rule) < query.units(self.rule))
        if is_taken:
            self.rule = rule
        return is_taken

    def answer(self, interrupted: bool = False) -> Answer:
        """Return the rule as an answer to the query."""
        query = self.query
        bound = min(max(self.bound, query.unavoidable()), query.units(self.rule))
        return answer_with(query, self.rule, bound, self.began, self.backend.name, interrupted)

    @contextmanager
    def kept_on_interrupt(self) -> Iterator[None]:
        """Turn Ctrl-C, at any moment inside, into Interrupted with the best rule so far (context manager)."""
        try:
            yield
        except KeyboardInterrupt:
            raise Interrupted(self.answer(interrupted=True)) from None


def share(deadline: Deadline, n_queries: int) -> Deadline:
    """Return the deadline for the next of ``n_queries`` queries that share the time.

    Each query gets at least one second while that much is left: a few solved queries beat many unsolved ones.
    """
    remaining = deadline.remaining
    if remaining is None:
        return deadline
    return Deadline.after(min(remaining, max(remaining / n_queries, _LEAST_SECONDS)))
