"""What a rule can say about one row. The work is done in ``imli.reasons``.

What a rule can be turned into, for other programs and documents. The work is done in ``imli.exports``.

What every kind of rule can do.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast
from typing import Literal as OneOf

import numpy as np

from imli.errors import brief, placed
from imli.rules.counts import Counts, count_table
from imli.rules.literals import Literal
from imli.rules.text import Clause, Line, summarize, write_conditions, write_text
from imli.table.frame import AnyArray, BoolArray, Frame, IntArray, Value
from imli.table.read import as_frame

if TYPE_CHECKING:
    from imli.logic.what_if import WhatIf
    from imli.logic.why import Why

Kind = OneOf["cnf", "dnf", "list", "set"]


class Explainable:
    """Why a rule decides a row as it does, and what would change that; imported when called."""

    def why(self, row: Any, *, values: Any = None) -> "Why":
        """The fewest conditions, all true of the row, that force the decision; proven by SAT.

        Every possible row for which they hold gets the same decision, whatever its other columns hold. A condition is
        a literal of the rule, its opposite, or what several of them say together as one, such as a range. Of reasons
        with equally many conditions, the one in columns that the rule names first is given, each condition as weak as
        the others allow, those on numbers and dates first.

        Parameters
        ----------
        row
            A dict from column names to cells, a row of a data frame, or a table of one row; for columns x0, x1, …
            also a list of cells. Columns that the rule does not look at are left alone.
        values
            Which values columns can take. None is any value of the column's kind, and missing. A table, such as the
            training rows: numbers and dates between the least and the greatest in it, whole ones if all are, the
            texts in it, and missing only if some are. Or a dict with something to say about some columns: a list
            of cells as a table has them, a set of exactly the values that are possible, or an
            ``imli.Domain``. What the row itself holds is always possible.

        Notes
        -----
        Of a cell that is there, a condition says nothing about missing ones: ``age <= 40``, where ``age <= 40 or
        missing`` would do too.

        Examples
        --------
        >>> from imli import parse_rule
        >>> rule = parse_rule("IF age > 60 AND smoker OR weight > 120 THEN risk is high ELSE risk is low")
        >>> print(rule.why({"age": 45, "smoker": True, "weight": 80}))
        risk is low, because age <= 60 AND weight <= 120: whatever the other columns hold, the decision is the same.
        >>> print(rule.why({"age": 45, "smoker": True, "weight": 80}, values={"weight": [55, 80, 110]}))
        risk is low, because age <= 60: whatever possible values the other columns hold, the decision is the same.
        """
        from imli.logic.why import explain

        return explain(cast("Rule", self), row, values)

    def what_if(
        self, row: Any, *, keep: str | Iterable[str] = (), to: Value | None = None, values: Any = None
    ) -> "WhatIf":
        """The fewest columns that would have to be otherwise for another decision, and how; found by MaxSAT.

        Of changes in equally many columns, the one with the smallest moves is given: the sum of how far each value
        moves to the nearest threshold that does it, as a share of the column's range. The range is that of
        ``values``; without them, of the rule's thresholds, the row's value and 0 (or, for dates, at least a year).
        Another text, truth value, or any value instead of a missing one is a move of the whole range. After that,
        columns that the rule names first are changed.

        Parameters
        ----------
        row
            As for ``why``.
        keep
            Columns that must not change.
        to
            The decision to come to; None is any other.
        values
            As for ``why``: which values columns can change to. A cell is made missing only if nothing else will do.

        Examples
        --------
        >>> from imli import parse_rule
        >>> rule = parse_rule("IF age > 60 AND smoker OR weight > 120 THEN risk is high ELSE risk is low")
        >>> found = rule.what_if({"age": 70, "smoker": True, "weight": 130}, keep=["age"])
        >>> print(found)
        risk would be low instead of high with smoker false instead of true and weight at most 120 instead of 130.
        >>> found.row
        {'age': 70, 'smoker': False, 'weight': 120}
        """
        from imli.logic.what_if import change

        return change(cast("Rule", self), row, keep, to, values)


class Exportable:
    """The exports of a rule, imported when called."""

    def to_sql(self, dialect: str = "duckdb", *, nan_is_missing: bool = True) -> str:
        """The rule as an SQL expression that decides as ``predict`` does.

        ``SELECT *, <expression> AS decision FROM some_table`` decides each row of a table.

        Parameters
        ----------
        dialect
            "duckdb", "sqlite" or "postgres".
        nan_is_missing
            Whether NaN in a column is missing, as in tables. False makes a shorter expression for columns without NaN.

        Notes
        -----
        * NULL is missing. SQLite holds no NaN; where the others do, it counts as missing too.
        * Columns of numbers may be of any numeric type; in SQLite, make sure that they are not stored as text. DECIMAL
          columns are compared with whole numbers to their last digit, where ``predict`` makes them floats; and
          ``predict`` makes floats of integers too if some are missing. Both matter only past 15 digits. SQLite reads
          numbers below 1e-290 inexactly.
        * "is true" takes BOOLEAN columns, and numbers, of which 1 is true. DuckDB and PostgreSQL refuse to compare
          BOOLEAN columns with other numbers.
        * Text is compared sign by sign. In DuckDB and PostgreSQL that is up to the column: one with a collation that
          ignores case, citext or char(n) goes by its own rules, and PostgreSQL refuses values that an ENUM lacks.
        * Dates are DATE or TIMESTAMP columns, in SQLite ISO text such as 2024-12-31 23:59:30.5, without a time zone
          and with a space or a T in it. Columns with a time zone are compared in that of the session: set it to UTC.
        * All classes must be of one type: text, truth values (1 and 0 in SQLite) or numbers, of which all are written
          as floats if one is. A decision set is a subquery, which not every place takes.

        Examples
        --------
        >>> from imli import parse_rule
        >>> rule = parse_rule("IF age <= 25 AND smoker OR city is Bath or York or missing THEN high ELSE low")
        >>> print(rule.to_sql())
        CASE
          WHEN ("age" <= 25 AND "smoker" = 1)
            OR ("city" IN ('Bath', 'York') OR "city" IS NULL)
          THEN 'high'
          ELSE 'low'
        END
        """
        from imli.exports.sql import write

        return write(cast("Rule", self), dialect=dialect, nan_is_missing=nan_is_missing)

    def to_python(self, name: str = "decide") -> str:
        """The rule as the source of a Python function, which needs no imli and runs on Python 3.8 or newer.

        The function takes a row, a mapping from column names to plain values: numbers, truth values, text,
        ``datetime.date`` or ``datetime.datetime``, those with a time zone in UTC. None and NaN are missing, and a
        column that the row does not have is a ``KeyError``. A ``Decimal`` is compared exactly, where ``predict``
        makes it a float.

        Examples
        --------
        >>> from imli import parse_rule
        >>> source = parse_rule("IF age > 60 OR city is Bath THEN high ELSE low").to_python("risk")
        >>> exec(source)
        >>> risk({"age": 61, "city": None})
        'high'
        """
        from imli.exports.python import write

        return write(cast("Rule", self), name=name)

    def to_markdown(self, *, counts: bool = True) -> str:
        """The rule as a Markdown table for a document, with ``counts``, if it has any, of how each clause does.

        >>> from imli import parse_rule
        >>> rule = parse_rule("IF age > 60 THEN risk is high ELSE risk is low")
        >>> print(rule.counted_on({"age": [70, 65, 40, 30]}, ["high", "low", "low", "low"]).to_markdown())
        | | Rule | Rows | Right | Only here |
        | :-- | :-- | --: | --: | --: |
        | IF | `age > 60` | 2 | 50 % | 1 |
        | THEN | **`risk is high`** | | | |
        | ELSE | **`risk is low`** | 2 | 100 % | |
        <BLANKLINE>
        1 clause, 1 condition, size 1, 75 % of 4 rows right
        """
        from imli.exports.markdown import write

        return write(cast("Rule", self), counts=counts)


# What a class is called: text, a number or a truth value.
Label = Value

# Looks up in which rows a literal holds: on a frame, or in a table of bits.
Holds = Callable[[Literal], BoolArray]

FORMAT = 1


class Rule(Exportable, Explainable, ABC):
    """A classifier that can be read. Decides rows of any table by column name; needs no learner.

    CNF and DNF formulas, decision lists and decision sets are rules.
    """

    kind: ClassVar[Kind]
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

    def decisions(self, holds: Holds, n_rows: int, classes: Sequence[Label]) -> IntArray:
        """Return for each row the position of the decision among ``classes``."""
        known = np.array([classes.index(label) for label in self.classes], dtype=np.int64)
        positions: IntArray = known[self.class_positions(holds, n_rows)]
        return positions

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
        ``imli.logic.circuit.difference`` gives a row that they decide differently.

        >>> from imli import parse_rule
        >>> parse_rule("age > 40 OR age <= 40").equivalent(parse_rule("always"))
        False
        >>> parse_rule("age > 40 OR age <= 40").equivalent(parse_rule("age is not missing"))
        True
        """
        from imli.logic.circuit import equivalent

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
        from imli.logic.simplify import simplified

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
        from imli.exports.frame import to_frame

        return to_frame(self, backend)

    def _repr_html_(self) -> str:
        from imli.exports.html import to_html

        return to_html(summarize(self))

    def __rich__(self) -> Any:
        from imli.exports.terminal import Terminal

        return Terminal(self)
