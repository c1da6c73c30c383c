"""What CNF and DNF share: clauses in slots, and two classes to decide between.

CNF: all of the clauses hold, each by at least one of its literals.

DNF: one of the clauses holds, with all of its literals.
"""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from imli.errors import at, brief
from imli.rules.counts import Counts
from imli.rules.literals import Literal, plain_value
from imli.rules.rule import FORMAT, Holds, Kind, Label, Rule
from imli.rules.text import Clause, Line, as_clause
from imli.table.frame import AnyArray, BoolArray
from imli.table.read import as_frame


@dataclass(frozen=True, eq=False, repr=False)
class Formula(Rule):
    """A formula over literals, in slots.

    A slot is unused (None) or holds a clause. Unused slots take no part in anything but the slot-by-slot
    distance of mini-batch learning, so two formulas with the same clauses are equal.
    """

    slots: tuple[Clause | None, ...] = ()
    classes: tuple[Label, Label] = (False, True)
    target: str | None = None
    counts: Counts | None = None

    outer: ClassVar[str]  # the connective between clauses
    no_clauses: ClassVar[str]  # what a formula without clauses reads
    speaks_for: ClassVar[int]  # the position of the class that a clause decides for, where it covers a row
    margin: ClassVar[int] = 6

    def __post_init__(self) -> None:
        slots = tuple(None if clause is None else as_clause(clause, self.inner) for clause in self.slots)
        with at("classes"):
            classes = tuple(plain_value(label) for label in self.classes)
            if len(classes) != 2 or classes[0] == classes[1]:
                raise ValueError(f"A formula decides between two different classes. Got {brief(list(classes))}.")
        self._check_target()
        object.__setattr__(self, "slots", slots)
        object.__setattr__(self, "classes", classes)
        self._check_counts()

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses that are held."""
        return tuple(clause for clause in self.slots if clause is not None)

    @property
    def literals(self) -> tuple[Literal, ...]:
        return tuple(literal for clause in self.clauses for literal in clause)

    @abstractmethod
    def holds(self, holds: Holds, n_rows: int) -> BoolArray:
        """In which rows the formula is true, given where its literals are."""

    @abstractmethod
    def covered(self, clause: Clause, holds: Holds, n_rows: int) -> BoolArray:
        """The rows that this clause alone decides."""

    def coverage(self, holds: Holds, n_rows: int) -> list[BoolArray]:
        return [self.covered(clause, holds, n_rows) for clause in self.clauses]

    @property
    def region_classes(self) -> tuple[Label, ...]:
        return *(self.classes[self.speaks_for] for _ in self.clauses), self.classes[1 - self.speaks_for]

    def without(self, clause: int) -> Self:
        rest = tuple(other for number, other in enumerate(self.clauses) if number != clause)
        return replace(self, slots=rest, counts=None)

    @property
    @abstractmethod
    def _dual(self) -> type["Formula"]:
        """The other kind."""

    def __invert__(self) -> "Formula":
        """The formula of the other kind that is true exactly where this one is false (De Morgan)."""
        slots = tuple(None if clause is None else tuple(~literal for literal in clause) for clause in self.slots)
        return self._dual(slots, self.classes, self.target)

    def decide(self, data: Any) -> BoolArray:
        """In which rows of a table the formula is true."""
        frame = as_frame(data, only=self.columns)
        return self.holds(self.holds_in(frame), frame.n_rows)

    def class_positions(self, holds: Holds, n_rows: int) -> AnyArray:
        return self.holds(holds, n_rows).astype(np.intp)

    def _identity(self) -> tuple[Any, ...]:
        # True and 1 are equal in Python, but not the same class label
        return self.kind, self.clauses, self.classes, tuple(isinstance(c, bool) for c in self.classes), self.target

    def outline(self) -> list[Line]:
        n_clauses = len(self.clauses)
        clauses = [Line(self.outer if number else "IF", number) for number in range(n_clauses)]
        own, default = tuple(range(n_clauses)), (n_clauses,)
        negative, positive = self.classes
        yes, no = (own, default) if self.speaks_for else (default, own)
        return [
            *(clauses or [Line("IF", constant=self.no_clauses)]),
            Line("THEN", label=positive, regions=yes),
            Line("ELSE", label=negative, regions=no),
        ]

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "kind": self.kind,
            "classes": list(self.classes),
            "target": self.target,
            "slots": [None if clause is None else [literal.to_dict() for literal in clause] for clause in self.slots],
        } | self._counts_entry()

    @classmethod
    def from_clauses(cls, *clauses: Iterable[Literal]) -> Self:
        """A formula with these clauses that decides between false and true."""
        return cls(tuple(tuple(clause) for clause in clauses))


class CNF(Formula):
    """A conjunction of clauses, each a disjunction of literals. A clause without literals is false.

    >>> from imli.rules.literals import Compare, IsTrue
    >>> print(CNF.from_clauses([Compare("age", ">", 40), IsTrue("smoker")], [Compare("bmi", ">", 30)]))
    IF    (age > 40 OR smoker)
      AND (bmi > 30)
    THEN  true
    ELSE  false
    """

    kind: ClassVar[Kind] = "cnf"
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

        return DNF


class DNF(Formula):
    """A disjunction of clauses, each a conjunction of literals. A clause without literals is true.

    >>> from imli.rules.literals import Compare, IsTrue
    >>> print(DNF.from_clauses([Compare("age", ">", 40), IsTrue("smoker")], [Compare("bmi", ">", 30)]))
    IF    age > 40 AND smoker
       OR bmi > 30
    THEN  true
    ELSE  false
    """

    kind: ClassVar[Kind] = "dnf"
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

        return CNF
