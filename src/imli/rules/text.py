"""Rules as text, which ``imli.parsing`` reads back."""

from math import floor

from imli.rules.summary import LineSummary, Share, Summary

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
