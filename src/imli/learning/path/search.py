"""The search for a path of rules from short to long, with their cross-validated errors."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log
from time import monotonic
from typing import Any

from imli.learning.answer import Answer, Progress
from imli.learning.backends import Native
from imli.learning.constraints import reuses
from imli.learning.deadline import SearchSettings
from imli.learning.fit import finished, learn
from imli.learning.path.folds import Part, Trial, count_workers, fold_errors
from imli.learning.path.front import Place
from imli.learning.path.result import RulePath, RulePoint
from imli.learning.path.trace import Question, Tracer
from imli.learning.query import Query
from imli.learning.strategies import is_as_printed
from imli.learning.strategies.strategy import Incumbent
from imli.learning.task import TaskInMemory
from imli.rules import Rule

N_RULES = 20
PATH_SHARE = 0.8  # of the time of a fit
_RULES_SHARE = 0.3  # of the time; the rest is for the folds

Listener = Callable[[Any], None]


@dataclass(frozen=True)
class PathProgress(Progress):
    """The progress of a path.

    Parameters
    ----------
    cost, bound
        The cost and the proven bound of the last rule.
    seconds
        The seconds since the beginning.
    share
        The share of the work that is done.
    done
        The work that is done, in words.
    """


@dataclass(frozen=True)
class Found:
    """A path, and for each of its points the rule as the search found it."""

    path: RulePath
    rules: tuple[Rule, ...]
    is_interrupted: bool


@dataclass(frozen=True)
class _Step:
    """A rule of the front with its finished form and its errors in units."""

    place: Place
    shown: Rule
    errors: int


def find_path(
    task: TaskInMemory,
    query: Query,
    parts: list[Part],
    n_rules: int,
    settings: SearchSettings,
    start: Rule | None = None,
) -> Found:
    """Find rules from short to long on all rows, and the errors of the answers to the same questions on the folds."""
    reporter = _Reporter(settings.on_progress, n_rules, len(parts))
    if isinstance(settings.backend, Native):  # whose single searches are not reported
        settings = replace(settings, backend=replace(settings.backend, on_progress=None))
    began = monotonic()
    tracer = Tracer(task, query, settings, start, reporter.searched)
    preparation = monotonic() - began
    remaining = settings.deadline.remaining
    n_rounds = -(-len(parts) // count_workers(len(parts), task.n_threads))
    # else there is time for rules only
    if remaining is None or (1 - _RULES_SHARE) * remaining > 2 * preparation * n_rounds:
        tracer.settings = tracer.settings.sooner(_RULES_SHARE)
    is_interrupted = False
    try:
        tracer.trace(n_rules)
    except KeyboardInterrupt:
        is_interrupted = True
    steps = _thinned(_steps(tracer, not is_as_printed(settings.strategy)), n_rules)
    literals = tuple(dict.fromkeys(literal for step in steps for literal in step.place.priced.rule.literals))
    errors = list[tuple[float, ...]]()
    if not is_interrupted:
        questions = tuple(Question(step.place.lam, step.place.priced.n_literals) for step in steps)
        trial = Trial(task, questions, literals, settings, preparation)
        results = fold_errors(trial, parts, task.n_threads)
        try:
            for n_done, found in enumerate(results, 1):
                errors += [found] if found is not None else []
                reporter.tried(len(steps), n_done)
        except BaseException as error:
            settings.stop.set()
            results.close()  # folds at work in threads end at once now
            if not isinstance(error, KeyboardInterrupt):
                raise
            is_interrupted = True
    errors = errors if len(errors) > 1 else []  # one fold says nothing about the next
    total = int(tracer.front.query.in_memory.weights.sum())
    points = [
        RulePoint(
            rule=step.shown,
            lam=step.place.lam,
            max_literals=step.place.priced.n_literals,
            training_error=step.errors / total if total else 0.0,
            fold_errors=tuple(fold[n] for fold in errors),
        )
        for n, step in enumerate(steps)
    ]
    return Found(RulePath(tuple(points)), tuple(step.place.priced.rule for step in steps), is_interrupted)


def _steps(tracer: Tracer, reword: bool) -> list[_Step]:
    """Return the rules as they are shown, each larger than the ones before and with fewer errors."""
    query, steps = tracer.front.query, list[_Step]()
    for place in tracer.front.places(tracer.least):
        rule = place.priced.rule
        shown = finished(query, rule, tracer.task, reword)
        steps.append(_Step(place, shown, place.priced.loss - query.reuse_cost * reuses(rule)))
    kept = list[_Step]()
    for step in sorted(steps, key=lambda step: (step.shown.size, step.errors)):
        if not kept or step.errors < kept[-1].errors:
            kept.append(step)
    # a rule that looks at nothing is not worth a place, unless it is all there is
    return kept[1:] if len(kept) > 1 and not kept[0].shown.literals else kept


def _thinned(steps: list[_Step], n_rules: int) -> list[_Step]:
    """Drop rules until ``n_rules`` are left: first those that are not the cheapest at any λ or close to others."""
    steps = list(steps)

    def worth(place: int) -> tuple[bool, float]:
        sizes = [1 + step.shown.size for step in steps]
        return steps[place].place.is_corner, log(sizes[min(place + 1, len(steps) - 1)] / sizes[place - 1])

    while len(steps) > n_rules:
        del steps[min(range(1, max(2, len(steps) - 1)), key=worth)]
    return steps


class _Reporter:
    """Progress of a path, reported to a listener."""

    def __init__(self, listener: Listener | None, n_rules: int, n_folds: int) -> None:
        self._listener, self._n_rules, self._n_folds = listener, n_rules, n_folds
        self._began, self._n_searches = monotonic(), 0
        self._last = (0.0, 0.0)

    def searched(self, answer: Answer) -> None:
        self._n_searches += 1
        self._last = (answer.cost, answer.bound)
        share = min(1.0, self._n_searches / (2.5 * self._n_rules))
        self._report(_RULES_SHARE * share, f"{self._n_searches} search{'es' if self._n_searches > 1 else ''} for rules")

    def tried(self, n_rules: int, n_folds: int) -> None:
        share = _RULES_SHARE + (1 - _RULES_SHARE) * n_folds / self._n_folds
        self._report(share, f"{n_rules} rules, {n_folds} of {self._n_folds} folds")

    def _report(self, share: float, done: str) -> None:
        if self._listener is not None:
            self._listener(PathProgress(*self._last, monotonic() - self._began, share, done))


def learn_at_pick(
    task: TaskInMemory, found: Found, settings: SearchSettings, start: Rule | None
) -> tuple[TaskInMemory, Answer]:
    """Search for the picked rule with full effort: at its λ, for a rule that is not longer.

    If there was no time to pick one, λ is the default. Return the task at that λ, and the answer.
    """
    known = task.knowing(*found.rules)
    if found.path.pick_place is None:
        rules = found.rules
    else:
        point, rules = found.path.pick, (found.rules[found.path.pick_place],)
        known = task.knowing(*rules).within(max_literals=point.max_literals)
        known = replace(known, goal=replace(known.goal, lam=point.lam))
    query = known.query()
    allowed = [rule for rule in (*rules, start) if rule is not None and query.allows(rule)]
    best = min(allowed, key=query.units)
    if found.is_interrupted:
        answer = Incumbent(query, settings.backend, best).answer()
        return known, replace(answer, status="interrupted", query=query)
    return known, learn(known, query, settings, best)
