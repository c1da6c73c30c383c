"""Why a row is decided as it is, as a value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from imli.reasons.html import fragment, piece
from imli.reasons.rows import Cell
from imli.reasons.words import others_hold, plain
from imli.rules import Clause, Label, Rule
from imli.rules.conditions import write_conditions
from imli.rules.summary import decision_text


@dataclass(frozen=True)
class Why:
    """The fewest conditions, all true of a row, that force the rule's decision.

    Every possible row for which they hold is decided alike, and fewer conditions would not do.

    Attributes
    ----------
    decision
        What the rule decides.
    literals
        Literals that hold in the row and together force the decision. None, if the rule always decides so.
    clause
        The number of the clause that decides the row, from 1 on; None where the default does.
    row
        The row: its value in each column that the rule looks at, None if missing.

    Examples
    --------
    >>> from imli import parse_rule
    >>> rule = parse_rule("IF age > 60 AND smoker OR weight > 120 THEN risk is high ELSE risk is low")
    >>> why = rule.why({"age": 70, "smoker": True, "weight": 80})
    >>> print(why)
    risk is high, because age > 60 AND smoker: whatever the other columns hold, the decision is the same.
    >>> why.decision, why.clause, [str(literal) for literal in why.literals]
    ('high', 1, ['age > 60', 'smoker'])
    """

    decision: Label
    literals: Clause
    clause: int | None
    row: Mapping[str, Cell]
    rule: Rule = field(repr=False)
    is_narrowed: bool = field(default=False, repr=False)  # whether it was said what columns can hold

    @property
    def conditions(self) -> tuple[str, ...]:
        """The literals as they read, where two ends of a range are one condition."""
        return tuple(write_conditions(self.literals, "AND"))

    def __str__(self) -> str:
        return f"{decision_text(self.rule, self.decision)}, {self._because()}"

    def _because(self) -> str:
        if not self.literals:
            what = "possible values the columns" if self.is_narrowed else "the columns"
            return f"{'whatever ' + what + ' hold' if self.rule.columns else 'as for every row'}."
        return f"because {' AND '.join(self.conditions)}{self._tail()}"

    def _tail(self) -> str:
        named = {literal.column for literal in self.literals}
        if named.issuperset(self.rule.columns):
            return "."
        return f": {others_hold(self.is_narrowed)}, the decision is the same."

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values, for JSON."""
        return {
            "decision": self.decision,
            "conditions": list(self.conditions),
            "literals": [literal.to_dict() for literal in self.literals],
            "clause": self.clause,
            "row": {name: plain(cell) for name, cell in self.row.items()},
            "text": str(self),
        }

    def _repr_html_(self) -> str:
        head = f"<b>{piece(decision_text(self.rule, self.decision))}</b>"
        if not self.literals:
            return fragment(f"{head}, {piece(self._because())}")
        tail = self._tail().removeprefix(":").strip()
        note = "" if tail == "." else f"{tail[0].upper()}{tail[1:]}"
        return fragment(f"{head}, because", [piece(one) for one in self.conditions], "AND", note)
