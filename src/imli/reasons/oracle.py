"""Looks for rows that a rule decides one way or another, among those that hold what they must."""

from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Self

from pysat.solvers import Solver

from imli.circuits import Circuit, decisions
from imli.reasons.axes import Axis
from imli.rules import Label, Rule

# For some columns, the set of cells that a row may have.
Held = Mapping[str, int]


class Oracle:
    """A solver that knows what the rule decides on any possible row. Close it after use."""

    def __init__(self, rule: Rule, axes: Mapping[str, Axis]) -> None:
        self.axes = axes
        self.circuit = Circuit({name: axis.cells for name, axis in axes.items()})
        self._decided = decisions(self.circuit, rule)
        self.circuit.clauses += [[self.circuit.within(name, axis.possible)] for name, axis in axes.items()]
        self._solver: Any = Solver("g4")
        self._n_told = 0  # of the circuit's clauses, to the solver

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._solver.delete()

    def decides(self, label: Label) -> int:
        """True if the rule decides for the class."""
        return self._decided[label]

    def within(self, name: str, accepted: int) -> int:
        """True if the cell of the column is in the set."""
        return self.circuit.within(name, accepted)

    def row(self, assumed: Iterable[int]) -> dict[str, int] | None:
        """The cells of a row for which all of this is true; None if there is none."""
        assumptions = list(assumed)
        self._tell()
        if not self._solver.solve(assumptions=assumptions):
            return None
        return self.circuit.positions(self._solver.get_model())

    def conflict(self) -> set[int]:
        """Of what was assumed when no row was found, a part for which there is none either."""
        return set(self._solver.get_core() or ())

    def held(self, held: Held) -> list[int]:
        """What is true of rows with these cells."""
        return [self.within(name, accepted) for name, accepted in held.items()]

    def bad(self, wanted: int, held: Held, name: str) -> int:
        """The cells of a column, of those held, with which, beside what is held in others, ``wanted`` can fail."""
        axis, bad = self.axes[name], 0
        others = [-wanted, *self.held({other: accepted for other, accepted in held.items() if other != name})]
        left = axis.possible & held.get(name, axis.possible)
        while left:
            row = self.row((*others, self.within(name, left)))
            if row is None:
                break
            same = axis.signatures[row[name]]  # the rule cannot tell these apart
            found = sum(1 << n for n, other in enumerate(axis.signatures) if other == same and left >> n & 1)
            bad |= found
            left &= ~found
        return bad

    def _tell(self) -> None:
        self._solver.append_formula(self.circuit.clauses[self._n_told :])
        self._n_told = len(self.circuit.clauses)
