"""How a classifier comes to its answer: the strategy is asked, and once more with finer thresholds.

From the rule that a search found to the one that is shown.
"""

from dataclasses import dataclass, replace
from math import inf
from time import monotonic

from imli.errors import Interrupted
from imli.learning.answer import Answer, Deadline, Progress
from imli.learning.backends import Backend, Native
from imli.learning.query import Query
from imli.learning.strategies import Joint, Strategy, is_as_printed
from imli.learning.task import Training
from imli.rules import Formula, PairRule, Rule

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
        return ask(query, asked, strategy, backend, deadline, seed, start)
    if not isinstance(backend, Native) or not training.has_finer:
        return ask(query, query, strategy, backend, deadline, seed, start)
    backend, again = _as_one(backend, replace(backend, effort=backend.effort * _FINER_EFFORT))
    remaining = deadline.remaining
    first_deadline = deadline if remaining is None else Deadline.after(_FIRST_SHARE * remaining)
    first = ask(query, query, Joint(), backend, first_deadline, seed, start)
    try:
        finer = None if first.is_interrupted else training.finer(first.answer.rule)
    except KeyboardInterrupt:  # rows that are not in memory take a while
        return replace(first, answer=replace(first.answer, status="interrupted"), is_interrupted=True)
    if finer is None:
        if first.is_interrupted or not strategy.prove:
            return first
        finer = query
    second = ask(finer, finer, strategy, again, deadline, seed, first.answer.rule)
    return replace(second, answer=replace(second.answer, seconds=first.answer.seconds + second.answer.seconds))


def _as_one(first: Native, second: Native) -> tuple[Native, Native]:
    """The same, telling of the progress of both searches as if they were one."""
    listener = first.on_progress
    if listener is None:
        return first, second
    began, lowest = monotonic(), inf

    def told(backend: Native, done: float, rest: float) -> Native:
        def tell(progress: Progress) -> None:
            nonlocal lowest
            if progress.cost < lowest:
                lowest = progress.cost
                share = done + rest * progress.share if done or progress.share else 0.0
                listener(replace(progress, seconds=monotonic() - began, share=share))

        return replace(backend, on_progress=tell)

    first_share = 1 / (1 + _FINER_EFFORT)
    return told(first, 0.0, first_share), told(second, first_share, 1 - first_share)


def ask(
    query: Query,
    asked: Query,
    strategy: Strategy,
    backend: Backend,
    deadline: Deadline,
    seed: int,
    start: Rule | None,
) -> Learned:
    """Ask the strategy; Ctrl-C is kept in mind with the best answer so far."""
    given = {} if start is None else {"start": start}
    try:
        answer, interrupted = strategy.answer(asked, backend, deadline, seed, **given), False
    except Interrupted as stop:
        answer, interrupted = stop.answer, True
    return Learned(query, replace(answer, scope=query.scope), interrupted)


def finished(query: Query, rule: Rule, rows: Training, reword: bool = True) -> Rule:
    """The same decisions in fewer words, the clauses of a formula by how many rows they cover, with counts.

    Where a constraint speaks of the words themselves, or with ``reword=False``, they stay as they are.
    """
    if reword and not query.n_locked:
        rule = _in_order(_simplified(query, rule, rows), rows)
    return rule.with_counts(rows.counts(rule))


def _simplified(query: Query, rule: Rule, rows: Training) -> Rule:
    simple = rule.simplified()
    return simple if query.constraints.allows(simple, lambda: rows.n_covered(simple)) else rule


def _in_order(rule: Rule, rows: Training) -> Rule:
    """The literals by column, as in the table, and the clauses of a formula by how many rows they cover."""
    place = {name: n for n, name in enumerate(rows.frame.names)}
    clauses = [tuple(sorted(clause, key=lambda literal: place[literal.column])) for clause in rule.clauses]
    if isinstance(rule, PairRule):
        return replace(rule, pairs=tuple(zip(clauses, (label for _, label in rule.pairs), strict=True)))
    assert isinstance(rule, Formula)
    n_covered = rows.n_covered(rule)
    order = sorted(range(len(clauses)), key=lambda n: -n_covered[n])
    return replace(rule, slots=tuple(clauses[n] for n in order))
