"""From the rule that a search found to the one that is shown."""

from dataclasses import replace

from imli.estimators.training import Training
from imli.query import Query
from imli.rules import Formula, PairRule, Rule


def finished(query: Query, rule: Rule, rows: Training, reword: bool = True) -> Rule:
    """The same decisions in fewer words, the clauses of a formula by how many rows they cover, with counts.

    Where a constraint speaks of the words themselves, or with ``reword=False``, they stay as they are.
    """
    if reword and not query.n_locked:
        rule = _in_order(_simplified(query, rule, rows), rows)
    return rule.with_counts(rows.counts(rule))


def _simplified(query: Query, rule: Rule, rows: Training) -> Rule:
    simple = rule.simplified()
    return simple if query.constraints.allows(simple, lambda: rows.n_covered(simple)) else rule


def _in_order(rule: Rule, rows: Training) -> Rule:
    """The literals by column, as in the table, and the clauses of a formula by how many rows they cover."""
    place = {name: n for n, name in enumerate(rows.frame.names)}
    clauses = [tuple(sorted(clause, key=lambda literal: place[literal.column])) for clause in rule.clauses]
    if isinstance(rule, PairRule):
        return replace(rule, pairs=tuple(zip(clauses, (label for _, label in rule.pairs), strict=True)))
    assert isinstance(rule, Formula)
    n_covered = rows.n_covered(rule)
    order = sorted(range(len(clauses)), key=lambda n: -n_covered[n])
    return replace(rule, slots=tuple(clauses[n] for n in order))
