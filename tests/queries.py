"""Random small queries over everything that a query can ask, small enough for brute force."""

from dataclasses import replace

import numpy as np

from imli.bits import BitTable
from imli.constraints import Constraints
from imli.literals import Compare, IsTrue, Literal
from imli.query import Query
from imli.rules import Formula, PairRule


def random_query(seed: int) -> Query:
    """A query with a random subset of all the features that queries have."""
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
    return replace(query, near=random_rule(query, rng)) if rng.random() < 0.3 else query


def random_pair_query(seed: int) -> Query:
    """The same for a decision list or set, of two or three classes."""
    query, rng = random_query(seed), np.random.default_rng(seed + 10**6)
    n_classes = int(rng.integers(2, 4))
    return replace(
        query,
        kind="list" if rng.random() < 0.5 else "set",
        labels=rng.integers(0, n_classes, query.n_rows),
        classes=("a", "b", "c")[:n_classes],
        n_clauses=min(query.n_clauses, 2),
        near=None,
        unused_slots=True,
        constraints=replace(query.constraints, monotone={}),
    )


def random_pair_rule(query: Query, rng: np.random.Generator) -> PairRule:
    """Any list or set over the query's literals, allowed or not."""
    n_classes = len(query.classes)
    pairs = [
        (tuple(literal for literal in query.literals if rng.random() < 0.4), int(rng.integers(n_classes)))
        for _ in range(rng.integers(query.n_clauses + 1))
    ]
    return query.pair_rule(pairs, int(rng.integers(n_classes)))


def random_rule(query: Query, rng: np.random.Generator) -> Formula:
    """Any rule over the query's literals, allowed or not."""
    return query.rule(
        tuple(
            None
            if query.unused_slots and rng.random() < 0.3
            else tuple(literal for literal in query.literals if rng.random() < 0.4)
            for _ in range(query.n_clauses)
        )
    )


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
