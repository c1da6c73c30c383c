"""Our own search, in the compiled kernel: all clauses together, on all rows, with counting in bits."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from time import monotonic
from typing import Any

import numpy as np

from imli import _kernel
from imli.answer import Answer, Progress
from imli.backends.backend import RefusedError
from imli.backends.conclusion import conclude
from imli.backends.watching import watch
from imli.constraints import names
from imli.deadline import Deadline
from imli.distance import slots_of
from imli.query import Query
from imli.rules import Clause, Formula, PairRule, Rule

# Words of literals that a search with effort 1 looks at: about a second on two cores. Where there are many rows less is
# enough: costs differ by less there, and each word takes longer.
_WORK, _WORK_ON_MANY_ROWS, _MANY_ROWS = 1e10, 3e9, 20_000
_WORDS_BESIDES = 8  # what else is done for each literal takes as long as so many words

_PlainClause = tuple[bool, int, list[int]]


@dataclass(frozen=True)
class Native:
    """Anytime: anneals many rules and crosses the best, until it has done the work that ``effort`` allows.

    The same seed gives the same rule, whatever ``n_threads`` is and however fast the machine, unless the deadline
    comes first. An infinite effort searches until then. ``known`` are rules to build on, if the query allows them.
    """

    effort: float = 1.0
    seed: int = 0
    n_threads: int = 1
    on_progress: Callable[[Progress], None] | None = field(default=None, compare=False)
    known: tuple[Rule, ...] = ()

    name = "native"

    def check(self, query: Query, deadline: Deadline) -> None:  # noqa: ARG002
        if math.isinf(self.effort) and deadline.remaining is None:
            raise RefusedError.because(self.name, "effort=inf without an end", "Set a time_limit.")

    def answer(self, query: Query, start: Rule, deadline: Deadline) -> Answer:
        self.check(query, deadline)
        began = monotonic()
        search = _Search(self, query, start, began)
        interrupted = watch(search.run, search.stop, deadline, look=search.look)
        answer = conclude(query, start, search.found(), query.unavoidable, began, self.name, interrupted)
        try:
            search.report(answer.cost)
        except KeyboardInterrupt:  # from whoever listens, at the last word
            conclude(query, start, [answer.rule], query.unavoidable, began, self.name, interrupted=True)
        return answer


class _Search:
    """One run of the kernel's search, and what it has found so far."""

    def __init__(self, native: Native, query: Query, start: Rule, began: float) -> None:
        self.native, self.query, self.start, self.began = native, query, start, began
        self._kernel: _kernel.Search | None = None
        self._work = math.inf  # that may be done
        self._reported = math.inf

    def run(self, stop: Event) -> None:
        rows = self.query.rows(self.native.n_threads)
        self._work = self.native.effort * _default_work(rows.n_distinct)
        search = kernel_search(self.native, self.query, self.start, rows)
        if not stop.is_set():
            self._kernel = search
            search.run()

    def stop(self) -> None:
        if self._kernel is not None:
            self._kernel.stop()

    def found(self) -> list[Rule]:
        if self._kernel is None:
            return []
        clauses, otherwise, units = self._kernel.best
        rule = to_rule(self.query, clauses, otherwise)
        # slot by slot, a list or set may seem farther from the one before than it is
        priced = self.query.units(rule)
        is_farther = priced < units and not self.query.is_formula and self.query.near is not None
        if priced != units and not is_farther:
            raise RuntimeError(
                f"The kernel claims a cost of {units / self.query.scale:g} for a rule that costs "
                f"{self.query.cost(rule):g}. This is a bug in imli; please report it."
            )
        return [rule]

    def look(self) -> None:
        """Tell whoever listens of a better rule."""
        if self._kernel is not None and self.native.on_progress is not None:
            self.report(self._kernel.best[2] / self.query.scale)

    def report(self, cost: float) -> None:
        if self.native.on_progress is not None and cost < self._reported:
            self._reported = cost
            bound = self.query.unavoidable / self.query.scale
            share = 0.0 if self._kernel is None else min(1.0, self._kernel.work / self._work)
            self.native.on_progress(Progress(cost, bound, monotonic() - self.began, share))


def kernel_search(native: Native, query: Query, start: Rule, rows: "_kernel.Rows | None" = None) -> "_kernel.Search":
    clauses, otherwise = to_plain(query, start)
    rows = query.rows(native.n_threads) if rows is None else rows
    search = _kernel.Search(
        rows,
        question(query),
        start=clauses,
        otherwise=otherwise,
        seed=native.seed,
        work=native.effort * _default_work(rows.n_distinct),
        n_threads=native.n_threads,
        unit=query.scale,
    )
    for rule in native.known:
        if query.allows(rule):
            search.build_on(*to_plain(query, rule))
    return search


def question(query: Query) -> "_kernel.Question":
    """What the query asks, apart from its rows."""
    constraints = query.constraints
    columns = {name: number for number, name in enumerate(dict.fromkeys(each.column for each in query.literals))}
    costs = query.prices.added.copy()
    for j, literal in enumerate(query.literals):
        if constraints.forbids(literal) is not None:
            costs[j] = -1  # never
    near, near_cost = _near_costs(query)
    return _kernel.Question(
        kind="formula" if query.is_formula else query.kind,
        n_clauses=query.n_clauses,
        n_locked=query.n_locked,
        n_classes=len(query.classes),
        costs=costs,
        columns=np.array([columns[literal.column] for literal in query.literals], dtype=np.int32),
        near=near,
        near_cost=near_cost,
        always=[[j for j, literal in enumerate(query.literals) if names(word, literal)] for word in constraints.always],
        every=[query.position[literal] for literal in constraints.every],
        reuse_cost=query.reuse_cost,
        disjoint=constraints.disjoint,
        max_literals=-1 if constraints.max_literals is None else constraints.max_literals,
        min_rows=constraints.min_rows or 0,
        unused_slots=query.unused_slots,
    )


def _default_work(n_distinct: int) -> float:
    if n_distinct > _MANY_ROWS:
        return _WORK_ON_MANY_ROWS
    n_words = max(1, (n_distinct + 63) // 64)
    return _WORK * n_words / (n_words + _WORDS_BESIDES)


def _near_costs(query: Query) -> tuple[list[list[int]], int]:
    """What each literal costs in each slot near a rule, less what its absence does; and what no literals cost."""
    if query.near is None:
        return [], 0
    prices = query.prices
    by_slot, total = [], 0
    before = slots_of(query.near)
    for slot in (*before, *[None] * (query.n_clauses - len(before))):
        costs = prices.added.copy()
        old = [query.position[literal] for literal in dict.fromkeys(slot or ())]
        costs[old] = (prices.kept - prices.dropped)[old]
        total += int(prices.dropped[old].sum())
        by_slot.append(costs.tolist())
    return by_slot, total


def to_plain(query: Query, rule: Rule) -> tuple[list[_PlainClause], int]:
    unused: _PlainClause = (False, 0 if not query.is_formula else 1, [])
    plain: list[_PlainClause] = []
    if isinstance(rule, PairRule):
        position = {label: n for n, label in enumerate(query.classes)}
        plain = [(True, position[label], _positions(query, clause)) for clause, label in rule.pairs]
        otherwise = position[rule.default]
    else:
        assert isinstance(rule, Formula)
        plain = [unused if clause is None else (True, 1, _positions(query, clause)) for clause in rule.slots]
        otherwise = 0
    return plain + [unused] * (query.n_clauses - len(plain)), otherwise


def _positions(query: Query, clause: Clause) -> list[int]:
    return [query.position[literal] for literal in clause]


def to_rule(query: Query, clauses: list[Any], otherwise: int) -> Rule:
    slots = [(tuple(query.literals[j] for j in sorted(chosen)), decides) if held else None
             for held, decides, chosen in clauses]  # fmt: skip
    if query.is_formula:
        if query.near is None:
            slots.sort(key=lambda slot: slot is None)
        learned = (None if slot is None else slot[0] for slot in slots[query.n_locked :])
        return query.rule((*query.locked_clauses, *learned))
    pairs = [slot for slot in slots[query.n_locked :] if slot is not None]
    return query.pair_rule([*query.locked_pairs, *pairs], otherwise)
