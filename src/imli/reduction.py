"""The same question about fewer rows and literals, for proofs."""

from dataclasses import dataclass, replace

import numpy as np

from imli.arrays import BoolArray, IntArray
from imli.bits import BitTable
from imli.constraints import names
from imli.query import Query

_MOST_PRODUCTS = 2e10


@dataclass(frozen=True, eq=False)
class Reduced:
    """A query that some rule answers best of those that answer the given one best, at ``offset`` units less."""

    query: Query
    offset: int


def reduced(query: Query) -> Reduced:
    """Merge equal rows, drop rows that weigh nothing, and drop literals that another one does as well or better.

    Rows are left as they are where ``min_rows`` counts them.
    """
    if not query.is_formula:
        raise ValueError(f"Only questions about formulas can be reduced, not about {query.scope}.")
    permitted = np.array([query.constraints.forbids(literal) is None for literal in query.literals], dtype=bool)
    dense = np.ascontiguousarray(query.table.dense())
    labels, weights, offset = query.labels.astype(bool), query.weights, 0
    if query.constraints.min_rows is None:
        dense, labels, weights, offset = _merged(dense, labels, weights, permitted)
    kept = permitted & ~_dominated(query, dense, labels, permitted)
    locked = (literal for clause in query.locked_clauses for literal in clause)
    for literal in (*(query.near.literals if query.near else ()), *query.constraints.every, *locked):
        kept[query.position[literal]] = True
    return Reduced(
        replace(
            query,
            literals=tuple(literal for literal, keep in zip(query.literals, kept.tolist(), strict=True) if keep),
            table=BitTable.from_columns(dense[:, kept].T, len(labels)),
            labels=labels,
            weights=weights,
            literal_costs=query.literal_costs[kept],
            move_costs=None if query.move_costs is None else query.move_costs[kept],
        ),
        offset,
    )


def _merged(
    dense: BoolArray, labels: BoolArray, weights: IntArray, permitted: BoolArray
) -> tuple[BoolArray, BoolArray, IntArray, int]:
    """Rows alike in all literals become one, which weighs what one class weighs more than the other."""
    if not len(labels):
        return dense, labels, weights, 0
    keys = np.packbits(dense[:, permitted], axis=1)
    keys = np.ascontiguousarray(np.column_stack([keys, np.zeros(len(keys), dtype=np.uint8)]))  # never without bytes
    _, first, group = np.unique(
        keys.view([("", np.void, keys.shape[1])]).ravel(), return_index=True, return_inverse=True
    )
    by_label = np.zeros((2, len(first)), dtype=np.int64)
    np.add.at(by_label, (labels.astype(np.intp), group.ravel()), weights)
    net = by_label[1] - by_label[0]
    left = net != 0
    return dense[first[left]], net[left] > 0, np.abs(net[left]), int(by_label.min(axis=0).sum())


def _dominated(query: Query, dense: BoolArray, labels: BoolArray, permitted: BoolArray) -> BoolArray:
    """Literals that another does at least as well as: it accepts more of the one class and less of the other.

    In every clause of every rule the other could stand in its place, unless a constraint names either.
    """
    m = len(query.literals)
    dominated = np.zeros(m, dtype=bool)
    constraints = query.constraints
    if m * m * len(labels) > _MOST_PRODUCTS or constraints.min_rows is not None:
        return dominated
    truth = dense.astype(np.float32)
    accepted, rejected = truth[labels], truth[~labels]
    # missed[j, l]: rows of the first class that j accepts and l does not; wrong[j, l]: of the second, the reverse
    missed = accepted.T @ (1 - accepted)
    wrong = (1 - rejected).T @ rejected
    costs = query.prices.added  # one that a rule to stay near has is kept anyway, and costs no more
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
    for j in range(m):  # one of two that are alike stays
        dominated[j] = bool((as_good[j] & ~dominated & ~(as_good[:, j] & (np.arange(m) > j))).any())
    return dominated
