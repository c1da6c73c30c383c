"""The default of λ, the errors that a literal must save: chosen on rows held out."""

import math
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from imli import _kernel
from imli.learning.answer import Answer
from imli.learning.backends.native import Native, kernel_search
from imli.learning.deadline import SearchSettings
from imli.learning.fit import learn, unsearched
from imli.learning.query import Query
from imli.learning.rows.coreset import Core
from imli.learning.rows.in_memory import RowsInMemory
from imli.learning.strategies.strategy import starting_rule
from imli.learning.task import Task
from imli.rules import Rule
from imli.rules.literals import IsIn, Literal
from imli.table.frame import BoolArray, FloatArray, IntArray

# Chosen on Parkinsons, Pima, MAGIC, Credit, Bank and Weather, by rows that neither a rule nor its λ had seen:
# benchmarks/README.md has the length and the accuracy of rules beside those with λ by the number of rows.
_MULTIPLES = (2.5, 1.8, 1.35, 1.0)  # of λ by the number of rows; larger ones only if rules are clearly better at them,
_CLEARLY = 2.0  # by so many standard errors
_MOST_WORSE = 0.002  # of the rows: a shorter rule may be wrong on so many more, if that may also be chance

# Chosen on Parkinsons, Pima, tumours, Titanic and Credit by log-loss and AUC on rows held out: at twice as much, the
# mean AUC was 0.01 lower, at two thirds it was as high with four conditions more.
_CARD_SHARE = 0.25

PROVISIONAL_LAM = 0.01  # for literals to have a price before λ is known
_MOST_ROWS = 16_384  # different ones
_FEW_ROWS, _MANY_FOLDS, _FEW_FOLDS = 2_000, 5, 3
# Rows of the second largest class. With fewer than the first number folds say nothing, with fewer than the second they
# say only whether there is anything to learn.
_FEWEST_ROWS, _TOO_FEW_TO_CHOOSE = 5, 25
_RATIO = 2.0  # from one of the larger λ to the next
_N_STEPS = 60  # of the walk at each λ
_TIME_SHARE = 0.3  # of the time left,
_LEAST_SECONDS = 3.0  # of which there must be so much
_MOST_ERRORS = 0.3  # the share of errors at which a literal is charged the most


def usual_lam(weight: float, stand_for: float = 1.0) -> float:
    """Return λ by the number of rows alone: 0.8 for each doubling beyond 32, from 5,000 on a twelfth of their root.

    Where each row stands for several that were dropped, chance counts for more, by the square root of their number.
    """
    n_rows = max(1.0, weight)
    lam = max(1.0, 0.8 * (math.log2(n_rows) - 5), math.sqrt(n_rows) / 12)
    return round(lam * math.sqrt(stand_for), 1)


def learn_at_choice(task: Task, query: Query, settings: SearchSettings, start: Rule | None) -> tuple[Task, Answer]:
    """Choose λ on rows held out and search for the rule. Return the task at that λ, and the answer."""
    lam = task.goal.lam
    remaining = settings.deadline.remaining
    if remaining is not None and remaining < _LEAST_SECONDS:
        usual = usual_lam(task.weight / task.row_weight) * task.row_weight
        task = replace(task, goal=replace(task.goal, lam=usual))
        return task, learn(task, query.repriced(usual / lam), settings, start)
    try:
        chosen, is_hopeless = choose_lam(query, lam, task.goal_factors, task.row_weight, settings)
    except KeyboardInterrupt:
        return task, unsearched(query, settings, start)
    task = replace(task, goal=replace(task.goal, lam=chosen))
    answer = learn(task, query.repriced(chosen / lam), settings, start)
    return task, replace(answer, is_hopeless=is_hopeless)


def learn_card(task: Task, query: Query, settings: SearchSettings, start: Rule | None) -> tuple[Task, Answer]:
    """Search for a score or checklist at the usual λ. Return the task at that λ, and the answer."""
    lam = task.goal.lam
    usual = card_lam(task, query)
    task = replace(task, goal=replace(task.goal, lam=usual))
    return task, learn(task, query.repriced(usual / lam), settings, start)


def card_lam(task: Task, query: Query) -> float:
    """Return λ of a score or checklist: a share of the logarithm of the number of rows.

    With ``loss="errors"`` it is the whole of what the criterion of Schwarz takes, half the logarithm: there, a nat is
    about one wrong decision. Log-losses are shrunk besides, so that half as much is enough.
    """
    n_rows = max(2.0, task.weight / task.row_weight)
    share = _CARD_SHARE if query.loss == "log" else 2 * _CARD_SHARE
    return float(f"{share * math.log(n_rows) * task.row_weight:.3g}")


def choose_lam(
    query: Query, lam: float, factors: FloatArray, unit: float, settings: SearchSettings
) -> tuple[float, bool]:
    """Return the largest λ at which rules are about as right as they get on rows that had no part in learning them.

    The second part is True if no rule was better on those rows than the one to start from.
    ``query`` is priced at ``lam``. ``factors`` has what a row of each class counts, ``unit`` what one row weighs.
    The λ is a multiple of that by the number of rows, and at least what it takes to describe a literal. Where rows are
    left out, the multiple is that of those which are there. Equal rows and their order do not matter, nor where the
    rows are.
    """
    settings = settings.sooner(_TIME_SHARE)
    n_threads = settings.backend.n_threads if isinstance(settings.backend, Native) else 1
    total, small = _sample(query, n_threads)
    rows = small.in_memory
    positions = rows.labels.astype(np.int64)
    worth = factors[positions] * unit * query.scale  # units of one row
    n_rows = rows.weights / np.where(worth > 0, worth, np.inf)
    n_least = np.sort(np.bincount(positions, weights=n_rows, minlength=len(query.classes)))[-2]
    weight = float(rows.weights.sum())  # in units, as all from here on
    # rows that count more than others are fewer for what they weigh
    row = float((n_rows * worth**2).sum() / max(weight, 1.0))
    usual, usual_here = (usual_lam(each / row) * row if row else 1.0 for each in (total, weight))
    if n_least < _FEWEST_ROWS or not query.literals:
        return usual / query.scale, False
    n_folds = _MANY_FOLDS if n_rows.sum() < _FEW_ROWS else _FEW_FOLDS
    held_out = _HeldOut(small, lam, deal_counts(n_rows, positions, n_folds), worth, settings)
    with ThreadPoolExecutor(n_threads) as pool:
        if n_least < _TOO_FEW_TO_CHOOSE:
            held_out.run(usual_here, pool.map)
        else:
            lams = [usual_here * multiple for multiple in _MULTIPLES]
            while lams[0] * 2 * _RATIO < weight - float(np.bincount(positions, weights=rows.weights).max()):
                lams.insert(0, lams[0] * _RATIO)
            words = row * math.log2(len(query.literals))
            if not _fall(held_out, lams, words, weight, settings, pool.map):
                return usual / query.scale, False
    place = held_out.pick(_MULTIPLES[0] * usual_here, _MOST_WORSE * weight)
    if place == 0:  # nothing is worth as much as all errors of the rule to start from
        return _plain(held_out.errors[0] * total / weight / query.scale), True
    if n_least < _TOO_FEW_TO_CHOOSE:
        return usual / query.scale, False
    return _plain(held_out.lams[place] / usual_here * usual / query.scale), False


def _fall(
    held_out: "_HeldOut", lams: list[float], words: float, weight: float, settings: SearchSettings,
    map_all: Callable[..., Any],
) -> bool:  # fmt: skip
    """Try falling values of λ as long as a literal can be described; return False if the time was over before.

    To describe it takes ``words``, the bits that name it, times what a row weighs; and a bit is worth the more errors,
    the more decisions are wrong. ``weight`` is that of all rows.
    """
    for lam in lams:
        if settings.is_over:
            return False
        share = min(max(held_out.fewest / weight, 1e-3), _MOST_ERRORS)
        least = words / math.log2((1 - share) / share)
        held_out.run(max(lam, least), map_all)
        if lam <= least:
            break
    return True


def _plain(lam: float) -> float:
    """Return a number of two digits."""
    return float(f"{lam:.2g}")


def _sample(query: Query, n_threads: int) -> tuple[float, Query]:
    """Return the weight of all rows, in units, and the query about some of them, those of least hash.

    ``min_rows`` is left out, since it is about all rows.
    """
    core = query.rows.core(query, n_threads)
    if core is None:
        rows = query.in_memory
        core = Core.of(rows.table, rows.labels, rows.weights, len(query.classes), n_threads, _MOST_ROWS)
    some = replace(
        core, keys=core.keys[:_MOST_ROWS], by_class=core.by_class[:_MOST_ROWS], counts=core.counts[:_MOST_ROWS]
    )
    table, labels, weights, _ = some.table()
    rows = RowsInMemory(table, labels.astype(bool) if query.is_binary else labels, weights)
    return float(core.weight), replace(query, rows=rows, constraints=replace(query.constraints, min_rows=None))


def deal_counts(n_rows: FloatArray, positions: IntArray, n_folds: int) -> FloatArray:
    """Return how many of the rows that each row stands for are held out in each fold.

    The rows of each class are dealt out one by one, so that it does not matter whether rows are repeated or weigh more,
    as long as equal rows are neighbours.
    """
    held = np.zeros((n_folds, len(n_rows)))
    for position in np.unique(positions):
        of_class = np.flatnonzero(positions == position)
        ends = np.append(0.0, np.ceil(np.cumsum(n_rows[of_class]) - 1e-9))
        for fold in range(n_folds):
            held[fold, of_class] = np.diff(np.floor((ends + n_folds - 1 - fold) / n_folds))
    return held


class _HeldOut:
    """Rules learned at falling λ on all folds but one, and their errors on that one. The first is the start."""

    def __init__(self, query: Query, lam: float, held: FloatArray, worth: FloatArray, settings: SearchSettings) -> None:
        self._query, self._held, self._worth = query, held, worth
        start = starting_rule(query, settings.deadline)
        self._per_lam = query.literal_costs / (lam * query.scale)
        # the labels of all rows, those held out, too, have said which values go together
        needed = {*start.literals, *query.constraints.every}
        barred = [
            query.constraints.forbids(each) is not None or (_is_group(each) and each not in needed)
            for each in query.literals
        ]
        self._barred = np.array(barred, dtype=bool)
        rows = query.in_memory
        units = rows.weights.astype(np.float64)
        self._searches = list[_kernel.Search]()
        for fold, some in enumerate(held):
            rest = replace(rows, weights=np.maximum(0, np.round(units - some * worth)).astype(np.int64))
            native = Native(seed=settings.seed + fold)
            self._searches.append(kernel_search(native, replace(query, rows=rest), start, rest.merged(query)))
        self.lams, self.errors = [math.inf], list[float]()
        self._wrong = list[list[BoolArray]]()
        self._note([start] * len(held))

    @property
    def fewest(self) -> float:
        """Return the fewest errors on rows held out, in units."""
        return max(min(self.errors), 1.0)

    def run(self, lam: float, map_all: Callable[..., Iterable[Rule]]) -> None:
        """Learn on all folds but one, each in turn, at this λ in units."""
        n_folds = len(self._held)
        costs = np.round(self._per_lam * (lam * (n_folds - 1) / n_folds)).astype(np.int64)
        costs[self._barred] = -1

        def learn(search: _kernel.Search) -> Rule:
            search.reprice(costs)
            search.improve(_N_STEPS)
            clauses, otherwise, _ = search.best
            return self._query.from_plain((clauses, otherwise))

        self._note(map_all(learn, self._searches))
        self.lams.append(lam)

    def _note(self, rules: Iterable[Rule]) -> None:
        query, rows = self._query, self._query.in_memory
        wrong = [rule.decisions(query.holds, rows.n_rows, query.classes) != rows.labels for rule in rules]
        self.errors.append(self._sum(self._worth, wrong))
        self._wrong.append(wrong)

    def _sum(self, amounts: FloatArray, where: Iterable[BoolArray]) -> float:
        return float(sum((amounts[mask] * held[mask]).sum() for held, mask in zip(self._held, where, strict=True)))

    def pick(self, most: float, most_worse: float) -> int:
        """Return the place of the largest λ up to ``most`` whose rules are hardly worse than the best.

        They may be by what may be chance, a standard error, row by row on the rows held out, but not by more than
        ``most_worse``. Larger λ count if rules are clearly better at them. The start is to be beaten, too.
        """
        places = range(1, len(self.lams))
        near = [place for place in places if self.lams[place] <= most * (1 + 1e-9)] or [places[-1]]
        best, best_near = (min(some, key=lambda place: (self.errors[place], place)) for some in (places, near))
        if self.errors[0] - self.errors[best] <= self._chance(0, best):
            return 0
        if self.errors[best_near] - self.errors[best] > _CLEARLY * self._chance(best_near, best):
            near, best_near = list(places), best
        worse = {place: self.errors[place] - self.errors[best_near] for place in near}
        return next(place for place in near if worse[place] <= min(most_worse, self._chance(place, best_near)))

    def _chance(self, a: int, b: int) -> float:
        return math.sqrt(self._sum(self._worth**2, self._differ(a, b)))

    def _differ(self, a: int, b: int) -> list[BoolArray]:
        return [one != other for one, other in zip(self._wrong[a], self._wrong[b], strict=True)]


def _is_group(literal: Literal) -> bool:
    return isinstance(literal, IsIn) and len(literal.values) > 1
