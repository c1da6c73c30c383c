"""Rules in the languages of other programs, which decide as the rule does.

Each export is a file here with a function ``write(rule, **options)`` that gives text, and a line in ``EXPORTS``.
"""

import difflib
import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from imli.exports import html, json, markdown, python, sql
from imli.rules import Rule

__all__ = ["EXPORTS", "export"]

EXPORTS: Mapping[str, Callable[..., str]] = MappingProxyType(
    {
        "html": html.write,
        "json": json.write,
        "markdown": markdown.write,
        "python": python.write,
        "sql": sql.write,
        "text": Rule.to_text,
    }
)


def export(rule: Rule, to: str, **options: Any) -> str:
    """The rule in another language.

    Parameters
    ----------
    rule
        Any rule.
    to
        "html", "json", "markdown", "python", "sql" or "text".
    **options
        What the language has to choose from: for SQL ``dialect`` and ``nan_is_missing``, for Python ``name``, …

    Examples
    --------
    >>> from imli import parse_rule
    >>> print(export(parse_rule("IF age <= 60 THEN low ELSE high"), "sql", dialect="postgres"))
    CASE
      WHEN "age" <= 60
      THEN 'low'
      ELSE 'high'
    END
    """
    if to not in EXPORTS:
        near = difflib.get_close_matches(str(to), EXPORTS, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"A rule can be exported to {', '.join(EXPORTS)}. Got {to!r}.{hint}")
    write = EXPORTS[to]
    known = list(inspect.signature(write).parameters)[1:]
    for option in options:
        if option not in known:
            has = f"Its options are {', '.join(known)}." if known else "It has none."
            raise ValueError(f"The export to {to} has no option {option!r}. {has}")
    return write(rule, **options)
