"""Reasons as HTML, for notebooks: one fragment that needs nothing else."""

from collections.abc import Sequence
from html import escape

# Colours are those of the page around, as in a rule's own HTML, so that it is readable on light and dark ones.
_STYLE = """
.imli-reason { max-width: 60rem; font: 0.9rem/1.5 system-ui, sans-serif; color: inherit;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.imli-reason p { margin: 0.25rem 0; }
.imli-reason ul { list-style: none; margin: 0; padding: 0 0 0 1.5rem; }
.imli-reason li { margin: 0; padding: 0.1rem 0; }
.imli-reason b { font-weight: 600; }
.imli-reason .condition { white-space: pre-wrap; }
.imli-reason .light { opacity: 0.65; font-size: 0.85em; }
@media print { .imli-reason { break-inside: avoid; } }
"""


def piece(text: str) -> str:
    """Text as it is."""
    return f'<span class="condition">{escape(text)}</span>'


def fragment(head: str, items: Sequence[str] = (), joint: str = "", note: str = "") -> str:
    """A line, below it the items with a word between them, and a remark."""
    lines = [
        f"<li>{f'<span class=light>{escape(joint)}</span> ' if number else ''}{item}</li>"
        for number, item in enumerate(items)
    ]
    listed = f"<ul>{''.join(lines)}</ul>" if lines else ""
    remark = f'<p class="light">{escape(note)}</p>' if note else ""
    return f'<div class="imli-reason"><style>{_STYLE}</style><p>{head}</p>{listed}{remark}</div>'
