"""What decision lists and decision sets share: clauses with a class each, and a default class."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from imli.arrays import AnyArray, BoolArray
from imli.literals import Literal, plain_value
from imli.rules.conditions import Clause, as_clause
from imli.rules.counts import Counts
from imli.rules.rule import FORMAT, Holds, Label, Rule

Pair = tuple[Clause, Label]


@dataclass(frozen=True, eq=False, repr=False)
class PairRule(Rule):
    """Clauses, each a conjunction of literals with the class it speaks for, and a class for all other rows."""

    pairs: tuple[Pair, ...]
    default: Label
    target: str | None = None
    counts: Counts | None = None

    def __post_init__(self) -> None:
        pairs = tuple((as_clause(clause), plain_value(label)) for clause, label in self.pairs)
        self._check_target()
        object.__setattr__(self, "pairs", pairs)
        object.__setattr__(self, "default", plain_value(self.default))
        self._check_counts()

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

    @property
    def region_classes(self) -> tuple[Label, ...]:
        return *(label for _, label in self.pairs), self.default

    def without(self, clause: int) -> Self:
        rest = tuple(pair for number, pair in enumerate(self.pairs) if number != clause)
        return replace(self, pairs=rest, counts=None)

    def _pair_positions(self) -> AnyArray:
        position = {label: n for n, label in enumerate(self.classes)}
        return np.array([position[label] for _, label in self.pairs], dtype=np.intp)

    def _identity(self) -> tuple[Any, ...]:
        labels = (self.default, *(label for _, label in self.pairs))
        return self.kind, self.pairs, self.default, tuple(isinstance(label, bool) for label in labels), self.target

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "kind": self.kind,
            "target": self.target,
            "pairs": [{"clause": [part.to_dict() for part in clause], "class": label} for clause, label in self.pairs],
            "default": self.default,
        } | self._counts_entry()
