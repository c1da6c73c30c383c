"""A rule as plain values, ready to be set in text, HTML or a terminal."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict

from imli.literals import IsIn, Literal
from imli.notation import ascii_name, ascii_value, write_name, write_value
from imli.rules.conditions import Clause, write_conditions
from imli.rules.counts import Counts

if TYPE_CHECKING:
    from imli.rules.outline import Line
    from imli.rules.rule import Label, Rule


class Share(TypedDict):
    """How many rows, how many of them are decided rightly, and how many only through this clause."""

    rows: float
    right: float
    only_here: float | None


class Piece(TypedDict):
    """A condition or a decision, and the keyword between it and what stands before it in the line."""

    joint: str
    text: str
    is_decision: bool


class LineSummary(TypedDict):
    """A line of the rule: its clause, its decision, or both."""

    keyword: str
    pieces: list[Piece]
    clause: Share | None
    decided: Share | None
    repeats_clause: bool  # whether the decision is about the rows of one clause, whose share says it all


class Summary(TypedDict):
    """A rule as plain values. All shares are None if the rule has no counts."""

    covers: str
    margin: int
    lines: list[LineSummary]
    size: int
    n_conditions: int
    n_clauses: int
    n_rows: float | None
    n_right: float | None
    overlap: float | None  # of the independent rules of a set


def summarize(rule: "Rule", *, in_ascii: bool = False) -> Summary:
    """What there is to show of a rule."""
    lines = [_line(rule, line, in_ascii) for line in rule.outline()]
    counts = rule.counts
    return {
        "covers": rule.covers,
        "margin": rule.margin,
        "lines": lines,
        "size": rule.size,
        "n_conditions": rule.n_conditions,
        "n_clauses": len(rule.clauses),
        "n_rows": None if counts is None else counts.total,
        "n_right": None if counts is None else counts.n_right(rule.region_classes),
        # elsewhere it is as it should be that several clauses cover a row
        "overlap": counts.overlap if counts is not None and rule.kind == "set" else None,
    }


def _line(rule: "Rule", line: "Line", in_ascii: bool) -> LineSummary:
    return {
        "keyword": line.keyword,
        "pieces": _pieces(rule, line, in_ascii),
        "clause": None if line.clause is None else clause_share(rule.counts, line.clause),
        "decided": _decided(rule.counts, line),
        "repeats_clause": line.clause is not None or (len(line.regions) == 1 and line.regions[0] < len(rule.clauses)),
    }


def _pieces(rule: "Rule", line: "Line", in_ascii: bool) -> list[Piece]:
    conditions = [line.constant] if line.constant else []
    if line.clause is not None:
        conditions = clause_text(rule, line.clause, in_ascii)
    if conditions and rule.inner == "OR":
        conditions[0] = f"({conditions[0]}"
        conditions[-1] = f"{conditions[-1]})"
    pieces: list[Piece] = [
        {"joint": rule.inner if place else "", "text": text, "is_decision": False}
        for place, text in enumerate(conditions)
    ]
    if line.label is not None:
        text = decision_text(rule, line.label, in_ascii)
        pieces.append({"joint": "THEN" if pieces else "", "text": text, "is_decision": True})
    return pieces


def _decided(counts: Counts | None, line: "Line") -> Share | None:
    if counts is None or line.label is None:
        return None
    if line.clause is not None:  # the rules of a set are independent, so each answers for all that it covers
        return clause_share(counts, line.clause)
    right = counts.decided_rightly(line.label, *line.regions)
    return {"rows": counts.decided(*line.regions), "right": right, "only_here": None}


def clause_share(counts: Counts | None, clause: int) -> Share | None:
    """How a clause does."""
    if counts is None:
        return None
    return {"rows": counts.covered[clause], "right": counts.right[clause], "only_here": counts.only_here[clause]}


def clause_text(rule: "Rule", clause: int, in_ascii: bool = False) -> list[str]:
    """The conditions of a clause, or the word for a clause without any."""
    literals = rule.clauses[clause]
    return write_conditions(_ascii_clause(literals) if in_ascii else literals, rule.inner) or [rule.empty_clause]


def _ascii_clause(clause: Clause) -> Clause:
    def ascii_literal(literal: Literal) -> Literal:
        changes: dict[str, Any] = {"column": ascii_name(literal.column)}
        if isinstance(literal, IsIn):
            changes["values"] = tuple(map(ascii_value, literal.values))
        return replace(literal, **changes)

    return tuple(map(ascii_literal, clause))


def decision_text(rule: "Rule", label: "Label", in_ascii: bool = False) -> str:
    """A decision for a class, in words."""
    value = write_value(ascii_value(label) if in_ascii else label)
    if rule.target is None:
        return value
    return f"{write_name(ascii_name(rule.target) if in_ascii else rule.target)} is {value}"
