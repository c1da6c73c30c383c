"""The lines of a rule in reading order, before they are words.

What a reader reads of a clause. Two ends of a range on one column, joined by AND, are one condition:
``age > 33`` and ``age <= 50`` read ``33 < age <= 50``.

Numbers with ``age >= 33`` and ``age < 50`` stay two, since ``33 <= age < 50`` is how the one literal ``InInterval``
is written, and a rule that is read back must be the same rule.

A rule as plain values, ready to be set in text, HTML or a terminal.

Rules as text, which ``imli.parsing`` reads back.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import floor
from typing import TYPE_CHECKING, Any, TypedDict

from imli.rules.counts import Counts
from imli.rules.literals import MIRRORED, Compare, IsIn, Literal
from imli.rules.notation import ascii_name, ascii_value, write_name, write_value
from imli.table.frame import Value

if TYPE_CHECKING:
    from imli.rules.rule import Label, Rule


@dataclass(frozen=True)
class Line:
    """A keyword, and behind it a clause, a decision, or in a decision set both."""

    keyword: str
    clause: int | None = None  # by number
    constant: str = ""  # what stands for clauses where there are none
    label: Value | None = None
    regions: tuple[int, ...] = ()  # those that the decision stands for


Clause = tuple[Literal, ...]


def as_clause(literals: Iterable[Literal], joined_by: str = "AND") -> Clause:
    """A clause holds each literal once, those on one column beside each other, in the order of reading.

    That is the lower end of a range before its upper end in a conjunction, and the reverse in a disjunction.
    """
    clause = tuple(dict.fromkeys(literals))
    for literal in clause:
        if not isinstance(literal, Literal):
            raise TypeError(f"A clause is made of literals. Got {literal!r}.")
    place = {column: n for n, column in enumerate(dict.fromkeys(literal.column for literal in clause))}
    if len(place) == len(clause):
        return clause
    return tuple(sorted(clause, key=lambda literal: (place[literal.column], *_rank(literal, joined_by))))


def _rank(literal: Literal, joined_by: str) -> tuple[bool, bool, bool]:
    if literal.bound is None:
        return True, False, False
    return False, literal.or_missing, is_upper(literal) == (joined_by == "AND")


def is_upper(literal: Literal) -> bool:
    """Whether the test bounds its column from above."""
    return literal.bound is not None and literal.bound.operator in ("<", "<=")


def write_conditions(clause: Clause, joined_by: str) -> list[str]:
    """The conditions of a clause, in reading order.

    >>> from imli.rules.literals import Compare, IsTrue
    >>> clause = as_clause([Compare("age", "<=", 50), IsTrue("smoker"), Compare("age", ">", 33)])
    >>> write_conditions(clause, "AND"), write_conditions(clause, "OR")
    (['33 < age <= 50', 'smoker'], ['age > 33', 'age <= 50', 'smoker'])
    """
    if joined_by != "AND":
        return [str(literal) for literal in clause]
    found: list[str] = []
    for column in dict.fromkeys(literal.column for literal in clause):
        own = [literal for literal in clause if literal.column == column]
        for or_missing in (False, True):
            ends = [literal for literal in own if literal.bound is not None and literal.or_missing == or_missing]
            lower, upper = ([end for end in ends if is_upper(end) == above] for above in (False, True))
            for low, high in zip_longest(lower, upper):
                together = _write_range(low, high) if low is not None and high is not None else None
                found += [str(end) for end in (low, high) if end is not None] if together is None else [together]
        found += [str(literal) for literal in own if literal.bound is None]
    return found


def _write_range(lower: Literal, upper: Literal) -> str | None:
    """Both ends of a range as one condition; None where they must stand apart."""
    low, high = lower.bound, upper.bound
    if low is None or high is None or low.end >= high.end or type(lower) is not type(upper):
        return None
    if (low.operator, high.operator) == (">=", "<") and isinstance(lower, Compare):
        return None
    text = f"{low.text} {MIRRORED[low.operator]} {write_name(lower.column)} {high.operator} {high.text}"
    return f"{text} or missing" if lower.or_missing else text


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


_CNF_NOTE = ". The rows of a clause are those that it rules out."
_GAP = 3  # between a decision and what is said about it
_WIDEST = 100


def write_text(summary: Summary, *, counts: bool, clauses: bool, width: int | None) -> str:
    """The rule in words. ``counts`` says behind each decision how often it is right, ``clauses`` adds each clause."""
    hanging = " " * (summary["margin"] or 3) + "  "
    texts: list[str] = []
    remarks: dict[int, str] = {}  # by line
    first = True
    for line in summary["lines"]:
        texts += _body(summary, line, hanging, width)
        if clauses and line["clause"] is not None:
            texts.append(f"{hanging}({clause_remark(summary, line['clause'])})")
        # where a clause has a decision of its own, all has been said with the clause
        elif counts and line["decided"] is not None and not (clauses and line["repeats_clause"]):
            remarks[len(texts) - 1] = _decision_remark(summary, line, line["decided"], first)
            first = first and line["decided"]["rows"] == 0
    return _with_remarks(texts, remarks, hanging, width)


def _with_remarks(texts: list[str], remarks: dict[int, str], hanging: str, width: int | None) -> str:
    """The remarks under each other behind their lines, or if one does not fit, each in a line of its own.

    Without a width, they stand right behind lines that are too long to be read as a table.
    """
    column = max((len(texts[place]) for place in remarks), default=0) + _GAP
    fits = width is None or all(column + len(remark) <= width for remark in remarks.values())
    if width is None and column > _WIDEST:
        column = 0
    lines: list[str] = []
    for place, text in enumerate(texts):
        remark = remarks.get(place)
        if remark is None:
            lines.append(text)
        else:
            lines += [f"{text}{' ' * _GAP}".ljust(column) + remark] if fits else [text, hanging + remark]
    return "\n".join(lines)


def _body(summary: Summary, line: LineSummary, hanging: str, width: int | None) -> list[str]:
    """The line, without remarks, in as many lines as it needs."""
    keyword = line["keyword"]
    start = f"{keyword:>5} " if keyword in ("AND", "OR") else f"{keyword} ".ljust(summary["margin"])
    # what must stay together: a condition or decision with the word before it
    pieces = [f"{piece['joint']} {piece['text']}".lstrip() for piece in line["pieces"]]
    lines = [start + pieces[0]]
    for piece in pieces[1:]:
        if width is None or len(f"{lines[-1]} {piece}") <= width:
            lines[-1] += f" {piece}"
        else:
            lines.append(hanging + piece)
    return lines


def clause_remarks(summary: Summary) -> list[str]:
    """A sentence about each clause of a rule with counts."""
    shares = [line["clause"] for line in summary["lines"] if line["clause"] is not None]
    return [f"Clause {n} {clause_remark(summary, share)}." for n, share in enumerate(shares, start=1)]


def clause_remark(summary: Summary, share: Share) -> str:
    """What is said about a clause."""
    verb = summary["covers"]
    if share["rows"] == 0:
        return f"{verb} no rows"
    only = "none" if not share["only_here"] else write_count(share["only_here"])
    return f"{verb} {write_rows(share['rows'])}, {write_share(share)} right, {only} right only through it"


def _decision_remark(summary: Summary, line: LineSummary, share: Share, first: bool) -> str:
    if share["rows"] == 0:
        remark = "no rows"
    else:
        rows = f"the {write_rows(share['rows'])} it covers" if first else write_count(share["rows"])
        remark = f"{write_share(share)} of {rows}"
    if summary["overlap"] and line["keyword"] == "OTHERWISE":
        remark += f"; {_write_overlap(summary['overlap'])}"
    return f"({remark})"


def _write_overlap(overlap: float) -> str:
    return f"{write_rows(overlap)} {'is' if overlap == 1 else 'are'} covered by several"


def write_rows(count: float) -> str:
    """So many rows.

    >>> write_rows(5210.0), write_rows(1.0)
    ('5,210 rows', '1 row')
    """
    return f"{write_count(count)} row{'' if count == 1 else 's'}"


def write_count(count: float) -> str:
    """A number of rows; weights can make it a fraction.

    >>> write_count(24094.0), write_count(1204.52), write_count(0.0375)
    ('24,094', '1,204.5', '0.0375')
    """
    if abs(count - round(count)) <= 1e-9 * max(1.0, count):  # sums of fractions are seldom whole to the last digit
        return f"{round(count):,}"
    return f"{count:,.1f}" if count >= 100 else f"{count:.3g}"


def write_share(share: Share) -> str:
    """How many of the rows are right, in percent: 100 % only if all are, 0 % only if none is.

    >>> [write_share({"rows": 3000, "right": n, "only_here": None}) for n in (0, 1, 29, 2580, 2999, 3000)]
    ['0 %', '0.1 %', '0.9 %', '86 %', '99.9 %', '100 %']
    """
    rows, right = share["rows"], share["right"]
    if right == 0 or right >= rows:
        return "100 %" if right else "0 %"
    percent = 100 * right / rows
    if 1 <= percent <= 99:
        return f"{percent:.0f} %"
    # cut, not rounded; what is left of nothing still counts
    return f"{max(0.1, floor(10 * percent + 1e-9) / 10):.1f} %"


def write_footer(summary: Summary) -> str:
    """What is said below a rule that is drawn as a table: how long it is and, with counts, how often it is right."""
    n_clauses, n_conditions = summary["n_clauses"], summary["n_conditions"]
    parts = [
        f"{n_clauses:,} clause{'' if n_clauses == 1 else 's'}",
        f"{n_conditions:,} condition{'' if n_conditions == 1 else 's'}",
        f"size {summary['size']:,}",
    ]
    if summary["n_rows"] is not None and summary["n_right"] is not None:
        share: Share = {"rows": summary["n_rows"], "right": summary["n_right"], "only_here": None}
        parts.append(f"{write_share(share)} of {write_rows(share['rows'])} right" if share["rows"] else "no rows")
    if summary["overlap"]:
        parts.append(_write_overlap(summary["overlap"]))
    note = "" if summary["n_rows"] is None or summary["covers"] == "covers" else _CNF_NOTE
    return ", ".join(parts) + note
