"""Learning: from a task and a query to an answer, and to the rule that is shown."""

from dataclasses import replace
from functools import partial
from math import inf
from time import monotonic

from imli.learning.answer import Answer, Progress
from imli.learning.backends import Native
from imli.learning.deadline import Deadline, SearchSettings
from imli.learning.query import Query
from imli.learning.strategies import Joint, is_as_printed
from imli.learning.strategies.strategy import Incumbent, best_so_far, starting_rule
from imli.learning.task import Task
from imli.rules import Formula, PairRule, PointRule, Rule

# Share of the first search's effort. On five tables of 195 to 1,000 rows, three seeds each, twice as much found rules
# that were cheaper by at most 0.2 in two fits of 15, and one that was dearer by 3.
_FINER_EFFORT = 0.15
_FIRST_SHARE = 0.7  # of the time, where that is limited


def learn(task: Task, query: Query, settings: SearchSettings, start: Rule | None) -> Answer:
    """Return the best rule that is found, with the query that has finer thresholds; after Ctrl-C, the best so far.

    The joint search runs twice: few thresholds are searched faster than many, and then the thresholds of the rule are
    refined between their neighbours. A user-chosen backend gets exactly the binned literals.
    """
    strategy, backend, deadline = settings.strategy, settings.backend, settings.deadline
    if not isinstance(strategy, Joint):
        # the paper's own form depends on the order of rows; else neither order nor repetition may matter
        return ask(query, settings, start, asked=query if is_as_printed(strategy) else query.canonical())
    if not isinstance(backend, Native) or not task.can_refine(query):
        return ask(query, settings, start)
    first_backend, again = _with_one_progress(backend, replace(backend, effort=backend.effort * _FINER_EFFORT))
    remaining = deadline.remaining
    first_deadline = deadline if remaining is None else Deadline.after(_FIRST_SHARE * remaining)
    first = ask(query, replace(settings, strategy=Joint(), backend=first_backend, deadline=first_deadline), start)
    try:
        finer = None if first.is_interrupted else task.refined(query, first.rule)
    except KeyboardInterrupt:  # rows that are not in memory take a while
        return replace(first, status="interrupted")
    if finer is None:
        if first.is_interrupted or not strategy.prove:
            return first
        finer = query
    second = ask(finer, replace(settings, backend=again), first.rule)
    return replace(second, seconds=first.seconds + second.seconds)


def _with_one_progress(first: Native, second: Native) -> tuple[Native, Native]:
    """Return two backends that report the progress of both searches as if they were one."""
    listener = first.on_progress
    if listener is None:
        return first, second
    began, lowest = monotonic(), inf

    def reporting(backend: Native, done: float, rest: float) -> Native:
        def report(progress: Progress) -> None:
            nonlocal lowest
            if progress.cost < lowest:
                lowest = progress.cost
                share = done + rest * progress.share if done or progress.share else 0.0
                listener(replace(progress, seconds=monotonic() - began, share=share))

        return replace(backend, on_progress=report)

    first_share = 1 / (1 + _FINER_EFFORT)
    return reporting(first, 0.0, first_share), reporting(second, first_share, 1 - first_share)


def ask(query: Query, settings: SearchSettings, start: Rule | None, asked: Query | None = None) -> Answer:
    """Return the answer of the strategy, with the query; after Ctrl-C, the best so far.

    ``asked`` is the query that the strategy gets, if it is another form of ``query``.
    """
    given = {} if start is None else {"start": start}
    question = query if asked is None else asked
    ask_once = partial(settings.strategy.answer, question, settings.backend, settings.deadline, settings.seed, **given)
    return replace(best_so_far(ask_once), scope=query.scope, query=query)


def unsearched(query: Query, settings: SearchSettings, start: Rule | None) -> Answer:
    """Return the rule to start from as the answer, after Ctrl-C before the search."""
    best = Incumbent(query, settings.backend, starting_rule(query, given=start))
    return replace(best.answer(), status="interrupted", query=query)


def finished(query: Query, rule: Rule, task: Task, reword: bool = True) -> Rule:
    """Return the rule in its shortest wording, with counts; clauses of a formula come in the order of rows covered.

    Where a constraint is about the wording, or with ``reword=False``, the wording stays.
    """
    if reword and not query.n_locked:
        rule = _in_order(_simplified(query, rule, task), task)
    return rule.with_counts(task.counts(rule))


def _simplified(query: Query, rule: Rule, task: Task) -> Rule:
    simple = rule.simplified()
    if isinstance(simple, PointRule) and any(points not in query.points for points in simple.points):
        return rule  # equal items became one, of more points than one may have
    return simple if query.constraints.allows(simple, lambda: task.n_covered(simple)) else rule


def _in_order(rule: Rule, task: Task) -> Rule:
    """Sort literals by column, as in the table, and the clauses of a formula by the number of rows covered."""
    place = {name: n for n, name in enumerate(task.frame.names)}
    clauses = [tuple(sorted(clause, key=lambda literal: place[literal.column])) for clause in rule.clauses]
    if isinstance(rule, PointRule):
        items = zip(clauses, rule.points, strict=True)
        return replace(rule, items=tuple(sorted(items, key=lambda item: -item[1])))
    if isinstance(rule, PairRule):
        return replace(rule, pairs=tuple(zip(clauses, (label for _, label in rule.pairs), strict=True)))
    assert isinstance(rule, Formula)
    # by weight, which repeats rows, and rounded, since sums depend on the order of rows
    covered = [float(f"{weight:.9g}") for weight in task.counts(rule).covered] if len(clauses) > 1 else [0.0]
    order = sorted(range(len(clauses)), key=lambda n: -covered[n])
    return replace(rule, slots=tuple(clauses[n] for n in order))
