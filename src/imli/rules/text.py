"""The text of rules: conditions, lines, a summary as plain values for all layouts, and the layout as plain text.

Two ends of a range on one column, joined by AND, are one condition: ``age > 33`` and ``age <= 50`` read
``33 < age <= 50``. Only ``age >= 33`` and ``age < 50`` stay two conditions, since ``33 <= age < 50`` is the text of the
one literal ``InInterval``, and a rule that is read back must be equal.
"""

from dataclasses import dataclass, replace
from itertools import zip_longest
from math import floor
from typing import TYPE_CHECKING, Any, TypedDict

from imli.rules.counts import Counts
from imli.rules.literals import MIRRORED, Clause, Compare, IsIn, Literal
from imli.rules.notation import ascii_name, ascii_value, write_name, write_value
from imli.table.frame import Value

if TYPE_CHECKING:
    from imli.rules.rule import Label, Rule

_CNF_NOTE = " The rows of a clause are those that it rules out."
_GAP = 3  # signs between a decision and the remark on it
_WIDEST = 100


@dataclass(frozen=True)
class Line:
    """A keyword, followed by a clause, a decision, or in a decision set both."""

    keyword: str
    clause: int | None = None  # by number
    constant: str = ""  # the text of a formula without clauses, or a condition on the total
    lead: str = ""  # the words before the conditions of a clause
    label: Value | None = None
    regions: tuple[int, ...] = ()  # those that get this decision


# Conditions.


def write_conditions(clause: Clause, joined_by: str) -> list[str]:
    """Return the conditions of a clause in reading order; beside an AND, those with an "or" are in brackets.

    >>> from imli.rules.literals import Compare, IsTrue, as_clause
    >>> clause = as_clause([Compare("age", "<=", 50), IsTrue("smoker", or_missing=True), Compare("age", ">", 33)])
    >>> write_conditions(clause, "AND"), write_conditions(clause, "OR")
    (['33 < age <= 50', '(smoker or missing)'], ['age > 33', 'age <= 50', 'smoker or missing'])
    """
    if joined_by != "AND":
        return [str(literal) for literal in clause]
    found = _join_ranges(clause)
    return [f"({text})" if has_or and len(found) > 1 else text for text, has_or in found]


def _join_ranges(clause: Clause) -> list[tuple[str, bool]]:
    """Return each condition of a conjunction, ranges as one, and True if it has an "or"."""
    found: list[tuple[str, bool]] = []
    for column in dict.fromkeys(literal.column for literal in clause):
        own = [literal for literal in clause if literal.column == column]
        for or_missing in (False, True):
            alike = [(literal, literal.bound) for literal in own if literal.or_missing == or_missing]
            lower, upper = ([literal for literal, end in alike if end is not None and end.is_upper == above]
                            for above in (False, True))  # fmt: skip
            for low, high in zip_longest(lower, upper):
                together = _write_range(low, high) if low is not None and high is not None else None
                ends = [(str(end), end.has_or) for end in (low, high) if end is not None]
                found += ends if together is None else [(together, or_missing)]
        found += [(str(literal), literal.has_or) for literal in own if literal.bound is None]
    return found


def _write_range(lower: Literal, upper: Literal) -> str | None:
    """Return both ends of a range as one condition; None where they must stay two."""
    low, high = lower.bound, upper.bound
    if low is None or high is None or low.end >= high.end or type(lower) is not type(upper):
        return None
    if (low.operator, high.operator) == (">=", "<") and isinstance(lower, Compare):
        return None
    text = f"{low.text} {MIRRORED[low.operator]} {write_name(lower.column)} {high.operator} {high.text}"
    return f"{text} or missing" if lower.or_missing else text


def clause_text(rule: "Rule", clause: int, in_ascii: bool = False) -> list[str]:
    """Return the conditions of a clause, or the word for a clause without literals."""
    literals = rule.clauses[clause]
    if in_ascii:
        literals = tuple(map(_ascii_literal, literals))
    return write_conditions(literals, rule.inner) or [rule.empty_clause]


def _ascii_literal(literal: Literal) -> Literal:
    changes: dict[str, Any] = {"column": ascii_name(literal.column)}
    if isinstance(literal, IsIn):
        changes["values"] = tuple(map(ascii_value, literal.values))
    return replace(literal, **changes)


def decision_text(rule: "Rule", label: "Label", in_ascii: bool = False) -> str:
    """Return a decision as text, with the name of the target if the rule has one."""
    value = write_value(ascii_value(label) if in_ascii else label)
    if rule.target is None:
        return value
    return f"{write_name(ascii_name(rule.target) if in_ascii else rule.target)} is {value}"


# The summary of a rule, from which text, HTML, Markdown and terminal output are laid out.


class Share(TypedDict):
    """The number of rows, of those decided correctly, and of those that only this clause gets right."""

    rows: float
    right: float
    only_here: float | None


class LinePiece(TypedDict):
    """A condition or a decision, the keyword between it and the piece before it, and the brackets around its clause."""

    joint: str
    opens: str
    text: str
    closes: str
    is_decision: bool


class LineSummary(TypedDict):
    """A line of the rule: its clause, its decision, or both."""

    keyword: str
    pieces: list[LinePiece]
    clause: Share | None
    decided: Share | None
    repeats_clause: bool  # True if the decision is on the rows of one clause, so that both shares are equal


class RuleSummary(TypedDict):
    """A rule as plain values. All shares are None if the rule has no counts."""

    part: str  # what a clause is called
    covers: str
    alone: str  # what is said of the rows that only one clause gets right
    margin: int
    lines: list[LineSummary]
    size: int
    n_conditions: int
    n_clauses: int
    n_rows: float | None
    n_right: float | None
    overlap: float | None  # in decision sets only
    notes: list[str]


def summarize(rule: "Rule", *, in_ascii: bool = False) -> RuleSummary:
    """Return a rule as plain values, ready for layout."""
    counts = rule.counts
    return {
        "part": rule.part,
        "covers": rule.covers,
        "alone": rule.alone,
        "margin": rule.margin,
        "lines": [_summarize_line(rule, line, in_ascii) for line in rule.outline()],
        "size": rule.size,
        "n_conditions": rule.n_conditions,
        "n_clauses": len(rule.clauses),
        "n_rows": None if counts is None else counts.total,
        "n_right": None if counts is None else counts.n_right(rule.region_classes),
        # in the other kinds of rules, rows that several clauses cover are nothing special
        "overlap": counts.overlap if counts is not None and rule.kind == "set" else None,
        "notes": list(rule.notes),
    }


def _summarize_line(rule: "Rule", line: Line, in_ascii: bool) -> LineSummary:
    return {
        "keyword": line.keyword,
        "pieces": _line_pieces(rule, line, in_ascii),
        "clause": None if line.clause is None else clause_share(rule.counts, line.clause),
        "decided": _decision_share(rule.counts, line),
        "repeats_clause": line.clause is not None or (len(line.regions) == 1 and line.regions[0] < len(rule.clauses)),
    }


def _line_pieces(rule: "Rule", line: Line, in_ascii: bool) -> list[LinePiece]:
    conditions = [line.constant] if line.constant else []
    if line.clause is not None:
        conditions = clause_text(rule, line.clause, in_ascii)
    pieces: list[LinePiece] = [
        {"joint": rule.inner if place else "", "opens": "", "text": text, "closes": "", "is_decision": False}
        for place, text in enumerate(conditions)
    ]
    # the only clause of a DNF, if all its conditions are in brackets, would be read as a CNF of one condition a clause
    is_like_cnf = rule.kind == "dnf" and len(rule.clauses) == 1 and all(text.startswith("(") for text in conditions)
    if pieces and (rule.inner == "OR" or is_like_cnf):
        pieces[0]["opens"], pieces[-1]["closes"] = "(", ")"
    if pieces and line.lead:
        pieces[0]["opens"] = line.lead
    if line.label is not None:
        text = decision_text(rule, line.label, in_ascii)
        joint = "THEN" if pieces else ""
        pieces.append({"joint": joint, "opens": "", "text": text, "closes": "", "is_decision": True})
    return pieces


def clause_share(counts: Counts | None, clause: int) -> Share | None:
    """Return the share of a clause; None without counts."""
    if counts is None:
        return None
    return {"rows": counts.covered[clause], "right": counts.right[clause], "only_here": counts.only_here[clause]}


def _decision_share(counts: Counts | None, line: Line) -> Share | None:
    if counts is None or line.label is None:
        return None
    if line.clause is not None:  # the clauses of a set are independent, so all rows that they cover count
        return clause_share(counts, line.clause)
    right = counts.decided_rightly(line.label, *line.regions)
    return {"rows": counts.decided(*line.regions), "right": right, "only_here": None}


def table_share(line: LineSummary) -> Share | None:
    """Return the share to show beside a line of a table; None where the line of the clause shows it."""
    return line["clause"] or (None if line["repeats_clause"] else line["decided"])


def write_figures(share: Share | None, no_rows: str = "–") -> list[str]:
    """Return the cells of a table for a share: its rows, how many are right, and how many only here."""
    if share is None:
        return ["", "", ""]
    right = write_share(share["right"], share["rows"]) if share["rows"] else no_rows
    return [write_count(share["rows"]), right, "" if share["only_here"] is None else write_count(share["only_here"])]


# The layout as plain text.


def write_text(summary: RuleSummary, *, counts: bool, clauses: bool, width: int | None) -> str:
    """Return the rule as text; ``counts`` adds remarks on decisions, ``clauses`` adds remarks on clauses."""
    hanging = " " * (summary["margin"] or 3) + "  "
    texts: list[str] = []
    remarks: dict[int, str] = {}  # by line
    first = True
    for line in summary["lines"]:
        texts += _break_line(summary, line, hanging, width)
        if clauses and line["clause"] is not None:
            texts.append(f"{hanging}({clause_remark(summary, line['clause'])})")
        elif counts and line["decided"] is not None and not (clauses and line["repeats_clause"]):
            remarks[len(texts) - 1] = _decision_remark(summary, line, line["decided"], first)
            first = first and line["decided"]["rows"] == 0
    # the remarks stand below each other behind their lines; if one does not fit, each stands in a line of its own
    column = max((len(texts[place]) for place in remarks), default=0) + _GAP
    fits = width is None or all(column + len(remark) <= width for remark in remarks.values())
    if width is None and column > _WIDEST:  # too wide to be read as a table
        column = 0
    lines: list[str] = []
    for place, text in enumerate(texts):
        remark = remarks.get(place)
        if remark is None:
            lines.append(text)
        else:
            lines += [f"{text}{' ' * _GAP}".ljust(column) + remark] if fits else [text, hanging + remark]
    if counts:
        lines += [f"{hanging}({note})" for note in summary["notes"]]
    return "\n".join(lines)


def _break_line(summary: RuleSummary, line: LineSummary, hanging: str, width: int | None) -> list[str]:
    """Return a line of the rule, without remarks, in as many lines of text as it needs."""
    keyword = line["keyword"]
    start = f"{keyword:>5} " if keyword in ("AND", "OR") else f"{keyword} ".ljust(summary["margin"])
    # a condition or decision stays together with the word before it
    pieces = [
        f"{piece['joint']}{' ' * bool(piece['joint'])}{piece['opens']}{piece['text']}{piece['closes']}"
        for piece in line["pieces"]
    ]
    lines = [start + pieces[0]]
    for piece in pieces[1:]:
        if width is None or len(f"{lines[-1]} {piece}") <= width:
            lines[-1] += f" {piece}"
        else:
            lines.append(hanging + piece)
    return lines


def clause_remarks(summary: RuleSummary) -> list[str]:
    """Return a sentence about each clause of a rule with counts."""
    shares = [line["clause"] for line in summary["lines"] if line["clause"] is not None]
    return [f"Clause {n} {clause_remark(summary, share)}." for n, share in enumerate(shares, start=1)]


def clause_remark(summary: RuleSummary, share: Share) -> str:
    """Return the remark on a clause: the rows that it covers and those that it gets right."""
    verb = summary["covers"]
    if share["rows"] == 0:
        return f"{verb} no rows"
    right = write_share(share["right"], share["rows"])
    text = f"{verb} {write_rows(share['rows'])}, {right} correct"
    if not (only := share["only_here"]):
        return text
    return f"{text}; {write_count(only)} of them {'is' if only == 1 else 'are'} {summary['alone']}"


def _decision_remark(summary: RuleSummary, line: LineSummary, share: Share, first: bool) -> str:
    if share["rows"] == 0:
        remark = "no rows"
    else:
        rows = f"the {write_rows(share['rows'])} it covers" if first else write_count(share["rows"])
        remark = f"{write_share(share['right'], share['rows'])} of {rows}"
    if summary["overlap"] and line["keyword"] == "OTHERWISE":
        remark += f"; {_write_overlap(summary['overlap'])}"
    return f"({remark})"


def write_footer(summary: RuleSummary, rows: str = "rows") -> str:
    """Return the line below a rule: its length and, with counts, how often it is right.

    The size stands there only if it is more than the number of conditions.
    """
    n_conditions, size = summary["n_conditions"], summary["size"]
    n_rows, n_right = summary["n_rows"], summary["n_right"]
    text = f"{write_amount(summary['n_clauses'], summary['part'])}, {write_amount(n_conditions, 'condition')}"
    text += f" (size {size:,})." if size > n_conditions else "."
    if n_rows is not None and n_right is not None:
        share = f"{write_share(n_right, n_rows)} of {'' if rows == 'rows' else 'the '}{write_count(n_rows)} {rows}"
        text += f" Correct on {share}." if n_rows else " No rows."
    if summary["overlap"]:
        text += f" {_write_overlap(summary['overlap'])}."
    for note in summary["notes"]:
        text += f" {note[0].upper()}{note[1:]}."
    return text if n_rows is None or summary["covers"] == "covers" else text + _CNF_NOTE


def _write_overlap(overlap: float) -> str:
    return f"{write_rows(overlap)} {'is' if overlap == 1 else 'are'} covered by several clauses"


def write_rows(count: float) -> str:
    """Return a number of rows with its noun.

    >>> write_rows(5210.0), write_rows(1.0)
    ('5,210 rows', '1 row')
    """
    return write_amount(count, "row")


def write_amount(count: float, noun: str) -> str:
    """Return a number with its noun."""
    return f"{write_count(count)} {noun}{'' if count == 1 else 's'}"


def write_count(count: float) -> str:
    """Return a number of rows, which weights can make a fraction, as text.

    >>> write_count(24094.0), write_count(1204.52), write_count(0.0375)
    ('24,094', '1,204.5', '0.0375')
    """
    if abs(count - round(count)) <= 1e-9 * max(1.0, count):  # sums of fractions are seldom whole to the last digit
        return f"{round(count):,}"
    return f"{count:,.1f}" if count >= 100 else f"{count:.3g}"


def write_share(right: float, rows: float) -> str:
    """Return the share of right rows in percent: 100 % only if all are right, 0 % only if none is.

    >>> [write_share(n, 3000) for n in (0, 1, 29, 2580, 2999, 3000)]
    ['0 %', '0.1 %', '0.9 %', '86 %', '99.9 %', '100 %']
    """
    if right == 0 or right >= rows:
        return "100 %" if right else "0 %"
    percent = 100 * right / rows
    if 1 <= percent <= 99:
        return f"{percent:.0f} %"
    # cut instead of rounded, and at least 0.1
    return f"{max(0.1, floor(10 * percent + 1e-9) / 10):.1f} %"
