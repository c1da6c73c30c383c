"""Decision lists: the first clause that holds decides."""

from typing import ClassVar

import numpy as np

from imli.arrays import AnyArray, BoolArray
from imli.rules.outline import Line
from imli.rules.pairs import PairRule
from imli.rules.rule import Holds


class DecisionList(PairRule):
    """Clauses tried in order: the first that holds decides, the default class if none does.

    >>> from imli.literals import Compare, IsTrue
    >>> old, smoker = Compare("age", ">", 60), IsTrue("smoker")
    >>> print(DecisionList((((old, smoker), "high"), ((old,), "medium")), "low", "risk"))
    IF      age > 60 AND smoker
    THEN    risk is high
    ELSE IF age > 60
    THEN    risk is medium
    ELSE    risk is low
    """

    kind: ClassVar[str] = "list"
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
