"""Rules in other notations, with the same decisions.

Each export is a function ``write(rule, **options)`` that returns text, with a line in ``EXPORTS``.
"""

import inspect
import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from imli.errors import suggest
from imli.exports import html, markdown, python, sql
from imli.rules import Rule

__all__ = ["EXPORTS", "export"]


def _write_json(rule: Rule, *, indent: int | None = 2) -> str:
    """Write the rule as JSON, whose dict ``imli.rule_from_dict`` reads back."""
    return json.dumps(rule.to_dict(), indent=indent)


EXPORTS: Mapping[str, Callable[..., str]] = MappingProxyType(
    {
        "html": html.write,
        "json": _write_json,
        "markdown": markdown.write,
        "python": python.write,
        "sql": sql.write,
        "text": Rule.to_text,
    }
)


def export(rule: Rule, to: str, **options: Any) -> str:
    """Write a rule in another notation.

    Parameters
    ----------
    rule
        Any rule.
    to
        "html", "json", "markdown", "python", "sql" or "text".
    **options
        Options of the notation: for SQL ``dialect`` and ``nan_is_missing``, for Python ``name``, …

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
        raise ValueError(f"A rule can be exported to {', '.join(EXPORTS)}. Got {to!r}.{suggest(str(to), EXPORTS)}")
    write = EXPORTS[to]
    known = list(inspect.signature(write).parameters)[1:]
    for option in options:
        if option not in known:
            has = f"Its options are {', '.join(known)}." if known else "It has none."
            raise ValueError(f"The export to {to} has no option {option!r}. {has}")
    return write(rule, **options)
