"""The brute-force backend, which tries every rule: the oracle that every other backend is tested against."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, product
from math import comb
from time import monotonic

from imli.errors import Interrupted, RefusedError
from imli.learning.answer import Answer
from imli.learning.backends.backend import Backend, answer_with
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.rules import Clause, PointRule, Rule


@dataclass(frozen=True)
class Brute(Backend):
    """Backend that enumerates all rules in the order of the literals and keeps the cheapest allowed one."""

    max_rules: int = 1_000_000

    name = "brute"

    def check(self, query: Query, deadline: Deadline) -> None:
        if _n_rules(query) > self.max_rules:
            raise RefusedError.because(
                self.name,
                f"n_clauses={query.n_clauses} over {len(query.literals):,} literals",
                f"That is more than the {self.max_rules:,} rules that it tries. Use backend='rc2'.",
            )

    def answer(self, query: Query, start: Rule, deadline: Deadline) -> Answer:
        self.check(query, deadline)
        began = monotonic()
        best, units = start, query.units(start)
        is_complete, interrupted = True, False
        try:
            for rule in all_rules(query):
                price = query.units(rule)
                is_better = price < units or (price == units and query.length(rule) < query.length(best))
                if is_better and query.allows(rule):
                    best, units = rule, price
                if deadline.passed:
                    is_complete = False
                    break
        except KeyboardInterrupt:
            is_complete, interrupted = False, True
        answer = answer_with(query, best, units if is_complete else 0, began, self.name, interrupted)
        if interrupted:
            raise Interrupted(answer)
        return answer


def _n_rules(query: Query) -> int:
    n_clauses, n_classes = query.n_free, len(query.classes)
    if query.is_points:
        sizes = range(1, query.item_literals + 1)
        n_items = len(query.points) * sum(comb(len(query.literals), size) for size in sizes)
        return sum(comb(n_items, n) for n in range(n_clauses + 1))
    if not query.is_formula:
        pairs = n_classes << len(query.literals)
        return n_classes * sum(int(pairs**n) for n in range(n_clauses + 1))
    per_slot = (1 << len(query.literals)) + int(query.unused_slots)
    return comb(per_slot + n_clauses - 1, n_clauses) if query.near is None else int(per_slot**n_clauses)


def all_rules(query: Query) -> Iterator[Rule]:
    """Yield every rule of the query's kind, literals and number of clauses, allowed or not."""
    if query.is_points:
        yield from _all_cards(query)
        return
    sizes = range(len(query.literals) + 1)
    clauses: list[Clause] = [clause for size in sizes for clause in combinations(query.literals, size)]
    if not query.is_formula:
        positions = range(len(query.classes))
        pairs = list(product(clauses, positions))
        for n_pairs in range(query.n_free + 1):
            for others in product(pairs, repeat=n_pairs):
                yield from (query.pair_rule((*query.locked_pairs, *others), default) for default in positions)
        return
    slots: list[Clause | None] = [None, *clauses] if query.unused_slots else [*clauses]
    chosen: Iterator[tuple[Clause | None, ...]] = product(slots, repeat=query.n_free)
    if query.near is None:  # the order of clauses does not matter
        chosen = combinations_with_replacement(slots, query.n_free)
    yield from (query.rule((*query.locked_clauses, *others)) for others in chosen)


def _all_cards(query: Query) -> Iterator[PointRule]:
    """Yield every score or checklist, each with the threshold that suits the rows best."""
    sizes = range(1, query.item_literals + 1)
    clauses = [clause for size in sizes for clause in combinations(query.literals, size)]
    for n_items in range(query.n_free + 1):
        for chosen in combinations(clauses, n_items):
            for points in product(query.points, repeat=n_items):
                learned = zip(chosen, points, strict=True)
                yield query.settled(query.point_rule((*query.locked_items, *learned)))
