"""What would change a decision, as a value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from imli.notation import listing, write_name, write_value
from imli.reasons.html import fragment, piece
from imli.reasons.rows import Cell
from imli.reasons.words import others_hold, plain
from imli.rules import Clause, Label, Rule


@dataclass(frozen=True)
class Change:
    """A change in one column of a row.

    Attributes
    ----------
    column
        The column.
    was
        What the row holds there; None if missing.
    to
        Literals of which any value will do for which they hold.
    value
        One such value, near to what it was.
    """

    column: str
    was: Cell
    to: Clause
    value: Cell
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values, for JSON."""
        return {
            "column": self.column,
            "was": plain(self.was),
            "to": [literal.to_dict() for literal in self.to],
            "value": plain(self.value),
            "text": self.text,
        }


@dataclass(frozen=True)
class WhatIf:
    """The fewest columns that would have to be otherwise for another decision, and how.

    Attributes
    ----------
    decision
        What the rule decides.
    instead
        What it decides after the changes; None if no change does it.
    changes
        A :class:`Change` for each column, in the order of reading.
    row
        The row after the changes: its value in each column that the rule looks at, None if missing.

    Examples
    --------
    >>> from imli import parse_rule
    >>> rule = parse_rule("IF age > 60 AND smoker OR weight > 120 THEN risk is high ELSE risk is low")
    >>> print(rule.what_if({"age": 70, "smoker": True, "weight": 80}))
    risk would be low instead of high with age at most 60 instead of 70.
    >>> print(rule.what_if({"age": 70, "smoker": True, "weight": 80}, keep="age"))
    risk would be low instead of high with smoker false instead of true.
    >>> print(rule.what_if({"age": 70, "smoker": False, "weight": 130}, keep=["weight"]))
    risk stays high, whatever the other columns hold, as long as weight is what it is.
    """

    decision: Label
    instead: Label | None
    changes: tuple[Change, ...]
    row: Mapping[str, Cell]
    rule: Rule = field(repr=False)
    kept: tuple[str, ...] = field(default=(), repr=False)
    to: Label | None = field(default=None, repr=False)  # the decision that was asked for, if one was
    is_narrowed: bool = field(default=False, repr=False)  # whether it was said what columns can hold

    @property
    def is_possible(self) -> bool:
        """Whether there is a change that does it."""
        return self.instead is not None

    def __str__(self) -> str:
        if not self.changes:
            return self._stays()
        return f"{self._head()} with {listing(map(str, self.changes), 'and')}."

    @property
    def _subject(self) -> str:
        return "The decision" if self.rule.target is None else write_name(self.rule.target)

    def _head(self) -> str:
        assert self.instead is not None
        return f"{self._subject} would be {write_value(self.instead)} instead of {write_value(self.decision)}"

    def _stays(self) -> str:
        now = write_value(self.decision)
        if self.is_possible:
            return f"{self._subject} is {now} already."
        deciding = [name for name in self.kept if name in self.rule.columns]
        if deciding:
            verb = "is what it is" if len(deciding) == 1 else "are what they are"
            others = "" if set(deciding) == set(self.rule.columns) else f", {others_hold(self.is_narrowed)},"
            where = f"{others} as long as {listing(map(write_name, deciding), 'and')} {verb}"
        elif self.rule.columns:
            where = f", whatever {'possible values ' if self.is_narrowed else ''}the columns hold"
        else:
            where = ", as for every row"
        if self.to is not None and len(self.rule.classes) > 2:
            return f"{self._subject} is {now} and does not become {write_value(self.to)}{where}."
        return f"{self._subject} stays {now}{where}."

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values, for JSON."""
        return {
            "decision": self.decision,
            "instead": self.instead,
            "is_possible": self.is_possible,
            "changes": [change.to_dict() for change in self.changes],
            "row": {name: plain(cell) for name, cell in self.row.items()},
            "text": str(self),
        }

    def _repr_html_(self) -> str:
        if not self.changes:
            return fragment(piece(str(self)))
        return fragment(f"<b>{piece(self._head())}</b> with", [piece(str(one)) for one in self.changes], "and")
