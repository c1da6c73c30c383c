"""Questions and rules as the kernel takes them: literals by position."""

from typing import Any

import numpy as np

from imli import _kernel
from imli.constraints import names
from imli.distance import slots_of
from imli.query import Query
from imli.rules import Clause, Formula, PairRule, Rule

PlainClause = tuple[bool, int, list[int]]  # held, class, literals
Plain = tuple[list[PlainClause], int]  # clauses, and the class where none covers


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


def to_plain(query: Query, rule: Rule) -> Plain:
    unused: PlainClause = (False, 0 if not query.is_formula else 1, [])
    plain: list[PlainClause] = []
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
