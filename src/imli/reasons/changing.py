"""The smallest change: in as few columns as possible, and as little as possible, for another decision."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from pysat.card import CardEnc, EncType
from pysat.examples.rc2 import RC2Stratified
from pysat.formula import WCNF

from imli.notation import listing
from imli.reasons.axes import Axis, read_axes
from imli.reasons.domains import check_known, read_domains
from imli.reasons.hitting import smallest_choice
from imli.reasons.oracle import Oracle
from imli.reasons.rows import Cell, read_row
from imli.reasons.what_if import Change, WhatIf
from imli.reasons.widening import Asked, widened
from imli.reasons.words import write_change
from imli.rules import Label, Rule

# Distances are compared to a millionth of a column's range.
_EXACTLY = 10**6


def change(rule: Rule, row: Any, keep: Any = (), to: Label | None = None, values: Any = None) -> WhatIf:
    """What would have to be otherwise in the row; ``rule.what_if`` says more."""
    frame, names = read_row(row, rule.columns)
    kept = (keep,) if isinstance(keep, str) else tuple(keep)
    check_known(kept, dict.fromkeys((*names, *rule.columns)))
    if to is not None and to not in rule.classes:
        raise ValueError(f"The rule never decides for {to!r}. It decides for {listing(map(repr, rule.classes))}.")
    axes = read_axes(rule, frame, read_domains(values, rule.columns, names))
    label = rule.classes[int(rule.class_positions(rule.holds_in(frame), 1)[0])]
    changes: tuple[Change, ...] | None = ()
    if to is None or to != label:
        with Oracle(rule, axes) as oracle:
            wanted = -oracle.decides(label) if to is None else oracle.decides(to)
            changes = _smallest_change(oracle, wanted, [name for name in axes if name not in kept])
    after = {name: axis.value for name, axis in axes.items()}
    after |= {one.column: one.value for one in changes or ()}
    instead = label if not changes else _decide(rule, after)
    assert changes is None or (instead == to if to is not None else instead != label), "the rule decides otherwise"
    return WhatIf(
        decision=label,
        instead=None if changes is None else instead,
        changes=changes or (),
        row=after,
        rule=rule,
        kept=kept,
        to=to,
        is_narrowed=values is not None,
    )


def _decide(rule: Rule, row: Mapping[str, Cell]) -> Label:
    """What the rule itself says of the row, whatever a solver does."""
    frame, _ = read_row(row, rule.columns)
    return rule.classes[int(rule.class_positions(rule.holds_in(frame), 1)[0])]


def _smallest_change(oracle: Oracle, wanted: int, movable: list[str]) -> tuple[Change, ...] | None:
    """None if nothing does it."""
    axes = oracle.axes
    stays = {name: oracle.within(name, axis.alike(axis.here)) for name, axis in axes.items()}
    rest = [gate for name, gate in stays.items() if name not in movable]
    values_only = [oracle.within(name, _values(axis)) for name, axis in axes.items()]
    # to make a cell missing is the last resort
    for required in ((wanted, *rest, *values_only), (wanted, *rest)):
        chosen = smallest_choice(len(movable), partial(_refusing, oracle, required, stays, movable))
        if chosen is not None:
            cells = _nearest_row(oracle, required, [axes[name] for name in movable], len(chosen), stays)
            return _as_changes(oracle, wanted, cells)
    return None


def _values(axis: Axis) -> int:
    """The possible cells that are values, and the row's own."""
    return axis.possible & ~axis.cells.missing | 1 << axis.here


def _refusing(
    oracle: Oracle, required: Iterable[int], stays: Mapping[str, int], movable: list[str], chosen: frozenset[int]
) -> frozenset[int] | None:
    """None if a change of these columns will do; else some of which one has to change too."""
    gates = {stays[name]: number for number, name in enumerate(movable) if number not in chosen}
    if oracle.row((*required, *gates)) is not None:
        return None
    conflict = oracle.conflict()
    return frozenset(number for gate, number in gates.items() if gate in conflict)


def _nearest_row(
    oracle: Oracle, required: Iterable[int], movable: list[Axis], n_changes: int, stays: Mapping[str, int]
) -> dict[str, int]:
    """Of the rows with so few changes, the one with the smallest moves; of equals, in columns that come first."""
    formula = WCNF()
    n_steps = 2 * sum(axis.cells.n for axis in movable)  # more than all moves together can take
    for axis in movable:
        weights = _weights(axis, len(oracle.axes), n_steps)
        nearest_first = sorted(weights, key=weights.__getitem__)
        nearer, before = axis.alike(axis.here), 0
        for cell in nearest_first:
            formula.append([oracle.within(axis.name, nearer)], weight=weights[cell] - before)
            nearer, before = nearer | 1 << cell, weights[cell]
    moved = [-stays[axis.name] for axis in movable]
    if n_changes < len(moved):
        few = CardEnc.atmost(moved, bound=n_changes, top_id=oracle.circuit.n_variables, encoding=EncType.seqcounter)
        formula.extend(few.clauses)
    formula.extend([[gate] for gate in required])
    formula.extend(oracle.circuit.clauses)
    with RC2Stratified(formula, solver="g3", adapt=True, exhaust=True, minz=True) as search:
        return oracle.circuit.positions(search.compute())


def _weights(axis: Axis, n_columns: int, n_steps: int) -> dict[int, int]:
    """What a move to each other cell costs: first its distance, then its column, then how many cells it is away."""
    others = [n for n in range(axis.cells.n) if axis.possible >> n & 1 and not axis.alike(axis.here) >> n & 1]
    found: dict[int, int] = {}
    for cell in others:
        steps = 2 * abs(cell - axis.here) + (cell > axis.here) if axis.is_ordered and not axis.is_missing else cell
        moved = round(axis.distance(cell) * _EXACTLY) << n_columns
        found[cell] = (moved + (1 << axis.place)) * n_steps + steps
    return found


def _as_changes(oracle: Oracle, wanted: int, cells: Mapping[str, int]) -> tuple[Change, ...]:
    axes = oracle.axes
    moved = [name for name, axis in axes.items() if not axis.alike(axis.here) >> cells[name] & 1]
    asked = [Asked(name, cells[name], axes[name].alike(cells[name])) for name in moved]
    fixed = {name: axis.alike(axis.here) for name, axis in axes.items() if name not in moved}
    return tuple(_as_change(axes[one.name], one) for one in widened(oracle, wanted, asked, fixed))


def _as_change(axis: Axis, one: Asked) -> Change:
    value = axis.example(one.accepted, one.cell)
    text = write_change(axis.held, axis.cells.literals, one.literals)
    return Change(axis.name, axis.value, one.literals, value, text)
