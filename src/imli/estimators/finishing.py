"""From the rule that a search found to the one that is shown."""

from dataclasses import replace
from functools import cache

import numpy as np

from imli.estimators.training import Training
from imli.query import Query
from imli.rules import Formula, PairRule, Rule, count_rows
from imli.rules.rule import Holds


def finished(query: Query, rule: Rule, rows: Training, reword: bool = True) -> Rule:
    """The same decisions in fewer words, the clauses of a formula by how many rows they cover, with counts.

    Where a constraint speaks of the words themselves, or with ``reword=False``, they stay as they are.
    """
    holds = cache(rule.holds_in(rows.frame))
    if reword and not query.n_locked:
        rule = _in_order(_simplified(query, rule, holds), rows.frame.names, holds, query.n_rows)
    counts = count_rows(rule, holds, rows.positions.astype(np.int64), query.classes, rows.weights)
    return rule.with_counts(counts)


def _simplified(query: Query, rule: Rule, holds: Holds) -> Rule:
    simple = rule.simplified()

    def n_covered() -> list[int]:
        return [int(covered.sum()) for covered in simple.coverage(holds, query.n_rows)]

    return simple if query.constraints.allows(simple, n_covered) else rule


def _in_order(rule: Rule, columns: tuple[str, ...], holds: Holds, n_rows: int) -> Rule:
    """The literals by column, as in the table, and the clauses of a formula by how many rows they cover."""
    place = {name: n for n, name in enumerate(columns)}
    clauses = [tuple(sorted(clause, key=lambda literal: place[literal.column])) for clause in rule.clauses]
    if isinstance(rule, PairRule):
        return replace(rule, pairs=tuple(zip(clauses, (label for _, label in rule.pairs), strict=True)))
    assert isinstance(rule, Formula)
    n_covered = [int(covered.sum()) for covered in rule.coverage(holds, n_rows)]
    order = sorted(range(len(clauses)), key=lambda n: -n_covered[n])
    return replace(rule, slots=tuple(clauses[n] for n in order))
