"""Rows that the rule gets wrong, and why."""

from typing import TypedDict

import numpy as np

from imli.report.decisions import Decisions
from imli.report.reasons import Reason, Reasons
from imli.rules.notation import write_cell, write_name, write_value

_MOST = 20


class Cell(TypedDict):
    """What a row has in a column that the rule looks at."""

    column: str
    text: str
    matters: bool  # whether the reason speaks of it


class Mistake(TypedDict):
    """A row, by its number from 1, that is decided wrongly."""

    row: int
    weight: float
    true: str
    decided: str
    cells: list[Cell]
    reason: Reason


class MixUp(TypedDict):
    """Rows of one class that are taken for another."""

    true: str
    decided: str
    rows: float


class MistakesSummary(TypedDict):
    """All mistakes by kind, most rows first, and some of them one by one."""

    n_rows: int
    rows: float  # by weight
    kinds: list[MixUp]
    shown: list[Mistake]


def find_mistakes(decisions: Decisions, seed: int = 0) -> MistakesSummary:
    """Some rows of each kind of mistake: each true class, decision, and clause that decides, in turn."""
    rows = decisions.rows
    wrong = np.flatnonzero(~decisions.is_right)
    reasons = Reasons(decisions)
    names = [write_value(label) for label in rows.classes]

    def describe(row: int) -> Mistake:
        reason = reasons.of(row)
        return {
            "row": int(rows.numbers[row]),
            "weight": float(rows.weights[row]),
            "true": names[rows.positions[row]],
            "decided": names[decisions.decided[row]],
            "cells": [
                {
                    "column": write_name(column),
                    "text": write_cell(rows.frame[column], row, reasons.literals[column]),
                    "matters": column in reason["columns"],
                }
                for column in decisions.rule.columns
            ],
            "reason": reason,
        }

    kinds: dict[tuple[int, int], float] = {}
    for row in wrong:
        kind = int(rows.positions[row]), int(decisions.decided[row])
        kinds[kind] = kinds.get(kind, 0.0) + float(rows.weights[row])
    return {
        "n_rows": len(wrong),
        "rows": float(rows.weights[wrong].sum()),
        "kinds": [
            {"true": names[true], "decided": names[decided], "rows": weight}
            for (true, decided), weight in sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
        ],
        "shown": [describe(row) for row in _choose(decisions, wrong, seed)],
    }


def _choose(decisions: Decisions, wrong: "np.ndarray[tuple[int], np.dtype[np.int64]]", seed: int) -> list[int]:
    """At most twenty, by turns from all kinds of mistakes, those of a kind together and in order."""
    if len(wrong) > _MOST:
        wrong = np.random.default_rng(seed).permutation(wrong)
    groups: dict[tuple[int, int, int], list[int]] = {}
    for row in wrong.tolist():
        kind = int(decisions.rows.positions[row]), int(decisions.decided[row]), int(decisions.regions[row])
        groups.setdefault(kind, []).append(row)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    turns = [(turn, place, row) for place, (_, own) in enumerate(ordered) for turn, row in enumerate(own)]
    return [row for _, _, row in sorted(sorted(turns)[:_MOST], key=lambda found: (found[1], found[2]))]
