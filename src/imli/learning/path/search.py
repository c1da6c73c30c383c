"""."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log
from time import monotonic
from typing import Any

from imli.learning.answer import Answer, Progress
from imli.learning.backends import Backend, Native
from imli.learning.constraints import reuses
from imli.learning.fit import Learned, finished, learn
from imli.learning.path.folds import Part, Trial, count_workers, fold_errors
from imli.learning.path.front import Place
from imli.learning.path.result import RulePath, RulePoint
from imli.learning.path.trace import Question, Tracer
from imli.learning.settings import SearchSettings
from imli.learning.strategies import is_as_printed
from imli.learning.strategies.strategy import Incumbent
from imli.learning.task import TableTraining
from imli.rules import Rule

N_RULES = 20


_RULES_SHARE = 0.3  # of the time; the rest is for the folds


PATH_SHARE = 0.8  # of the time of a fit


Listener = Callable[[Any], None]


@dataclass(frozen=True)
class PathProgress(Progress):
    """How far a path has come: the cost and bound of the last rule, and in words what is done."""

    done: str = ""

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s: {self.done}"


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

    @property
    def question(self) -> Question:
        return Question(self.place.lam, self.place.priced.n_literals)


def find_path(
    training: TableTraining,
    parts: list[Part],
    n_rules: int,
    asking: SearchSettings,
    start: Rule | None = None,
    listener: Listener | None = None,
) -> Found:
    """So many rules from short to long on all rows, and how the answers to the same questions do on the parts."""
    told = _Told(listener, n_rules, len(parts))
    if isinstance(asking.backend, Native):
        asking = replace(asking, backend=replace(asking.backend, on_progress=None))  # of single searches nobody is told
    began = monotonic()
    tracer = Tracer(training, asking, start, told.searched)
    preparation = monotonic() - began
    remaining = asking.deadline.remaining
    n_rounds = -(-len(parts) // count_workers(len(parts), training.n_threads))
    if (
        remaining is None or (1 - _RULES_SHARE) * remaining > 2 * preparation * n_rounds
    ):  # else there is time for rules only
        tracer.asking = tracer.asking.sooner(_RULES_SHARE)
    is_interrupted = False
    try:
        tracer.trace(n_rules)
    except KeyboardInterrupt:
        is_interrupted = True
    steps = _thinned(_steps(tracer, not is_as_printed(asking.strategy)), n_rules)
    literals = tuple(dict.fromkeys(literal for step in steps for literal in step.place.priced.rule.literals))
    errors = list[tuple[float, ...]]()
    if not is_interrupted:
        trial = Trial(training, tuple(step.question for step in steps), literals, asking, preparation)
        results = fold_errors(trial, parts, training.n_threads)
        try:
            for n_done, found in enumerate(results, 1):
                errors += [found] if found is not None else []
                told.tried(len(steps), n_done)
        except BaseException as error:
            asking.stop.set()
            results.close()  # folds at work in threads end at once now
            if not isinstance(error, KeyboardInterrupt):
                raise
            is_interrupted = True
    errors = errors if len(errors) > 1 else []  # one fold says nothing about the next
    total = int(tracer.front.query.weights.sum())
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
    """The rules as they are shown, each larger than the ones before and with fewer errors."""
    query, steps = tracer.front.query, list[_Step]()
    for place in tracer.front.places(tracer.least):
        rule = place.priced.rule
        shown = finished(query, rule, tracer.training, reword)
        steps.append(_Step(place, shown, place.priced.loss - query.reuse_cost * reuses(rule)))
    kept = list[_Step]()
    for step in sorted(steps, key=lambda step: (step.shown.size, step.errors)):
        if not kept or step.errors < kept[-1].errors:
            kept.append(step)
    # a rule that looks at nothing is not worth a place, unless it is all there is
    return kept[1:] if len(kept) > 1 and not kept[0].shown.literals else kept


def _thinned(steps: list[_Step], n_rules: int) -> list[_Step]:
    """No more than so many: rules leave first that are not the cheapest at any λ, and those close to others."""
    steps = list(steps)

    def worth(place: int) -> tuple[bool, float]:
        sizes = [1 + step.shown.size for step in steps]
        return steps[place].place.is_corner, log(sizes[min(place + 1, len(steps) - 1)] / sizes[place - 1])

    while len(steps) > n_rules:
        del steps[min(range(1, max(2, len(steps) - 1)), key=worth)]
    return steps


class _Told:
    """Whoever listens, told of how far it has come."""

    def __init__(self, listener: Listener | None, n_rules: int, n_folds: int) -> None:
        self._listener, self._n_rules, self._n_folds = listener, n_rules, n_folds
        self._began, self._n_searches = monotonic(), 0
        self._last = (0.0, 0.0)

    def searched(self, answer: Answer) -> None:
        self._n_searches += 1
        self._last = (answer.cost, answer.bound)
        share = min(1.0, self._n_searches / (2.5 * self._n_rules))
        self._tell(_RULES_SHARE * share, f"{self._n_searches} search{'es' if self._n_searches > 1 else ''} for rules")

    def tried(self, n_rules: int, n_folds: int) -> None:
        share = _RULES_SHARE + (1 - _RULES_SHARE) * n_folds / self._n_folds
        self._tell(share, f"{n_rules} rules, {n_folds} of {self._n_folds} folds")

    def _tell(self, share: float, done: str) -> None:
        if self._listener is not None:
            self._listener(PathProgress(*self._last, monotonic() - self._began, share, done))


def learn_at_pick(
    training: TableTraining, found: Found, asking: SearchSettings, start: Rule | None
) -> tuple[TableTraining, Learned]:
    """Ask what the picked rule answers with all effort: at its λ, for a rule that is not longer.

    If there was no time to pick one, λ is what it is by default.
    """
    known = training.knowing(*found.rules)
    if found.path.pick_place is None:
        rules = found.rules
    else:
        point, rules = found.path.pick, (found.rules[found.path.pick_place],)
        known = training.knowing(*rules).within(max_literals=point.max_literals)
        known = replace(known, terms=known.terms | {"lam": point.lam})
    allowed = [rule for rule in (*rules, start) if rule is not None and known.query.allows(rule)]
    best = min(allowed, key=known.query.units)
    if found.is_interrupted:
        return known, _as_it_is(known, best, asking.backend)
    return known, learn(known, asking.strategy, asking.backend, asking.deadline, asking.seed, best)


def _as_it_is(training: TableTraining, rule: Rule, backend: Backend) -> Learned:
    query = training.query
    return Learned(query, Incumbent(query, backend, rule).answer(interrupted=True), is_interrupted=True)
