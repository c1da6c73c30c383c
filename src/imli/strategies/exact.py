"""All at once."""

from dataclasses import dataclass, replace
from time import monotonic

from imli.answer import Answer
from imli.backends import Backend
from imli.deadline import Deadline
from imli.feasibility import starting_rule
from imli.query import Query
from imli.rules import Rule


@dataclass(frozen=True)
class Exact:
    """The whole query at once: the paper's non-incremental learner, IMLI-B.

    With ``paper=True`` every slot holds a clause, as the paper prints it, so that the rule has exactly
    ``n_clauses`` clauses; otherwise it has at most that many.
    """

    paper: bool = False

    def answer(
        self,
        query: Query,
        backend: Backend,
        deadline: Deadline,
        seed: int = 0,  # noqa: ARG002
        start: Rule | None = None,
    ) -> Answer:
        began = monotonic()
        if self.paper:
            query = replace(query, unused_slots=False)
        backend.check(query, deadline)
        answer = backend.answer(query, starting_rule(query, deadline, start), deadline)
        return replace(answer, seconds=monotonic() - began)
