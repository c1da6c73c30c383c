"""Strategies decide which queries to ask."""

from dataclasses import dataclass, replace
from time import monotonic
from typing import Protocol, runtime_checkable

from imli.answer import Answer
from imli.backends import Backend
from imli.deadline import Deadline
from imli.feasibility import starting_rule
from imli.query import Query


@runtime_checkable
class Strategy(Protocol):
    """Answers a query by asking a backend one query or many."""

    def answer(self, query: Query, backend: Backend, deadline: Deadline) -> Answer: ...


@dataclass(frozen=True)
class Exact:
    """The whole query at once: the paper's non-incremental learner, IMLI-B.

    With ``paper=True`` every slot holds a clause, as the paper prints it, so that the rule has exactly
    ``n_clauses`` clauses; otherwise it has at most that many.
    """

    paper: bool = False

    def answer(self, query: Query, backend: Backend, deadline: Deadline) -> Answer:
        began = monotonic()
        if self.paper:
            query = replace(query, unused_slots=False)
        backend.check(query, deadline)
        answer = backend.answer(query, starting_rule(query), deadline)
        return replace(answer, seconds=monotonic() - began)


_STRATEGIES = {"exact": Exact}


def find_strategy(strategy: str | Strategy) -> Strategy:
    """The strategy of this name, or the one given."""
    if isinstance(strategy, str):
        if strategy not in _STRATEGIES:
            known = ", ".join(repr(name) for name in _STRATEGIES)
            raise ValueError(f"strategy must be one of {known}, or a Strategy. Got {strategy!r}.")
        return _STRATEGIES[strategy]()
    if not isinstance(strategy, Strategy):
        raise TypeError(f"strategy must be a name or a Strategy. Got {strategy!r}.")
    return strategy
