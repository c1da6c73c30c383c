"""Tries every rule. The oracle that every other backend is tested against."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, product
from math import comb
from time import monotonic

from imli.answer import Answer, Interrupted
from imli.backends.backend import RefusedError
from imli.deadline import Deadline
from imli.query import Query
from imli.rules import Clause, Formula


@dataclass(frozen=True)
class Brute:
    """Enumerates all rules that the query could mean, in order of literals, and keeps the cheapest allowed one."""

    max_rules: int = 1_000_000

    name = "brute"

    def check(self, query: Query, deadline: Deadline) -> None:  # noqa: ARG002
        n_rules = _n_rules(query)
        if n_rules > self.max_rules:
            raise RefusedError(
                self.name,
                [f"{query.n_clauses} clauses over {len(query.literals)} literals, which are {n_rules:,} rules"],
                f"It tries {self.max_rules:,} at most. Use backend='rc2'.",
            )

    def answer(self, query: Query, start: Formula, deadline: Deadline) -> Answer:
        self.check(query, deadline)
        began = monotonic()
        best, units = start, query.units(start)
        complete, stopped = True, False
        try:
            for slots in _all_slots(query):
                rule = query.rule(slots)
                price = query.units(rule)
                if price < units and query.allows(rule):
                    best, units = rule, price
                if deadline.passed:
                    complete = False
                    break
        except KeyboardInterrupt:
            complete, stopped = False, True
        answer = Answer(
            rule=best,
            cost=units / query.scale,
            bound=units / query.scale if complete else 0.0,
            status="interrupted" if stopped else "optimal" if complete else "feasible",
            seconds=monotonic() - began,
            scope=query.scope,
            backend=self.name,
            rounding=query.rounding,
        )
        if stopped:
            raise Interrupted(answer)
        return answer


def _n_rules(query: Query) -> int:
    per_slot = 2 ** len(query.literals) + query.unused_slots
    if query.near is not None:
        return int(per_slot**query.n_clauses)
    return comb(per_slot + query.n_clauses - 1, query.n_clauses)


def _all_slots(query: Query) -> Iterator[tuple[Clause | None, ...]]:
    clauses: list[Clause | None] = [
        clause for size in range(len(query.literals) + 1) for clause in combinations(query.literals, size)
    ]
    if query.unused_slots:
        clauses.insert(0, None)
    if query.near is None:  # the order of clauses does not matter
        yield from combinations_with_replacement(clauses, query.n_clauses)
    else:
        yield from product(clauses, repeat=query.n_clauses)
