"""Rules from plain dicts, as JSON holds them."""

from collections.abc import Mapping
from typing import Any

from imli.errors import at, brief, brief_list, placed
from imli.rules.counts import Counts
from imli.rules.formula import CNF, DNF, Formula
from imli.rules.literals import Literal, plain_value
from imli.rules.pairs import DecisionList, DecisionSet, Pair, PairRule
from imli.rules.rule import FORMAT, Rule
from imli.rules.text import Clause

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
        raise ValueError(f"A rule must be a JSON object. Got {brief(content)}.")
    number = content.get("format")
    if type(number) is not int or number != FORMAT:
        cure = " Install a newer imli." if isinstance(number, int) and number > FORMAT else ""
        error = ValueError(f"This rule has format {brief(number)}, this version of imli reads format {FORMAT}.{cure}")
        raise placed(error, "format")
    kind = content.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise placed(ValueError(f"Unknown kind of rule {brief(kind)}. Known: {', '.join(_KINDS)}."), "kind")
    return _formula(content) if kind in _FORMULAS else _pair_rule(content)


def _formula(content: Mapping[str, Any]) -> Formula:
    _require_fields(content, "a rule", "format", "kind", "classes", "target", "slots", optional="counts")
    slots, classes = content["slots"], content["classes"]
    if not isinstance(classes, list):
        raise placed(ValueError(f"A rule's classes must be a list. Got {brief(classes)}."), "classes")
    with at("slots"):
        if not isinstance(slots, list):
            raise ValueError(f"{_SLOTS} Got {brief(slots)}.")
        clauses = tuple(_slot(number, slot) for number, slot in enumerate(slots))
    return _FORMULAS[content["kind"]](clauses, tuple(classes), content["target"], _counts(content))


_SLOTS = "A rule's slots must be a list of clauses, each a list of literals or null."


def _slot(number: int, content: Any) -> Clause | None:
    with at(number):
        if content is not None and not isinstance(content, list):
            raise ValueError(f"{_SLOTS} Got {brief(content)}.")
        return None if content is None else _clause(content)


def _pair_rule(content: Mapping[str, Any]) -> PairRule:
    _require_fields(content, "a rule", "format", "kind", "target", "pairs", "default", optional="counts")
    if not isinstance(content["pairs"], list):
        raise placed(ValueError(f"A rule's pairs must be a list. Got {brief(content['pairs'])}."), "pairs")
    with at("default"):
        plain_value(content["default"])
    pairs = tuple(_pair(number, pair) for number, pair in enumerate(content["pairs"]))
    return _PAIR_RULES[content["kind"]](pairs, content["default"], content["target"], _counts(content))


def _pair(number: int, content: Any) -> Pair:
    with at("pairs", number):
        if not isinstance(content, Mapping) or not isinstance(content.get("clause"), list):
            raise ValueError("A pair must be a JSON object with a clause, which is a list of literals, and a class.")
        _require_fields(content, "a pair", "clause", "class")
        with at("class"):
            label = plain_value(content["class"])
        with at("clause"):
            return _clause(content["clause"]), label


def _clause(literals: list[Any]) -> Clause:
    return tuple(_literal(number, literal) for number, literal in enumerate(literals))


def _literal(number: int, content: Any) -> Literal:
    with at(number):
        return Literal.from_dict(content)


def _counts(content: Mapping[str, Any]) -> Counts | None:
    found = content.get("counts")
    with at("counts"):
        return None if found is None else Counts.from_dict(found)


def _require_fields(content: Mapping[str, Any], what: str, *fields: str, optional: str = "") -> None:
    if set(content) - {optional} != set(fields):
        raise ValueError(f"{what.capitalize()} has the fields {', '.join(sorted(fields))}. Got {brief_list(content)}.")
