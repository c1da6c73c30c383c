"""The sample that a report is about, and the decisions of the rule on it."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from imli.rules import Label, Rule
from imli.rules.literals import plain_value
from imli.rules.rule import Holds
from imli.table.frame import BoolArray, Frame, IntArray
from imli.table.read import read_labels
from imli.table.sample import Sample


def read_sample(frame: Frame, labels: tuple[Label, ...], y: Any, weight: Any) -> Sample:
    """Return the rows of positive weight; their classes are ``labels``, followed by any others that occur."""
    weights = np.ones(frame.n_rows) if weight is None else np.asarray(weight, dtype=np.float64)
    in_use = np.flatnonzero(weights > 0)
    if not len(in_use):
        raise ValueError("There are no rows to report on.")
    found = [plain_value(label) for label in read_labels(y)[in_use].tolist()]
    others = sorted({label for label in found if label not in labels}, key=lambda o: (str(type(o)), o))
    position = {label: n for n, label in enumerate((*labels, *others))}
    return Sample(
        frame=frame.take(in_use),
        classes=(*labels, *others),
        positions=np.fromiter((position[label] for label in found), dtype=np.int64, count=len(found)),
        weights=weights[in_use],
        origins=in_use,
    )


@dataclass(frozen=True, eq=False)
class Decisions:
    """The decisions of a rule on a sample, and the clauses that make them."""

    rule: Rule
    sample: Sample

    @cached_property
    def holds(self) -> Holds:
        """Return a function that tells on which rows a literal holds."""
        return cache(self.rule.holds_in(self.sample.frame))

    @cached_property
    def decided(self) -> IntArray:
        """Return the position of the decision for each row among the classes of the sample."""
        return self.rule.decisions(self.holds, self.sample.n_rows, self.sample.classes)

    @cached_property
    def is_right(self) -> BoolArray:
        """Return for each row whether the decision is its class."""
        return np.asarray(self.decided == self.sample.positions, dtype=bool)

    @cached_property
    def regions(self) -> IntArray:
        """Return the position of the clause that decides each row; the number of clauses stands for the default."""
        return self.rule.regions(self.holds, self.sample.n_rows)

    @cached_property
    def coverage(self) -> list[BoolArray]:
        """Return for each clause which rows it covers."""
        return self.rule.coverage(self.holds, self.sample.n_rows)
