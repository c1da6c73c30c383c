"""Questions about a single clause, with the other clauses of a rule as they are."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from imli.arrays import BoolArray, IntArray
from imli.query import Query
from imli.rules import Clause


def one_clause_query(query: Query, others: Iterable[Clause], rows: BoolArray | IntArray, **changes: Any) -> Query:
    """Which clause is best on these rows, within what the constraints leave when the others are there."""
    others = tuple(others)
    used = {literal.column for clause in others for literal in clause}
    again = np.array([literal.column in used for literal in query.literals], dtype=bool)
    one_clause = {
        "n_clauses": 1,
        "constraints": query.constraints.beside(others),
        "literal_costs": query.literal_costs + query.reuse_cost * again,
        "reuse_cost": 0,
        "near": None,
    }
    return query.on_rows(rows, **(one_clause | changes))
