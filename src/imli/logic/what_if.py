"""The smallest change of a row that leads to another decision: in the fewest columns, by the smallest moves."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pysat.examples.rc2 import RC2Stratified
from pysat.formula import WCNF

from imli.errors import UnknownColumnError
from imli.logic.axes import Axis, Oracle, read_axes
from imli.logic.circuit import encode_at_most, uninterrupted
from imli.logic.domains import read_domains, read_row
from imli.logic.hitting_sets import smallest_choice
from imli.logic.reason_text import fragment, json_cell, others_hold, span, write_change
from imli.logic.why import ColumnCondition, decide, widen
from imli.rules import Clause, Label, Rule
from imli.rules.cells import Cell
from imli.rules.notation import listing, write_name, write_value

_UNITS = 10**6  # distances are compared to a millionth of a column's range


@dataclass(frozen=True)
class Change:
    """A change in one column of a row.

    Parameters
    ----------
    column
        Name of the column.
    was
        The row's value; None if missing.
    to
        Literals; every value for which they hold suffices.
    value
        One such value, near to the row's.
    text
        The change in words.
    """

    column: str
    was: Cell
    to: Clause
    value: Cell
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """Return the change as a dict of plain values for JSON."""
        return {
            "column": self.column,
            "was": json_cell(self.was),
            "to": [literal.to_dict() for literal in self.to],
            "value": json_cell(self.value),
            "text": self.text,
        }


@dataclass(frozen=True)
class WhatIf:
    """The fewest columns whose change leads to another decision, and their new values.

    Parameters
    ----------
    decision
        The rule's decision.
    instead
        The decision after the changes; None if no change suffices.
    changes
        A :class:`Change` for each changed column, in reading order.
    row
        The row's value after the changes in each column that the rule reads, None if missing.
    rule
        The rule.
    kept
        The columns that had to stay.
    to
        The decision to reach, if one was given.
    is_narrowed
        True if the possible values of columns were given.

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
    to: Label | None = field(default=None, repr=False)
    is_narrowed: bool = field(default=False, repr=False)

    @property
    def is_possible(self) -> bool:
        """Return True if some change suffices."""
        return self.instead is not None

    def __str__(self) -> str:
        if not self.changes:
            return self._stays()
        return f"{self._head()} with {listing(map(str, self.changes), 'and')}."

    @property
    def _subject(self) -> str:
        return "The prediction" if self.rule.target is None else write_name(self.rule.target)

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
        """Return the changes as a dict of plain values for JSON."""
        return {
            "decision": self.decision,
            "instead": self.instead,
            "is_possible": self.is_possible,
            "changes": [change.to_dict() for change in self.changes],
            "row": {name: json_cell(cell) for name, cell in self.row.items()},
            "text": str(self),
        }

    def _repr_html_(self) -> str:
        if not self.changes:
            return fragment(span(str(self)))
        return fragment(f"<b>{span(self._head())}</b> with", [span(str(one)) for one in self.changes], "and")


def change(rule: Rule, row: Any, keep: Any = (), to: Label | None = None, values: Any = None) -> WhatIf:
    """Find the smallest change of a row, as documented for ``Rule.what_if``."""
    frame, names = read_row(row, rule.columns)
    kept = (keep,) if isinstance(keep, str) else tuple(keep)
    known = dict.fromkeys((*names, *rule.columns))
    for name in kept:
        if name not in known:
            raise UnknownColumnError.named(name, known)
    if to is not None and to not in rule.classes:
        raise ValueError(f"The rule never decides for {to!r}. It decides for {listing(map(repr, rule.classes))}.")
    axes = read_axes(rule, frame, read_domains(values, rule.columns, names))
    label = decide(rule, frame)
    changes: tuple[Change, ...] | None = ()
    if to is None or to != label:
        with Oracle(rule, axes) as oracle:
            wanted = -oracle.decided[label] if to is None else oracle.decided[to]
            changes = _smallest_change(oracle, wanted, [name for name in axes if name not in kept])
    after = {name: axis.value for name, axis in axes.items()}
    after |= {one.column: one.value for one in changes or ()}
    instead = label if not changes else decide(rule, read_row(after, rule.columns)[0])
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


def _smallest_change(oracle: Oracle, wanted: int, movable: list[str]) -> tuple[Change, ...] | None:
    """Return the changes; None if no change suffices."""
    axes = oracle.axes
    stays = {name: oracle.within(name, axis.alike(axis.here)) for name, axis in axes.items()}
    rest = [gate for name, gate in stays.items() if name not in movable]
    # a cell is made missing only if no value suffices
    values = {name: axis.possible & ~axis.cells.missing | 1 << axis.here for name, axis in axes.items()}
    values_only = [oracle.within(name, accepted) for name, accepted in values.items()]
    for required in ((wanted, *rest, *values_only), (wanted, *rest)):
        chosen = smallest_choice(len(movable), partial(_find_needed, oracle, required, stays, movable))
        if chosen is not None:
            cells = _nearest_row(oracle, required, [axes[name] for name in movable], len(chosen), stays)
            return _as_changes(oracle, wanted, cells)
    return None


def _find_needed(
    oracle: Oracle, required: Iterable[int], stays: Mapping[str, int], movable: list[str], chosen: frozenset[int]
) -> frozenset[int] | None:
    """Return None if a change of the chosen columns suffices; else columns of which one more must change."""
    gates = {stays[name]: number for number, name in enumerate(movable) if number not in chosen}
    if oracle.row((*required, *gates)) is not None:
        return None
    conflict = oracle.conflict()
    return frozenset(number for gate, number in gates.items() if gate in conflict)


def _nearest_row(
    oracle: Oracle, required: Iterable[int], movable: list[Axis], n_changes: int, stays: Mapping[str, int]
) -> dict[str, int]:
    """Return the cells of the row with so few changes and the smallest moves; among equals, in the first columns."""
    formula = WCNF()
    n_steps = 2 * sum(axis.cells.n for axis in movable)  # more than the steps of all moves together
    for axis in movable:
        weights = _weights(axis, len(oracle.axes), n_steps)
        nearest_first = sorted(weights, key=weights.__getitem__)
        nearer, before = axis.alike(axis.here), 0
        for cell in nearest_first:
            formula.append([oracle.within(axis.name, nearer)], weight=weights[cell] - before)
            nearer, before = nearer | 1 << cell, weights[cell]
    moved = [-stays[axis.name] for axis in movable]
    formula.extend(encode_at_most(moved, n_changes, oracle.n_variables)[0])
    formula.extend([[gate] for gate in required])
    formula.extend(oracle.clauses)
    with uninterrupted(), RC2Stratified(formula, solver="g3", adapt=True, exhaust=True, minz=True) as search:
        return oracle.positions(search.compute())


def _weights(axis: Axis, n_columns: int, n_steps: int) -> dict[int, int]:
    """Return the cost of a move to each other cell: first by distance, then by column, then by number of cells."""
    others = [n for n in range(axis.cells.n) if axis.possible >> n & 1 and not axis.alike(axis.here) >> n & 1]
    found: dict[int, int] = {}
    for cell in others:
        steps = 2 * abs(cell - axis.here) + (cell > axis.here) if axis.is_ordered and axis.value is not None else cell
        moved = round(axis.distance(cell) * _UNITS) << n_columns
        found[cell] = (moved + (1 << axis.place)) * n_steps + steps
    return found


def _as_changes(oracle: Oracle, wanted: int, cells: Mapping[str, int]) -> tuple[Change, ...]:
    axes = oracle.axes
    moved = [name for name, axis in axes.items() if not axis.alike(axis.here) >> cells[name] & 1]
    conditions = [ColumnCondition(name, cells[name], axes[name].alike(cells[name])) for name in moved]
    fixed = {name: axis.alike(axis.here) for name, axis in axes.items() if name not in moved}
    changes = []
    for one in widen(oracle, wanted, conditions, fixed):
        axis = axes[one.name]
        to = axis.only_value(one.literals) or one.literals
        text = write_change(axis.held, axis.cells.literals, to)
        changes.append(Change(axis.name, axis.value, to, axis.example(one.accepted, one.cell), text))
    return tuple(changes)
