"""Explanations as text, and as HTML for notebooks."""

from html import escape
from typing import TYPE_CHECKING

from imli.exports.html import to_html
from imli.rules.notation import write_value
from imli.rules.text import RuleSummary, decision_text, summarize, write_rows, write_share, write_text

if TYPE_CHECKING:
    from imli.explain.local_rules import LocalExplanation
    from imli.explain.surrogates import Explanation

_STYLE = """
.imli-explained { max-width: 60rem; font: 0.9rem/1.5 system-ui, sans-serif; color: inherit; }
.imli-explained p { margin: 0.35rem 0; }
.imli-explained ul { margin: 0.35rem 0; padding-left: 1.2rem; }
"""


def write_surrogate(found: "Explanation") -> str:
    """Return the rule and the remarks as text."""
    heading, *remarks = _surrogate_sentences(found)
    return "\n".join([heading, "", str(found.rule), "", *remarks])


def surrogate_to_html(found: "Explanation") -> str:
    """Return the rule and the remarks as HTML."""
    return _page(to_html(summarize(found.rule)), *_surrogate_sentences(found))


def _surrogate_sentences(found: "Explanation") -> list[str]:
    """Return a heading, and sentences about the agreement of rule and model."""
    heading = f"What the model predicts, as a {found.rule.title}:"
    if found.is_constant:
        return [
            heading,
            f"The model predicts {write_value(found.majority)} for all {found.n_rows:,} rows, and so does the rule.",
        ]
    counts = found.rule.counts
    assert counts is not None
    right = counts.n_right(found.rule.region_classes)
    held = f"the {write_rows(len(found.held_out))} held out"
    return [
        heading,
        f"Fidelity: on {_percent(found.fidelity)} of {held}, a rule learned in the same way from the other rows "
        f"predicts what the model predicts; baseline {_percent(found.baseline)} "
        f"(always {write_value(found.majority)}).",
        f"The rule above was learned from all {write_rows(found.n_rows)}, and predicts what the model predicts on "
        f"{write_share(right, counts.total)} of them.",
    ]


def write_local(found: "LocalExplanation") -> str:
    """Return the clause and the remarks as text."""
    clause = write_text(_clause_summary(found), counts=False, clauses=False, width=None)
    heading, *remarks = _local_sentences(found)
    return "\n".join([heading, "", clause, "", *remarks])


def local_to_html(found: "LocalExplanation") -> str:
    """Return the clause and the remarks as HTML."""
    return _page(to_html(_clause_summary(found)), *_local_sentences(found))


def _clause_summary(found: "LocalExplanation") -> RuleSummary:
    """Return the summary of the rule without counts and ELSE, which would be about rows outside the clause."""
    summary = summarize(found.rule.with_counts(None))
    return {**summary, "lines": [line for line in summary["lines"] if line["keyword"] != "ELSE"]}


def _local_sentences(found: "LocalExplanation") -> list[str]:
    """Return a heading, and sentences about precision, coverage and fidelity of the clause."""
    within, around, rows = found.within, found.around, found.on_rows
    decision = write_value(found.decision)
    of_table = ""
    if rows.n_covered:
        right = write_share(rows.n_right, rows.n_covered)
        of_table = f", and for {right} of the {write_rows(rows.n_covered)} of the table where it holds"
    sentences = [
        f"The model predicts {decision_text(found.rule, found.decision)} for this row.",
        f"Precision: the model predicts {decision} for {write_share(within.n_right, within.n_covered)} of "
        f"{within.n_covered:,} neighbours drawn such that the rule holds{of_table}.",
        f"Coverage: the rule holds for {write_share(rows.n_covered, rows.n_rows)} of {write_rows(rows.n_rows)} of the "
        "table.",
        f"Fidelity: for {_percent(found.fidelity)} of {around.n_rows:,} neighbours drawn around the row, the model "
        f"predicts {decision} exactly where the rule holds.",
    ]
    if found.precision < found.wanted:
        wanted = _percent(found.wanted)
        sentences.append(f"A precision of {wanted} was asked for, but no rule was found that reaches it for certain.")
    return sentences


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %".replace(".0 %", " %")


def _page(rule: str, heading: str, *remarks: str) -> str:
    items = "".join(f"<li>{escape(remark)}</li>" for remark in remarks)
    return (
        f'<div class="imli-explained"><style>{_STYLE}</style>\n<p>{escape(heading)}</p>\n{rule}\n<ul>{items}</ul></div>'
    )
