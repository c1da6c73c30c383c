"""The model card: where the rule comes from."""

from typing import Any, TypedDict

from imli.models import Card, Model
from imli.rules.notation import write_value


class Parameter(TypedDict):
    """A parameter of the learner, and whether it is as it is by default."""

    name: str
    value: str
    is_default: bool


class Fact(TypedDict):
    """Something that is known of the rule."""

    name: str
    value: str


class CardSummary(TypedDict):
    """All that is known of where the rule comes from; parameters that somebody chose stand first."""

    learner: str | None
    is_edited: bool
    learned: list[Fact]
    data: list[Fact]
    proof: list[Fact]
    checks: list[str]
    parameters: list[Parameter]
    versions: list[Fact]
    notes: str | None


def summarize_card(model: Model) -> CardSummary | None:
    """The card in words; None if there is none."""
    card = model.card
    if card is None:
        return None
    return {
        "learner": card.learner,
        "is_edited": model.is_edited,
        "learned": _learned(card),
        "data": _data(model, card),
        "proof": _proof(model, card),
        "checks": [str(check) for check in card.checks],
        "parameters": _parameters(card),
        "versions": [{"name": name, "value": version} for name, version in card.versions.items()],
        "notes": card.notes,
    }


def _learned(card: Card) -> list[Fact]:
    return _facts(
        ("Learner", card.learner),
        ("Made", None if card.created is None else card.created.replace("T", " ").replace("Z", " UTC")),
        ("Searched by", card.backend),
        ("Seconds", None if card.seconds is None else f"{card.seconds:,.1f}"),
        ("Seed", None if card.seed is None else str(card.seed)),
        ("Errors that a literal must save (lam)", None if card.lam is None else f"{card.lam:g}"),
        ("Literals to choose from", None if card.n_literals is None else f"{card.n_literals:,}"),
        ("Fingerprint of the rule", card.fingerprint),
    )


def _data(model: Model, card: Card) -> list[Fact]:
    data = card.data
    shares = None
    if card.class_shares is not None and len(card.class_shares) == len(model.labels):
        named = zip(model.labels, card.class_shares, strict=True)
        shares = ", ".join(f"{write_value(label)} {100 * share:.1f} %" for label, share in named)
    return _facts(
        ("Target", card.target),
        ("Rows", None if data is None else f"{data.rows:,}"),
        ("Weight of all rows", None if data is None or data.weight is None else f"{data.weight:,g}"),
        ("Columns", None if data is None else f"{data.columns:,}"),
        ("Classes", shares),
        ("Hash of the rows", None if data is None else data.hash),
    )


def _proof(model: Model, card: Card) -> list[Fact]:
    answer = card.answer(model.rule)
    if answer is None:
        return []
    return _facts(
        ("Status", _STATUS[answer.status]),
        ("Cost", f"{answer.cost:g}{'' if card.lam is None else f': errors, and {card.lam:g} for each literal'}"),
        ("No rule can cost less than", f"{answer.bound:g}" if answer.bound > 0 else None),
        ("Gap", f"at most {100 * answer.gap:.1f} % of the cost could be saved" if answer.bound > 0 else None),
        ("Clause by clause", "no change of one clause lowers the cost" if answer.is_clause_optimal else None),
        ("Locked clauses", str(answer.n_locked) if answer.n_locked else None),
        ("Among", answer.scope),
    )


_STATUS = {
    "optimal": "proven the cheapest (optimal)",
    "feasible": "the cheapest that was found (feasible)",
    "interrupted": "the cheapest when the search was stopped (interrupted)",
}


def _facts(*pairs: tuple[str, str | None]) -> list[Fact]:
    return [{"name": name, "value": value} for name, value in pairs if value is not None]


def _parameters(card: Card) -> list[Parameter]:
    if card.learner is None:
        return []
    given = card.to_dict().get("parameters", {})
    usual = _usual(card.learner)
    found: list[Parameter] = [
        {"name": name, "value": _write(value), "is_default": name in usual and _write(usual[name]) == _write(value)}
        for name, value in given.items()
    ]
    return sorted(found, key=lambda parameter: parameter["is_default"])


def _usual(learner: str) -> dict[str, Any]:
    """The parameters as they are by default, in the form that a card has them in."""
    import imli.estimators
    from imli.models.card import to_plain

    known = getattr(imli.estimators, learner, None)
    return {} if known is None else {name: to_plain(value) for name, value in known().get_params(deep=False).items()}


def _write(value: Any) -> str:
    """A JSON value as a person writes it."""
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
