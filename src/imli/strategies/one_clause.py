"""Questions about a single clause, with the other clauses of a rule as they are."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from imli.arrays import BoolArray, IntArray
from imli.constraints import Constraints, names
from imli.query import Query
from imli.rules import Clause


def one_clause_query(query: Query, others: Iterable[Clause], rows: BoolArray | IntArray, **changes: Any) -> Query:
    """Which clause is best on these rows, within what the constraints leave when the others are there."""
    others = tuple(others)
    used = {literal.column for clause in others for literal in clause}
    again = np.array([literal.column in used for literal in query.literals], dtype=bool)
    one_clause = {
        "n_clauses": 1,
        "constraints": _constraints(query.constraints, others, used),
        "literal_costs": query.literal_costs + query.reuse_cost * again,
        "reuse_cost": 0,
        "near": None,
    }
    return query.on_rows(rows, **(one_clause | changes))


def _constraints(given: Constraints, others: tuple[Clause, ...], used: set[str]) -> Constraints:
    """What the constraints on the whole rule leave for one more clause."""
    literals = [literal for clause in others for literal in clause]
    return replace(
        given,
        never=(*given.never, *sorted(used)) if given.disjoint else given.never,
        always=tuple(word for word in given.always if not any(names(word, literal) for literal in literals)),
        max_literals=None if given.max_literals is None else given.max_literals - len(literals),
    )
