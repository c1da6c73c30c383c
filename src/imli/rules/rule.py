"""The base class of all rules: decisions, counts, text, explanations and exports."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self
from typing import Literal as OneOf

import numpy as np

from imli.errors import brief, placed
from imli.rules.counts import Counts, count_table, smoothed_shares
from imli.rules.literals import Clause, Literal
from imli.rules.text import Line, summarize, write_conditions, write_text
from imli.table.frame import AnyArray, BoolArray, FloatArray, Frame, IntArray, Value
from imli.table.read import as_frame

if TYPE_CHECKING:
    from imli.exports.plot import RuleDisplay
    from imli.logic.what_if import WhatIf
    from imli.logic.why import Why

# The kinds of rule.
Kind = OneOf["cnf", "dnf", "list", "set", "score", "checklist"]
# A class: text, a number or a truth value.
Label = Value

# A function that returns in which rows a literal holds, from a frame or a table of bits.
Holds = Callable[[Literal], BoolArray]

FORMAT = 1


def all_hold(clause: Clause, holds: Holds, n_rows: int) -> BoolArray:
    """Return in which rows all literals of a clause hold."""
    rows = np.ones(n_rows, dtype=bool)
    for literal in clause:
        rows &= holds(literal)
    return rows


class Rule(ABC):
    """A classifier that people can read. A rule decides rows of any table by column name and needs no learner.

    CNF and DNF formulas, decision lists, decision sets, scores and checklists are rules.

    Attributes
    ----------
    classes
        The classes that the rule can decide for.
    target
        Name of the column that the rule predicts, or None.
    counts
        Numbers of rows that ``counted_on`` counted, or None.
    """

    kind: ClassVar[Kind]
    title: ClassVar[str]  # the kind in words
    inner: ClassVar[str] = "AND"  # the connective between the literals of a clause
    empty_clause: ClassVar[str] = "always"  # the text of a clause without literals
    part: ClassVar[str] = "clause"  # the noun for a clause
    covers: ClassVar[str] = "covers"  # the verb for a clause and its rows
    alone: ClassVar[str] = "correct only because of it"  # about rows that would be wrong without the clause
    margin: ClassVar[int] = 0  # the least width of a keyword at the start of a line

    classes: tuple[Label, ...]
    target: str | None
    counts: Counts | None

    # Each kind of rule defines these.

    @property
    @abstractmethod
    def clauses(self) -> tuple[Clause, ...]:
        """Return the clauses in reading order."""

    @property
    @abstractmethod
    def region_classes(self) -> tuple[Label, ...]:
        """Return the class of each region: that each clause votes for, and last the default class."""

    @abstractmethod
    def class_positions(self, holds: Holds, n_rows: int) -> AnyArray:
        """Return the position of each row's decision in the rule's own ``classes``.

        Parameters
        ----------
        holds, n_rows
            A function that returns in which rows a literal holds, and the number of rows.
        """

    @abstractmethod
    def coverage(self, holds: Holds, n_rows: int) -> list[BoolArray]:
        """Return for each clause the rows that it covers.

        Parameters
        ----------
        holds, n_rows
            A function that returns in which rows a literal holds, and the number of rows.
        """

    @abstractmethod
    def without(self, clause: int) -> "Rule":
        """Return the rule without one clause and without counts.

        Parameters
        ----------
        clause
            Number of the clause, from 0.
        """

    @abstractmethod
    def outline(self) -> list[Line]:
        """Return the lines of the rule in reading order, before they become text."""

    @abstractmethod
    def _own_fields(self) -> dict[str, Any]:
        """Return what only this kind of rule has, as plain values for JSON."""

    # Facts about a rule.

    def _identity(self) -> tuple[Any, ...]:
        # True and 1 are equal in Python, but are different class labels
        labels = *self.classes, *self.region_classes
        return self.kind, self.clauses, labels, tuple(isinstance(label, bool) for label in labels), self.target

    def __eq__(self, other: object) -> bool:
        return self._identity() == other._identity() if isinstance(other, Rule) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity())

    @property
    def clause_classes(self) -> tuple[Label, ...]:
        """Return the class that each clause speaks for."""
        return self.region_classes[:-1]

    def clause_of(self, region: int) -> int | None:
        """Return the number of the clause that decides the rows of a region, or None if no clause alone does.

        Parameters
        ----------
        region
            Position in ``region_classes``.
        """
        return region if region < len(self.clauses) else None

    def region_name(self, region: int) -> str:
        """Return what the rows of a region have in common, in words.

        Parameters
        ----------
        region
            Position in ``region_classes``.
        """
        clause = self.clause_of(region)
        return "Otherwise" if clause is None else f"Clause {clause + 1}"

    def region_shares(self, weights: FloatArray) -> FloatArray:
        """Return the probability of each class in each region: its share there, smoothed by rows of average classes.

        Parameters
        ----------
        weights
            The weight of each class in each region.
        """
        return smoothed_shares(weights)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return remarks to print below the rule."""
        return ()

    @property
    def literals(self) -> tuple[Literal, ...]:
        """Return all literals in reading order, repeated where they occur again."""
        return tuple(literal for clause in self.clauses for literal in clause)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns that the rule reads."""
        return tuple(dict.fromkeys(literal.column for literal in self.literals))

    @property
    def size(self) -> int:
        """Return the number of atomic tests; a list of v values counts v, an interval 2."""
        return sum(literal.size for literal in self.literals)

    @property
    def n_conditions(self) -> int:
        """Return the number of conditions as printed; both ends of a range are one condition."""
        return sum(len(write_conditions(clause, self.inner)) for clause in self.clauses)

    # Decisions on a table.

    @staticmethod
    def holds_in(frame: Frame) -> Holds:
        """Return a function that evaluates literals on the columns of a frame.

        Parameters
        ----------
        frame
            A frame with the columns of the literals.
        """
        return lambda literal: literal.holds(frame[literal.column])

    def decisions(self, holds: Holds, n_rows: int, classes: Sequence[Label]) -> IntArray:
        """Return the position of each row's decision in ``classes``.

        Parameters
        ----------
        holds, n_rows
            A function that returns in which rows a literal holds, and the number of rows.
        classes
            Classes, among them all classes of the rule.
        """
        positions = np.array([classes.index(label) for label in self.classes], dtype=np.int64)
        return np.asarray(positions[self.class_positions(holds, n_rows)], dtype=np.int64)

    def regions(self, holds: Holds, n_rows: int) -> IntArray:
        """Return for each row the number of the clause that decides it; the number after the last is the default.

        That is the first clause in reading order that covers the row and votes for the class that is decided.

        Parameters
        ----------
        holds, n_rows
            A function that returns in which rows a literal holds, and the number of rows.
        """
        decided = self.class_positions(holds, n_rows)
        regions = np.full(n_rows, len(self.clauses), dtype=np.int64)
        votes = zip(self.coverage(holds, n_rows), self.clause_classes, strict=True)
        for number, (rows, label) in reversed(list(enumerate(votes))):
            regions[rows & (decided == self.classes.index(label))] = number
        return regions

    def predict(self, data: Any) -> AnyArray:
        """Return the predicted class of each row of a table.

        Parameters
        ----------
        data
            A table with at least the columns that the rule reads.
        """
        frame = as_frame(data, only=self.columns)
        positions = self.class_positions(self.holds_in(frame), frame.n_rows)
        labels = np.asarray(self.classes)
        if labels.tolist() != list(self.classes):  # NumPy has turned a number into text
            labels = np.array(self.classes, dtype=object)
        decided: AnyArray = labels[positions]
        return decided

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows that the rule decides correctly, from 0 to 1.

        Parameters
        ----------
        X
            A table with the columns that the rule reads.
        y
            One label per row, none of them missing.
        sample_weight
            Weight of each row; None gives all rows the weight 1.

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

    # Counts.

    def counted_on(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Return an equal rule with ``counts`` of its decisions on a table with labels.

        Parameters
        ----------
        X
            A table with the columns that the rule reads.
        y
            One label per row.
        sample_weight
            Weight of each row; rows of weight 0 are left out.

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
        """Return an equal rule with other counts, since counts do not matter for equality.

        Parameters
        ----------
        counts
            Counts of this rule, or None.
        """
        return replace(self, counts=counts)  # type: ignore[type-var]

    def _check(self) -> None:
        """Raise TypeError or ValueError if the target or the counts do not fit the rule."""
        if self.target is not None and not isinstance(self.target, str):
            raise placed(TypeError(f"A rule's target must be a column name. Got {brief(self.target)}."), "target")
        if self.counts is None:
            return
        if not isinstance(self.counts, Counts):
            raise TypeError(f"A rule's counts must be Counts or None. Got {self.counts!r}.")
        if len(self.counts.covered) != len(self.clauses):
            raise ValueError(
                f"The rule has {len(self.clauses)} clauses, but its counts are of {len(self.counts.covered)}. "
                "Count it anew with counted_on."
            )
        if len(self.counts.regions) != len(self.region_classes):
            raise ValueError(
                f"The rule has {len(self.region_classes)} regions, but its counts are of {len(self.counts.regions)}. "
                "Count it anew with counted_on."
            )
        for label in self.classes:
            if label not in self.counts.classes:
                raise ValueError(
                    f"The rule decides for {brief(label)}, but its counts are of the classes "
                    f"{list(self.counts.classes)}. "
                    "Count it anew with counted_on."
                )

    # Logic and exports. Their modules lie above this one and are imported when called.

    def equivalent(self, other: "Rule") -> bool:
        """Return True if two rules decide every possible row alike, proven by a SAT solver.

        Missing cells and categories that neither rule names are possible, too.
        ``imli.logic.circuit.difference`` returns a row on which two rules differ.

        Parameters
        ----------
        other
            A rule of any kind.

        Examples
        --------
        >>> from imli import parse_rule
        >>> parse_rule("age > 40 OR age <= 40").equivalent(parse_rule("always"))
        False
        >>> parse_rule("age > 40 OR age <= 40").equivalent(parse_rule("age is not missing"))
        True
        """
        from imli.logic.circuit import equivalent

        return equivalent(self, other)

    def simplified(self) -> "Rule":
        """Return an equivalent rule of the same kind, with fewer conditions where possible.

        The result has no unused slots. The classes of a list or set are those that are left in it.

        Examples
        --------
        >>> from imli import parse_rule
        >>> print(parse_rule("(age < 20 OR 20 <= age < 30) AND (city is A OR city is B) AND (age < 50)").simplified())
        IF    (age < 30)
          AND (city is A or B)
        THEN  true
        ELSE  false
        """
        from imli.logic.simplify import simplified

        return simplified(self)

    def why(self, row: Any, *, values: Any = None) -> "Why":
        """Return the fewest conditions that are true of a row and force its decision, proven by SAT.

        Every possible row that meets these conditions gets the same decision, whatever its other columns hold.
        A condition is a literal of the rule, its opposite, or several of them combined, such as a range. Among
        reasons with equally many conditions, the one on the columns that the rule names first is returned. Each
        condition is as weak as the others allow, conditions on numbers and dates first.

        Parameters
        ----------
        row
            A dict from column names to cells, a row of a data frame, or a table of one row; for columns x0, x1, …
            also a list of cells. Columns that the rule does not read are ignored.
        values
            The possible values of columns. None: any value of the column's kind, and missing. A table, such as the
            training rows: numbers and dates between the least and the greatest in it, whole numbers if all are,
            the texts in it, and missing only if some cells are. A dict for some of the columns: a list of cells as
            in a table, a set of exactly the possible values, or an ``imli.Domain``. The row's own values are always
            possible.

        Notes
        -----
        If the row's cell is not missing, its condition does not include missing cells: ``age <= 40``, even where
        ``age <= 40 or missing`` would suffice.

        Examples
        --------
        >>> from imli import parse_rule
        >>> rule = parse_rule("IF age > 60 AND smoker OR weight > 120 THEN risk is high ELSE risk is low")
        >>> print(rule.why({"age": 45, "smoker": True, "weight": 80}))
        risk is low, because age <= 60 AND weight <= 120: whatever the other columns hold, the prediction is the same.
        >>> print(rule.why({"age": 45, "smoker": True, "weight": 80}, values={"weight": [55, 80, 110]}))
        risk is low, because age <= 60: whatever possible values the other columns hold, the prediction is the same.
        """
        from imli.logic.why import explain

        return explain(self, row, values)

    def what_if(
        self, row: Any, *, keep: str | Iterable[str] = (), to: Value | None = None, values: Any = None
    ) -> "WhatIf":
        """Return the fewest columns whose change would lead to another decision, and the new values, by MaxSAT.

        Among changes of equally many columns, the one with the smallest moves is returned: the sum of the distances
        from each value to the nearest threshold that suffices, as a share of the column's range. The range is that
        of ``values``; without them, that of the rule's thresholds, the row's value and 0 (for dates, at least a
        year). Another text or truth value, or any value instead of a missing one, is a move of the whole range.
        Among equal sums, the columns that the rule names first are changed.

        Parameters
        ----------
        row
            As for ``why``.
        keep
            Columns that must not change.
        to
            The decision to reach; None is any other.
        values
            The values that columns can change to, as for ``why``. A cell becomes missing only if no value suffices.

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

        return change(self, row, keep, to, values)

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as a dict of plain values for JSON, which ``rule_from_dict`` reads back."""
        counts = {} if self.counts is None else {"counts": self.counts.to_dict()}
        return {"format": FORMAT, "kind": self.kind} | self._own_fields() | counts

    def to_text(
        self,
        *,
        counts: bool = True,
        clauses: bool = False,
        ascii: bool = False,  # noqa: A002
        width: int | None = None,
    ) -> str:
        """Return the rule as text, which ``imli.parse_rule`` reads back.

        Parameters
        ----------
        counts
            True to add to each decision how often it is right, if the rule has counts.
        clauses
            True to add to each clause how many rows it covers, how often it is right, and how many rows only this
            clause gets right.
        ascii
            True to escape all signs that are not ASCII, in quotes.
        width
            Most signs per line; longer clauses continue on the next line. None is no limit.

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

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} with {len(self.clauses)} clauses, size {self.size}>\n{self}"

    def _repr_html_(self) -> str:
        from imli.exports.html import to_html

        return to_html(summarize(self))

    def __rich__(self) -> Any:
        from imli.exports.terminal import Terminal

        return Terminal(self)

    def plot(self, X: Any = None, y: Any = None) -> "RuleDisplay":
        """Return a drawing of the rule, made with matplotlib: its lines as bars of rows that are right and wrong.

        With a table, the columns that the rule reads are drawn below, as histograms by class, with the values that
        each clause accepts. Rows beyond the outer hundredths of a column count in the outermost bars.

        Parameters
        ----------
        X
            A table with the columns that the rule reads. None draws the counts that the rule has.
        y
            One label per row of ``X``.
        """
        from imli.exports.plot import RuleDisplay

        return RuleDisplay(self, X, y).plot()

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row per clause, and last the default: conditions, size and, if any, counts.

        Parameters
        ----------
        backend
            "pandas", "polars" or "pyarrow"; None is the first of them that is installed.

        Examples
        --------
        >>> from imli import parse_rule
        >>> rule = parse_rule("IF 20 < age <= 30 AND city is Bath OR smoker THEN high ELSE low")
        >>> rule.to_frame("pandas")
           clause                       conditions decision  n_conditions  size
        0       1  20 < age <= 30 AND city is Bath     high             2     3
        1       2                           smoker     high             1     1
        2       3                        otherwise      low             0     0
        """
        from imli.exports.frame import to_frame

        return to_frame(self, backend)

    def to_sql(self, dialect: str = "duckdb", *, nan_is_missing: bool = True) -> str:
        """Return the rule as an SQL expression with the decisions of ``predict``.

        ``SELECT *, <expression> AS decision FROM some_table`` decides each row of a table.

        Parameters
        ----------
        dialect
            "duckdb", "sqlite" or "postgres".
        nan_is_missing
            True if NaN in a column is missing, as in tables. False gives a shorter expression for columns without NaN.

        Notes
        -----
        * NULL is missing. SQLite has no NaN; in the other dialects NaN is missing, too.
        * Columns of numbers may be of any numeric type; in SQLite, make sure that they are not stored as text. DECIMAL
          columns are compared with whole numbers to their last digit, while ``predict`` converts them to floats, and
          integers, too, if some are missing. Both matter only past 15 digits. SQLite reads numbers below 1e-290
          inexactly.
        * "is true" accepts BOOLEAN columns, and numbers, of which 1 is true. DuckDB and PostgreSQL refuse to compare
          BOOLEAN columns with other numbers.
        * Text is compared sign by sign. DuckDB and PostgreSQL follow the column's type: a collation that ignores
          case, citext or char(n) compare by their own rules, and PostgreSQL refuses values that an ENUM lacks.
        * Dates are DATE or TIMESTAMP columns, in SQLite ISO text such as 2024-12-31 23:59:30.5, without a time zone
          and with a space or a T in it. Columns with a time zone are compared in that of the session: set it to UTC.
        * All classes must be of one type: text, truth values (1 and 0 in SQLite) or numbers, which are all written
          as floats if one is. A decision set becomes a subquery, which SQL does not allow everywhere.

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

        return write(self, dialect=dialect, nan_is_missing=nan_is_missing)

    def to_python(self, name: str = "decide") -> str:
        """Return the rule as the source of a Python function that needs no imli and runs on Python 3.8 or newer.

        The function takes a row, a mapping from column names to plain values: numbers, truth values, text,
        ``datetime.date`` or ``datetime.datetime``, those with a time zone in UTC. None and NaN are missing. A column
        that the row lacks raises ``KeyError``. A ``Decimal`` is compared exactly, while ``predict`` converts it to
        a float.

        Parameters
        ----------
        name
            Name of the function.

        Examples
        --------
        >>> from imli import parse_rule
        >>> source = parse_rule("IF age > 60 OR city is Bath THEN high ELSE low").to_python("risk")
        >>> exec(source)
        >>> risk({"age": 61, "city": None})
        'high'
        """
        from imli.exports.python import write

        return write(self, name=name)

    def to_markdown(self, *, counts: bool = True) -> str:
        """Return the rule as a Markdown table.

        Parameters
        ----------
        counts
            True to include counts of each clause, if the rule has any.

        Examples
        --------
        >>> from imli import parse_rule
        >>> rule = parse_rule("IF age > 60 THEN risk is high ELSE risk is low")
        >>> print(rule.counted_on({"age": [70, 65, 40, 30]}, ["high", "low", "low", "low"]).to_markdown())
        | | Rule | Rows | Correct | Only here |
        | :-- | :-- | --: | --: | --: |
        | IF | `age > 60` | 2 | 50 % | 1 |
        | THEN | **`risk is high`** | | | |
        | ELSE | **`risk is low`** | 2 | 100 % | |
        <BLANKLINE>
        1 clause, 1 condition. Correct on 75 % of 4 rows.
        """
        from imli.exports.markdown import write

        return write(self, counts=counts)
