"""Proofs about a rule: first that no other clause in any place of the rule is better, then that no other rule is.

Each proof is a query to RC2, reduced to fewer rows and literals.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from imli.errors import InfeasibleError, Interrupted, RefusedError
from imli.learning.answer import Answer
from imli.learning.backends import RC2
from imli.learning.bits import BitTable
from imli.learning.constraints import names
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.learning.rows.in_memory import RowsInMemory
from imli.learning.strategies.one_clause import ClausePlace
from imli.learning.strategies.strategy import NO_DEADLINE, Incumbent, starting_rule
from imli.rules import Formula
from imli.table.frame import BoolArray, IntArray

_MOST_PRODUCTS = 2e10  # of pairs of literals and rows, in the search for literals that another dominates
_MOST_PAIRS = 2.5e7  # of literals, whose tables take a dozen bytes for each
_PAIRS_A_SECOND = 1e7  # about, on a slow core, where rows are few


def prove(query: Query, answer: Answer, deadline: Deadline) -> Answer:
    """Return the answer, or a better one, with as much of a proof as there is time for."""
    proof = _Proof(query, RC2(), answer.rule, max(round(answer.bound * query.scale), query.unavoidable()))
    interrupted = False
    try:
        proof.certify_clauses(deadline)
        proof.certify_rule(deadline)
    except Interrupted:
        interrupted = True
    except RefusedError:
        pass  # too large to be encoded: the answer of the search stays
    proven = proof.answer(interrupted)
    proven = replace(proven, backend=answer.backend, is_clause_optimal=proof.is_clause_optimal)
    if interrupted:
        raise Interrupted(proven)
    return proven


@dataclass
class _Proof(Incumbent):
    """The best rule so far, and what is proven about it."""

    is_clause_optimal: bool = False

    def certify_clauses(self, deadline: Deadline) -> None:
        """Improve the rule until no other clause in any place that is not locked is better."""
        query = self.query
        if query.kind == "list" and query.constraints.min_rows is not None:
            return  # a clause then also determines how many rows are left for the clauses after it
        if query.near is not None and not query.is_formula:
            return  # the old clause that a clause is compared with then depends on the other clauses
        if query.reuse_cost and query.n_clauses > 1:
            return  # the cost of a literal then depends on the other literals of its clause
        places = self._places()
        while (place := next(places, None)) is not None and not deadline.passed:
            is_better, is_proven = self._improve(place, deadline)
            if is_better:
                places = self._places()  # all of them again
            elif not is_proven:
                return
        if place is not None:
            return  # the time was up
        self.is_clause_optimal = True
        if query.is_formula and query.n_free <= 1:
            self.bound = query.units(self.rule)  # the only clause was the whole query

    def _places(self) -> Iterator[ClausePlace]:
        query, rule = self.query, self.rule
        if isinstance(rule, Formula):
            slots = [*rule.slots, *[None] * (query.n_clauses - len(rule.slots))]
            for position, clause in islice(enumerate(slots), query.n_locked, None):
                # without a rule to stay near, all unused slots are alike
                if clause is not None or query.near is not None or None not in slots[:position]:
                    yield ClausePlace(query, rule, position)
            return
        n_clauses = len(rule.clauses)
        for decides in range(len(query.classes)):
            yield from (ClausePlace(query, rule, position, decides) for position in range(query.n_locked, n_clauses))
            if n_clauses < query.n_clauses:
                positions = range(query.n_locked, n_clauses + 1)
                yield from (ClausePlace(query, rule, position, decides, is_new=True) for position in positions)

    def _improve(self, place: ClausePlace, deadline: Deadline) -> tuple[bool, bool]:
        """Take a better clause for this place; return whether there was one, and else whether that is proven."""
        query, before = self.query, self.rule
        if self.offer(place.filled(None)):
            return True, False
        try:
            question = place.clause_query()
            start = starting_rule(question, deadline)
        except InfeasibleError:
            return False, True  # the constraints leave no clause for this place
        rest = query.units(place.filled_from(start)) - question.units(start)  # the cost of the other clauses
        smaller = reduced(question, deadline)
        enough = query.units(self.rule) - rest - smaller.offset
        is_proven = False

        def take(answer: Answer) -> None:
            nonlocal is_proven
            filled = place.filled_from(answer.rule)
            self.offer(filled)
            if query.needs_literals and not all(filled.clauses[query.n_locked :]):
                return  # the best clause has no literals, so nothing is known of those that have some
            is_proven = answer.status == "optimal" or round(answer.bound * query.scale) >= enough

        _solve(smaller.query, RC2(enough=enough), deadline, take)
        return self.rule is not before, is_proven

    def certify_rule(self, deadline: Deadline) -> None:
        """Improve the rule and its bound by one query for the best of all rules."""
        query = self.query
        if not query.is_formula or self.bound >= query.units(self.rule) or deadline.passed:
            return
        smaller = reduced(query, deadline)

        def take(answer: Answer) -> None:
            if self.offer(answer.rule):
                self.is_clause_optimal = answer.status == "optimal"
            self.bound = max(self.bound, round(answer.bound * query.scale) + smaller.offset)

        _solve(smaller.query, RC2(enough=query.units(self.rule) - smaller.offset, ordered_slots=True), deadline, take)


def _solve(query: Query, backend: RC2, deadline: Deadline, take: Callable[[Answer], None]) -> None:
    """Call ``take`` with the answer, also where Ctrl-C ended the search."""
    backend.check(query, deadline)
    try:
        take(backend.answer(query, starting_rule(query, deadline), deadline))
    except Interrupted as stop:
        take(stop.answer)
        raise


@dataclass(frozen=True, eq=False)
class Reduced:
    """A smaller query with an optimal rule that is optimal for the given query too, at ``offset`` units more."""

    query: Query
    offset: int


def reduced(query: Query, deadline: Deadline = NO_DEADLINE) -> Reduced:
    """Return the query with equal rows merged, without rows of net weight 0 and without dominated literals.

    Rows stay unchanged where ``min_rows`` counts them, and dominated literals where there is no time to look for them.
    """
    if not query.is_formula:
        raise ValueError(f"Only questions about formulas can be reduced, not about {query.scope}.")
    permitted = np.array([query.constraints.forbids(literal) is None for literal in query.literals], dtype=bool)
    rows = query.in_memory
    dense = np.ascontiguousarray(rows.table.dense())
    labels, weights, counts, offset = rows.labels.astype(bool), rows.weights, rows.counts, 0
    if query.constraints.min_rows is None:
        counts = None
        dense, labels, weights, offset = _merged(dense, labels, weights, permitted)
    pairs = len(query.literals) ** 2
    is_small = pairs <= _MOST_PAIRS and pairs * len(labels) <= _MOST_PRODUCTS
    if is_small and (deadline.remaining is None or pairs / _PAIRS_A_SECOND < deadline.remaining):
        kept = permitted & ~_dominated(query, dense, labels, permitted)
    else:
        kept = permitted.copy()
    locked = (literal for clause in query.locked_clauses for literal in clause)
    for literal in (*(query.near.literals if query.near else ()), *query.constraints.every, *locked):
        kept[query.position[literal]] = True
    return Reduced(
        replace(
            query,
            literals=tuple(literal for literal, keep in zip(query.literals, kept.tolist(), strict=True) if keep),
            rows=RowsInMemory(BitTable.from_columns(dense[:, kept].T, len(labels)), labels, weights, counts),
            literal_costs=query.literal_costs[kept],
            move_costs=None if query.move_costs is None else query.move_costs[kept],
        ),
        offset,
    )


def _merged(
    dense: BoolArray, labels: BoolArray, weights: IntArray, permitted: BoolArray
) -> tuple[BoolArray, BoolArray, IntArray, int]:
    """Merge rows that are equal in all literals; return bits, labels and net weights, and the units left out."""
    if not len(labels):
        return dense, labels, weights, 0
    keys = np.packbits(dense[:, permitted], axis=1)
    keys = np.ascontiguousarray(np.column_stack([keys, np.zeros(len(keys), dtype=np.uint8)]))  # at least one byte
    _, first, group = np.unique(
        keys.view([("", np.void, keys.shape[1])]).ravel(), return_index=True, return_inverse=True
    )
    by_label = np.zeros((2, len(first)), dtype=np.int64)
    np.add.at(by_label, (labels.astype(np.intp), group.ravel()), weights)
    net = by_label[1] - by_label[0]
    left = net != 0
    return dense[first[left]], net[left] > 0, np.abs(net[left]), int(by_label.min(axis=0).sum())


def _dominated(query: Query, dense: BoolArray, labels: BoolArray, permitted: BoolArray) -> BoolArray:
    """Return the literals that another dominates: it accepts no fewer rows of one class and no more of the other.

    The other literal can replace a dominated one in every clause of every rule, unless a constraint names either.
    """
    m = len(query.literals)
    dominated = np.zeros(m, dtype=bool)
    constraints = query.constraints
    if constraints.min_rows is not None:
        return dominated
    truth = dense.astype(np.float32)
    accepted, rejected = truth[labels], truth[~labels]
    # missed[j, l]: rows of the first class that j accepts and l does not; wrong[j, l]: of the second, the reverse
    missed = accepted.T @ (1 - accepted)
    wrong = (1 - rejected).T @ rejected
    costs = query.price_added  # literals of a rule to stay near are kept anyway, and cost no more
    as_good = (missed == 0) & (wrong == 0) & (costs[:, None] >= costs[None, :])
    columns = np.array([literal.column for literal in query.literals], dtype=object)
    same_column = columns[:, None] == columns[None, :]
    if constraints.disjoint or query.reuse_cost:
        as_good &= same_column
    asked = np.array(
        [any(names(word, literal) for word in constraints.always) for literal in query.literals], dtype=bool
    )
    as_good[asked] &= same_column[asked]
    as_good &= permitted[None, :] & permitted[:, None]
    for literal in [word for word in constraints.always if not isinstance(word, str)]:
        if literal in query.position:
            as_good[query.position[literal]] = False
    np.fill_diagonal(as_good, False)
    for j in range(m):  # one of two equal literals stays
        dominated[j] = bool((as_good[j] & ~dominated & ~(as_good[:, j] & (np.arange(m) > j))).any())
    return dominated
