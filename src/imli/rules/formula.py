"""What CNF and DNF share: clauses in slots, and two classes to decide between."""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from imli.arrays import AnyArray, BoolArray
from imli.frames import as_frame
from imli.literals import Literal, plain_value
from imli.notation import write_name, write_value
from imli.rules.rule import FORMAT, Clause, Holds, Label, Rule, as_clause


@dataclass(frozen=True, eq=False, repr=False)
class Formula(Rule):
    """A formula over literals, in slots.

    A slot is unused (None) or holds a clause. Unused slots take no part in anything but the slot-by-slot
    distance of mini-batch learning, so two formulas with the same clauses are equal.
    """

    slots: tuple[Clause | None, ...] = ()
    classes: tuple[Label, Label] = (False, True)
    target: str | None = None

    # The connective between the literals of a clause, and between clauses.
    inner: ClassVar[str]
    outer: ClassVar[str]

    def __post_init__(self) -> None:
        slots = tuple(None if clause is None else as_clause(clause) for clause in self.slots)
        classes = tuple(plain_value(label) for label in self.classes)
        if len(classes) != 2 or classes[0] == classes[1]:
            raise ValueError(f"A formula decides between two different classes. Got {list(classes)}.")
        if self.target is not None and not isinstance(self.target, str):
            raise TypeError(f"A rule's target must be a column name. Got {self.target!r}.")
        object.__setattr__(self, "slots", slots)
        object.__setattr__(self, "classes", classes)

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

    @abstractmethod
    def _constant(self, empty_clause: bool) -> str:
        """The word for a held clause without literals, or for no clause at all."""

    @abstractmethod
    def _clause_text(self, text: str) -> str:
        """A clause in the formula, bracketed where the kind needs it."""

    def __str__(self) -> str:
        texts = [
            self._clause_text(f" {self.inner} ".join(map(str, clause)) if clause else self._constant(True))
            for clause in self.clauses
        ] or [self._clause_text(self._constant(False))]
        negative, positive = (self._decision(label) for label in self.classes)
        joint = f"\n{self.outer:>5} "
        return f"IF    {joint.join(texts)}\nTHEN  {positive}\nELSE  {negative}"

    def _decision(self, label: Label) -> str:
        return write_value(label) if self.target is None else f"{write_name(self.target)} is {write_value(label)}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "kind": self.kind,
            "classes": list(self.classes),
            "target": self.target,
            "slots": [None if clause is None else [literal.to_dict() for literal in clause] for clause in self.slots],
        }

    @classmethod
    def from_clauses(cls, *clauses: Iterable[Literal]) -> Self:
        """A formula with these clauses that decides between false and true."""
        return cls(tuple(tuple(clause) for clause in clauses))
