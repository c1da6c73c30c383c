"""Rules from plain dicts, as JSON holds them."""

from collections.abc import Mapping
from typing import Any

from imli.literals import Literal
from imli.rules.cnf import CNF
from imli.rules.dnf import DNF
from imli.rules.formula import Formula
from imli.rules.rule import FORMAT, Rule

_KINDS: dict[str, type[Formula]] = {"cnf": CNF, "dnf": DNF}
_FIELDS = {"format", "kind", "classes", "target", "slots"}


def rule_from_dict(content: Mapping[str, Any]) -> Rule:
    """The rule that ``to_dict`` described. Executes nothing, and refuses what it does not understand.

    >>> rule_from_dict({"format": 9})
    Traceback (most recent call last):
    ValueError: This rule has format 9, this version of imli reads format 1. Install a newer imli.
    """
    if not isinstance(content, Mapping):
        raise ValueError(f"A rule must be a JSON object. Got {content!r}.")
    if content.get("format") != FORMAT:
        raise ValueError(
            f"This rule has format {content.get('format')!r}, this version of imli reads format {FORMAT}. "
            "Install a newer imli."
        )
    if content.get("kind") not in _KINDS:
        raise ValueError(f"Unknown kind of rule {content.get('kind')!r}. Known: {', '.join(_KINDS)}.")
    if set(content) != _FIELDS:
        raise ValueError(f"A rule has the fields {', '.join(sorted(_FIELDS))}. Got {', '.join(sorted(content))}.")
    slots, classes = content["slots"], content["classes"]
    if not isinstance(slots, list) or not all(slot is None or isinstance(slot, list) for slot in slots):
        raise ValueError("A rule's slots must be a list of clauses, each a list of literals or null.")
    if not isinstance(classes, list):
        raise ValueError(f"A rule's classes must be a list. Got {classes!r}.")
    return _KINDS[content["kind"]](
        tuple(None if slot is None else tuple(Literal.from_dict(literal) for literal in slot) for slot in slots),
        tuple(classes),
        content["target"],
    )
