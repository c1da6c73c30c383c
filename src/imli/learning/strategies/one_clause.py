"""Queries about one clause of a rule, with the other clauses fixed."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from imli.learning.query import Query
from imli.rules import DNF, Clause, Formula, PairRule, Rule
from imli.rules.formula import slots_of
from imli.table.frame import BoolArray, IntArray


def one_clause_query(query: Query, others: Iterable[Clause], rows: BoolArray | IntArray, **changes: Any) -> Query:
    """Return the query for one more clause beside the others, on these rows and within the remaining constraints."""
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


@dataclass
class ClausePlace:
    """A place for one clause in a rule."""

    query: Query
    rule: Rule
    position: int
    decides: int | None = None  # the class, in lists and sets
    is_new: bool = False

    def filled(self, clause: Clause | None) -> Rule:
        """Return the rule with this clause, or none, in the place."""
        query, rule = self.query, self.rule
        if isinstance(rule, Formula):
            slots = [*rule.slots, *[None] * (query.n_clauses - len(rule.slots))]
            slots[self.position] = clause
            return query.rule(tuple(slots))
        assert isinstance(rule, PairRule)
        pairs = [(own, query.classes.index(label)) for own, label in rule.pairs]
        between = [] if clause is None or self.decides is None else [(clause, self.decides)]
        pairs[self.position : self.position + (not self.is_new)] = between
        return query.pair_rule(pairs, query.classes.index(rule.default))

    def filled_from(self, one_clause: Rule) -> Rule:
        """Return the rule with the clause of an answer to ``clause_query`` in the place."""
        return self.filled(next(iter(one_clause.clauses), None))

    def clause_query(self) -> Query:
        """Return the query for the best clause in this place: on the rows where it matters."""
        query = self.query
        right = [_is_right(query, self.filled(clause)) for clause in ((), None)]
        matters = right[0] != right[1]
        others = self.filled(None).clauses
        changes: dict[str, object] = {}
        if query.is_formula:
            labels = query.in_memory.labels
            if query.near is not None:
                changes["near"] = query.rule((self._old(query.near),))
        else:
            changes |= {"kind": "dnf", "classes": (False, True)}
            labels = right[0]
            if query.near is not None:
                changes["near"] = DNF((self._old(query.near),))
        rows = matters
        if query.constraints.min_rows is not None:  # it counts all rows, also those where nothing changes
            rows = np.ones_like(matters)
            changes["weights"] = query.in_memory.weights * matters
        return one_clause_query(query, others, rows, labels=labels[rows], **changes)

    def _old(self, near: Rule) -> Clause | None:
        """Return the clause that the rule to stay near has in this place."""
        before = slots_of(near)
        return before[self.position] if self.position < len(before) and not self.is_new else None


def _is_right(query: Query, rule: Rule) -> BoolArray:
    """Return the rows that the rule decides as labelled."""
    decided = rule.decisions(query.holds, query.n_rows, query.classes)
    return np.asarray(decided == query.in_memory.labels, dtype=bool)
