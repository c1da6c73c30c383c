"""The section of a report with the model card: learner, data, proof, parameters and versions as text."""

from typing import Any

import imli.estimators
from imli.models import Card, Model
from imli.models.card import to_plain
from imli.rules.notation import write_value

_STATUS = {
    "optimal": "proven the cheapest (optimal)",
    "feasible": "the cheapest that was found (feasible)",
    "interrupted": "the cheapest when the search was stopped (interrupted)",
}


Facts = list[dict[str, str]]  # each with a name and a value


def summarize_card(model: Model) -> dict[str, Any] | None:
    """Return the section on the card of a model; None if it has no card."""
    card = model.card
    if card is None:
        return None
    return {
        "learner": card.learner,
        "is_edited": model.is_edited,
        "learned": _learned(card),
        "data": _data(model, card),
        "proof": _proof(model, card),
        "checks": [sentence for check in card.checks for sentence in check.sentences],
        "findings": [finding.to_dict() for finding in card.findings],
        "parameters": _parameters(card),
        "versions": [{"name": name, "value": version} for name, version in card.versions.items()],
        "notes": card.notes,
    }


def _learned(card: Card) -> Facts:
    return _facts(
        ("Learner", card.learner),
        ("Made", card.created and card.created.replace("T", " ").replace("Z", " UTC")),
        ("Searched by", card.backend),
        ("Seconds", card.seconds, ",.1f"),
        ("Seed", card.seed),
        ("Errors that a literal must save (lam)", card.lam, "g"),
        ("Literals to choose from", card.n_literals, ","),
        ("Fingerprint of the rule", card.fingerprint),
    )


def _data(model: Model, card: Card) -> Facts:
    data = card.data
    shares = None
    if card.class_shares is not None and len(card.class_shares) == len(model.labels):
        named = zip(model.labels, card.class_shares, strict=True)
        shares = ", ".join(f"{write_value(label)} {100 * share:.1f} %" for label, share in named)
    return _facts(
        ("Target", card.target),
        ("Rows", data and data.rows, ","),
        ("Weight of all rows", data and data.weight, ",g"),
        ("Columns", data and data.columns, ","),
        ("Classes", shares),
        ("Hash of the rows", data and data.hash),
    )


def _proof(model: Model, card: Card) -> Facts:
    answer = card.answer(model.rule)
    if answer is None:
        return []
    has_bound = answer.bound > 0
    return _facts(
        ("Status", _STATUS[answer.status]),
        ("Cost", f"{answer.cost:g}{'' if card.lam is None else f': errors, and {card.lam:g} for each literal'}"),
        ("No rule can cost less than", answer.bound if has_bound else None, "g"),
        ("Gap", f"at most {100 * answer.gap:.1f} % of the cost could be saved" if has_bound else None),
        ("Clause by clause", "no change of one clause lowers the cost" if answer.is_clause_optimal else None),
        ("Locked clauses", answer.n_locked or None),
        ("Among", answer.scope),
    )


def _facts(*facts: tuple[Any, ...]) -> Facts:
    """Return the facts that are not None, given as a name, a value, and a format for numbers."""
    return [{"name": name, "value": format(value, *spec)} for name, value, *spec in facts if value is not None]


def _parameters(card: Card) -> list[dict[str, Any]]:
    """Return the parameters of the learner as text; those with another value than the default stand first."""
    if card.learner is None:
        return []
    learner = getattr(imli.estimators, card.learner, None)
    defaults = {} if learner is None else learner().get_params(deep=False)
    found = []
    for name, value in card.to_dict().get("parameters", {}).items():
        text = _write(value)
        is_default = name in defaults and _write(to_plain(defaults[name])) == text
        found.append({"name": name, "value": text, "is_default": is_default})
    return sorted(found, key=lambda parameter: parameter["is_default"])


def _write(value: Any) -> str:
    """Return a JSON value as text."""
    if value is None:
        return "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(_write, value)) or "none"
    if isinstance(value, dict):
        if len(value) == 1 and (mark := next(iter(value))) in ("number", "object"):
            return str(value[mark])
        pairs = value["pairs"] if list(value) == ["pairs"] else value.items()
        return ", ".join(f"{_write(name)}: {_write(part)}" for name, part in pairs) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
