"""The section of a report with rows that the rule decides wrongly, and the reasons.

A reason names the clause that decided a row, and the nearest of the clauses for the true class of the row.
"""

from collections import defaultdict
from typing import Any

import numpy as np

from imli.report.decisions import Decisions
from imli.rules import Label, PointRule
from imli.rules.literals import Literal
from imli.rules.notation import listing, write_cell, write_name, write_value
from imli.rules.text import clause_text, write_conditions
from imli.table.frame import IntArray

_MOST = 20


def find_mistakes(decisions: Decisions, seed: int = 0) -> dict[str, Any]:
    """Return the section on mistakes, with some rows of each kind: true class, decision, and deciding clause."""
    sample, decided = decisions.sample, decisions.decided
    wrong = np.flatnonzero(~decisions.is_right)
    numbers = np.arange(1, sample.n_rows + 1) if sample.origins is None else sample.origins + 1
    reasons = _Reasons(decisions)
    names = [write_value(label) for label in sample.classes]

    def describe(row: int) -> dict[str, Any]:
        reason = reasons.of(row)
        return {
            "row": int(numbers[row]),  # in the table, from 1
            "weight": float(sample.weights[row]),
            "true": names[sample.positions[row]],
            "decided": names[decided[row]],
            "cells": [
                {
                    "column": write_name(column),
                    "text": write_cell(sample.frame[column], row, reasons.literals[column]),
                    "matters": column in reason["columns"],
                }
                for column in decisions.rule.columns
            ],
            "reason": reason,
        }

    kinds: dict[tuple[int, int], float] = defaultdict(float)
    for row in wrong:
        kinds[int(sample.positions[row]), int(decided[row])] += float(sample.weights[row])
    return {
        "n_rows": len(wrong),
        "rows": float(sample.weights[wrong].sum()),  # by weight
        "kinds": [
            {"true": names[true], "decided": names[other], "rows": weight}
            for (true, other), weight in sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
        ],
        "shown": [describe(row) for row in _choose(decisions, wrong, seed)],
    }


def _choose(decisions: Decisions, wrong: IntArray, seed: int) -> list[int]:
    """Choose at most twenty rows in turns from all kinds of mistakes; return rows of a kind together and in order."""
    if len(wrong) > _MOST:
        wrong = np.random.default_rng(seed).permutation(wrong)
    groups: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for row in wrong.tolist():
        kind = int(decisions.sample.positions[row]), int(decisions.decided[row]), int(decisions.regions[row])
        groups[kind].append(row)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    turns = [(turn, place, row) for place, (_, own) in enumerate(ordered) for turn, row in enumerate(own)]
    return [row for _, _, row in sorted(sorted(turns)[:_MOST], key=lambda found: (found[1], found[2]))]


class _Reasons:
    """Finds the reasons why rows are decided wrongly."""

    def __init__(self, decisions: Decisions) -> None:
        self.decisions, self.rule, self.sample = decisions, decisions.rule, decisions.sample
        self.literals = {
            column: tuple(literal for literal in self.rule.literals if literal.column == column)
            for column in self.rule.columns
        }

    def of(self, row: int) -> dict[str, Any]:
        """Return the reason for the decision on the row at this position."""
        if isinstance(self.rule, PointRule):
            return self._of_total(self.rule, row)
        decider = int(self.decisions.regions[row])
        n_clauses = len(self.rule.clauses)
        sentences = [self._decided_by_default()] if decider == n_clauses else self._decided_by(decider, row)
        looked_at = [] if decider == n_clauses else [literal.column for literal in self.rule.clauses[decider]]
        wanted = self._wanted(row, decider)
        near: int | None = None
        obstacles: list[Literal] = []
        if wanted:
            near, obstacles = min(
                ((clause, self._obstacles(clause, row)) for clause in wanted),
                key=lambda found: (len(found[1]), sum(self._distance(literal, row) for literal in found[1])),
            )
            sentences.append(self._missed(near, obstacles, row) if obstacles else self._overruled(near, decider))
        elif self.rule.clauses and (label := self._label(row)) not in self.rule.region_classes:
            sentences.append(f"The rule never predicts {write_value(label)}.")
        looked_at += [literal.column for literal in obstacles]
        return {
            "clause": None if decider == n_clauses else decider + 1,  # that decides the row; None is the default
            "nearest": None if near is None else near + 1,  # of the clauses for the true class
            "obstacles": [str(literal) for literal in obstacles],  # that keep the nearest clause from applying
            "columns": list(dict.fromkeys(looked_at)),  # that the text is about
            "text": " ".join(sentences),
        }

    def _of_total(self, rule: PointRule, row: int) -> dict[str, Any]:
        """Return the items that hold on a row, with their points, as the reason for its decision."""
        held = [n for n, rows in enumerate(self.decisions.coverage) if rows[row]]
        total = sum(rule.points[n] for n in held)
        parts = [f"{' AND '.join(clause_text(rule, n))} ({rule.points[n]:+d})" for n in held]
        what = f"These hold: {', '.join(parts)}." if parts else "No item holds."
        return {
            "clause": None,
            "nearest": None,
            "obstacles": [],
            "columns": list(dict.fromkeys(literal.column for n in held for literal in rule.clauses[n])),
            "text": f"The total is {total}, and it takes {rule.threshold}. {what}",
        }

    def _label(self, row: int) -> Label:
        return self.sample.classes[int(self.sample.positions[row])]

    def _wanted(self, row: int, decider: int) -> list[int]:
        """Return the clauses for the class of the row; of a list, only those that could have decided it."""
        label = self._label(row)
        found = [n for n, own in enumerate(self.rule.clause_classes) if own == label]
        if self.rule.kind != "list":
            return found
        earlier = [n for n in found if n < decider]
        holding = [n for n in found if n > decider and not self._obstacles(n, row)]
        return earlier or holding[:1]

    def _obstacles(self, clause: int, row: int) -> list[Literal]:
        """Return the literals that keep a clause from applying: those that fail, or in a CNF those that hold."""
        blocks = self.rule.inner == "OR"
        return [literal for literal in self.rule.clauses[clause] if bool(self.decisions.holds(literal)[row]) == blocks]

    def _distance(self, literal: Literal, row: int) -> float:
        """Return the share of rows between the cell of the row and the nearest threshold; 1 if there is none."""
        column = self.sample.frame[literal.column]
        if not literal.cuts or column.missing[row] or column.kind not in ("number", "date"):
            return 1.0
        values, cell = column.values[~column.missing], column.values[row]
        between = [(values >= min(cut, cell)) & (values <= max(cut, cell)) for cut in literal.cuts]
        return min(float(np.mean(rows)) for rows in between)

    def _decided_by(self, clause: int, row: int) -> list[str]:
        """Return sentences about the deciding clause, and about the others of its class that apply."""
        conditions = clause_text(self.rule, clause)
        if self.rule.inner == "OR":
            which = "it does not hold" if len(conditions) == 1 else "none of these holds"
            first = f"Clause {clause + 1} rules the row out: {which}: {', '.join(conditions)}."
        else:
            first = f"Clause {clause + 1} holds: {' AND '.join(conditions)}."
        if self.rule.kind == "list":
            return [first]
        classes = self.rule.clause_classes
        others = [n for n in range(len(classes)) if n != clause and classes[n] == classes[clause]]
        more = [str(n + 1) for n in others if self.decisions.coverage[n][row]]
        if not more:
            return [first]
        is_one, what = len(more) == 1, " it out too" if self.rule.inner == "OR" else " too"
        verb = ("rule" if self.rule.inner == "OR" else "hold") + ("s" if is_one else "")
        return [first, f"Clause{'' if is_one else 's'} {listing(more, 'and')} {verb}{what}."]

    def _decided_by_default(self) -> str:
        if not self.rule.clauses:
            return "The rule predicts the same class for every row."
        return "No clause rules the row out." if self.rule.inner == "OR" else "No clause holds."

    def _overruled(self, clause: int, decider: int) -> str:
        if self.rule.kind == "list":
            return f"{self._named(clause)} holds too, but clause {decider + 1} comes first."
        return f"{self._named(clause)} holds too, but is outvoted, or stands behind."

    def _missed(self, clause: int, obstacles: list[Literal], row: int) -> str:
        would = "would have ruled it out but for" if self.rule.inner == "OR" else "would have held with"
        conditions = " AND ".join(write_conditions(tuple(obstacles), "AND"))
        return f"{self._named(clause)} {would} {conditions}; {self._here(obstacles, row)}."

    def _named(self, clause: int) -> str:
        """Return the number of a clause, with its class unless all clauses have one class."""
        if self.rule.kind in ("cnf", "dnf"):
            return f"Clause {clause + 1}"
        return f"Clause {clause + 1}, for {write_value(self.rule.region_classes[clause])},"

    def _here(self, literals: list[Literal], row: int) -> str:
        columns = tuple(dict.fromkeys(literal.column for literal in literals))
        texts = [write_cell(self.sample.frame[name], row, self.literals[name]) for name in columns]
        if len(columns) == 1:
            return f"here it is {texts[0]}"
        return f"here {listing((f'{write_name(n)} is {t}' for n, t in zip(columns, texts, strict=True)), 'and')}"
