"""How a classifier comes to its answer: the strategy is asked, and once more with finer thresholds."""

from dataclasses import dataclass, replace
from math import inf
from time import monotonic

from imli.answer import Answer, Interrupted, Progress
from imli.backends import Backend, Native
from imli.deadline import Deadline
from imli.estimators.training import Training
from imli.query import Query
from imli.rules import Rule
from imli.strategies import Joint, Strategy, is_as_printed

_FINER_EFFORT = 0.3  # of that of the first search
_FIRST_SHARE = 0.7  # of the time, where that is limited


@dataclass(frozen=True, eq=False)
class Learned:
    """An answer, and the question that it answers."""

    query: Query
    answer: Answer
    is_interrupted: bool = False


def learn(
    training: Training, strategy: Strategy, backend: Backend, deadline: Deadline, seed: int, start: Rule | None
) -> Learned:
    """Ask the strategy for a rule.

    The joint search is asked twice: few thresholds are searched faster than many, and then those that the rule has
    are looked for anew between their neighbours.
    """
    query = training.query
    if not isinstance(strategy, Joint):
        # the paper's own form is about the order of rows; else neither order nor repetition may matter
        asked = query if is_as_printed(strategy) else query.canonical()
        return _ask(query, asked, strategy, backend, deadline, seed, start)
    if not isinstance(backend, Native) or not training.has_finer:
        return _ask(query, query, strategy, backend, deadline, seed, start)
    backend = _told_of_once(backend)
    remaining = deadline.remaining
    first_deadline = deadline if remaining is None else Deadline.after(_FIRST_SHARE * remaining)
    first = _ask(query, query, Joint(), backend, first_deadline, seed, start)
    finer = None if first.is_interrupted else training.finer(first.answer.rule)
    if finer is None:
        if first.is_interrupted or not strategy.prove:
            return first
        finer = query
    again = replace(backend, effort=backend.effort * _FINER_EFFORT)
    second = _ask(finer, finer, strategy, again, deadline, seed, first.answer.rule)
    return replace(second, answer=replace(second.answer, seconds=first.answer.seconds + second.answer.seconds))


def _told_of_once(backend: Native) -> Native:
    """The same, telling of the progress of several searches as if they were one."""
    listener = backend.on_progress
    if listener is None:
        return backend
    began, lowest = monotonic(), inf

    def tell(progress: Progress) -> None:
        nonlocal lowest
        if progress.cost < lowest:
            lowest = progress.cost
            listener(replace(progress, seconds=monotonic() - began))

    return replace(backend, on_progress=tell)


def _ask(
    query: Query,
    asked: Query,
    strategy: Strategy,
    backend: Backend,
    deadline: Deadline,
    seed: int,
    start: Rule | None,
) -> Learned:
    given = {} if start is None else {"start": start}
    try:
        answer, interrupted = strategy.answer(asked, backend, deadline, seed, **given), False
    except Interrupted as stop:
        answer, interrupted = stop.answer, True
    return Learned(query, replace(answer, scope=query.scope), interrupted)
