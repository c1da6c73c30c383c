"""CNF: all of the clauses hold, each by at least one of its literals."""

from typing import ClassVar

import numpy as np

from imli.arrays import BoolArray
from imli.rules.conditions import Clause
from imli.rules.formula import Formula
from imli.rules.rule import Holds


class CNF(Formula):
    """A conjunction of clauses, each a disjunction of literals. A clause without literals is false.

    >>> from imli.literals import Compare, IsTrue
    >>> print(CNF.from_clauses([Compare("age", ">", 40), IsTrue("smoker")], [Compare("bmi", ">", 30)]))
    IF    (age > 40 OR smoker)
      AND (bmi > 30)
    THEN  true
    ELSE  false
    """

    kind: ClassVar[str] = "cnf"
    inner: ClassVar[str] = "OR"
    outer: ClassVar[str] = "AND"
    empty_clause: ClassVar[str] = "never"
    no_clauses: ClassVar[str] = "always"
    covers: ClassVar[str] = "rules out"
    speaks_for: ClassVar[int] = 0

    def holds(self, holds: Holds, n_rows: int) -> BoolArray:
        result = np.ones(n_rows, dtype=bool)
        for clause in self.clauses:
            result &= ~self.covered(clause, holds, n_rows)
        return result

    def covered(self, clause: Clause, holds: Holds, n_rows: int) -> BoolArray:
        """The rows where the clause fails: the formula is false there, whatever the others say."""
        satisfied = np.zeros(n_rows, dtype=bool)
        for literal in clause:
            satisfied |= holds(literal)
        return ~satisfied

    @property
    def _dual(self) -> type[Formula]:
        from imli.rules.dnf import DNF

        return DNF
