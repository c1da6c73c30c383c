"""The paper's strategies: all at once, batch by batch (section 6.1), clause by clause (sections 6.2 and 7)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic

import numpy as np

from imli.errors import InfeasibleError, RefusedError
from imli.learning.answer import Answer
from imli.learning.backends import Backend
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.learning.strategies.one_clause import one_clause_query
from imli.learning.strategies.strategy import (
    Incumbent,
    Strategy,
    best_so_far,
    share,
    starting_formula,
    starting_rule,
)
from imli.rules import CNF, DNF, Clause, Rule
from imli.table.frame import BoolArray, IntArray


@dataclass(frozen=True)
class Exact(Strategy):
    """Strategy that asks the whole query at once: the paper's non-incremental learner, IMLI-B.

    Parameters
    ----------
    paper
        True for the paper's encoding, in which the rule has exactly ``n_clauses`` clauses; False for at most that
        many.
    """

    paper: bool = False

    def answer(
        self, query: Query, backend: Backend, deadline: Deadline, seed: int = 0, start: Rule | None = None
    ) -> Answer:
        began = monotonic()
        if self.paper:
            query = replace(query, unused_slots=False)
        backend.check(query, deadline)
        answer = backend.answer(query, starting_rule(query, deadline, start), deadline)
        return replace(answer, seconds=monotonic() - began)


@dataclass(frozen=True)
class MiniBatch(Strategy):
    """Strategy that learns on one batch of rows after the other, each time near the last kept rule: IMLI-M.

    A rule is kept if its cost on all rows is lower than that of the last kept rule.

    Parameters
    ----------
    batch_size
        Number of rows in a batch.
    rounds
        Number of batches that each row is part of.
    paper
        False to shuffle the rows such that every batch has its share of both classes, and to start from the cheapest
        constant rule. True for batches in file order, a clause in every slot, and a first rule that is kept
        regardless of its cost.
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
        best = Incumbent(query, backend, starting_rule(query, deadline, None if self.paper else start))
        at_any_cost = self.paper
        batches = list(self._batches(query, seed))
        with best.kept_on_interrupt():
            for n_done, rows in enumerate(batches):
                if deadline.passed:
                    break
                batch = _batch(query, rows, near=best.rule)
                limit = share(deadline, len(batches) - n_done)
                try:
                    first = starting_formula(batch, deadline)
                    answer = best_so_far(partial(backend.answer, batch, first, limit))
                except InfeasibleError:
                    continue  # no rule covers enough of these rows
                if len(rows) == query.n_rows and query.near is None and not best.rule.literals:
                    best.bound = round(answer.bound * query.scale)  # the batch has all rows, so its proof holds
                if best.offer(answer.rule, at_any_cost):
                    at_any_cost = False
                if answer.is_interrupted:
                    raise KeyboardInterrupt
        return best.answer()

    def _batches(self, query: Query, seed: int) -> Iterator[IntArray]:
        """Yield batches of about equal size, in file order or shuffled, each with its share of both classes."""
        n_batches = math.ceil(query.n_rows / self.batch_size)
        labels, rng = query.in_memory.labels, np.random.default_rng(seed)
        for _ in range(self.rounds):
            if self.paper:
                in_order = np.arange(query.n_rows)
                yield from (in_order[start:][: self.batch_size] for start in range(0, len(labels), self.batch_size))
            else:
                order = np.concatenate([rng.permutation(np.flatnonzero(labels == label)) for label in (False, True)])
                yield from (np.sort(order[start::n_batches]) for start in range(n_batches))


def _batch(query: Query, rows: IntArray, near: Rule) -> Query:
    """Return the query about some rows, with ``min_rows`` scaled to them."""
    least = query.constraints.min_rows
    batch = query.on_rows(rows, near=near)
    if least is None:
        return batch
    # locked clauses stay, however few of their rows are in the batch
    n_covered = batch.n_covered(query.rule(query.locked_clauses))
    scaled = min(max(1, least * len(rows) // query.n_rows), *n_covered, least)
    return replace(batch, constraints=replace(query.constraints, min_rows=scaled or None))


@dataclass(frozen=True)
class Iterative(Strategy):
    """Strategy that learns one clause at a time on the rows that no earlier clause covers.

    A clause covers, in a CNF, the rows that do not satisfy it; in a DNF and in a list, those that do; in a set,
    those that do and are of its class. Learning ends when there are ``n_clauses`` clauses, when no row is left,
    or when the next clause covers no remaining row. Locked clauses come first, with the rows they cover.

    In lists and sets each clause predicts the class that weighs most among the remaining rows. In sets, rows that
    are covered already count against the next clause, which keeps overlap low.

    Parameters
    ----------
    one_clause
        The strategy for each clause: ``Exact()``, or ``MiniBatch()``, which gives the paper's IMLI.
    paper
        False to choose the default class that makes the rule cheapest, and to skip a clause that makes the rule
        dearer. True to add every clause; the default is then the largest class that no clause predicts, or else
        the largest class, and ``n_clauses`` counts the default.
    """

    one_clause: Strategy = field(default_factory=Exact)
    paper: bool = False

    def answer(
        self, query: Query, backend: Backend, deadline: Deadline, seed: int = 0, start: Rule | None = None
    ) -> Answer:
        query = replace(query, free_clauses=self.paper)
        best = Incumbent(query, backend, self._start(query, deadline, start))
        learner = _Learner(self, query, backend, deadline, seed)
        with best.kept_on_interrupt():
            for rule in learner.rules():
                # the paper adds a clause regardless of the cost of the whole rule
                best.offer(rule, at_any_cost=self.paper)
                best.bound = learner.bound
        return best.answer()

    def _start(self, query: Query, deadline: Deadline, given: Rule | None) -> Rule:
        # the paper starts from the formula with the locked clauses only, regardless of its cost
        if self.paper and query.is_formula and query.allows(query.rule(query.locked_clauses)):
            return query.rule(query.locked_clauses)
        return starting_rule(query, deadline, given)


class _Learner:
    """One run of ``Iterative``: the clauses so far, and the rows that are left."""

    def __init__(self, strategy: Iterative, query: Query, backend: Backend, deadline: Deadline, seed: int) -> None:
        self.strategy, self.query, self.backend, self.deadline, self.seed = strategy, query, backend, deadline, seed
        self.clauses: list[Clause] = []
        self.classes: list[int] = []  # of each clause, in lists and sets
        self.left = np.ones(query.n_rows, dtype=bool)
        self.bound = 0
        locked = [(clause, 1) for clause in query.locked_clauses] if query.is_formula else query.locked_pairs
        for clause, position in locked:
            self._add(clause, position, self._covered(clause, position))

    def _add(self, clause: Clause, position: int, covered: BoolArray) -> None:
        self.clauses.append(clause)
        self.classes.append(position)
        self.left &= ~covered

    def rules(self) -> Iterator[Rule]:
        """Yield the rule after each clause; raise KeyboardInterrupt after the last one if the user pressed Ctrl-C."""
        counts_default = self.strategy.paper and not self.query.is_formula
        n_clauses = self.query.n_clauses - counts_default
        while len(self.clauses) < n_clauses and self.left.any() and not self.deadline.passed:
            position = 1 if self.query.is_formula else self._majority(self.left)
            try:
                answer = self._ask(position, n_clauses - len(self.clauses))
                if answer.status == "feasible" and not answer.rule.literals:
                    answer = self._ask(position, 1)  # again, because its share of the time was too short
            except InfeasibleError:
                return  # the constraints leave no further clause
            for clause in answer.rule.clauses:  # one, or none
                covered = self._covered(clause, position)
                if self.query.needs_literals and not clause:
                    return  # the default decides the rows that are left
                if covered.any():
                    self._add(clause, position, covered)
                    yield self._rule()
            if answer.is_interrupted:
                raise KeyboardInterrupt
            if not answer.rule.clauses or not covered.any():
                return

    def _ask(self, position: int, n_to_come: int) -> Answer:
        """Return the answer with the next clause, for the class at this position."""
        query, seed = self._one_clause_query(position), self.seed + len(self.clauses)
        limit = share(self.deadline, n_to_come)
        answer = best_so_far(partial(self.strategy.one_clause.answer, query, self.backend, limit, seed))
        if self.query.is_formula and self.query.n_clauses == 1:
            self.bound = round(answer.bound * query.scale)  # the only clause was the whole query
        return answer

    def _one_clause_query(self, position: int) -> Query:
        query = self.query
        if query.is_formula:
            return one_clause_query(query, self.clauses, self.left)
        rows, labels = self.left, query.in_memory.labels == position
        if query.kind == "set":  # rows covered already stay in, as rows to reject
            rows, labels = np.ones_like(self.left), labels & self.left
        return one_clause_query(query, self.clauses, rows, kind="dnf", labels=labels[rows], classes=(False, True))

    def _covered(self, clause: Clause, position: int) -> BoolArray:
        """Return the remaining rows that the clause covers."""
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
            unused = [p for p in range(len(self.query.classes)) if p not in self.classes]
            return self._majority(everyone, among=unused or None)
        no_clause = ~DNF(tuple(self.clauses)).holds(self.query.holds, self.query.n_rows)
        return self._majority(no_clause if no_clause.any() else everyone)

    def _majority(self, rows: BoolArray, among: list[int] | None = None) -> int:
        """Return the class that weighs most in these rows, the first of equal ones."""
        weights = np.zeros(len(self.query.classes), dtype=np.int64)
        here = self.query.in_memory
        np.add.at(weights, here.labels[rows].astype(np.intp), here.weights[rows])
        positions = range(len(weights)) if among is None else among
        return max(positions, key=lambda position: (weights[position], -position))
