"""The smallest reason: conditions, true of a row, with which the rule decides every row as it decides this one."""

from collections.abc import Sequence
from typing import Any

from imli.reasons.axes import read_axes
from imli.reasons.conditions import strongest
from imli.reasons.domains import read_domains
from imli.reasons.hitting import smallest_choice
from imli.reasons.oracle import Oracle
from imli.reasons.rows import read_row
from imli.reasons.why import Why
from imli.reasons.widening import Asked, widened
from imli.rules import Label, Rule
from imli.rules.conditions import as_clause


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
