"""What every kind of rule can do."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from imli.arrays import AnyArray, BoolArray
from imli.frames import Frame, as_frame
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

    def equivalent(self, other: "Rule") -> bool:
        """Whether this rule and another, of any kind, decide every possible row alike; proven by SAT.

        Missing cells and categories that neither rule names are possible too.
        ``imli.equivalence.difference`` gives a row that they decide differently.

        >>> from imli import parse_rule
        >>> parse_rule("age > 40 OR age <= 40").equivalent(parse_rule("always"))
        False
        >>> parse_rule("age > 40 OR age <= 40").equivalent(parse_rule("age is not missing"))
        True
        """
        from imli.equivalence import equivalent

        return equivalent(self, other)

    def simplified(self) -> "Rule":
        """A rule of the same kind that decides every possible row alike, in fewer conditions where that can be.

        It has no unused slots. A list or set knows only the classes that are left in it.

        >>> from imli import parse_rule
        >>> print(parse_rule("(age < 20 OR 20 <= age < 30) AND (city is A OR city is B) AND (age < 50)").simplified())
        IF    (age < 30)
          AND (city is A or B)
        THEN  true
        ELSE  false
        """
        from imli.simplify import simplified

        return simplified(self)


def as_clause(literals: Iterable[Literal]) -> Clause:
    """A clause holds each literal once."""
    clause = tuple(dict.fromkeys(literals))
    for literal in clause:
        if not isinstance(literal, Literal):
            raise TypeError(f"A clause is made of literals. Got {literal!r}.")
    return clause
