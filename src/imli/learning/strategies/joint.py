"""Strategies on all rows: all clauses together with an optional proof, or one clause of a rule after the other."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import monotonic

from imli.errors import InfeasibleError, Interrupted
from imli.learning.answer import Answer
from imli.learning.backends import Backend
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.learning.strategies.one_clause import ClausePlace
from imli.learning.strategies.proof import prove
from imli.learning.strategies.strategy import Incumbent, Strategy, best_so_far, share, starting_rule
from imli.rules import Formula, PairRule, Rule
from imli.rules.formula import slots_of


@dataclass(frozen=True)
class Joint(Strategy):
    """Strategy that searches all clauses together on all rows, with the native search or another anytime backend.

    Parameters
    ----------
    prove
        True, or a number of seconds, to add a proof: first that no rule that differs in one clause costs less (the
        rule is improved where one does), then that no rule costs less. With a time limit, half of the time is kept
        for the proof.

    Examples
    --------
    >>> from imli import DNFClassifier, Joint
    >>> clf = DNFClassifier(strategy=Joint(prove=5.0))
    """

    prove: bool | float = False

    def answer(
        self, query: Query, backend: Backend, deadline: Deadline, seed: int = 0, start: Rule | None = None
    ) -> Answer:
        began = monotonic()
        backend.check(query, deadline)
        first = starting_rule(query, deadline, start)
        remaining = deadline.remaining
        until = Deadline.after(remaining / 2) if self.prove and remaining is not None else deadline
        answer = backend.answer(query, first, until)
        if self.prove and answer.status != "optimal" and not query.is_points:  # of which there are no proofs
            budget = deadline if self.prove is True else deadline.sooner(float(self.prove))
            try:
                answer = prove(query, answer, budget)
            except Interrupted as stop:
                raise Interrupted(replace(stop.answer, seconds=monotonic() - began)) from None
        return replace(answer, seconds=monotonic() - began)


@dataclass(frozen=True)
class Revising(Strategy):
    """Strategy that asks for the best clause in each place of the rule in turn, with the other clauses fixed.

    It suits solvers that find one clause better than all together. The places are those of the clauses of the start
    rule, and one more for each class. A clause is taken if the whole rule then costs less. Every backend can answer,
    because one clause of a decision list or set is a formula on the rows where it matters.
    """

    def answer(
        self, query: Query, backend: Backend, deadline: Deadline, seed: int = 0, start: Rule | None = None
    ) -> Answer:
        best = Incumbent(query, backend, starting_rule(query, deadline, start))
        with best.kept_on_interrupt():
            n_places = len(list(_places(query, best.rule)))
            for n_done in range(n_places):
                # a clause that was added or removed has changed the places after it
                place = next((p for n, p in enumerate(_places(query, best.rule)) if n == n_done), None)
                if place is None or deadline.passed:
                    break
                _revise(best, place, share(deadline, n_places - n_done))
        return best.answer()


def _places(query: Query, rule: Rule) -> Iterator[ClausePlace]:
    """Yield the places of the rule's clauses, and of one more clause for each class."""
    n_slots = len(slots_of(rule))
    if isinstance(rule, Formula):
        yield from (ClausePlace(query, rule, position) for position in range(query.n_locked, query.n_clauses))
        return
    assert isinstance(rule, PairRule)
    for position in range(query.n_locked, n_slots):
        yield ClausePlace(query, rule, position, query.classes.index(rule.pairs[position][1]))
    if n_slots < query.n_clauses:
        yield from (ClausePlace(query, rule, n_slots, decides, is_new=True) for decides in range(len(query.classes)))


def _revise(best: Incumbent, place: ClausePlace, deadline: Deadline) -> None:
    """Put the best clause into the place, or none, where the whole rule then costs less."""
    try:
        question = place.clause_query()
        start = starting_rule(question, deadline)
        answer = best_so_far(lambda: best.backend.answer(question, start, deadline))
    except InfeasibleError:
        return  # the constraints leave no clause for this place
    best.offer(place.filled_from(answer.rule))
    best.offer(place.filled(None))
    if answer.is_interrupted:
        raise KeyboardInterrupt
