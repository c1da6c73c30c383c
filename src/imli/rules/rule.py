"""What every kind of rule can do."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from imli.arrays import AnyArray, BoolArray, FloatArray
from imli.frames import Frame, as_frame, is_missing, read_labels
from imli.literals import Literal
from imli.notation import Value

# What a class is called: text, a number or a truth value.
Label = Value

Clause = tuple[Literal, ...]

# Looks up in which rows a literal holds: on a frame, or in a table of bits.
Holds = Callable[[Literal], BoolArray]

FORMAT = 1


class Rule(ABC):
    """A classifier that can be read. Decides rows of any table by column name; needs no learner.

    CNF and DNF formulas, decision lists and decision sets are rules.
    """

    kind: ClassVar[str]
    classes: tuple[Label, ...]

    @property
    @abstractmethod
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses, in reading order."""

    @property
    @abstractmethod
    def literals(self) -> tuple[Literal, ...]:
        """Every literal in the rule, in reading order, repeated where it occurs again."""

    @abstractmethod
    def class_positions(self, holds: Holds, n_rows: int) -> AnyArray:
        """For each row the position in ``classes`` of the decision."""

    @abstractmethod
    def coverage(self, holds: Holds, n_rows: int) -> list[BoolArray]:
        """For each clause the rows that it speaks for."""

    @abstractmethod
    def _identity(self) -> tuple[Any, ...]:
        """What makes two rules equal."""

    def __eq__(self, other: object) -> bool:
        return self._identity() == other._identity() if isinstance(other, Rule) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} with {len(self.clauses)} clauses, size {self.size}>\n{self}"

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values that goes to JSON and, by ``rule_from_dict``, comes back."""

    @property
    def size(self) -> int:
        """How many atomic tests the rule makes: a list of v values counts v, an interval 2."""
        return sum(literal.size for literal in self.literals)

    @property
    def n_conditions(self) -> int:
        """How many conditions a reader reads."""
        return len(self.literals)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the rule looks at."""
        return tuple(dict.fromkeys(literal.column for literal in self.literals))

    @staticmethod
    def holds_in(frame: Frame) -> Holds:
        """Looks literals up in the columns of a frame."""
        return lambda literal: literal.holds(frame[literal.column])

    def predict(self, data: Any) -> AnyArray:
        """Decide each row of a table, which needs only the columns that the rule looks at."""
        frame = as_frame(data, only=self.columns)
        positions = self.class_positions(self.holds_in(frame), frame.n_rows)
        labels = np.asarray(self.classes)
        if labels.tolist() != list(self.classes):  # NumPy has made text of a number
            labels = np.array(self.classes, dtype=object)
        decided: AnyArray = labels[positions]
        return decided

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows that the rule decides rightly.

        Parameters
        ----------
        X
            A table with the columns that the rule looks at.
        y
            One label per row, none of them missing.
        sample_weight
            How much each row counts; one number per row.

        Examples
        --------
        >>> from imli import parse_rule
        >>> rule = parse_rule("IF age > 60 OR smoker THEN high ELSE low")
        >>> rule.score({"age": [70, 30, 50, 61], "smoker": [0, 1, 0, 0]}, ["high", "high", "high", "low"])
        0.5
        """
        labels = _read_labels(y)
        decided = self.predict(X)
        if len(decided) != len(labels):
            raise ValueError(f"The table has {len(decided)} rows, but there are {len(labels)} labels.")
        given = labels.tolist()
        if not any(label in self.classes for label in set(given)):
            raise ValueError(
                f"The rule decides between {list(self.classes)}, but y has none of these, only "
                f"{sorted(set(given), key=str)[:5]}. Write the rule with the classes of y after THEN and ELSE."
            )
        is_right = np.array([a == b for a, b in zip(decided.tolist(), given, strict=True)], dtype=bool)
        return float(np.average(is_right, weights=_read_weights(sample_weight, len(given))))


def _read_labels(y: Any) -> AnyArray:
    labels = read_labels(y)
    if labels.ndim != 1 or not len(labels):
        raise ValueError(f"y must have one label per row, and there must be rows. Got shape {labels.shape}.")
    missing = [row for row, label in enumerate(labels.tolist()) if is_missing(label)]
    if missing:
        raise ValueError(f"{len(missing)} labels are missing, the first in row {missing[0]}. Drop those rows.")
    return labels


def _read_weights(sample_weight: Any, n_rows: int) -> FloatArray:
    if sample_weight is None:
        return np.ones(n_rows)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,) or not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise ValueError(
            f"sample_weight must have one number per row, {n_rows}, none negative and not all zero. "
            f"Got shape {weights.shape}, from {weights.min(initial=0):g} to {weights.max(initial=0):g}."
        )
    return weights


def as_clause(literals: Iterable[Literal]) -> Clause:
    """A clause holds each literal once."""
    clause = tuple(dict.fromkeys(literals))
    for literal in clause:
        if not isinstance(literal, Literal):
            raise TypeError(f"A clause is made of literals. Got {literal!r}.")
    return clause
