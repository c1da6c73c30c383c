"""Reasons for the decisions on all rows of a table, one for each pattern of literals that hold."""

from dataclasses import replace

import numpy as np

from imli.rules import Label, PointRule, Rule
from imli.rules.cells import cells_by_column
from imli.rules.literals import IsMissing, Literal, as_clause
from imli.rules.text import write_conditions
from imli.table.frame import Frame, IntArray


def explain_rows(rule: Rule, frame: Frame) -> tuple[IntArray, list[str]]:
    """Return for each row its region, and conditions on the row that force the decision.

    Regions are numbered as in ``Rule.regions``. Rows on which the same literals hold have the same conditions.
    They suffice for the decision, whatever else the row holds, but are not always the fewest that do; ``explain``
    proves that they are, in milliseconds for each row.
    """
    literals = tuple(dict.fromkeys(rule.literals))
    regions = rule.regions(rule.holds_in(frame), frame.n_rows)
    if not literals or not frame.n_rows:
        return regions, ["every row"] * frame.n_rows
    bits = [literal.holds(frame[literal.column]) for literal in literals]
    bits += [frame[name].missing for name in rule.columns]
    packed = np.ascontiguousarray(np.packbits(bits, axis=0).T)
    _, first, pattern = np.unique(packed.view(f"V{packed.shape[1]}").ravel(), return_index=True, return_inverse=True)
    grounds = _Grounds(rule)
    found = []
    for row in first.tolist():
        truth = {literal: bool(holds[row]) for literal, holds in zip(literals, bits, strict=False)}
        gone = {name for name in rule.columns if frame[name].missing[row]}
        found.append(grounds.of(int(regions[row]), truth, gone))
    return regions, [found[number] for number in pattern.tolist()]


class _Grounds:
    """The conditions that force the decisions of a rule."""

    def __init__(self, rule: Rule) -> None:
        self._rule, self._sign = rule, rule.inner == "AND"  # a clause covers a row if all its literals are so
        self._cells = cells_by_column(rule.literals)

    def of(self, region: int, truth: dict[Literal, bool], gone: set[str]) -> str:
        """Return the conditions as text, from the deciding clause, the literals that hold and the missing columns."""
        covering, barred = self._needed(region, truth)
        chosen = [_condition(part, truth, gone) for n in covering for part in self._rule.clauses[n]]
        open_ = [
            [_condition(part, truth, gone) for part in self._rule.clauses[n] if truth[part] != self._sign]
            for n in barred
        ]
        while open_ := [options for options in open_ if not any(self._settles(one, options) for one in chosen)]:
            # the condition that keeps most clauses from covering the row
            candidates = dict.fromkeys(one for options in open_ for one in options)
            chosen.append(max(candidates, key=lambda one: sum(self._settles(one, options) for options in open_)))
        kept = dict.fromkeys(chosen)
        for one in list(kept):
            if any(self._settles(other, [one]) for other in kept if other != one):
                del kept[one]
        return " AND ".join(write_conditions(as_clause(kept), "AND")) or "every row"

    def _needed(self, region: int, truth: dict[Literal, bool]) -> tuple[list[int], list[int]]:
        """Return clauses that cover the row and others that do not, which together force the decision."""
        rule, own = self._rule, self._rule.region_classes[region]
        if isinstance(rule, PointRule):
            return self._enough(rule, rule.least + region, truth)
        others = [n for n, label in enumerate(rule.clause_classes) if label != own]
        if region == len(rule.clauses):
            return [], others
        if rule.kind == "list":
            return [region], [n for n in others if n < region]
        if rule.kind == "set":
            votes = [n for n, label in enumerate(rule.clause_classes) if label == own and self._covers(n, truth)]
            return votes, [n for label in rule.classes if label != own for n in self._barred(label, len(votes), truth)]
        return [region], []

    def _enough(self, rule: PointRule, total: int, truth: dict[Literal, bool]) -> tuple[list[int], list[int]]:
        """Return items that hold and others that do not, of most points, which keep the total where it is decided."""
        is_positive = total >= rule.threshold
        # what the total can still lose, or win, until the decision changes
        at_worst = rule.least if is_positive else rule.most
        held, barred = list[int](), list[int]()
        for n in sorted(range(len(rule.items)), key=lambda n: -abs(rule.points[n])):
            if (at_worst >= rule.threshold) == is_positive:
                break
            if self._covers(n, truth) == ((rule.points[n] > 0) == is_positive):
                (held if self._covers(n, truth) else barred).append(n)
                at_worst += abs(rule.points[n]) if is_positive else -abs(rule.points[n])
        return held, barred

    def _barred(self, label: Label, n_votes: int, truth: dict[Literal, bool]) -> list[int]:
        """Return as many clauses of another class that do not cover the row as it needs to stay below the votes."""
        clauses = [n for n, other in enumerate(self._rule.clause_classes) if other == label]
        idle = [n for n in clauses if not self._covers(n, truth)]
        return idle[: max(0, len(clauses) - n_votes + 1)]

    def _covers(self, clause: int, truth: dict[Literal, bool]) -> bool:
        return all(truth[part] == self._sign for part in self._rule.clauses[clause])

    def _settles(self, one: Literal, options: list[Literal]) -> bool:
        """Return True if a condition implies one of several."""
        cells = self._cells[one.column]
        return any(other.column == one.column and not cells.accepted(one) & ~cells.accepted(other) for other in options)


def _condition(literal: Literal, truth: dict[Literal, bool], gone: set[str]) -> Literal:
    """Return the condition that the row meets and that determines the literal."""
    if literal.column in gone:
        return IsMissing(literal.column)
    if isinstance(literal, IsMissing):
        return IsMissing(literal.column, or_missing=False)
    return replace(literal if truth[literal] else literal.opposite(), or_missing=False)
