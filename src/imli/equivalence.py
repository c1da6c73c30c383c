"""Do two rules decide every possible row alike? A SAT solver looks for one that they do not."""

from datetime import datetime

from pysat.solvers import Solver

from imli.cells import cells_by_column
from imli.circuits import Circuit, decisions
from imli.notation import Value
from imli.rules import Rule


def difference(rule: Rule, other: Rule) -> dict[str, Value | datetime | None] | None:
    """A row that the two rules decide differently, or None if there is none.

    The rules may be of different kinds. A row is any choice of cells, missing ones (None) and categories that
    neither rule names included.

    >>> from imli import parse_rule
    >>> difference(parse_rule("age >= 40"), parse_rule("(age > 40)"))
    {'age': 40}
    >>> difference(parse_rule("age > 40 OR age <= 40 OR age is missing"), parse_rule("always"))
    """
    for given in (rule, other):
        if not isinstance(given, Rule):
            raise TypeError(f"A rule can be compared with a rule only. Got {given!r}.")
    circuit = Circuit(cells_by_column((*rule.literals, *other.literals)))
    ours, theirs = decisions(circuit, rule), decisions(circuit, other)
    # each rule decides for exactly one class, so they differ if they agree on none
    circuit.clauses += [[-decided, -theirs[label]] for label, decided in ours.items() if label in theirs]
    with Solver("g4", bootstrap_with=circuit.clauses) as solver:
        return circuit.row(solver.get_model()) if solver.solve() else None


def equivalent(rule: Rule, other: Rule) -> bool:
    """Whether the two rules decide every possible row alike.

    >>> from imli import parse_rule
    >>> equivalent(parse_rule("smoker AND age > 40 OR smoker AND age <= 40"), parse_rule("(smoker) AND (age <= 40)"))
    False
    >>> equivalent(parse_rule("smoker AND age <= 40"), parse_rule("(smoker) AND (age <= 40)"))
    True
    """
    return difference(rule, other) is None
