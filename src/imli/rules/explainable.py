"""What a rule can say about one row. The work is done in ``imli.reasons``."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from imli.notation import Value

if TYPE_CHECKING:
    from imli.reasons import WhatIf, Why
    from imli.rules.rule import Rule


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
            ``imli.reasons.Domain``. What the row itself holds is always possible.

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
        from imli.reasons.forcing import explain

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
        from imli.reasons.changing import change

        return change(cast("Rule", self), row, keep, to, values)
