"""Random small queries over everything that a query can ask, small enough for brute force."""

from dataclasses import replace

import numpy as np
import pytest

from imli.errors import InfeasibleError
from imli.learning.bits import BitTable
from imli.learning.constraints import Constraints
from imli.learning.query import Query
from imli.rules import Formula, PairRule
from imli.rules.literals import Compare, IsTrue, Literal


def batches(n_seeds: int, size: int, quick: int) -> list:
    """Return ranges of seeds to parametrize a test with, of which all but the first few are slow."""
    ranges = [range(start, start + size) for start in range(0, n_seeds, size)]
    return [*ranges[:quick], *(pytest.param(seeds, marks=pytest.mark.slow) for seeds in ranges[quick:])]


def random_query(seed: int) -> Query:
    """A query with a random subset of all the features that queries have."""
    return _with_locked(_random_query(seed), np.random.default_rng(seed + 2 * 10**6))


def _random_query(seed: int) -> Query:
    rng = np.random.default_rng(seed)
    literals = _literals(rng)
    n_rows, n_clauses = int(rng.integers(1, 11)), int(rng.integers(1, 4))
    if n_clauses == 3:
        literals = literals[:3]
    truth = rng.random((n_rows, len(literals))) < 0.5
    labels = rng.random(n_rows) < 0.5
    query = Query.build(
        "cnf" if rng.random() < 0.5 else "dnf",
        literals,
        BitTable.from_columns(truth.T, n_rows),
        labels,
        n_clauses=n_clauses,
        lam=float(rng.choice([0.0, 0.1, 0.25, 1.0, 10**-0.75])),
        row_weights=rng.choice([0.5, 1.0, 2.0, 3.7], n_rows) if rng.random() < 0.4 else None,
        feature_costs={rng.choice(["a", "b"]): 3.0, literals[0]: 0.5} if rng.random() < 0.3 else None,
        reuse_cost=float(rng.choice([0.0, 0.0, 0.3])),
        constraints=_constraints(rng, literals),
        unused_slots=rng.random() < 0.7,
    )
    return _near(query, rng) if rng.random() < 0.3 else query


def _near(query: Query, rng: np.random.Generator) -> Query:
    """Near some rule: as in the paper, or with a cost of moving on top of that of size."""
    near = random_rule(query, rng) if query.is_formula else random_pair_rule(query, rng)
    n_literals = len(query.literals)
    moves = None if rng.random() < 0.5 else rng.integers(0, 2 * query.scale, n_literals)
    return replace(query, near=near, move_costs=moves)


def random_pair_query(seed: int) -> Query:
    """The same for a decision list or set, of two or three classes."""
    query, rng = _random_query(seed), np.random.default_rng(seed + 10**6)
    n_classes = int(rng.integers(2, 4))
    query = replace(
        query,
        kind="list" if rng.random() < 0.5 else "set",
        rows=replace(query.in_memory, labels=rng.integers(0, n_classes, query.n_rows)),
        classes=("a", "b", "c")[:n_classes],
        n_clauses=min(query.n_clauses, 2),
        near=None,
        move_costs=None,
        unused_slots=True,
        constraints=replace(query.constraints, monotone={}),
    )
    query = _with_locked(query, rng)
    return _near(query, rng) if rng.random() < 0.3 else query


def random_card_query(seed: int) -> Query:
    """The same for a score or checklist, with either loss."""
    query, rng = _random_query(seed), np.random.default_rng(seed + 3 * 10**6)
    is_score, is_log = rng.random() < 0.5, rng.random() < 0.5
    in_log = 1000 if is_log else 1  # so that the losses of curves are told apart
    constraints = replace(query.constraints, every=(), locked=())
    if rng.random() < 0.3:
        clause = tuple(literal for literal in query.literals if constraints.forbids(literal) is None)[:1]
        points = int(rng.choice([1, 2])) if is_score else 1
        constraints = replace(constraints, locked=((clause, points),) if clause else ())
    try:
        return replace(
            query,
            kind="score" if is_score else "checklist",
            max_points=2,
            item_literals=int(rng.integers(1, 3)) if len(query.literals) < 4 else 1,
            loss="log" if is_log else "errors",
            constraints=constraints,
            near=None,
            move_costs=None,
            unused_slots=True,
            rows=replace(query.in_memory, weights=query.in_memory.weights * in_log),
            literal_costs=query.literal_costs * in_log,
            reuse_cost=query.reuse_cost * in_log,
            scale=query.scale * in_log,
        )
    except InfeasibleError:
        return random_card_query(seed + 10**7)


def _with_locked(query: Query, rng: np.random.Generator) -> Query:
    """Sometimes some clauses, or all, are locked."""
    if rng.random() < 0.6:
        return query
    n_locked = int(rng.integers(1, query.n_clauses + 1))
    if query.n_clauses > 1 and rng.random() < 0.7:
        n_locked = 1  # with something left to learn, mostly
    permitted = [literal for literal in query.literals if query.constraints.forbids(literal) is None]
    every = query.constraints.every
    clauses = [
        tuple(permitted[j] for j in rng.permutation(len(permitted)) if permitted[j] in every or rng.random() < 0.4)
        for _ in range(n_locked)
    ]
    labels = [None if query.is_formula else query.classes[rng.integers(len(query.classes))] for _ in clauses]
    try:
        return replace(query, constraints=replace(query.constraints, locked=tuple(zip(clauses, labels, strict=True))))
    except InfeasibleError:
        # what contradicts itself in words is refused before there is a query; tests of the messages cover it
        return query


def random_pair_rule(query: Query, rng: np.random.Generator) -> PairRule:
    """Any list or set over the query's literals that has the locked clauses, allowed or not."""
    n_classes = len(query.classes)
    pairs = [
        (tuple(literal for literal in query.literals if rng.random() < 0.4), int(rng.integers(n_classes)))
        for _ in range(rng.integers(query.n_free + 1))
    ]
    return query.pair_rule([*query.locked_pairs, *pairs], int(rng.integers(n_classes)))


def random_rule(query: Query, rng: np.random.Generator) -> Formula:
    """Any rule over the query's literals that has the locked clauses, allowed or not."""
    others = (
        None
        if query.unused_slots and rng.random() < 0.3
        else tuple(literal for literal in query.literals if rng.random() < 0.4)
        for _ in range(query.n_free)
    )
    return query.rule((*query.locked_clauses, *others))


def _literals(rng: np.random.Generator) -> tuple[Literal, ...]:
    known: list[Literal] = [
        Compare("a", ">", 1),
        Compare("a", "<=", 1),
        IsTrue("b"),
        IsTrue("b", negated=True),
        Compare("c", ">", 2),
    ]
    chosen = rng.permutation(len(known))[: rng.integers(1, 5)]
    return tuple(known[j] for j in chosen)


def _constraints(rng: np.random.Generator, literals: tuple[Literal, ...]) -> Constraints:
    def sometimes(share: float) -> bool:
        return bool(rng.random() < share)

    def some_literal() -> Literal:
        return literals[rng.integers(len(literals))]

    never = (some_literal(),) if sometimes(0.2) else ("c",) if sometimes(0.1) else ()
    always = tuple(
        word
        for word in ((some_literal().column,) if sometimes(0.2) else ()) + ((some_literal(),) if sometimes(0.2) else ())
        if word not in never
    )
    constraints = Constraints(
        never=never,
        always=always,
        every=(some_literal(),) if sometimes(0.15) else (),
        disjoint=sometimes(0.2),
        max_literals=int(rng.integers(0, 4)) if sometimes(0.25) else None,
        min_rows=int(rng.integers(1, 5)) if sometimes(0.25) else None,
        monotone={some_literal().column: int(rng.choice([1, -1]))} if sometimes(0.15) else {},
    )
    # what contradicts itself in words is refused before there is a query; tests of the messages cover it
    banned = [word for word in (*always, *constraints.every) if isinstance(word, Literal) and constraints.forbids(word)]
    return replace(constraints, never=(), monotone={}) if banned else constraints
