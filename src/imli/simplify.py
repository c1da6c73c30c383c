"""The same decisions in fewer words.

Every proposal, from a literal left out to two clauses merged, is adopted only if it makes the rule shorter and a SAT
solver finds no row, missing and unseen values included, that the rule as it was given decides differently.
"""

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from pysat.solvers import Solver

from imli.cells import cells_by_column
from imli.circuits import Circuit, decisions, decisions_by
from imli.literals import IsMissing, Literal
from imli.rules import CNF, DNF, Clause, Formula, PairRule, Rule
from imli.wording import shorter, wordings

# Conditions, atoms, clauses, and words that turn a condition around.
_Length = tuple[int, int, int, int]


def simplified(rule: Rule) -> Rule:
    """A rule of the same kind that decides every possible row alike, in as few conditions as were found.

    >>> from imli import parse_rule
    >>> print(simplified(parse_rule("age >= 20 AND age < 30 AND age > 5 OR 30 <= age < 40 OR age > 35 AND age < 38")))
    IF    20 <= age < 40
    THEN  true
    ELSE  false
    """
    if isinstance(rule, CNF):
        return ~DNF(_shortest(~rule, complemented=True), rule.classes, rule.target)
    if isinstance(rule, Formula):
        return type(rule)(_shortest(rule), rule.classes, rule.target)
    if isinstance(rule, PairRule):
        labels = [label for _, label in rule.pairs]
        pairs = zip(_shortest(rule), labels, strict=True)
        return type(rule)(tuple((c, label) for c, label in pairs if c is not None), rule.default, rule.target)
    raise TypeError(f"Expected a rule. Got {rule!r}.")


def _shortest(rule: Rule, complemented: bool = False) -> tuple[Clause | None, ...]:
    """The clauses, None where one is gone."""
    with Solver("g4") as solver:
        draft = _Draft(rule, solver, complemented)
        while any([_reword(draft), _drop_clauses(draft), _drop_parts(draft), _merge_clauses(draft)]):
            pass
    return tuple(draft.clauses)


class _Draft:
    """The clauses of a rule as they stand by now, and a solver that knows what the rule decided at first."""

    def __init__(self, rule: Rule, solver: Any, complemented: bool) -> None:
        self.clauses: list[Clause | None] = list(rule.clauses)
        # clauses of one label may be merged; those of a formula all may
        self.labels = [label for _, label in rule.pairs] if isinstance(rule, PairRule) else [True] * len(rule.clauses)
        self.circuit = Circuit(cells_by_column(rule.literals))
        self._complemented = complemented
        self._solver = solver
        self._n_told = 0
        first = decisions(self.circuit, rule)
        self._held = [self.circuit.variable() for _ in self.clauses]
        now = decisions_by(self.circuit, rule, self._held)
        # the solver looks for a row on which the two agree on no class
        self.circuit.clauses += [[-decided, -now[label]] for label, decided in first.items()]
        self._known_links: dict[tuple[int, int], int] = {}
        self._links = [self._link(position, clause) for position, clause in enumerate(self.clauses)]

    def longest_first(self) -> list[tuple[int, Clause]]:
        """The clauses that are left, with their positions."""
        left = [(position, clause) for position, clause in enumerate(self.clauses) if clause is not None]
        return sorted(left, key=lambda item: (self._length([item[1]]), item[0]), reverse=True)

    def sets(self, clause: Clause) -> dict[str, int]:
        """For each column that the clause looks at, the cells that it accepts."""
        found: dict[str, int] = {}
        for literal in clause:
            before = found.get(literal.column, self.circuit.cells[literal.column].all)
            found[literal.column] = before & self.circuit.accepted(literal)
        return found

    def adopt(self, changes: Mapping[int, Clause | None]) -> bool:
        """Take these clauses instead, if that makes the rule shorter and it still decides the same."""
        before = self._length(self.clauses[position] for position in changes)
        after = self._length(changes.values())
        if after >= before or after[1] > before[1]:
            return False
        links = list(self._links)
        for position, clause in changes.items():
            links[position] = self._link(position, clause)
        if links != self._links and self._finds_a_difference(links):
            return False
        self._links = links
        for position, clause in changes.items():
            self.clauses[position] = clause
        return True

    def _finds_a_difference(self, links: list[int]) -> bool:
        self._solver.append_formula(self.circuit.clauses[self._n_told :])
        self._n_told = len(self.circuit.clauses)
        return bool(self._solver.solve(assumptions=links))

    def _link(self, position: int, clause: Clause | None) -> int:
        """What the solver assumes if this is the clause at that position."""
        held = self._held[position]
        if clause is None:
            return -held
        circuit = self.circuit
        holds = circuit.all_of(circuit.within(name, accepted) for name, accepted in self.sets(clause).items())
        if (position, holds) not in self._known_links:
            link = self._known_links[position, holds] = circuit.variable()
            circuit.clauses += [[-link, -held, holds], [-link, held, -holds]]
        return self._known_links[position, holds]

    def _length(self, clauses: Iterable[Clause | None]) -> _Length:
        held = [clause for clause in clauses if clause is not None]
        literals = [literal for clause in held for literal in clause]
        turns = sum(_n_turns(literal, self._complemented) for literal in literals)
        return len(literals), sum(literal.size for literal in literals), len(held), turns


def _reword(draft: _Draft) -> bool:
    """Say what a clause asks of a column in other words."""
    adopted = False
    for position, clause in draft.longest_first():
        for name, accepted in draft.sets(clause).items():
            if accepted == 0:
                adopted |= draft.adopt({position: None})
                break
            for literals in wordings(draft.circuit.cells[name], accepted):
                now = draft.clauses[position] or ()
                adopted |= draft.adopt({position: _with_test(now, name, literals)})
    return adopted


def _drop_clauses(draft: _Draft) -> bool:
    return any([draft.adopt({position: None}) for position, _ in draft.longest_first()])


def _drop_parts(draft: _Draft) -> bool:
    """Leave out literals, or if that is too much, a part of one."""
    adopted = False
    for position, clause in draft.longest_first():
        for literal in reversed(clause):
            for less in ((), *((part,) for part in shorter(literal))):
                now = draft.clauses[position] or ()
                if literal in now and draft.adopt({position: _replaced(now, literal, less)}):
                    adopted = True
    return adopted


def _merge_clauses(draft: _Draft) -> bool:
    """Make one clause of two that differ in what they ask of one column."""
    adopted = False
    sets = {position: draft.sets(clause) for position, clause in draft.longest_first()}
    for first, second in combinations(sorted(sets), 2):
        one, other = draft.clauses[first], draft.clauses[second]
        if one is None or other is None or draft.labels[first] != draft.labels[second]:
            continue
        if sets[first].keys() != sets[second].keys():
            continue
        columns = [name for name in sets[first] if sets[first][name] != sets[second][name]]
        if len(columns) != 1:
            continue
        name = columns[0]
        for literals in wordings(draft.circuit.cells[name], sets[first][name] | sets[second][name]):
            if draft.adopt({first: _with_test(one, name, literals), second: None}):
                sets[first] = draft.sets(draft.clauses[first] or ())
                adopted = True
                break
            if draft.adopt({first: None, second: _with_test(other, name, literals)}):
                sets[second] = draft.sets(draft.clauses[second] or ())
                adopted = True
                break
    return adopted


def _with_test(clause: Clause, name: str, literals: Clause) -> Clause:
    """The clause with these literals on a column, where the column stood first."""
    first = next(literal for literal in clause if literal.column == name)
    parts = ((literal,) if literal.column != name else literals if literal is first else () for literal in clause)
    return tuple(literal for part in parts for literal in part)


def _replaced(clause: Clause, literal: Literal, by: Clause) -> Clause:
    parts = (by if other == literal else (other,) for other in clause)
    return tuple(dict.fromkeys(other for part in parts for other in part))


def _n_turns(literal: Literal, complemented: bool) -> int:
    """How many of the words "not" and "or missing" the literal needs, or its complement."""
    missing = literal.or_missing != complemented
    if isinstance(literal, IsMissing):
        return int(not missing)
    negated = getattr(literal, "negated", None)
    return missing + (negated is not None and negated != complemented)
