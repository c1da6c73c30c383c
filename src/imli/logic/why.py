"""The smallest reason for a decision: conditions on a row that force the decision on every row that meets them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from imli.logic.axes import Held, Oracle, read_axes
from imli.logic.domains import read_domains, read_row
from imli.logic.hitting_sets import smallest_choice
from imli.logic.reason_text import fragment, json_cell, others_hold, span
from imli.logic.wording import strongest, weakest
from imli.rules import Clause, Label, Rule
from imli.rules.cells import Cell
from imli.rules.literals import as_clause
from imli.rules.text import decision_text, write_conditions
from imli.table.frame import Frame


@dataclass(frozen=True)
class Why:
    """The fewest conditions, all true of a row, that force the rule's decision.

    Every possible row that meets them gets the same decision, and fewer conditions do not suffice.

    Parameters
    ----------
    decision
        The rule's decision.
    literals
        Literals that hold in the row and together force the decision; empty if the decision is always the same.
    clause
        The number of the clause that decides the row, from 1; None if it is the default, or points add up.
    row
        The row's value in each column that the rule reads, None if missing.
    rule
        The rule.
    is_narrowed
        True if the possible values of columns were given.

    Examples
    --------
    >>> from imli import parse_rule
    >>> rule = parse_rule("IF age > 60 AND smoker OR weight > 120 THEN risk is high ELSE risk is low")
    >>> why = rule.why({"age": 70, "smoker": True, "weight": 80})
    >>> print(why)
    risk is high, because age > 60 AND smoker: whatever the other columns hold, the prediction is the same.
    >>> why.decision, why.clause, [str(literal) for literal in why.literals]
    ('high', 1, ['age > 60', 'smoker'])
    """

    decision: Label
    literals: Clause
    clause: int | None
    row: Mapping[str, Cell]
    rule: Rule = field(repr=False)
    is_narrowed: bool = field(default=False, repr=False)

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return the literals as text, two ends of a range as one condition."""
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
        return f": {others_hold(self.is_narrowed)}, the prediction is the same."

    def to_dict(self) -> dict[str, Any]:
        """Return the reason as a dict of plain values for JSON."""
        return {
            "decision": self.decision,
            "conditions": list(self.conditions),
            "literals": [literal.to_dict() for literal in self.literals],
            "clause": self.clause,
            "row": {name: json_cell(cell) for name, cell in self.row.items()},
            "text": str(self),
        }

    def _repr_html_(self) -> str:
        head = f"<b>{span(decision_text(self.rule, self.decision))}</b>"
        if not self.literals:
            return fragment(f"{head}, {span(self._because())}")
        tail = self._tail().removeprefix(":").strip()
        note = "" if tail == "." else f"{tail[0].upper()}{tail[1:]}"
        return fragment(f"{head}, because", [span(one) for one in self.conditions], "AND", note)


@dataclass(frozen=True)
class ColumnCondition:
    """A condition that the cell of a column is in a set, and the row's cell, which is."""

    name: str
    cell: int
    accepted: int
    literals: Clause = ()


def widen(oracle: Oracle, wanted: int, conditions: Sequence[ColumnCondition], fixed: Held) -> list[ColumnCondition]:
    """Return each condition in its weakest form that, with all others and the fixed cells, makes ``wanted`` true.

    Conditions on numbers and dates come first: a wider range tells more than a longer list of categories.
    """
    now = list(conditions)
    for place in sorted(range(len(now)), key=lambda place: not oracle.axes[now[place].name].is_ordered):
        one, held = now[place], dict(fixed)
        for other in (*now[:place], *now[place + 1 :]):
            held[other.name] = held.get(other.name, oracle.axes[other.name].cells.all) & other.accepted
        bad = oracle.bad(wanted, held, one.name)
        accepted, literals = weakest(oracle.axes[one.name], one.cell, bad)
        now[place] = replace(one, accepted=accepted, literals=as_clause(literals))
    return now


def explain(rule: Rule, row: Any, values: Any = None) -> Why:
    """Find the smallest reason for the decision of a row, as documented for ``Rule.why``."""
    frame, names = read_row(row, rule.columns)
    axes = read_axes(rule, frame, read_domains(values, rule.columns, names))
    label, region = decide(rule, frame), int(rule.regions(rule.holds_in(frame), 1)[0])
    with Oracle(rule, axes) as oracle:
        found = _smallest_reason(oracle, label)
    return Why(
        decision=label,
        literals=as_clause(literal for one in found for literal in one.literals),
        clause=None if (clause := rule.clause_of(region)) is None else clause + 1,
        row={name: axis.value for name, axis in axes.items()},
        rule=rule,
        is_narrowed=values is not None,
    )


def decide(rule: Rule, frame: Frame) -> Label:
    """Return the class that the rule itself, without a solver, decides for in a frame of one row."""
    return rule.classes[int(rule.class_positions(rule.holds_in(frame), 1)[0])]


def _smallest_reason(oracle: Oracle, label: Label) -> list[ColumnCondition]:
    options = [
        ColumnCondition(axis.name, axis.here, accepted)
        for axis in oracle.axes.values()
        for accepted in strongest(axis, axis.here)
    ]
    decided = oracle.decided[label]
    chosen = smallest_choice(len(options), lambda chosen: _missing_from(oracle, decided, options, chosen))
    assert chosen is not None, "all values of a row together force its decision"
    return widen(oracle, decided, [options[number] for number in chosen], {})


def _missing_from(
    oracle: Oracle, decided: int, options: Sequence[ColumnCondition], chosen: frozenset[int]
) -> frozenset[int] | None:
    """Return None if the chosen conditions force the decision; else few conditions of which one more is needed.

    These are the conditions that a row with another decision does not meet, where it meets as many as possible.
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
