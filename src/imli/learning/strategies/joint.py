"""All clauses together, then as much of a proof as is asked for.

A rule revised clause by clause, near what it was: for solvers that answer one clause better than all.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import monotonic

from imli.errors import InfeasibleError, Interrupted
from imli.learning.answer import Answer, Deadline
from imli.learning.backends import Backend
from imli.learning.feasibility import starting_rule
from imli.learning.query import Query
from imli.learning.strategies.one_clause import Place
from imli.learning.strategies.proof import prove
from imli.learning.strategies.strategy import Incumbent, share
from imli.rules import Formula, PairRule, Rule
from imli.rules.distance import slots_of


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


@dataclass(frozen=True)
class Revising:
    """Asks for the best clause in each place of the rule in turn, the others being as they are.

    The places are those of its clauses, and one more for each class. A clause is taken if the whole rule then costs
    less. Every backend can answer, since a clause of a decision list or set, too, is a formula on the rows where it
    matters.
    """

    def answer(
        self,
        query: Query,
        backend: Backend,
        deadline: Deadline,
        seed: int = 0,  # noqa: ARG002
        start: Rule | None = None,
    ) -> Answer:
        best = Incumbent(query, backend, starting_rule(query, deadline, start))
        with best.kept_on_interrupt():
            n_places = len(list(_places(query, best.rule)))
            for n_done in range(n_places):
                # a clause that came or went has changed the places after it
                place = next((p for n, p in enumerate(_places(query, best.rule)) if n == n_done), None)
                if place is None or deadline.passed:
                    break
                _revise(best, place, share(deadline, n_places - n_done))
        return best.answer()


def _places(query: Query, rule: Rule) -> Iterator[Place]:
    n_slots = len(slots_of(rule))
    if isinstance(rule, Formula):
        yield from (Place(query, rule, position) for position in range(query.n_locked, query.n_clauses))
        return
    assert isinstance(rule, PairRule)
    for position in range(query.n_locked, n_slots):
        yield Place(query, rule, position, query.classes.index(rule.pairs[position][1]))
    if n_slots < query.n_clauses:
        yield from (Place(query, rule, n_slots, decides, is_new=True) for decides in range(len(query.classes)))


def _revise(best: Incumbent, place: Place, deadline: Deadline) -> None:
    """Put the best clause into the place, if that is better than what is there."""
    query = best.query
    interrupted = False
    try:
        question = place.clause_query()
        answer = best.backend.answer(question, starting_rule(question, deadline), deadline)
    except InfeasibleError:
        return  # the others leave no clause for this place
    except Interrupted as stop:
        answer, interrupted = stop.answer, True
    (clause, *_) = (*answer.rule.clauses, None)
    for found in (place.filled(clause), place.filled(None)):
        if query.allows(found) and query.units(found) < query.units(best.rule):
            best.rule = found
    if interrupted:
        raise KeyboardInterrupt
