"""Explanations in words.

Explanations as HTML, for notebooks: the rule as it is drawn elsewhere, between what is said about it.
"""

from html import escape
from typing import TYPE_CHECKING

from imli.exports.html import to_html
from imli.rules.notation import write_value
from imli.rules.text import RuleSummary, decision_text, summarize, write_rows, write_share, write_text

if TYPE_CHECKING:
    from imli.explain.local_rules import LocalExplanation
    from imli.explain.surrogates import Explanation


def write_surrogate(found: "Explanation") -> str:
    """The rule, and below how often it decides as the model does."""
    return "\n".join([surrogate_heading(found), "", str(found.rule), "", *surrogate_remarks(found)])


def surrogate_heading(found: "Explanation") -> str:
    return f"What the model decides, as a {found.rule.title}:"


def surrogate_remarks(found: "Explanation") -> list[str]:
    """What there is to say about the rule, in sentences."""
    if found.is_constant:
        return [f"The model says {write_value(found.majority)} for all {found.n_rows:,} rows, and so does the rule."]
    counts = found.rule.counts
    assert counts is not None
    right = counts.n_right(found.rule.region_classes)
    held = f"the {write_rows(len(found.held_out))} held out"
    return [
        f"Fidelity: {_percent(found.fidelity)} of {held} are decided as the model does, by a rule learned the same way "
        f"from the other rows; by always saying {write_value(found.majority)}, {_percent(found.baseline)} are.",
        f"The rule above was learned from all {write_rows(found.n_rows)}, and agrees with the model on "
        f"{_share(right, counts.total)} of them.",
    ]


def write_local(found: "LocalExplanation") -> str:
    """The clause, and below how it does."""
    return "\n".join([local_heading(found), "", write_clause(found), "", *local_remarks(found)])


def local_heading(found: "LocalExplanation") -> str:
    return f"The model says {decision_text(found.rule, found.decision)} for this row."


def write_clause(found: "LocalExplanation") -> str:
    """The rule without its ELSE, of which nothing is known."""
    return write_text(clause_summary(found), counts=False, clauses=False, width=None)


def clause_summary(found: "LocalExplanation") -> RuleSummary:
    summary = summarize(found.rule.with_counts(None))  # which would speak of the ELSE too
    return {**summary, "lines": [line for line in summary["lines"] if line["keyword"] != "ELSE"]}


def local_remarks(found: "LocalExplanation") -> list[str]:
    """What there is to say about the clause, in sentences."""
    within, around, rows = found.within, found.around, found.on_rows
    decision = write_value(found.decision)
    of_table = ""
    if rows.n_covered:
        right = _share(rows.n_right, rows.n_covered)
        of_table = f", and for {right} of the {write_rows(rows.n_covered)} of the table where it holds"
    remarks = [
        f"Precision: the model says {decision} for {_share(within.n_right, within.n_covered)} of "
        f"{within.n_covered:,} neighbours drawn such that the rule holds{of_table}.",
        f"Coverage: the rule holds for {_share(rows.n_covered, rows.n_rows)} of {write_rows(rows.n_rows)} of the "
        "table.",
        f"Fidelity: for {_percent(found.fidelity)} of {around.n_rows:,} neighbours drawn around the row, the model "
        f"says {decision} just where the rule holds.",
    ]
    if found.precision < found.wanted:
        remarks.append(f"A precision of {_percent(found.wanted)} was asked for; no rule was found that surely has it.")
    return remarks


def _share(part: float, whole: float) -> str:
    return write_share({"rows": whole, "right": part, "only_here": None})


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %".replace(".0 %", " %")


_STYLE = """
.imli-explained { max-width: 60rem; font: 0.9rem/1.5 system-ui, sans-serif; color: inherit; }
.imli-explained p { margin: 0.35rem 0; }
.imli-explained ul { margin: 0.35rem 0; padding-left: 1.2rem; }
"""


def surrogate_to_html(found: "Explanation") -> str:
    return _page(surrogate_heading(found), to_html(summarize(found.rule)), surrogate_remarks(found))


def local_to_html(found: "LocalExplanation") -> str:
    return _page(local_heading(found), to_html(clause_summary(found)), local_remarks(found))


def _page(heading: str, rule: str, remarks: list[str]) -> str:
    items = "".join(f"<li>{escape(remark)}</li>" for remark in remarks)
    return (
        f'<div class="imli-explained"><style>{_STYLE}</style>\n<p>{escape(heading)}</p>\n{rule}\n<ul>{items}</ul></div>'
    )
