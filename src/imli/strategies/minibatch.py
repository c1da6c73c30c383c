"""Batch by batch: section 6.1 of the paper."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from imli.answer import Answer, Interrupted
from imli.arrays import BoolArray, IntArray
from imli.backends import Backend, RefusedError
from imli.constraints import InfeasibleError
from imli.deadline import Deadline
from imli.feasibility import starting_formula, starting_rule
from imli.query import Query
from imli.rules import Formula, Rule
from imli.strategies.strategy import Incumbent, share


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
                yield from _stratified(query.labels.astype(bool), n_batches, rng)


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
