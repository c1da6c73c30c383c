"""Conditions and cells in sentences, and reasons as HTML fragments for notebooks."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from html import escape
from typing import Any

from imli.rules import Clause
from imli.rules.cells import Cell
from imli.rules.literals import Compare, CompareDate, InInterval, IsIn, IsMissing, IsTrue, Literal
from imli.rules.notation import listing, shorten, write_cell, write_name, write_number
from imli.rules.text import write_conditions
from imli.table.dates import moment_of, write_moment
from imli.table.frame import Column

_NUMBERS = {"<": "below {}", "<=": "at most {}", ">": "above {}", ">=": "at least {}"}
_DATES = {"<": "before {}", "<=": "up to {}", ">": "after {}", ">=": "from {} on"}


def write_change(held: Column, known: Iterable[Literal], literals: Clause) -> str:
    """Return the text of a change of a cell to values for which literals hold; ``known`` are all on the column."""
    was = write_cell(held, 0, (*known, *literals))
    if held.kind == "text" and not held.missing[0]:
        was = _quote(held.categories[held.values[0]])
    elif was in ("0", "1") and all(isinstance(literal, IsTrue) for literal in literals):
        was = "true" if was == "1" else "false"
    words = [_words(literal, with_others=len(literals) > 1) for literal in literals]
    moments = {literal.moment for literal in literals if isinstance(literal, CompareDate)}
    if len(moments) == 1 and len(literals) == 2:  # from a moment on, and up to the same moment
        words = [f"exactly {moments.pop()}"]
    if any(word is None for word in words):
        return f"{' AND '.join(write_conditions(literals, 'AND'))} instead of {was}"
    return f"{write_name(held.name)} {' and '.join(map(str, words))} instead of {was}"


def _quote(text: str) -> str:
    """Return a text between quotes, cut if it is long."""
    mark = '"' if "'" in text else "'"
    return f"{mark}{shorten(text)}{mark}"


def _words(literal: Literal, with_others: bool) -> str | None:
    """Return the words for a literal after the name of its column; None for a kind that is not known here.

    With others, those with an "or" are in brackets.
    """
    if isinstance(literal, IsMissing):
        return "missing" if literal.or_missing else "known"
    if isinstance(literal, Compare):
        return _NUMBERS[literal.operator].format(write_number(literal.threshold))
    if isinstance(literal, CompareDate):
        return _DATES[literal.operator].format(literal.moment)
    if isinstance(literal, InInterval):
        low, high = write_number(literal.low), write_number(literal.high)
        if not literal.negated:
            return f"at least {low} and below {high}"
        return f"(below {low} or at least {high})" if with_others else f"below {low} or at least {high}"
    if isinstance(literal, IsTrue):
        return "false" if literal.negated else "true"
    if isinstance(literal, IsIn):
        values = [_quote(v) if isinstance(v, str) else write_number(v) for v in literal.values]
        if literal.negated:
            return f"neither {listing(values, 'nor')}" if len(values) > 1 else f"other than {values[0]}"
        return f"({listing(values)})" if with_others and len(values) > 1 else listing(values)
    return None


def others_hold(is_narrowed: bool) -> str:
    """Return the words for any values in the columns without a condition."""
    return f"whatever {'possible values ' if is_narrowed else ''}the other columns hold"


def json_cell(cell: Cell) -> Any:
    """Return a cell for JSON, dates as text."""
    return write_moment(moment_of(cell)) if isinstance(cell, datetime) else cell


# Colours are those of the page, as in the HTML of a rule, so that the text is readable on light and dark pages.
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


def span(text: str) -> str:
    """Return text as HTML with its white space."""
    return f'<span class="condition">{escape(text)}</span>'


def fragment(head: str, items: Sequence[str] = (), joint: str = "", note: str = "") -> str:
    """Return HTML of a line, items with a word between them, and a remark."""
    lines = [
        f"<li>{f'<span class=light>{escape(joint)}</span> ' if number else ''}{item}</li>"
        for number, item in enumerate(items)
    ]
    listed = f"<ul>{''.join(lines)}</ul>" if lines else ""
    remark = f'<p class="light">{escape(note)}</p>' if note else ""
    return f'<div class="imli-reason"><style>{_STYLE}</style><p>{head}</p>{listed}{remark}</div>'
