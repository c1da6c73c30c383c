"""All clauses together, then as much of a proof as is asked for."""

from dataclasses import dataclass, replace
from time import monotonic

from imli.answer import Answer, Interrupted
from imli.backends import Backend
from imli.deadline import Deadline
from imli.feasibility import starting_rule
from imli.query import Query
from imli.rules import Rule
from imli.strategies.proof import prove


@dataclass(frozen=True)
class Joint:
    """Searches all clauses together on all rows, with the native search or any other anytime backend.

    With ``prove`` (true, or so many seconds) the rule is then proven the best that differs in one clause from
    itself, improved where it is not, and at last the whole query is tried. Where a deadline is set too, the search
    leaves half of the time for the proof.
    """

    prove: bool | float = False

    def answer(
        self,
        query: Query,
        backend: Backend,
        deadline: Deadline,
        seed: int = 0,  # noqa: ARG002
        start: Rule | None = None,
    ) -> Answer:
        began = monotonic()
        backend.check(query, deadline)
        first = starting_rule(query, deadline, start)
        remaining = deadline.remaining
        until = Deadline.after(remaining / 2) if self.prove and remaining is not None else deadline
        answer = backend.answer(query, first, until)
        if self.prove and answer.status != "optimal":
            budget = deadline if self.prove is True else deadline.sooner(float(self.prove))
            try:
                answer = prove(query, answer, budget)
            except Interrupted as stop:
                raise Interrupted(replace(stop.answer, seconds=monotonic() - began)) from None
        return replace(answer, seconds=monotonic() - began)
