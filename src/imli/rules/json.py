"""Rules read from dicts of plain values, as in JSON, and the classes of all kinds of rules by name."""

from collections.abc import Mapping
from typing import Any

from imli.errors import at, brief, brief_list, placed
from imli.rules.counts import Counts
from imli.rules.formula import CNF, DNF, Formula
from imli.rules.literals import Clause, Literal, plain_value
from imli.rules.pairs import DecisionList, DecisionSet, Pair, PairRule
from imli.rules.rule import FORMAT, Rule
from imli.rules.score import POINT_RULES, Item, PointRule, whole

FORMULAS: dict[str, type[Formula]] = {kind.kind: kind for kind in (CNF, DNF)}
PAIR_RULES: dict[str, type[PairRule]] = {kind.kind: kind for kind in (DecisionList, DecisionSet)}
RULES: dict[str, type[Rule]] = {**FORMULAS, **PAIR_RULES, **POINT_RULES}

_SLOTS = "A rule's slots must be a list of clauses, each a list of literals or null."


def rule_from_dict(content: Mapping[str, Any]) -> Rule:
    """Return the rule that ``to_dict`` described. No code in the dict is executed.

    Parameters
    ----------
    content
        A dict as ``to_dict`` returns it, for example read from JSON.

    Raises
    ------
    ValueError, TypeError
        If ``content`` does not describe a rule, or was written by a newer version of imli.

    Examples
    --------
    >>> rule_from_dict({"format": 9})
    Traceback (most recent call last):
    ValueError: This rule has format 9, this version of imli reads format 1. Install a newer imli.
    """
    if not isinstance(content, Mapping):
        raise ValueError(f"A rule must be a JSON object. Got {brief(content)}.")
    number = content.get("format")
    with at("format"):
        if type(number) is not int or number != FORMAT:
            cure = " Install a newer imli." if isinstance(number, int) and number > FORMAT else ""
            raise ValueError(f"This rule has format {brief(number)}, this version of imli reads format {FORMAT}.{cure}")
    kind = content.get("kind")
    if not isinstance(kind, str) or kind not in RULES:
        raise placed(ValueError(f"Unknown kind of rule {brief(kind)}. Known: {', '.join(RULES)}."), "kind")
    if kind in POINT_RULES:
        return _read_point_rule(content)
    return _read_formula(content) if kind in FORMULAS else _read_pair_rule(content)


def _read_formula(content: Mapping[str, Any]) -> Formula:
    _require_fields(content, "a rule", "format", "kind", "classes", "target", "slots", optional="counts")
    slots, classes = content["slots"], _read_classes(content)
    with at("slots"):
        if not isinstance(slots, list):
            raise ValueError(f"{_SLOTS} Got {brief(slots)}.")
        clauses = tuple(_read_slot(number, slot) for number, slot in enumerate(slots))
    return FORMULAS[content["kind"]](clauses, classes, content["target"], _read_counts(content))


def _read_classes(content: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the classes, of which the rule itself checks that they are two."""
    classes = content["classes"]
    if not isinstance(classes, list):
        raise placed(ValueError(f"A rule's classes must be a list. Got {brief(classes)}."), "classes")
    return tuple(classes)


def _read_point_rule(content: Mapping[str, Any]) -> PointRule:
    names = ("format", "kind", "target", "classes", "items", "threshold")
    _require_fields(content, "a rule", *names, optional="counts")
    items, classes = content["items"], _read_classes(content)
    if not isinstance(items, list):
        raise placed(ValueError(f"A rule's items must be a list. Got {brief(items)}."), "items")
    read = tuple(_read_item(number, item) for number, item in enumerate(items))
    found = POINT_RULES[content["kind"]]
    return found(read, content["threshold"], classes, content["target"], _read_counts(content))


def _read_item(number: int, content: Any) -> Item:
    with at("items", number):
        if not isinstance(content, Mapping) or not isinstance(content.get("clause"), list):
            raise ValueError("An item must be a JSON object with a clause, which is a list of literals, and points.")
        _require_fields(content, "an item", "clause", "points")
        with at("points"):
            points = whole(content["points"], "points")
        with at("clause"):
            return _read_clause(content["clause"]), points


def _read_slot(number: int, content: Any) -> Clause | None:
    with at(number):
        if content is not None and not isinstance(content, list):
            raise ValueError(f"{_SLOTS} Got {brief(content)}.")
        return None if content is None else _read_clause(content)


def _read_pair_rule(content: Mapping[str, Any]) -> PairRule:
    _require_fields(content, "a rule", "format", "kind", "target", "pairs", "default", optional="counts")
    if not isinstance(content["pairs"], list):
        raise placed(ValueError(f"A rule's pairs must be a list. Got {brief(content['pairs'])}."), "pairs")
    with at("default"):
        plain_value(content["default"])
    pairs = tuple(_read_pair(number, pair) for number, pair in enumerate(content["pairs"]))
    return PAIR_RULES[content["kind"]](pairs, content["default"], content["target"], _read_counts(content))


def _read_pair(number: int, content: Any) -> Pair:
    with at("pairs", number):
        if not isinstance(content, Mapping) or not isinstance(content.get("clause"), list):
            raise ValueError("A pair must be a JSON object with a clause, which is a list of literals, and a class.")
        _require_fields(content, "a pair", "clause", "class")
        with at("class"):
            label = plain_value(content["class"])
        with at("clause"):
            return _read_clause(content["clause"]), label


def _read_clause(contents: list[Any]) -> Clause:
    literals = []
    for number, content in enumerate(contents):
        with at(number):
            literals.append(Literal.from_dict(content))
    return tuple(literals)


def _read_counts(content: Mapping[str, Any]) -> Counts | None:
    found = content.get("counts")
    with at("counts"):
        return None if found is None else Counts.from_dict(found)


def _require_fields(content: Mapping[str, Any], what: str, *fields: str, optional: str = "") -> None:
    if set(content) - {optional} != set(fields):
        raise ValueError(f"{what.capitalize()} has the fields {', '.join(sorted(fields))}. Got {brief_list(content)}.")
