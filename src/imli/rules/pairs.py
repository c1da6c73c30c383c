"""What decision lists and decision sets share: clauses with a class each, and a default class.

Decision lists: the first clause that holds decides.

Decision sets: independent clauses, each speaking for a class.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from imli.rules.counts import Counts
from imli.rules.literals import Literal, plain_value
from imli.rules.rule import FORMAT, Holds, Kind, Label, Rule
from imli.rules.text import Clause, Line, as_clause
from imli.table.frame import AnyArray, BoolArray

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


class DecisionList(PairRule):
    """Clauses tried in order: the first that holds decides, the default class if none does.

    >>> from imli.rules.literals import Compare, IsTrue
    >>> old, smoker = Compare("age", ">", 60), IsTrue("smoker")
    >>> print(DecisionList((((old, smoker), "high"), ((old,), "medium")), "low", "risk"))
    IF      age > 60 AND smoker
    THEN    risk is high
    ELSE IF age > 60
    THEN    risk is medium
    ELSE    risk is low
    """

    kind: ClassVar[Kind] = "list"
    margin: ClassVar[int] = 8

    def coverage(self, holds: Holds, n_rows: int) -> list[BoolArray]:
        left = np.ones(n_rows, dtype=bool)
        covered = []
        for satisfied in self.satisfied(holds, n_rows):
            covered.append(satisfied & left)
            left = left & ~satisfied
        return covered

    def class_positions(self, holds: Holds, n_rows: int) -> AnyArray:
        positions = np.zeros(n_rows, dtype=np.intp)  # the default class stands first
        for rows, position in zip(self.coverage(holds, n_rows), self._pair_positions(), strict=True):
            positions[rows] = position
        return positions

    def outline(self) -> list[Line]:
        lines: list[Line] = []
        for number, (_, label) in enumerate(self.pairs):
            lines += [
                Line("ELSE IF" if number else "IF", number),
                Line("THEN", label=label, regions=(number,)),
            ]
        return [*lines, Line("ELSE", label=self.default, regions=(len(self.pairs),))]


class DecisionSet(PairRule):
    """Clauses that each speak for a class, in no order.

    Where clauses of several classes hold, the class for which most of them speak is decided; among equals, the
    one whose clause stands first. Where none holds, the default class is.

    >>> from imli.rules.literals import Compare, IsTrue
    >>> print(DecisionSet((((Compare("age", ">", 60),), "high"), ((IsTrue("fit"),), "low")), "low", "risk"))
    IF age > 60 THEN risk is high
    IF fit THEN risk is low
    OTHERWISE risk is low
    """

    kind: ClassVar[Kind] = "set"

    def coverage(self, holds: Holds, n_rows: int) -> list[BoolArray]:
        return self.satisfied(holds, n_rows)

    def overlap(self, holds: Holds, n_rows: int) -> BoolArray:
        """The rows where more than one clause holds."""
        return np.asarray(sum(self.satisfied(holds, n_rows), np.zeros(n_rows, dtype=np.intp)) > 1, dtype=bool)

    def class_positions(self, holds: Holds, n_rows: int) -> AnyArray:
        n_pairs = len(self.pairs)
        votes = np.zeros((len(self.classes), n_rows), dtype=np.intp)
        first = np.full_like(votes, n_pairs)  # the first clause that speaks for a class
        for number, (rows, position) in enumerate(
            zip(self.satisfied(holds, n_rows), self._pair_positions(), strict=True)
        ):
            votes[position, rows] += 1
            first[position, rows] = np.minimum(first[position, rows], number)
        strength = votes * (n_pairs + 1) + (n_pairs - first)
        # with no votes at all, the default class, which stands first
        return np.asarray(strength.argmax(axis=0), dtype=np.intp)

    def outline(self) -> list[Line]:
        lines = [Line("IF", number, label=label) for number, (_, label) in enumerate(self.pairs)]
        return [*lines, Line("OTHERWISE", label=self.default, regions=(len(self.pairs),))]
