"""Explanations as HTML, for notebooks: the rule as it is drawn elsewhere, between what is said about it."""

from html import escape
from typing import TYPE_CHECKING

from imli.explain.text import (
    clause_summary,
    local_heading,
    local_remarks,
    surrogate_heading,
    surrogate_remarks,
)
from imli.rules.html import to_html
from imli.rules.summary import summarize

if TYPE_CHECKING:
    from imli.explain.explanation import Explanation
    from imli.explain.local_explanation import LocalExplanation

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
