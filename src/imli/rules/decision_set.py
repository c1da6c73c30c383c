"""Decision sets: independent clauses, each speaking for a class."""

from typing import ClassVar

import numpy as np

from imli.arrays import AnyArray, BoolArray
from imli.rules.outline import Line
from imli.rules.pairs import PairRule
from imli.rules.rule import Holds


class DecisionSet(PairRule):
    """Clauses that each speak for a class, in no order.

    Where clauses of several classes hold, the class for which most of them speak is decided; among equals, the
    one whose clause stands first. Where none holds, the default class is.

    >>> from imli.literals import Compare, IsTrue
    >>> print(DecisionSet((((Compare("age", ">", 60),), "high"), ((IsTrue("fit"),), "low")), "low", "risk"))
    IF age > 60 THEN risk is high
    IF fit THEN risk is low
    OTHERWISE risk is low
    """

    kind: ClassVar[str] = "set"

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
