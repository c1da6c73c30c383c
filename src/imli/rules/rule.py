"""What every kind of rule can do."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from imli.arrays import AnyArray, BoolArray, IntArray
from imli.frames import Frame, as_frame
from imli.literals import Literal
from imli.notation import Value
from imli.places import brief, placed
from imli.rules.conditions import Clause, write_conditions
from imli.rules.counts import Counts, count_table
from imli.rules.explainable import Explainable
from imli.rules.exportable import Exportable
from imli.rules.outline import Line
from imli.rules.summary import summarize
from imli.rules.text import write_text

# What a class is called: text, a number or a truth value.
Label = Value

# Looks up in which rows a literal holds: on a frame, or in a table of bits.
Holds = Callable[[Literal], BoolArray]

FORMAT = 1


class Rule(Exportable, Explainable, ABC):
    """A classifier that can be read. Decides rows of any table by column name; needs no learner.

    CNF and DNF formulas, decision lists and decision sets are rules.
    """

    kind: ClassVar[str]
    inner: ClassVar[str] = "AND"  # the connective between the literals of a clause
    empty_clause: ClassVar[str] = "always"  # what a clause without literals reads
    covers: ClassVar[str] = "covers"  # what a clause does to the rows that it speaks for
    margin: ClassVar[int] = 0  # how many signs a keyword takes at the start of a line, at least

    classes: tuple[Label, ...]
    target: str | None
    counts: Counts | None

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

    @property
    @abstractmethod
    def region_classes(self) -> tuple[Label, ...]:
        """For each clause the class that it speaks for, and last the default class."""

    @abstractmethod
    def without(self, clause: int) -> "Rule":
        """The rule that is left when the clause of this number is taken out. It has no counts."""

    @abstractmethod
    def outline(self) -> list[Line]:
        """The lines that the rule is read in."""

    @abstractmethod
    def _identity(self) -> tuple[Any, ...]:
        """What makes two rules equal."""

    def __eq__(self, other: object) -> bool:
        return self._identity() == other._identity() if isinstance(other, Rule) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity())

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} with {len(self.clauses)} clauses, size {self.size}>\n{self}"

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values that goes to JSON and, by ``rule_from_dict``, comes back."""

    def _counts_entry(self) -> dict[str, Any]:
        return {} if self.counts is None else {"counts": self.counts.to_dict()}

    @property
    def size(self) -> int:
        """How many atomic tests the rule makes, where a list of v values counts v and an interval 2."""
        return sum(literal.size for literal in self.literals)

    @property
    def n_conditions(self) -> int:
        """How many conditions a reader reads."""
        return sum(len(write_conditions(clause, self.inner)) for clause in self.clauses)

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
        counts = count_table(self, X, y, sample_weight)
        if not counts.total:
            raise ValueError("There are no rows to score the rule on.")
        return counts.n_right(self.region_classes) / counts.total

    def regions(self, holds: Holds, n_rows: int) -> IntArray:
        """For each row the number of the clause that decides it; past the last clause is the default.

        That is the first clause in reading order that covers the row and speaks for the class that is decided.
        """
        decided = self.class_positions(holds, n_rows)
        regions = np.full(n_rows, len(self.clauses), dtype=np.int64)
        spoken_for = zip(self.coverage(holds, n_rows), self.region_classes, strict=False)
        for number, (rows, label) in reversed(list(enumerate(spoken_for))):
            regions[rows & (decided == self.classes.index(label))] = number
        return regions

    def counted_on(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """The same rule, with ``counts`` of how it does on these rows.

        Parameters
        ----------
        X
            A table with the columns that the rule looks at.
        y
            One label per row.
        sample_weight
            How much each row counts; rows of weight 0 are as if absent.

        Examples
        --------
        >>> from imli import parse_rule
        >>> rule = parse_rule("IF age > 60 THEN risk is high ELSE risk is low")
        >>> print(rule.counted_on({"age": [70, 65, 40, 30]}, ["high", "low", "low", "low"]))
        IF    age > 60
        THEN  risk is high   (50 % of the 2 rows it covers)
        ELSE  risk is low    (100 % of 2)
        """
        return self.with_counts(count_table(self, X, y, sample_weight))

    def with_counts(self, counts: Counts | None) -> Self:
        """The same rule with these counts. They are no part of what makes two rules equal."""
        return replace(self, counts=counts)  # type: ignore[type-var]

    def _check_target(self) -> None:
        if self.target is not None and not isinstance(self.target, str):
            raise placed(TypeError(f"A rule's target must be a column name. Got {brief(self.target)}."), "target")

    def _check_counts(self) -> None:
        if self.counts is None:
            return
        if not isinstance(self.counts, Counts):
            raise TypeError(f"A rule's counts must be Counts or None. Got {self.counts!r}.")
        if len(self.counts.covered) != len(self.clauses):
            raise ValueError(
                f"The rule has {len(self.clauses)} clauses, but its counts are of {len(self.counts.covered)}. "
                "Count it anew with counted_on."
            )
        for label in self.classes:
            if label not in self.counts.classes:
                raise ValueError(
                    f"The rule decides for {label!r}, but its counts are of the classes {list(self.counts.classes)}. "
                    "Count it anew with counted_on."
                )

    def to_text(
        self,
        *,
        counts: bool = True,
        clauses: bool = False,
        ascii: bool = False,  # noqa: A002
        width: int | None = None,
    ) -> str:
        """The rule in words, which ``imli.parse_rule`` reads back.

        Parameters
        ----------
        counts
            Whether to say behind each decision how often it is right, if the rule has counts.
        clauses
            Whether to say of each clause how many rows it covers, how often it is right, and how many rows are
            right only through it.
        ascii
            Whether to write names and values with other signs in quotes, and those signs as escapes.
        width
            How many signs a line may have; longer clauses go on in the next line. None is any number.

        Examples
        --------
        >>> from imli import parse_rule
        >>> rule = parse_rule("IF größe > 180 AND age > 60 AND smoker THEN high ELSE low")
        >>> print(rule.to_text(ascii=True, width=40))
        IF    `gr\\u00f6\\u00dfe` > 180
                AND age > 60 AND smoker
        THEN  high
        ELSE  low
        """
        if clauses and self.counts is None:
            raise ValueError("This rule has no counts to show of its clauses. Call rule.counted_on(X, y) first.")
        if width is not None and width < 1:
            raise ValueError(f"width must be a positive number of signs, or None. Got {width}.")
        return write_text(summarize(self, in_ascii=ascii), counts=counts, clauses=clauses, width=width)

    def to_frame(self, backend: str | None = None) -> Any:
        """A table of the clauses, and last the default: what they say, their size and, with counts, how they do.

        Parameters
        ----------
        backend
            "pandas", "polars" or "pyarrow"; None is the first of them that is installed.

        Examples
        --------
        >>> from imli import parse_rule
        >>> rule = parse_rule("IF 20 < age <= 30 AND city is Bath or York OR smoker THEN high ELSE low")
        >>> rule.to_frame("pandas")
           clause                               conditions decision  n_conditions  size
        0       1  20 < age <= 30 AND city is Bath or York     high             2     4
        1       2                                   smoker     high             1     1
        2       3                                otherwise      low             0     0
        """
        from imli.rules.table import to_frame

        return to_frame(self, backend)

    def _repr_html_(self) -> str:
        from imli.rules.html import to_html

        return to_html(summarize(self))

    def __rich__(self) -> Any:
        from imli.rules.terminal import Terminal

        return Terminal(self)
