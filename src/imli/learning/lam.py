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
_DESCRIPTION = 0.7  # of what it takes to say which literal is meant, in errors
_LEAST_SHARE = 0.0045  # of the errors: what saves less is not worth reading
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
_RATIO = 1.6  # from one λ to the next
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
    At least, a literal must save what it takes to describe it, and some share of all errors. Equal rows and their
    order do not matter, nor where the rows are.
    """
    settings = settings.sooner(_TIME_SHARE)
    n_threads = settings.backend.n_threads if isinstance(settings.backend, Native) else 1
    total, small = _sample(query, n_threads)
    rows = small.in_memory
    positions = rows.labels.astype(np.int64)
    worth = factors[positions] * unit * query.scale  # units of one row
    n_rows = rows.weights / np.where(worth > 0, worth, np.inf)
    by_class = np.bincount(positions, weights=n_rows, minlength=len(query.classes))
    usual, n_least = usual_lam(total / query.scale / unit) * unit, np.sort(by_class)[-2]
    if n_least < _FEWEST_ROWS or not query.literals:
        return usual, False
    n_folds = _MANY_FOLDS if n_rows.sum() < _FEW_ROWS else _FEW_FOLDS
    held_out = _HeldOut(small, lam, deal_counts(n_rows, positions, n_folds), worth, settings)
    weight = float(rows.weights.sum())  # in units, as all from here on
    # rows that count more than others are fewer for what they weigh
    row = float((n_rows * worth**2).sum() / (n_rows * worth).sum())
    least: float | None = usual * query.scale
    with ThreadPoolExecutor(n_threads) as pool:
        if n_least < _TOO_FEW_TO_CHOOSE:
            held_out.run(usual * query.scale, pool.map)
        else:
            first = (weight - float(np.bincount(positions, weights=rows.weights).max())) / 2
            words = row * _DESCRIPTION * math.log2(len(query.literals))
            least = _fall(held_out, first, words, weight, settings, pool.map)
    if least is None:
        return usual, False
    place = held_out.pick(least, _MOST_WORSE * weight)
    if place == 0:  # nothing is worth as much as all errors of the rule to start from
        return _plain(float(held_out.errors[0]) * total / weight / query.scale), True
    if n_least < _TOO_FEW_TO_CHOOSE:
        return usual, False
    return _plain(held_out.middle(place) * total / weight / query.scale), False


def _fall(
    held_out: "_HeldOut", lam: float, words: float, weight: float, settings: SearchSettings, map_all: Callable[..., Any]
) -> float | None:
    """Try falling values of λ; return the least that a literal must save, which comes last, or None without time.

    ``words`` is what it takes to name a literal, in bits times the errors that a bit is worth where one decision in
    three is wrong; ``weight`` is that of all rows.
    """
    while not settings.is_over:
        share = min(max(held_out.fewest / weight, 1e-3), _MOST_ERRORS)
        least = max(words / math.log2((1 - share) / share), _LEAST_SHARE * held_out.fewest)
        held_out.run(max(lam, least), map_all)
        if lam <= least:
            return least
        lam /= _RATIO
    return None


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

    def pick(self, least: float, most_worse: float) -> int:
        """Return the place of the largest λ whose rules are hardly worse than the best at any λ of ``least`` or more.

        The start is to be beaten by a standard error, row by row on the rows held out.
        """
        places = [place for place, lam in enumerate(self.lams) if lam >= least]
        best = min(places, key=lambda place: (self.errors[place], place))
        for place in places:
            worse = self.errors[place] - self.errors[best]
            chance = math.sqrt(self._sum(self._worth**2, self._differ(place, best)))
            if worse <= (chance if place == 0 else min(chance, most_worse)):
                return place
        return best

    def middle(self, place: int) -> float:
        """Return the middle of the λ from this one down at which rules decide all rows held out alike."""
        last = place
        while last + 1 < len(self.lams) and not self._sum(self._worth, self._differ(place, last + 1)):
            last += 1
        return math.sqrt(self.lams[place] * self.lams[last])

    def _differ(self, a: int, b: int) -> list[BoolArray]:
        return [one != other for one, other in zip(self._wrong[a], self._wrong[b], strict=True)]


def _is_group(literal: Literal) -> bool:
    return isinstance(literal, IsIn) and len(literal.values) > 1
