"""The parts of a model, from the dict that describes it."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from imli.literals import plain_value
from imli.models.card import Card
from imli.models.columns import ColumnStatistics
from imli.models.fingerprint import fingerprint
from imli.models.reading import Reader, list_of, object_of, optional, read_amount, read_count, read_object, read_text
from imli.models.streaming import read_stream
from imli.places import at, brief, placed
from imli.rules import Counts, Label, Rule, rule_from_dict
from imli.streams import Stream

FORMAT = 1

# rule, labels, columns, class factors, card, stream
Parts = tuple[
    Rule, tuple[Label, ...], dict[str, ColumnStatistics], tuple[float, ...] | None, Card | None, Stream | None
]


def read_parts(content: Any) -> Parts:
    """The parts of the model that a document describes, or of the rule that a rule's own dict does."""
    is_object = isinstance(content, Mapping)
    if is_object and "imli" not in content and "kind" in content:
        rule = rule_from_dict(content)
        return rule, rule.classes if rule.counts is None else rule.counts.classes, {}, None, None, None
    if not is_object or content.get("imli") != "model":
        raise ValueError('This is not a model, which is a JSON object with "imli": "model".')
    with at("format"):
        number = content.get("format")
        if type(number) is not int or number != FORMAT:
            cure = " Install a newer imli." if type(number) is int and number > FORMAT else ""
            raise ValueError(
                f"This model has format {brief(number)}, this version of imli reads format {FORMAT}.{cure}"
            )
    parts = read_object(content, "A model", _REQUIRED, _OPTIONAL)
    rule, labels, statistics = parts["rule"], parts["labels"], parts.get("statistics") or {}
    factors = statistics.get("class_factors")
    with at("labels"):
        check_labels(labels, rule)
    if "counts" in statistics:
        if statistics["fingerprint"] == fingerprint(rule):
            with at("statistics", "counts"):
                rule = rule.with_counts(_read_counts(statistics["counts"], labels))
        elif factors is not None and len(factors) != len(labels):
            factors = None  # labels were added or removed together with the edit
    stream = None
    if parts.get("stream") is not None:
        with at("stream"):
            stream = read_stream(parts["stream"], rule, len(labels))
    return rule, labels, parts.get("columns") or {}, factors, parts.get("card"), stream


def check_labels(labels: tuple[Label, ...], rule: Rule) -> None:
    """Refuse labels that are not different, or that lack one of the rule's."""
    if len(set(labels)) < len(labels):
        raise ValueError(f"The labels must differ. Got {brief(list(labels))}.")
    for label in rule.classes:
        if not any(are_same((label,), (other,)) for other in labels):
            raise ValueError(
                f"The rule decides for {brief(label)}, which is not among the labels {brief(list(labels))}. "
                "Add it there."
            )


def are_same(some: tuple[Label, ...], others: tuple[Label, ...]) -> bool:
    """Whether these are the same labels in the same order."""
    # True and 1 are equal in Python, but not the same class
    return some == others and [isinstance(a, bool) for a in some] == [isinstance(b, bool) for b in others]


def _read_rule(content: Any) -> Rule:
    if isinstance(content, Mapping) and "counts" in content:
        raise placed(ValueError("In a model file the counts are under statistics. Remove them here."), "counts")
    return rule_from_dict(content)


def _read_statistics(content: Any) -> dict[str, Any]:
    found = read_object(content, "The object of statistics", {}, _STATISTICS)
    if "counts" in found and "fingerprint" not in found:
        raise ValueError("The statistics need the fingerprint of the rule that their counts belong to. Remove both.")
    return found


def _read_counts(content: Any, labels: tuple[Label, ...]) -> Counts:
    names = [part.name for part in fields(Counts) if part.name != "classes"]  # which the labels are
    found = read_object(content, "The object of counts", dict.fromkeys(names, _as_it_is), {})
    return Counts.from_dict({**found, "classes": list(labels)})


def _as_it_is(content: Any) -> Any:
    return content


_REQUIRED: Mapping[str, Reader] = {
    "imli": read_text,
    "format": read_count,
    "rule": _read_rule,
    "labels": list_of(plain_value),
}
_OPTIONAL: Mapping[str, Reader] = {
    "card": optional(Card.from_dict),
    "statistics": optional(_read_statistics),
    "columns": optional(object_of(ColumnStatistics.from_dict)),
    "stream": _as_it_is,  # read when rule and labels are known
}
_STATISTICS: Mapping[str, Reader] = {
    "fingerprint": read_text,
    "counts": _as_it_is,  # read when it is known whether they still belong to the rule
    "class_factors": optional(list_of(read_amount)),
}
