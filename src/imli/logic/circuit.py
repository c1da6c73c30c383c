"""The decisions of a rule as clauses for a SAT solver, and the proof that two rules are equivalent.

A row is a choice of one example cell per column: a variable for each cell, exactly one of them true. Each gate is a
variable that is true if and only if its meaning is, such as "this literal holds". Ctrl-C stops the solver between two
calls.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pysat._utils import MainThread
from pysat.card import CardEnc, EncType
from pysat.solvers import Glucose4

from imli.rules import CNF, DNF, DecisionList, DecisionSet, Label, Rule
from imli.rules.cells import Cell, Cells, cells_by_column
from imli.rules.literals import Literal

_SLICE = 2_000  # conflicts, some tenths of a second; the solver of a rule seldom needs as many


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait for the end of each call of python-sat inside (context manager).

    In the main thread python-sat would answer Ctrl-C by a jump out of its C++ code. That raises ``pysolvers.error``
    instead of KeyboardInterrupt, breaks the solver, and leaves a handler behind that jumps to nowhere the next time.
    In other threads python-sat installs no handler, so it is told to be in one, and Python raises KeyboardInterrupt.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    check = MainThread.check
    MainThread.check = staticmethod(lambda: False)
    try:
        yield
    finally:
        MainThread.check = check


class Glucose(Glucose4):
    """Glucose 4.1 in slices of its work, so that Ctrl-C does not wait until it has an answer."""

    def solve(self, assumptions: Iterable[int] = ()) -> bool:
        """Return True if there is a model in which the assumptions hold."""
        found: bool | None = None
        while found is None:
            self.conf_budget(_SLICE)
            with uninterrupted():
                found = self.solve_limited(assumptions=list(assumptions))
        return found


def encode_at_most(literals: list[int], bound: int, top: int) -> tuple[list[list[int]], int]:
    """Return the clauses of a counter that at most ``bound`` literals are true, and the highest variable in use."""
    if bound >= len(literals):
        return [], top
    if bound == 0:
        return [[-literal] for literal in literals], top
    with uninterrupted():
        counter = CardEnc.atmost(literals, bound, top, encoding=EncType.seqcounter)
    return [list(clause) for clause in counter.clauses], max(top, int(counter.nv))


class Circuit:
    """Clauses over any row of the given columns. Gates are added when first needed."""

    def __init__(self, cells: Mapping[str, Cells]) -> None:
        self.cells = cells
        self.clauses: list[list[int]] = []
        self.n_variables = 0
        self._n_fed = 0  # the number of clauses that the solver has
        self._gates: dict[tuple[int, ...], int] = {}
        self._sets: dict[tuple[str, int], int] = {}
        self._variables = {name: [self.variable() for _ in range(column.n)] for name, column in cells.items()}
        for variables in self._variables.values():
            at_most_one, self.n_variables = encode_at_most(variables, 1, self.n_variables)
            self.clauses += [variables, *at_most_one]
        self._true = self.variable()
        self.clauses.append([self._true])

    def variable(self) -> int:
        """Return a new variable, which is in no clause yet."""
        self.n_variables += 1
        return self.n_variables

    def all_of(self, inputs: Iterable[int]) -> int:
        """Return the gate that is true if all inputs are."""
        distinct = tuple(sorted(set(inputs) - {self._true}))
        if len(distinct) < 2:
            return distinct[0] if distinct else self._true
        if distinct not in self._gates:
            gate = self._gates[distinct] = self.variable()
            self.clauses += [[-gate, part] for part in distinct]
            self.clauses.append([gate, *(-part for part in distinct)])
        return self._gates[distinct]

    def any_of(self, inputs: Iterable[int]) -> int:
        """Return the gate that is true if one of the inputs is."""
        return -self.all_of(-part for part in inputs)

    def holds(self, literal: Literal) -> int:
        """Return the gate that is true if the literal holds."""
        return self.within(literal.column, self.cells[literal.column].accepted(literal))

    def within(self, name: str, accepted: int) -> int:
        """Return the gate that is true if the cell of a column is in a set."""
        if (name, accepted) not in self._sets:
            gate = self._sets[name, accepted] = self.variable()
            inside: list[int] = []
            outside: list[int] = []
            for position, cell in enumerate(self._variables[name]):
                (inside if accepted >> position & 1 else outside).append(cell)
            # sufficient in both directions, since exactly one cell is true
            self.clauses += [[-gate, *inside], [gate, *outside]]
        return self._sets[name, accepted]

    def positions(self, model: Iterable[int]) -> dict[str, int]:
        """Return the positions of the cells of the row in a model of the clauses."""
        true = {variable for variable in model if variable > 0}
        return {
            name: next(n for n, cell in enumerate(variables) if cell in true)
            for name, variables in self._variables.items()
        }

    def feed(self, solver: Any) -> None:
        """Add all clauses that are new since the last call to the solver, which must be the same in all calls."""
        solver.append_formula(self.clauses[self._n_fed :])
        self._n_fed = len(self.clauses)


def decisions(circuit: Circuit, rule: Rule) -> dict[Label, int]:
    """Return for each class of the rule the gate that is true if the rule decides for it."""
    join = circuit.any_of if isinstance(rule, CNF) else circuit.all_of
    return decisions_by(circuit, rule, [join(map(circuit.holds, clause)) for clause in rule.clauses])


def decisions_by(circuit: Circuit, rule: Rule, held: Sequence[int]) -> dict[Label, int]:
    """Return the gates of ``decisions`` for a rule of this kind whose clauses hold where ``held`` are true."""
    if isinstance(rule, CNF | DNF):
        negative, positive = rule.classes
        decided = circuit.all_of(held) if isinstance(rule, CNF) else circuit.any_of(held)
        return {positive: decided, negative: -decided}
    if isinstance(rule, DecisionList):
        return _first_that_holds(circuit, rule, held)
    if isinstance(rule, DecisionSet):
        return _most_votes(circuit, rule, held)
    raise TypeError(f"Expected a CNF, a DNF, a decision list or a decision set. Got {type(rule).__name__}.")


def _first_that_holds(circuit: Circuit, rule: DecisionList, held: Sequence[int]) -> dict[Label, int]:
    deciding: dict[Label, list[int]] = {label: [] for label in rule.classes}
    left = circuit.all_of(())
    for (_, label), holds in zip(rule.pairs, held, strict=True):
        deciding[label].append(circuit.all_of((left, holds)))
        left = circuit.all_of((left, -holds))
    deciding[rule.default].append(left)
    return {label: circuit.any_of(gates) for label, gates in deciding.items()}


def _most_votes(circuit: Circuit, rule: DecisionSet, held: Sequence[int]) -> dict[Label, int]:
    labels = [label for _, label in rule.pairs]
    votes = {
        label: _at_least(circuit, [holds for holds, other in zip(held, labels, strict=True) if other == label])
        for label in rule.classes
    }
    never, n_most = -circuit.all_of(()), max(map(len, votes.values()))

    def beats(label: Label, other: Label) -> int:
        # more votes, or as many and the first clause that holds
        ours, theirs = ([*votes[one], *[never] * (n_most - len(votes[one]))] for one in (label, other))
        more = [circuit.all_of((n, -n_theirs)) for n, n_theirs in zip(ours, theirs, strict=True)]
        not_fewer = [circuit.any_of((n, -n_theirs)) for n, n_theirs in zip(ours, theirs, strict=True)]
        return circuit.any_of((*more, circuit.all_of((*not_fewer, _is_first(circuit, rule, held, label, other)))))

    decided = {
        label: circuit.all_of((circuit.any_of(votes[label]), *(beats(label, o) for o in rule.classes if o != label)))
        for label in rule.classes
    }
    decided[rule.default] = circuit.any_of((decided[rule.default], circuit.all_of(-holds for holds in held)))
    return decided


def _at_least(circuit: Circuit, inputs: Sequence[int]) -> list[int]:
    """Return for each n from 1 on the gate that is true if n or more of the inputs are."""
    counts: list[int] = []
    for part in inputs:
        before = [circuit.all_of(()), *counts]
        counts = [
            circuit.any_of((*counts[n : n + 1], circuit.all_of((before[n], part)))) for n in range(len(counts) + 1)
        ]
    return counts


def _is_first(circuit: Circuit, rule: DecisionSet, held: Sequence[int], label: Label, other: Label) -> int:
    """Return the gate that is true if a clause of ``label`` holds, and none of ``other`` before it."""
    found: list[int] = []
    before: list[int] = []
    for (_, own), holds in zip(rule.pairs, held, strict=True):
        if own == label:
            found.append(circuit.all_of((holds, *(-gate for gate in before))))
        elif own == other:
            before.append(holds)
    return circuit.any_of(found)


def difference(rule: Rule, other: Rule) -> dict[str, Cell] | None:
    """Return a row that two rules decide differently, or None if there is none.

    The rules may be of different kinds. A row is any choice of cells, including missing ones (None) and categories
    that neither rule names.

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
    with Glucose(bootstrap_with=circuit.clauses) as solver:
        if not solver.solve():
            return None
        return {name: circuit.cells[name].cell(n) for name, n in circuit.positions(solver.get_model()).items()}


def equivalent(rule: Rule, other: Rule) -> bool:
    """Return True if two rules decide every possible row alike."""
    return difference(rule, other) is None
