"""CNF and DNF rules: formulas of clauses in slots that decide between two classes."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from imli.errors import at, brief
from imli.rules.counts import Counts
from imli.rules.literals import Clause, Literal, as_clause, plain_value
from imli.rules.rule import Holds, Kind, Label, Rule, all_hold
from imli.rules.text import Line
from imli.table.frame import AnyArray, BoolArray
from imli.table.read import as_frame

Slot = Clause | None  # None is unused


@dataclass(frozen=True, eq=False, repr=False)
class Formula(Rule):
    """A formula over literals, in slots.

    A slot is unused (None) or holds a clause. Unused slots matter only for the slot-by-slot distance of mini-batch
    learning, so formulas with equal clauses are equal.
    """

    slots: tuple[Clause | None, ...] = ()
    classes: tuple[Label, Label] = (False, True)
    target: str | None = None
    counts: Counts | None = None

    outer: ClassVar[str]  # the connective between clauses
    no_clauses: ClassVar[str]  # the text of a formula without clauses
    covered_class: ClassVar[int]  # the position of the class of the rows that a clause covers
    margin: ClassVar[int] = 6

    def __post_init__(self) -> None:
        slots = tuple(None if clause is None else as_clause(clause, self.inner) for clause in self.slots)
        object.__setattr__(self, "slots", slots)
        object.__setattr__(self, "classes", two_classes(self.classes, "A formula"))
        self._check()

    @classmethod
    def from_clauses(cls, *clauses: Iterable[Literal]) -> Self:
        """Return a formula that decides between false and true.

        Parameters
        ----------
        *clauses
            The literals of each clause.
        """
        return cls(tuple(tuple(clause) for clause in clauses))

    @property
    def clauses(self) -> tuple[Clause, ...]:
        return tuple(clause for clause in self.slots if clause is not None)

    @property
    def region_classes(self) -> tuple[Label, ...]:
        return *(self.classes[self.covered_class] for _ in self.clauses), self.classes[1 - self.covered_class]

    def __invert__(self) -> "Formula":
        """Return the formula of the other kind that is true exactly where this one is false (De Morgan)."""
        dual = DNF if isinstance(self, CNF) else CNF
        slots = tuple(None if clause is None else tuple(~literal for literal in clause) for clause in self.slots)
        return dual(slots, self.classes, self.target)

    def covered(self, clause: Clause, holds: Holds, n_rows: int) -> BoolArray:
        """Return the rows that one clause decides alone: where it holds in a DNF, where it fails in a CNF.

        Parameters
        ----------
        clause
            A clause of the formula.
        holds, n_rows
            A function that returns in which rows a literal holds, and the number of rows.
        """
        return all_hold(clause, holds if self.covered_class else lambda literal: ~holds(literal), n_rows)

    def coverage(self, holds: Holds, n_rows: int) -> list[BoolArray]:
        return [self.covered(clause, holds, n_rows) for clause in self.clauses]

    def holds(self, holds: Holds, n_rows: int) -> BoolArray:
        """Return in which rows the formula is true.

        Parameters
        ----------
        holds, n_rows
            A function that returns in which rows a literal holds, and the number of rows.
        """
        covered = np.zeros(n_rows, dtype=bool)
        for clause in self.clauses:
            covered |= self.covered(clause, holds, n_rows)
        return covered if self.covered_class else ~covered

    def class_positions(self, holds: Holds, n_rows: int) -> AnyArray:
        return self.holds(holds, n_rows).astype(np.intp)

    def decide(self, data: Any) -> BoolArray:
        """Return in which rows of a table the formula is true.

        Parameters
        ----------
        data
            A table with at least the columns that the formula reads.
        """
        frame = as_frame(data, only=self.columns)
        return self.holds(self.holds_in(frame), frame.n_rows)

    def without(self, clause: int) -> Self:
        rest = tuple(other for number, other in enumerate(self.clauses) if number != clause)
        return replace(self, slots=rest, counts=None)

    def outline(self) -> list[Line]:
        n_clauses = len(self.clauses)
        clauses = [Line(self.outer if number else "IF", number) for number in range(n_clauses)]
        own, default = tuple(range(n_clauses)), (n_clauses,)
        negative, positive = self.classes
        yes, no = (own, default) if self.covered_class else (default, own)
        return [
            *(clauses or [Line("IF", constant=self.no_clauses)]),
            Line("THEN", label=positive, regions=yes),
            Line("ELSE", label=negative, regions=no),
        ]

    def _own_fields(self) -> dict[str, Any]:
        slots = [None if clause is None else [literal.to_dict() for literal in clause] for clause in self.slots]
        return {"classes": list(self.classes), "target": self.target, "slots": slots}


class CNF(Formula):
    """A conjunction of clauses, each a disjunction of literals. A clause without literals is false.

    Parameters
    ----------
    slots
        The clauses, each a tuple of literals, and None for unused slots.
    classes
        The class where the formula is false, and the class where it is true.
    target
        Name of the column that the rule predicts.
    counts
        Counts of the rule on some rows.

    Examples
    --------
    >>> from imli.rules.literals import Compare, IsTrue
    >>> print(CNF.from_clauses([Compare("age", ">", 40), IsTrue("smoker")], [Compare("bmi", ">", 30)]))
    IF    (age > 40 OR smoker)
      AND (bmi > 30)
    THEN  true
    ELSE  false
    """

    kind: ClassVar[Kind] = "cnf"
    title: ClassVar[str] = "CNF rule"
    inner: ClassVar[str] = "OR"
    outer: ClassVar[str] = "AND"
    empty_clause: ClassVar[str] = "never"
    no_clauses: ClassVar[str] = "always"
    covers: ClassVar[str] = "rules out"
    alone: ClassVar[str] = "ruled out by no other clause"
    covered_class: ClassVar[int] = 0


class DNF(Formula):
    """A disjunction of clauses, each a conjunction of literals. A clause without literals is true.

    Parameters
    ----------
    slots
        The clauses, each a tuple of literals, and None for unused slots.
    classes
        The class where the formula is false, and the class where it is true.
    target
        Name of the column that the rule predicts.
    counts
        Counts of the rule on some rows.

    Examples
    --------
    >>> from imli.rules.literals import Compare, IsTrue
    >>> print(DNF.from_clauses([Compare("age", ">", 40), IsTrue("smoker")], [Compare("bmi", ">", 30)]))
    IF    age > 40 AND smoker
       OR bmi > 30
    THEN  true
    ELSE  false
    """

    kind: ClassVar[Kind] = "dnf"
    title: ClassVar[str] = "DNF rule"
    outer: ClassVar[str] = "OR"
    no_clauses: ClassVar[str] = "never"
    alone: ClassVar[str] = "caught by no other clause"
    covered_class: ClassVar[int] = 1


def two_classes(given: Iterable[Any], subject: str) -> tuple[Label, Label]:
    """Return two different classes; raise ValueError for others, with the subject of its sentence."""
    with at("classes"):
        classes = tuple(plain_value(label) for label in given)
        if len(classes) != 2 or classes[0] == classes[1]:
            raise ValueError(f"{subject} decides between two different classes. Got {brief(list(classes))}.")
        return classes[0], classes[1]


def slots_of(rule: Rule) -> tuple[Slot, ...]:
    """Return the slots of a formula, or the clauses of a list or set."""
    return rule.slots if isinstance(rule, Formula) else rule.clauses


def without_gaps(rule: Rule) -> Rule:
    """Return the rule without unused slots."""
    return replace(rule, slots=rule.clauses) if isinstance(rule, Formula) else rule
