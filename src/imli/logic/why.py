"""Why a row is decided as it is, as a value.

From what is enough to the weakest that is: conditions, one after the other, as loose as the others allow.

The smallest reason: conditions, true of a row, with which the rule decides every row as it decides this one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from imli.logic.axes import Held, Oracle, read_axes
from imli.logic.domains import Cell, read_domains, read_row
from imli.logic.hitting import smallest_choice
from imli.logic.sentences import fragment, others_hold, piece, plain
from imli.logic.wording import strongest, weakest
from imli.rules import Clause, Label, Rule
from imli.rules.text import as_clause, decision_text, write_conditions


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


@dataclass(frozen=True)
class Asked:
    """That the cell of a column is in a set, as this cell is."""

    name: str
    cell: int
    accepted: int
    literals: Clause = ()


def widened(oracle: Oracle, wanted: int, asked: Sequence[Asked], fixed: Held) -> list[Asked]:
    """Each condition in its weakest form for which, with all others and what is fixed, ``wanted`` is true.

    Numbers and dates come first: how far they may go says more than a longer list of categories.
    """
    now = list(asked)
    for place in sorted(range(len(now)), key=lambda place: not oracle.axes[now[place].name].is_ordered):
        one, held = now[place], dict(fixed)
        for other in (*now[:place], *now[place + 1 :]):
            held[other.name] = held.get(other.name, oracle.axes[other.name].cells.all) & other.accepted
        bad = oracle.bad(wanted, held, one.name)
        accepted, literals = weakest(oracle.axes[one.name], one.cell, bad)
        now[place] = replace(one, accepted=accepted, literals=as_clause(literals))
    return now


def explain(rule: Rule, row: Any, values: Any = None) -> Why:
    """Why the rule decides the row as it does; ``rule.why`` says more."""
    frame, names = read_row(row, rule.columns)
    axes = read_axes(rule, frame, read_domains(values, rule.columns, names))
    holds = rule.holds_in(frame)
    label = rule.classes[int(rule.class_positions(holds, 1)[0])]
    region = int(rule.regions(holds, 1)[0])
    with Oracle(rule, axes) as oracle:
        asked = _smallest_reason(oracle, label)
    return Why(
        decision=label,
        literals=as_clause(literal for one in asked for literal in one.literals),
        clause=region + 1 if region < len(rule.clauses) else None,
        row={name: axis.value for name, axis in axes.items()},
        rule=rule,
        is_narrowed=values is not None,
    )


def _smallest_reason(oracle: Oracle, label: Label) -> list[Asked]:
    options = [
        Asked(axis.name, axis.here, accepted)
        for axis in oracle.axes.values()
        for accepted in strongest(axis, axis.here)
    ]
    decided = oracle.decides(label)
    chosen = smallest_choice(len(options), lambda chosen: _missing_from(oracle, decided, options, chosen))
    assert chosen is not None, "a row decides itself"
    return widened(oracle, decided, [options[number] for number in chosen], {})


def _missing_from(
    oracle: Oracle, decided: int, options: Sequence[Asked], chosen: frozenset[int]
) -> frozenset[int] | None:
    """None if these conditions force the decision; else as few as possible of which one is needed too.

    Those are the conditions that a row which is decided otherwise does not meet, where it meets as many as it can.
    """
    gates = [oracle.within(option.name, option.accepted) for option in options]
    row = oracle.row((-decided, *(gates[number] for number in chosen)))
    if row is None:
        return None
    met = {number for number, option in enumerate(options) if option.accepted >> row[option.name] & 1}
    for number in range(len(options)):
        if number not in met:
            nearer = oracle.row((-decided, *(gates[other] for other in sorted(met)), gates[number]))
            if nearer is not None:
                met |= {n for n, option in enumerate(options) if option.accepted >> nearer[option.name] & 1}
    return frozenset(range(len(options))) - met
