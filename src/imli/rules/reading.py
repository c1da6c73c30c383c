"""Rules from plain dicts, as JSON holds them."""

from collections.abc import Mapping
from typing import Any

from imli.literals import Literal
from imli.rules.cnf import CNF
from imli.rules.conditions import Clause
from imli.rules.counts import Counts
from imli.rules.decision_list import DecisionList
from imli.rules.decision_set import DecisionSet
from imli.rules.dnf import DNF
from imli.rules.formula import Formula
from imli.rules.pairs import Pair, PairRule
from imli.rules.rule import FORMAT, Rule

_FORMULAS: dict[str, type[Formula]] = {"cnf": CNF, "dnf": DNF}
_PAIR_RULES: dict[str, type[PairRule]] = {"list": DecisionList, "set": DecisionSet}
_KINDS = (*_FORMULAS, *_PAIR_RULES)


def rule_from_dict(content: Mapping[str, Any]) -> Rule:
    """The rule that ``to_dict`` described. Executes nothing, and refuses what it does not understand.

    >>> rule_from_dict({"format": 9})
    Traceback (most recent call last):
    ValueError: This rule has format 9, this version of imli reads format 1. Install a newer imli.
    """
    if not isinstance(content, Mapping):
        raise ValueError(f"A rule must be a JSON object. Got {content!r}.")
    number = content.get("format")
    if type(number) is not int or number != FORMAT:
        cure = " Install a newer imli." if isinstance(number, int) and number > FORMAT else ""
        raise ValueError(f"This rule has format {number!r}, this version of imli reads format {FORMAT}.{cure}")
    kind = content.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ValueError(f"Unknown kind of rule {kind!r}. Known: {', '.join(_KINDS)}.")
    return _formula(content) if kind in _FORMULAS else _pair_rule(content)


def _formula(content: Mapping[str, Any]) -> Formula:
    _require_fields(content, "a rule", "format", "kind", "classes", "target", "slots", optional="counts")
    slots, classes = content["slots"], content["classes"]
    if not isinstance(slots, list) or not all(slot is None or isinstance(slot, list) for slot in slots):
        raise ValueError("A rule's slots must be a list of clauses, each a list of literals or null.")
    if not isinstance(classes, list):
        raise ValueError(f"A rule's classes must be a list. Got {classes!r}.")
    clauses = tuple(None if slot is None else _clause(slot) for slot in slots)
    return _FORMULAS[content["kind"]](clauses, tuple(classes), content["target"], _counts(content))


def _pair_rule(content: Mapping[str, Any]) -> PairRule:
    _require_fields(content, "a rule", "format", "kind", "target", "pairs", "default", optional="counts")
    if not isinstance(content["pairs"], list):
        raise ValueError(f"A rule's pairs must be a list. Got {content['pairs']!r}.")
    pairs = tuple(_pair(pair) for pair in content["pairs"])
    return _PAIR_RULES[content["kind"]](pairs, content["default"], content["target"], _counts(content))


def _pair(content: Any) -> Pair:
    if not isinstance(content, Mapping) or not isinstance(content.get("clause"), list):
        raise ValueError("A pair must be a JSON object with a clause, which is a list of literals, and a class.")
    _require_fields(content, "a pair", "clause", "class")
    return _clause(content["clause"]), content["class"]


def _clause(literals: list[Any]) -> Clause:
    return tuple(Literal.from_dict(literal) for literal in literals)


def _counts(content: Mapping[str, Any]) -> Counts | None:
    found = content.get("counts")
    return None if found is None else Counts.from_dict(found)


def _require_fields(content: Mapping[str, Any], what: str, *fields: str, optional: str = "") -> None:
    if set(content) - {optional} != set(fields):
        got = ", ".join(sorted(map(str, content)))
        raise ValueError(f"{what.capitalize()} has the fields {', '.join(sorted(fields))}. Got {got}.")
