"""Why a rule decides a row as it does, and what kept it from the class that the row has."""

from collections.abc import Iterable
from typing import TypedDict

import numpy as np

from imli.report.decisions import Decisions
from imli.rules import Label
from imli.rules.literals import Literal
from imli.rules.notation import listing, write_cell, write_name, write_value
from imli.rules.text import clause_text


class Reason(TypedDict):
    """Which clause decided (None: the default), which other one came nearest, and both in words."""

    clause: int | None
    nearest: int | None
    obstacles: list[str]  # the literals that kept it from speaking for the row
    columns: list[str]  # those that the words are about
    text: str


class Reasons:
    """Looks up why a row that is decided wrongly is."""

    def __init__(self, decisions: Decisions) -> None:
        self.decisions, self.rule, self.rows = decisions, decisions.rule, decisions.rows
        self.literals = {column: self._on(column) for column in self.rule.columns}

    def _on(self, column: str) -> tuple[Literal, ...]:
        return tuple(literal for literal in self.rule.literals if literal.column == column)

    def of(self, row: int) -> Reason:
        """The reason for the decision on the row at this position."""
        decider = int(self.decisions.regions[row])
        n_clauses = len(self.rule.clauses)
        sentences = [self._decided_by_default()] if decider == n_clauses else self._decided_by(decider, row)
        looked_at = [] if decider == n_clauses else [literal.column for literal in self.rule.clauses[decider]]
        wanted = self._wanted(row, decider)
        speaking = [clause for clause in wanted if not self._obstacles(clause, row)]
        near: int | None = None
        obstacles: list[Literal] = []
        if speaking:
            near = speaking[0]
            sentences.append(self._overruled(near, decider))
        elif wanted:
            near, obstacles = min(
                ((clause, self._obstacles(clause, row)) for clause in wanted),
                key=lambda found: (len(found[1]), sum(self._distance(literal, row) for literal in found[1])),
            )
            sentences.append(self._missed(near, obstacles, row))
        elif self.rule.clauses and (label := self._label(row)) not in self.rule.region_classes:
            sentences.append(f"The rule never decides for {write_value(label)}.")
        looked_at += [literal.column for literal in obstacles]
        return {
            "clause": None if decider == n_clauses else decider + 1,
            "nearest": None if near is None else near + 1,
            "obstacles": [str(literal) for literal in obstacles],
            "columns": list(dict.fromkeys(looked_at)),
            "text": " ".join(sentences),
        }

    def _label(self, row: int) -> Label:
        return self.rows.classes[int(self.rows.positions[row])]

    def _wanted(self, row: int, decider: int) -> list[int]:
        """The clauses that speak for the row's own class; of a list, those that could have been heard."""
        label = self._label(row)
        found = [n for n, own in enumerate(self.rule.region_classes[:-1]) if own == label]
        if self.rule.kind != "list":
            return found
        earlier = [n for n in found if n < decider]
        holding = [n for n in found if n > decider and not self._obstacles(n, row)]
        return earlier or holding[:1]

    def _obstacles(self, clause: int, row: int) -> list[Literal]:
        """The literals that keep a clause from speaking for the row: those that fail, or in a CNF those that hold."""
        blocks = self.rule.inner == "OR"
        return [literal for literal in self.rule.clauses[clause] if bool(self.decisions.holds(literal)[row]) == blocks]

    def _distance(self, literal: Literal, row: int) -> float:
        """The share of rows whose cell lies between this row's and the nearest end of the literal; 1 without one."""
        column = self.rows.frame[literal.column]
        if not literal.cuts or column.missing[row] or column.kind not in ("number", "date"):
            return 1.0
        values = column.values[~column.missing]
        between = [(values >= min(cut, cell)) & (values <= max(cut, cell)) for cut in literal.cuts
                   for cell in (column.values[row],)]  # fmt: skip
        return min(float(np.mean(rows)) for rows in between)

    def _decided_by(self, clause: int, row: int) -> list[str]:
        conditions = clause_text(self.rule, clause)
        if self.rule.inner == "OR":
            which = "it does not hold" if len(conditions) == 1 else "none of these holds"
            first = f"Clause {clause + 1} rules the row out: {which}: {', '.join(conditions)}."
        else:
            first = f"Clause {clause + 1} holds: {' AND '.join(conditions)}."
        if self.rule.kind == "list":
            return [first]
        label = self.rule.region_classes[clause]
        more = [
            n
            for n, own in enumerate(self.rule.region_classes[:-1])
            if n != clause and own == label and self.decisions.coverage[n][row]
        ]
        if not more:
            return [first]
        verb = ("rules", "rule") if self.rule.inner == "OR" else ("holds", "hold")
        what = " it out too" if self.rule.inner == "OR" else " too"
        return [first, f"{_clauses(more)} {verb[len(more) > 1]}{what}."]

    def _decided_by_default(self) -> str:
        if not self.rule.clauses:
            return "The rule decides the same for every row."
        return "No clause rules the row out." if self.rule.inner == "OR" else "No clause holds."

    def _overruled(self, clause: int, decider: int) -> str:
        if self.rule.kind == "list":
            return f"{self._named(clause)} holds too, but clause {decider + 1} comes first."
        return f"{self._named(clause)} holds too, but is outvoted, or stands behind."

    def _missed(self, clause: int, obstacles: list[Literal], row: int) -> str:
        joined = " AND ".join(map(str, obstacles))
        here = self._here(obstacles, row)
        if self.rule.inner == "OR":
            return f"{self._named(clause)} would have ruled it out but for {joined}; {here}."
        return f"{self._named(clause)} would have held with {joined}; {here}."

    def _named(self, clause: int) -> str:
        """The clause, with its class where that is not the same for all."""
        if self.rule.kind in ("cnf", "dnf"):
            return f"Clause {clause + 1}"
        return f"Clause {clause + 1}, for {write_value(self.rule.region_classes[clause])},"

    def _here(self, literals: Iterable[Literal], row: int) -> str:
        columns = tuple(dict.fromkeys(literal.column for literal in literals))
        texts = [write_cell(self.rows.frame[name], row, self.literals[name]) for name in columns]
        if len(columns) == 1:
            return f"here it is {texts[0]}"
        return f"here {listing((f'{write_name(n)} is {t}' for n, t in zip(columns, texts, strict=True)), 'and')}"


def _clauses(numbers: list[int]) -> str:
    named = listing((str(n + 1) for n in numbers), "and")
    return f"Clause{'' if len(numbers) == 1 else 's'} {named}"
