"""DNF: one of the clauses holds, with all of its literals."""

from typing import ClassVar

import numpy as np

from imli.arrays import BoolArray
from imli.rules.conditions import Clause
from imli.rules.formula import Formula
from imli.rules.rule import Holds


class DNF(Formula):
    """A disjunction of clauses, each a conjunction of literals. A clause without literals is true.

    >>> from imli.literals import Compare, IsTrue
    >>> print(DNF.from_clauses([Compare("age", ">", 40), IsTrue("smoker")], [Compare("bmi", ">", 30)]))
    IF    age > 40 AND smoker
       OR bmi > 30
    THEN  true
    ELSE  false
    """

    kind: ClassVar[str] = "dnf"
    inner: ClassVar[str] = "AND"
    outer: ClassVar[str] = "OR"
    no_clauses: ClassVar[str] = "never"
    speaks_for: ClassVar[int] = 1

    def holds(self, holds: Holds, n_rows: int) -> BoolArray:
        result = np.zeros(n_rows, dtype=bool)
        for clause in self.clauses:
            result |= self.covered(clause, holds, n_rows)
        return result

    def covered(self, clause: Clause, holds: Holds, n_rows: int) -> BoolArray:
        """The rows where the clause holds: the formula is true there, whatever the others say."""
        satisfied = np.ones(n_rows, dtype=bool)
        for literal in clause:
            satisfied &= holds(literal)
        return satisfied

    @property
    def _dual(self) -> type[Formula]:
        from imli.rules.cnf import CNF

        return CNF
