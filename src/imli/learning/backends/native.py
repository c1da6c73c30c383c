"""The native backend: a search in the compiled kernel for all clauses together, which counts rows as bits."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from time import monotonic

import numpy as np

from imli import _kernel
from imli.errors import RefusedError
from imli.learning.answer import Answer, Progress
from imli.learning.backends.backend import Backend, conclude, watch
from imli.learning.constraints import names
from imli.learning.deadline import Deadline
from imli.learning.query import Query, opposites
from imli.learning.rows import PlainRule, RowSums
from imli.rules import Rule
from imli.rules.formula import slots_of
from imli.rules.score import RIDGE
from imli.table.frame import IntArray

# Words of literals that a search with effort 1 looks at: about a second on two cores. Some 10,000 rows need all of it.
# Less is enough on many rows, where costs differ by less and each word takes longer, and on few rows:
# 11 of 12 fits on 130 to 700 rows found the same cost with 0.3 of the work.
_WORK, _MIDDLE_ROWS, _MANY_ROWS, _LEAST_SHARE = 1e10, 10_000, 20_000, 0.3
_WORDS_BESIDES = 8  # the other work for each literal takes as long as this many words
_MOST_ROUNDS = 50  # of polishing
_CARD_WORK = {"log": 2e8, "errors": 6e8}  # of a search for a score or checklist: half a second on a few thousand rows
_CLOSE = 1e-6  # how far apart the log-losses of the kernel and of NumPy may be


@dataclass(frozen=True)
class Native(Backend):
    """Anytime backend: anneals many rules and crosses the best of them, in the compiled kernel.

    The rule depends on the seed, but not on ``n_threads`` or the speed of the machine, unless the deadline comes
    first.

    Parameters
    ----------
    effort
        Factor for the work that the search may do; 1 is about a second on two cores. ``inf`` searches until the
        deadline.
    seed
        Seed of all random choices.
    n_threads
        Number of threads.
    on_progress
        Function that is called with a ``Progress`` whenever a better rule is found.
    known
        Rules to build on. Those that the query does not allow are ignored.
    whole
        False for one of several searches that build on each other, which then does all the work; True lets a search
        do less work on few or many rows, where less is enough.

    Examples
    --------
    >>> from imli import DNFClassifier, Native
    >>> clf = DNFClassifier(backend=Native(effort=0.3, seed=7))
    """

    effort: float = 1.0
    seed: int = 0
    n_threads: int = 1
    on_progress: Callable[[Progress], None] | None = field(default=None, compare=False)
    known: tuple[Rule, ...] = ()
    whole: bool = True

    name = "native"

    def check(self, query: Query, deadline: Deadline) -> None:
        if math.isinf(self.effort) and deadline.remaining is None:
            raise RefusedError.because(self.name, "effort=inf without an end", "Set a time_limit.")

    def answer(self, query: Query, start: Rule, deadline: Deadline) -> Answer:
        self.check(query, deadline)
        began = monotonic()
        search = (CardRun if query.is_points else NativeRun)(self, query, start, began)
        interrupted = watch(search.run, search.stop, deadline, look=search.look)
        answer = conclude(query, start, search.found(), query.unavoidable(), began, self.name, interrupted)
        try:
            search.report(answer.cost)
        except KeyboardInterrupt:  # in the listener's last call
            conclude(query, start, [answer.rule], query.unavoidable(), began, self.name, interrupted=True)
        return answer


class NativeRun:
    """One run of the kernel's search, with the best rule so far.

    Where there are very many different rows, the search looks at some of them and then polishes its rule on all.
    """

    def __init__(self, native: Native, query: Query, start: Rule, began: float) -> None:
        self.native, self.query, self.start, self.began = native, query, start, began
        self._kernel: _kernel.Search | None = None
        self._searched = query  # or a query about some of the rows
        self._polished: tuple[PlainRule, int] | None = None
        self._work = math.inf  # the limit
        self._reported = math.inf

    def _rows(self) -> "tuple[_kernel.Rows, bool]":
        """Return the rows to search on, and True if these are all."""
        n_threads = self.native.n_threads
        core = self.query.rows.core(self.query, n_threads)
        is_whole = core is None or core.has_all
        if core is not None:
            self._searched = self.query.on_core(core)
            del core  # whose bits the query has in another form
        return self._searched.in_memory.merged(self._searched, n_threads), is_whole

    def run(self, stop: Event) -> None:
        rows, is_whole = self._rows()
        self._work = _work(self.native, rows.n_distinct)
        search = kernel_search(self.native, self._searched, self.start, rows)
        if stop.is_set():
            return
        self._kernel = search
        search.run()
        if not is_whole and not stop.is_set():
            self._polish(stop)

    def _polish(self, stop: Event) -> None:
        assert self._kernel is not None
        clauses, otherwise, _ = self._kernel.best

        def keep(rule: PlainRule, units: int) -> None:
            self._polished = rule, units

        polish(self.query, (clauses, otherwise), self.query.rows.summed(self.query, self.native.n_threads), stop, keep)

    def stop(self) -> None:
        if self._kernel is not None:
            self._kernel.stop()

    def found(self) -> list[Rule]:
        if self._kernel is None:
            return []
        clauses, otherwise, units = self._kernel.best
        searched = self._searched
        if self._polished is not None:
            (clauses, otherwise), units = self._polished
            searched = self.query
        rule = searched.from_plain((clauses, otherwise))
        # the kernel compares slot by slot, which can overstate the distance of a list or set to the rule before
        priced = searched.units(rule)
        is_farther = priced < units and not searched.is_formula and searched.near is not None
        if priced != units and not is_farther:
            raise RuntimeError(
                f"The kernel claims a cost of {units / searched.scale:g} for a rule that costs "
                f"{searched.cost(rule):g}. This is a bug in imli; please report it."
            )
        return [rule]

    def look(self) -> None:
        """Report the best rule so far, if its cost on all rows is known."""
        if self._polished is not None:
            self.report(self._polished[1] / self.query.scale)
        elif self._kernel is not None and self._searched is self.query:
            self.report(self._kernel.best[2] / self.query.scale)

    def report(self, cost: float) -> None:
        if self.native.on_progress is not None and cost < self._reported:
            self._reported = cost
            bound = self.query.unavoidable() / self.query.scale
            self.native.on_progress(Progress(cost, bound, monotonic() - self.began, self._share))

    @property
    def _share(self) -> float:
        """Return the share of the work that is done."""
        return 0.0 if self._kernel is None else min(1.0, self._kernel.work / self._work)


class CardRun(NativeRun):
    """One run of the kernel's search for scores and checklists."""

    _cards: "_kernel.CardSearch | None" = None

    def run(self, stop: Event) -> None:
        rows, _ = self._rows()
        self._work = self.native.effort * _CARD_WORK[self.query.loss]
        search = card_search(self.native, self._searched, self.start, rows, self._work)
        if stop.is_set():
            return
        self._cards = search
        search.run()

    def stop(self) -> None:
        if self._cards is not None:
            self._cards.stop()

    def found(self) -> list[Rule]:
        if self._cards is None:
            return []
        searched = self._searched
        items, units = self._cards.best
        rule = searched.settled(searched.from_plain_items(items))
        priced = searched.units(rule)
        if abs(priced - units) > 2 + _CLOSE * priced and searched.allows(rule):
            raise RuntimeError(
                f"The kernel claims a cost of {units / searched.scale:g} for a rule that costs "
                f"{searched.cost(rule):g}. This is a bug in imli; please report it."
            )
        return [self.query.settled(rule)]

    def look(self) -> None:
        if self._cards is not None and self._searched is self.query:
            self.report(self._cards.best[1] / self.query.scale)

    @property
    def _share(self) -> float:
        return 0.0 if self._cards is None else min(1.0, self._cards.work / self._work)


def card_search(native: Native, query: Query, start: Rule, rows: "_kernel.Rows", work: float) -> "_kernel.CardSearch":
    """Return a search of the kernel for scores and checklists that is ready to run."""
    constraints = query.constraints
    columns = {name: number for number, name in enumerate(dict.fromkeys(each.column for each in query.literals))}
    costs, signs = query.literal_costs.copy(), np.zeros(len(query.literals), dtype=np.int32)
    for j, literal in enumerate(query.literals):
        allowed = [sign for sign in query.signs if constraints.forbids(literal, sign) is None]
        if not allowed:
            costs[j] = -1  # never
        elif len(allowed) == 1:
            signs[j] = allowed[0]
    return _kernel.CardSearch(
        rows,
        costs=costs,
        signs=signs,
        columns=np.array([columns[literal.column] for literal in query.literals], dtype=np.int32),
        lengths=np.array([literal.length for literal in query.literals], dtype=np.int32),
        barred=[
            [query.position[each] for each in opposites(literal) if each in query.position]
            for literal in query.literals
        ],
        always=[[j for j, literal in enumerate(query.literals) if names(word, literal)] for word in constraints.always],
        reuse_cost=query.reuse_cost,
        disjoint=constraints.disjoint,
        max_literals=-1 if constraints.max_literals is None else constraints.max_literals,
        min_rows=constraints.min_rows or 0,
        max_items=query.n_clauses,
        n_locked=query.n_locked,
        item_literals=query.item_literals,
        max_points=query.max_points,
        only_ones=query.kind == "checklist",
        is_log=query.loss == "log",
        ridge=RIDGE,
        start=query.plain_items(start),
        seed=native.seed,
        work=work,
        n_threads=native.n_threads,
        unit=query.scale,
    )


def kernel_search(native: Native, query: Query, start: Rule, rows: "_kernel.Rows | None" = None) -> "_kernel.Search":
    """Return a search of the kernel that is ready to run."""
    clauses, otherwise = query.plain(start)
    rows = query.in_memory.merged(query, native.n_threads) if rows is None else rows
    search = _kernel.Search(
        rows,
        question(query),
        start=clauses,
        otherwise=otherwise,
        seed=native.seed,
        work=_work(native, rows.n_distinct),
        n_threads=native.n_threads,
        unit=query.scale,
    )
    for rule in native.known:
        if query.allows(rule):
            search.build_on(*query.plain(rule))
    return search


def _work(native: Native, n_distinct: int) -> float:
    if n_distinct > _MANY_ROWS:
        return native.effort * _LEAST_SHARE * _WORK
    n_words = max(1, (n_distinct + 63) // 64)
    work = native.effort * _WORK * n_words / (n_words + _WORDS_BESIDES)
    return work * _share(n_distinct) if native.whole else work


def _share(n_distinct: int) -> float:
    """Return the share of the work to do: it grows up to the middle number of rows and then falls again."""
    above = (n_distinct - _MIDDLE_ROWS) / (_MANY_ROWS - _MIDDLE_ROWS)
    return max(_LEAST_SHARE, min(n_distinct / _MIDDLE_ROWS, 1 - (1 - _LEAST_SHARE) * above))


def question(query: Query) -> "_kernel.Question":
    """Return the query without its rows as the kernel takes it, with literals by position."""
    constraints = query.constraints
    columns = {name: number for number, name in enumerate(dict.fromkeys(each.column for each in query.literals))}
    costs = query.price_added.copy()
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
        lengths=np.array([literal.length for literal in query.literals], dtype=np.int32),
        near=near,
        near_cost=near_cost,
        always=[[j for j, literal in enumerate(query.literals) if names(word, literal)] for word in constraints.always],
        every=[query.position[literal] for literal in constraints.every],
        reuse_cost=query.reuse_cost,
        disjoint=constraints.disjoint,
        max_literals=-1 if constraints.max_literals is None else constraints.max_literals,
        min_rows=constraints.min_rows or 0,
        unused_slots=query.unused_slots,
        needs_literals=query.needs_literals,
    )


def _near_costs(query: Query) -> tuple[list[list[int]], int]:
    """Return, near a rule, what each literal adds to the cost in each slot, and the cost of a rule without literals."""
    if query.near is None:
        return [], 0
    by_slot, total = [], 0
    before = slots_of(query.near)
    for slot in (*before, *[None] * (query.n_clauses - len(before))):
        costs = query.price_added.copy()
        old = [query.position[literal] for literal in dict.fromkeys(slot or ())]
        costs[old] = (query.price_kept - query.price_dropped)[old]
        total += int(query.price_dropped[old].sum())
        by_slot.append(costs.tolist())
    return by_slot, total


def polish(query: Query, rule: PlainRule, rows: RowSums, stop: Event, keep: Callable[[PlainRule, int], None]) -> None:
    """Adapt a rule found on some rows to all rows; call ``keep`` with each better rule and its units.

    Each round sums over all rows what each literal would save in each place, and takes the best change.
    """
    asked, min_rows = question(query), query.constraints.min_rows or 0

    def have_enough(candidate: PlainRule, sums: IntArray) -> bool:
        # in a list, a clause takes rows from those after it
        n_rows = sums[1 + len(query.classes) :]
        held = (slot for slot, clause in enumerate(candidate[0]) if clause[0] and slot >= query.n_locked)
        return all(n_rows[slot] >= min_rows for slot in held)

    sums = query.sums(rows, rule)
    if have_enough(rule, sums):
        keep(rule, asked.price(*rule, sums, rows.weight))
    for _ in range(_MOST_ROUNDS):
        for clauses, otherwise, expected in asked.better(*rule, sums, rows.weight):
            if stop.is_set():
                return
            changed, there = (clauses, otherwise), query.sums(rows, (clauses, otherwise))
            units = asked.price(*changed, there, rows.weight)
            if units != expected:
                raise RuntimeError(
                    f"The sums of the rows promised a rule of {expected} units, but it costs {units}. "
                    "This is a bug in imli; please report it."
                )
            if have_enough(changed, there):
                rule, sums = changed, there
                keep(rule, units)
                break
        else:
            return
