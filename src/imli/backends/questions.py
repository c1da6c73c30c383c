"""Questions as the kernel takes them: literals by position."""

import numpy as np

from imli import _kernel
from imli.constraints import names
from imli.distance import slots_of
from imli.query import Query


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
