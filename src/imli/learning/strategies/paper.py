"""All at once.

Batch by batch: section 6.1 of the paper.

Clause by clause: section 6.2 of the paper for formulas, section 7 for lists and sets.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from time import monotonic

import numpy as np

from imli.errors import InfeasibleError, Interrupted, RefusedError
from imli.learning.answer import Answer, Deadline
from imli.learning.backends import Backend
from imli.learning.feasibility import starting_formula, starting_rule
from imli.learning.query import Query
from imli.learning.strategies.one_clause import one_clause_query
from imli.learning.strategies.strategy import Incumbent, Strategy, share
from imli.rules import CNF, DNF, Clause, Formula, Rule
from imli.table.frame import BoolArray, IntArray


@dataclass(frozen=True)
class Exact:
    """The whole query at once: the paper's non-incremental learner, IMLI-B.

    With ``paper=True`` every slot holds a clause, as the paper prints it, so that the rule has exactly
    ``n_clauses`` clauses; otherwise it has at most that many.
    """

    paper: bool = False

    def answer(
        self,
        query: Query,
        backend: Backend,
        deadline: Deadline,
        seed: int = 0,  # noqa: ARG002
        start: Rule | None = None,
    ) -> Answer:
        began = monotonic()
        if self.paper:
            query = replace(query, unused_slots=False)
        backend.check(query, deadline)
        answer = backend.answer(query, starting_rule(query, deadline, start), deadline)
        return replace(answer, seconds=monotonic() - began)


@dataclass(frozen=True)
class MiniBatch:
    """Learns on one batch of rows after the other, each time near the last rule that was kept: IMLI-M.

    A rule is kept if its cost on all rows is lower than that of the last. Each row takes part in ``rounds``
    batches. By default rows are shuffled, with the seed, such that every batch has its share of both classes,
    and the search starts from the cheapest constant. With ``paper=True`` batches are taken in file order, every
    slot holds a clause, and the first rule that is learned is kept whatever it costs.
    """

    batch_size: int = 400
    rounds: int = 2
    paper: bool = False

    def answer(
        self, query: Query, backend: Backend, deadline: Deadline, seed: int = 0, start: Rule | None = None
    ) -> Answer:
        if not query.is_formula:
            raise RefusedError.because(
                backend.name, "decision lists and sets in mini-batches", "Use strategy='incremental'."
            )
        if self.paper:
            query = replace(query, unused_slots=False)
        first = starting_rule(query, deadline, None if self.paper else start)
        assert isinstance(first, Formula)
        best = Incumbent(query, backend, first)
        lowest = math.inf if self.paper else query.units(best.rule)
        batches = list(self._batches(query, seed))
        with best.kept_on_interrupt():
            for n_done, rows in enumerate(batches):
                if deadline.passed:
                    break
                batch = _batch(query, rows, near=best.rule)
                limit = share(deadline, len(batches) - n_done)
                interrupted = False
                try:
                    answer = backend.answer(batch, starting_formula(batch, deadline), limit)
                except InfeasibleError:
                    continue  # these rows leave no rule that covers enough of them
                except Interrupted as stop:
                    answer, interrupted = stop.answer, True
                if len(rows) == query.n_rows and query.near is None and not best.rule.literals:
                    best.bound = answer.bound  # the batch was everything, so its proof holds
                units = query.units(answer.rule)
                if units < lowest and query.allows(answer.rule):
                    best.rule, lowest = answer.rule, units
                if interrupted:
                    raise KeyboardInterrupt
        return best.answer()

    def _batches(self, query: Query, seed: int) -> Iterator[IntArray]:
        n_batches = math.ceil(query.n_rows / self.batch_size)
        rng = np.random.default_rng(seed)
        for _ in range(self.rounds):
            if self.paper:
                starts = range(0, query.n_rows, self.batch_size)
                yield from (np.arange(start, min(start + self.batch_size, query.n_rows)) for start in starts)
            else:
                yield from _stratified(query.in_memory.labels.astype(bool), n_batches, rng)


def _stratified(labels: BoolArray, n_batches: int, rng: np.random.Generator) -> Iterator[IntArray]:
    """Shuffled batches of about equal size, each with its share of both classes."""
    order = np.concatenate([rng.permutation(np.flatnonzero(labels == label)) for label in (False, True)])
    for start in range(n_batches):
        yield np.sort(order[start::n_batches])


def _batch(query: Query, rows: IntArray, near: Rule) -> Query:
    """The query about some rows, with the rows that a clause must cover scaled to them."""
    least = query.constraints.min_rows
    batch = query.on_rows(rows, near=near)
    if least is None:
        return batch
    # locked clauses stay, however few of their rows are here
    n_covered = batch.n_covered(query.rule(query.locked_clauses))
    scaled = min(max(1, least * len(rows) // query.n_rows), *n_covered, least)
    return replace(batch, constraints=replace(query.constraints, min_rows=scaled or None))


@dataclass(frozen=True)
class Iterative:
    """Learns one clause at a time on the rows that no earlier clause covers.

    A clause covers, in a CNF, the rows that do not satisfy it; in a DNF and in a list, those that do; in a set,
    those that do and are of its class. Learning ends when there are ``n_clauses`` clauses, when no row is left,
    or when the next clause covers none of those that are. Locked clauses come first, with the rows they cover.

    In lists and sets each clause speaks for the class that weighs most among the remaining rows. In sets, rows
    that are covered already count against the next clause, which keeps overlap low. The default class is the
    one that makes the rule cheapest; with ``paper=True`` it is the largest class that no clause speaks for, or
    else the largest class, and ``n_clauses`` counts the default.

    ``one_clause`` learns each clause: ``Exact()``, or ``MiniBatch()``, which gives the paper's IMLI.
    """

    one_clause: Strategy = field(default_factory=Exact)
    paper: bool = False

    def answer(
        self, query: Query, backend: Backend, deadline: Deadline, seed: int = 0, start: Rule | None = None
    ) -> Answer:
        best = Incumbent(query, backend, self._start(query, deadline, start))
        learner = _Learner(self, query, backend, deadline, seed)
        with best.kept_on_interrupt():
            for rule in learner.rules():
                if self._keeps(rule, best):
                    best.rule = rule
                best.bound = learner.bound
        return best.answer()

    def _start(self, query: Query, deadline: Deadline, given: Rule | None) -> Rule:
        # the paper starts from the formula without clauses (but locked ones), whatever it costs
        if self.paper and query.is_formula and query.allows(query.rule(query.locked_clauses)):
            return query.rule(query.locked_clauses)
        return starting_rule(query, deadline, given)

    def _keeps(self, rule: Rule, best: Incumbent) -> bool:
        # The paper adds a clause whatever it does to the whole rule. Otherwise a rule that costs more is passed
        # over, though the clauses after it may still make up for it.
        if not best.query.allows(rule):
            return False
        return self.paper or best.query.units(rule) < best.query.units(best.rule)


class _Learner:
    """One run: the clauses so far, and the rows that are left."""

    def __init__(self, strategy: Iterative, query: Query, backend: Backend, deadline: Deadline, seed: int) -> None:
        self.strategy, self.query, self.backend, self.deadline, self.seed = strategy, query, backend, deadline, seed
        self.clauses: list[Clause] = []
        self.classes: list[int] = []  # of each clause, in lists and sets
        self.left = np.ones(query.n_rows, dtype=bool)
        self.bound = 0.0
        self._begin_with_locked()

    def _begin_with_locked(self) -> None:
        query = self.query
        formula = [(clause, 1) for clause in query.locked_clauses]
        for clause, position in formula if query.is_formula else query.locked_pairs:
            self.clauses.append(clause)
            self.classes.append(position)
            self.left &= ~self._covered(clause, position)

    def rules(self) -> Iterator[Rule]:
        """The rule after each clause. Raises KeyboardInterrupt after the last one if the user pressed Ctrl-C."""
        counts_default = self.strategy.paper and not self.query.is_formula
        n_clauses = self.query.n_clauses - counts_default
        while len(self.clauses) < n_clauses and self.left.any() and not self.deadline.passed:
            position = 1 if self.query.is_formula else self._majority(self.left)
            interrupted = False
            try:
                answer = self._ask(position, n_clauses - len(self.clauses))
                if answer.status == "feasible" and not answer.rule.literals:
                    answer = self._ask(position, 1)  # its share of the time was too little
            except InfeasibleError:
                return  # the constraints leave no further clause
            except Interrupted as stop:
                answer, interrupted = stop.answer, True
            for clause in answer.rule.clauses:  # one, or none
                covered = self._covered(clause, position)
                if covered.any():
                    self.clauses.append(clause)
                    self.classes.append(position)
                    self.left &= ~covered
                    yield self._rule()
            if interrupted:
                raise KeyboardInterrupt
            if not answer.rule.clauses or not covered.any():
                return

    def _ask(self, position: int, n_to_come: int) -> Answer:
        """The next clause, for the class at this position."""
        query, seed = self._one_clause_query(position), self.seed + len(self.clauses)
        limit = share(self.deadline, n_to_come)
        answer = self.strategy.one_clause.answer(query, self.backend, limit, seed)
        if self.query.is_formula and self.query.n_clauses == 1:
            self.bound = answer.bound  # this was the whole question
        return answer

    def _one_clause_query(self, position: int) -> Query:
        query = self.query
        if query.is_formula:
            return one_clause_query(query, self.clauses, self.left)
        rows, labels = self.left, query.in_memory.labels == position
        if query.kind == "set":  # what is covered already stays in, as rows to keep away from
            rows, labels = np.ones_like(self.left), labels & self.left
        return one_clause_query(query, self.clauses, rows, kind="dnf", labels=labels[rows], classes=(False, True))

    def _covered(self, clause: Clause, position: int) -> BoolArray:
        """The remaining rows that the clause covers."""
        query = self.query
        formula = CNF((clause,)) if query.kind == "cnf" else DNF((clause,))
        covered = formula.covered(clause, query.holds, query.n_rows) & self.left
        if query.kind == "set":
            covered &= query.in_memory.labels == position
        return covered

    def _rule(self) -> Rule:
        if self.query.is_formula:
            return self.query.rule(tuple(self.clauses))
        return self.query.pair_rule(zip(self.clauses, self.classes, strict=True), self._default())

    def _default(self) -> int:
        everyone = np.ones_like(self.left)
        if self.strategy.paper:
            silent = [p for p in range(len(self.query.classes)) if p not in self.classes]
            return self._majority(everyone, among=silent or None)
        no_clause = ~DNF(tuple(self.clauses)).holds(self.query.holds, self.query.n_rows)
        return self._majority(no_clause if no_clause.any() else everyone)

    def _majority(self, rows: BoolArray, among: list[int] | None = None) -> int:
        """The class that weighs most in these rows; the first among equals."""
        weights = np.zeros(len(self.query.classes), dtype=np.int64)
        here = self.query.in_memory
        np.add.at(weights, here.labels[rows].astype(np.intp), here.weights[rows])
        positions = range(len(weights)) if among is None else among
        return max(positions, key=lambda position: (weights[position], -position))
