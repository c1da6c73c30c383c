"""Decision lists and decision sets: clauses with a class each, and a default class."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from imli.rules.counts import Counts
from imli.rules.literals import Clause, as_clause, plain_value
from imli.rules.rule import Holds, Kind, Label, Rule, all_hold
from imli.rules.text import Line
from imli.table.frame import AnyArray, BoolArray

Pair = tuple[Clause, Label]


@dataclass(frozen=True, eq=False, repr=False)
class PairRule(Rule):
    """Clauses, each a conjunction of literals with a class, and a default class for all other rows."""

    pairs: tuple[Pair, ...]
    default: Label
    target: str | None = None
    counts: Counts | None = None

    def __post_init__(self) -> None:
        pairs = tuple((as_clause(clause), plain_value(label)) for clause, label in self.pairs)
        object.__setattr__(self, "pairs", pairs)
        object.__setattr__(self, "default", plain_value(self.default))
        self._check()

    @property
    def clauses(self) -> tuple[Clause, ...]:
        return tuple(clause for clause, _ in self.pairs)

    @property
    def region_classes(self) -> tuple[Label, ...]:
        return *(label for _, label in self.pairs), self.default

    @property
    def classes(self) -> tuple[Label, ...]:  # type: ignore[override]
        """Return the classes that the rule can decide for, the default first."""
        return tuple(dict.fromkeys((self.default, *self.region_classes)))

    def satisfied(self, holds: Holds, n_rows: int) -> list[BoolArray]:
        """Return for each clause the rows where all of its literals hold.

        Parameters
        ----------
        holds, n_rows
            A function that returns in which rows a literal holds, and the number of rows.
        """
        return [all_hold(clause, holds, n_rows) for clause in self.clauses]

    def without(self, clause: int) -> Self:
        rest = tuple(pair for number, pair in enumerate(self.pairs) if number != clause)
        return replace(self, pairs=rest, counts=None)

    def _pair_positions(self) -> list[int]:
        return [self.classes.index(label) for _, label in self.pairs]

    def _own_fields(self) -> dict[str, Any]:
        pairs = [{"clause": [part.to_dict() for part in clause], "class": label} for clause, label in self.pairs]
        return {"target": self.target, "pairs": pairs, "default": self.default}


class DecisionList(PairRule):
    """Clauses in order: the first that holds decides, and the default class if none does.

    Parameters
    ----------
    pairs
        The clauses, each a tuple of literals, with a class each.
    default
        The class of all other rows.
    target
        Name of the column that the rule predicts.
    counts
        Counts of the rule on some rows.

    Examples
    --------
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
    title: ClassVar[str] = "decision list"
    margin: ClassVar[int] = 8

    def coverage(self, holds: Holds, n_rows: int) -> list[BoolArray]:
        left = np.ones(n_rows, dtype=bool)
        covered = []
        for satisfied in self.satisfied(holds, n_rows):
            covered.append(satisfied & left)
            left = left & ~satisfied
        return covered

    def class_positions(self, holds: Holds, n_rows: int) -> AnyArray:
        positions = np.zeros(n_rows, dtype=np.intp)  # the default class is the first
        for rows, position in zip(self.coverage(holds, n_rows), self._pair_positions(), strict=True):
            positions[rows] = position
        return positions

    def outline(self) -> list[Line]:
        lines: list[Line] = []
        for number, (_, label) in enumerate(self.pairs):
            lines += [Line("ELSE IF" if number else "IF", number), Line("THEN", label=label, regions=(number,))]
        return [*lines, Line("ELSE", label=self.default, regions=(len(self.pairs),))]


class DecisionSet(PairRule):
    """Clauses in no order, each a vote for a class.

    The class with the most votes of clauses that hold is decided; among equals, the class whose clause is the first.
    The default class is decided where no clause holds.

    Parameters
    ----------
    pairs
        The clauses, each a tuple of literals, with a class each.
    default
        The class of all other rows.
    target
        Name of the column that the rule predicts.
    counts
        Counts of the rule on some rows.

    Examples
    --------
    >>> from imli.rules.literals import Compare, IsTrue
    >>> print(DecisionSet((((Compare("age", ">", 60),), "high"), ((IsTrue("fit"),), "low")), "low", "risk"))
    IF age > 60 THEN risk is high
    IF fit THEN risk is low
    OTHERWISE risk is low
    """

    kind: ClassVar[Kind] = "set"
    title: ClassVar[str] = "decision set"

    def coverage(self, holds: Holds, n_rows: int) -> list[BoolArray]:
        return self.satisfied(holds, n_rows)

    def overlap(self, holds: Holds, n_rows: int) -> BoolArray:
        """Return the rows where more than one clause holds.

        Parameters
        ----------
        holds, n_rows
            A function that returns in which rows a literal holds, and the number of rows.
        """
        return np.asarray(sum(self.satisfied(holds, n_rows), np.zeros(n_rows, dtype=np.intp)) > 1, dtype=bool)

    def class_positions(self, holds: Holds, n_rows: int) -> AnyArray:
        n_pairs = len(self.pairs)
        votes = np.zeros((len(self.classes), n_rows), dtype=np.intp)
        first = np.full_like(votes, n_pairs)  # the first clause that votes for a class
        for number, (rows, position) in enumerate(
            zip(self.satisfied(holds, n_rows), self._pair_positions(), strict=True)
        ):
            votes[position, rows] += 1
            first[position, rows] = np.minimum(first[position, rows], number)
        strength = votes * (n_pairs + 1) + (n_pairs - first)
        # without any vote, argmax finds the default class, which is the first
        return np.asarray(strength.argmax(axis=0), dtype=np.intp)

    def outline(self) -> list[Line]:
        lines = [Line("IF", number, label=label) for number, (_, label) in enumerate(self.pairs)]
        return [*lines, Line("OTHERWISE", label=self.default, regions=(len(self.pairs),))]
