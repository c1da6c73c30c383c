"""What decision lists and decision sets share: clauses with a class each, and a default class."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from imli.arrays import AnyArray, BoolArray
from imli.literals import Literal, plain_value
from imli.notation import write_name, write_value
from imli.rules.rule import FORMAT, Clause, Holds, Label, Rule, as_clause

Pair = tuple[Clause, Label]


@dataclass(frozen=True, eq=False, repr=False)
class PairRule(Rule):
    """Clauses, each a conjunction of literals with the class it speaks for, and a class for all other rows."""

    pairs: tuple[Pair, ...]
    default: Label
    target: str | None = None

    opening: ClassVar[str]

    def __post_init__(self) -> None:
        pairs = tuple((as_clause(clause), plain_value(label)) for clause, label in self.pairs)
        if self.target is not None and not isinstance(self.target, str):
            raise TypeError(f"A rule's target must be a column name. Got {self.target!r}.")
        object.__setattr__(self, "pairs", pairs)
        object.__setattr__(self, "default", plain_value(self.default))

    @property
    def clauses(self) -> tuple[Clause, ...]:
        return tuple(clause for clause, _ in self.pairs)

    @property
    def classes(self) -> tuple[Label, ...]:  # type: ignore[override]
        """The classes that the rule can decide for, the default first."""
        return tuple(dict.fromkeys((self.default, *(label for _, label in self.pairs))))

    @property
    def literals(self) -> tuple[Literal, ...]:
        return tuple(literal for clause in self.clauses for literal in clause)

    def satisfied(self, holds: Holds, n_rows: int) -> list[BoolArray]:
        """For each clause the rows where all of its literals hold."""
        found = []
        for clause in self.clauses:
            rows = np.ones(n_rows, dtype=bool)
            for literal in clause:
                rows &= holds(literal)
            found.append(rows)
        return found

    def _pair_positions(self) -> AnyArray:
        position = {label: n for n, label in enumerate(self.classes)}
        return np.array([position[label] for _, label in self.pairs], dtype=np.intp)

    def _identity(self) -> tuple[Any, ...]:
        labels = (self.default, *(label for _, label in self.pairs))
        return self.kind, self.pairs, self.default, tuple(isinstance(label, bool) for label in labels), self.target

    def _clause_text(self, clause: Clause) -> str:
        return " AND ".join(map(str, clause)) if clause else "always"

    def _decision(self, label: Label) -> str:
        return write_value(label) if self.target is None else f"{write_name(self.target)} is {write_value(label)}"

    @abstractmethod
    def __str__(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "kind": self.kind,
            "target": self.target,
            "pairs": [{"clause": [part.to_dict() for part in clause], "class": label} for clause, label in self.pairs],
            "default": self.default,
        }
