"""The card of a model: where its rule comes from, what is proven about it, and how it did on other rows."""

import json
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from platform import python_version
from typing import Any

import numpy as np

from imli.errors import NotPlainError, brief
from imli.learning.answer import Answer, Status, errors_in
from imli.learning.constraints import Every
from imli.models.checks import CHECK, Check
from imli.models.schema import AMOUNT, DATA, SHARE, TEXT, TIME, TIME_FORMAT, freeze, list_of, shape_of, thaw
from imli.rules import Rule
from imli.rules import literals as rule_literals
from imli.table.findings import Finding
from imli.table.summaries import DataCard

_PACKAGES = ("imli", "numpy", "scikit-learn", "python-sat")


@dataclass(frozen=True, kw_only=True)
class Card:
    """The facts about a rule, as far as they are known; the others are None.

    ``created`` is the time when the rule was learned or, if it was not learned, saved, in UTC. ``fingerprint`` is that
    of the rule that all other facts are about. ``lam`` is the number that the parameter resulted in, ``seed`` the one
    that was used. ``errors`` is the part of the cost that is no length. ``scope`` names the rules that the ``bound``
    holds for. ``findings`` are about the table that the
    rule was learned from.
    """

    created: str | None = None
    fingerprint: str | None = None
    notes: str | None = None
    learner: str | None = None
    target: str | None = None
    data: DataCard | None = None
    class_shares: tuple[float, ...] | None = None
    cost: float | None = None
    errors: float | None = None
    bound: float | None = None
    gap: float | None = None
    status: Status | None = None
    scope: str | None = None
    is_clause_optimal: bool | None = None
    n_locked: int | None = None
    n_literals: int | None = None
    backend: str | None = None
    seconds: float | None = None
    checks: tuple[Check, ...] = ()
    findings: tuple[Finding, ...] = ()
    lam: float | None = None
    seed: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", freeze(self.parameters))
        object.__setattr__(self, "versions", freeze(self.versions))

    def __reduce__(self) -> tuple[Callable[[], "Card"], tuple[()]]:
        # mappings that cannot change do not pickle
        content = {part.name: getattr(self, part.name) for part in fields(self)}
        return partial(Card, **content | {name: thaw(content[name]) for name in ("parameters", "versions")}), ()

    def answer(self, rule: Rule) -> Answer | None:
        """Return the learner's answer, with the model's rule; None if cost, bound, status or scope is not known."""
        if self.cost is None or self.bound is None or self.status is None or self.scope is None:
            return None
        return Answer(
            rule=rule,
            cost=self.cost,
            bound=self.bound,
            status=self.status,
            seconds=self.seconds or 0.0,
            scope=self.scope,
            backend=self.backend or "",
            is_clause_optimal=bool(self.is_clause_optimal),
            n_locked=self.n_locked or 0,
            **({} if self.errors is None or rule.counts is None else errors_in(rule, self.errors)),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a dict of plain values, for JSON, without the facts that are not known."""
        content: dict[str, Any] = CARD.write(self)
        return content

    @staticmethod
    def from_dict(content: Any) -> "Card":
        """Return the card that ``to_dict`` described."""
        card: Card = CARD.read(content)
        return card


CARD = shape_of(
    Card,
    "A card",
    created=TIME,
    data=DATA,
    class_shares=list_of(SHARE),
    seconds=AMOUNT,
    checks=list_of(CHECK),
    findings=list_of(shape_of(Finding, "A finding", columns=list_of(TEXT))),
    errors=AMOUNT,
    lam=AMOUNT,
)


def in_utc(moment: datetime) -> str:
    """Return a time in UTC, as text to the second."""
    return moment.astimezone(UTC).strftime(TIME_FORMAT)


def installed_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that take part in learning, as far as they are installed."""
    found = {"python": python_version()}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def fingerprint(rule: Rule) -> str:
    """Return a short text that differs from that of every other rule, whatever unused slots and counts the rule has."""
    content = rule.with_counts(None).to_dict()
    if "slots" in content:
        content["slots"] = [clause for clause in content["slots"] if clause is not None]
    text = json.dumps(content, sort_keys=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()


# objects of one key that stand for values of parameters that JSON has no form for
_MARKS = ("number", "pairs", "every", "object")
_INFINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def to_plain(value: Any) -> Any:
    """Return the value of a learner's parameter as a JSON value.

    Literals and rules become their text, which learners read as well. A value that JSON has no form for becomes an
    object of one key: ``{"number": "inf"}``, ``{"pairs": [[key, value], …]}`` for a dict whose keys are not text,
    ``{"every": "age > 60"}``, and ``{"object": "…"}`` for other objects, which ``from_plain`` cannot build again.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"number": str(value)}
    if isinstance(value, Rule):
        return value.to_text(counts=False)
    if isinstance(value, rule_literals.Literal):
        return str(value)
    if isinstance(value, Every):
        return {"every": str(value.literal)}
    if isinstance(value, list | tuple):
        return [to_plain(part) for part in value]
    if isinstance(value, Mapping):
        if all(isinstance(name, str) for name in value) and not (len(value) == 1 and next(iter(value)) in _MARKS):
            return {name: to_plain(part) for name, part in value.items()}
        return {"pairs": [[to_plain(name), to_plain(part)] for name, part in value.items()]}
    return {"object": repr(value)}


def from_plain(value: Any) -> Any:
    """Return the value of a parameter that ``to_plain`` described, with tuples for lists.

    >>> from_plain(to_plain({0: 1.0, 1: 5.0})), from_plain(to_plain(float("inf"))), from_plain(to_plain(["age"]))
    ({0: 1.0, 1: 5.0}, inf, ('age',))
    """
    if isinstance(value, list | tuple):
        return tuple(map(from_plain, value))
    if not isinstance(value, Mapping):
        return value
    if len(value) == 1 and (mark := next(iter(value))) in _MARKS:
        return _from_mark(mark, value[mark])
    return {name: from_plain(part) for name, part in value.items()}


def _from_mark(mark: str, content: Any) -> Any:
    if mark == "object":
        raise NotPlainError(str(content))
    if mark == "number" and isinstance(content, str) and content in _INFINITE:
        return _INFINITE[content]
    if mark == "every" and isinstance(content, str):
        return Every(content)
    if mark == "pairs" and isinstance(content, list | tuple):
        pairs = [pair for pair in content if isinstance(pair, list | tuple) and len(pair) == 2]
        if len(pairs) == len(content) and not any(isinstance(key, Mapping | list) for key, _ in pairs):
            return {from_plain(key): from_plain(part) for key, part in pairs}
    raise ValueError(f"{brief({mark: content})} is no value of a parameter.")
