"""What is written down about a rule: where it comes from, what is proven of it, how it did on other rows.

What a fit leaves behind for a model, beside its rule: all that is known of the rows once they are gone.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from platform import python_version
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from imli.learning.answer import Answer
from imli.models.reading import (
    TIME_FORMAT,
    list_of,
    object_of,
    one_of,
    optional,
    read_amount,
    read_count,
    read_flag,
    read_number,
    read_object,
    read_share,
    read_text,
    read_time,
)
from imli.rules import Rule
from imli.rules.text import write_rows
from imli.table.statistics import DataCard

_PACKAGES = ("imli", "numpy", "scikit-learn", "python-sat")


@dataclass(frozen=True)
class Check:
    """An estimate of how often decisions on new rows are right: on rows held out, or by cross-validation."""

    kind: Literal["holdout", "cv"]
    accuracy: float
    rows: int
    folds: int | None = None
    standard_error: float | None = None

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if isinstance(value, np.generic):  # as averages of scores are
                object.__setattr__(self, name, value.item())
        read_object(asdict(self), "A check", _CHECK, _CHECK_OPTIONAL)

    def __str__(self) -> str:
        error = "" if self.standard_error is None else f" ± {100 * self.standard_error:.1f}"
        how = f"on {write_rows(self.rows)} held out"
        if self.kind == "cv":
            how = f"in {'' if self.folds is None else f'{self.folds}-fold '}cross-validation on {write_rows(self.rows)}"
        return f"{100 * self.accuracy:.1f}{error} % right {how}"


@dataclass(frozen=True, kw_only=True)
class Card:
    """What is known of a rule. What is not known is None.

    ``created`` is when the rule was learned or, if it was not, saved, in UTC. ``fingerprint`` is that of the rule that
    all else speaks of. ``lam`` is the number that the parameter came to, ``seed`` the one that was
    used. ``scope`` says which rules the ``bound`` speaks of.
    """

    created: str | None = None
    fingerprint: str | None = None
    notes: str | None = None
    learner: str | None = None
    target: str | None = None
    data: DataCard | None = None
    class_shares: tuple[float, ...] | None = None
    cost: float | None = None
    bound: float | None = None
    gap: float | None = None
    status: str | None = None
    scope: str | None = None
    is_clause_optimal: bool | None = None
    n_locked: int | None = None
    n_literals: int | None = None
    backend: str | None = None
    seconds: float | None = None
    checks: tuple[Check, ...] = ()
    lam: float | None = None
    seed: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", frozen(self.parameters))
        object.__setattr__(self, "versions", frozen(self.versions))

    def __reduce__(self) -> tuple[Callable[[dict[str, Any]], "Card"], tuple[dict[str, Any]]]:
        # mappings that cannot change do not pickle
        return _rebuilt, ({part.name: _unlocked(getattr(self, part.name)) for part in fields(self)},)

    def answer(self, rule: Rule) -> Answer | None:
        """What is proven of the rule, as the learner said it; None if nothing is written down."""
        if self.cost is None or self.bound is None or self.status is None or self.scope is None:
            return None
        return Answer(
            rule=rule,
            cost=self.cost,
            bound=self.bound,
            status=self.status,  # type: ignore[arg-type]
            seconds=self.seconds or 0.0,
            scope=self.scope,
            backend=self.backend or "",
            is_clause_optimal=bool(self.is_clause_optimal),
            n_locked=self.n_locked or 0,
        )

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values, for JSON, without what is not known."""
        content: dict[str, Any] = {part.name: getattr(self, part.name) for part in fields(self)}
        content["data"] = None if self.data is None else _known(asdict(self.data))
        content["checks"] = [_known(asdict(check)) for check in self.checks]
        return {name: thawed(value) for name, value in content.items() if value is not None and value not in ([], {})}

    @staticmethod
    def from_dict(content: Any) -> "Card":
        """The card that ``to_dict`` described."""
        return Card(**read_object(content, "A card", {}, _CARD))


def _rebuilt(content: dict[str, Any]) -> Card:
    return Card(**content)


def _unlocked(value: Any) -> Any:
    return thawed(value) if isinstance(value, Mapping) else value


def _known(content: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if value is not None}


def _read_data(content: Any) -> DataCard:
    required = {"rows": read_count, "columns": read_count}
    optionals = {"hash": optional(read_text), "weight": optional(read_amount)}
    return DataCard(**read_object(content, "What is said of the data", required, optionals))


_CHECK: Mapping[str, Any] = {"kind": one_of("holdout", "cv"), "accuracy": read_share, "rows": read_count}
_CHECK_OPTIONAL: Mapping[str, Any] = {"folds": optional(read_count), "standard_error": optional(read_amount)}


def _read_check(content: Any) -> Check:
    return Check(**read_object(content, "A check", _CHECK, _CHECK_OPTIONAL))


def _read_plain(content: Any) -> Any:
    return content


_CARD: Mapping[str, Any] = {
    "created": optional(read_time),
    "fingerprint": optional(read_text),
    "notes": optional(read_text),
    "learner": optional(read_text),
    "target": optional(read_text),
    "data": optional(_read_data),
    "class_shares": optional(list_of(read_share)),
    "cost": optional(read_number),
    "bound": optional(read_number),
    "gap": optional(read_number),
    "status": optional(one_of("optimal", "feasible", "interrupted")),
    "scope": optional(read_text),
    "is_clause_optimal": optional(read_flag),
    "n_locked": optional(read_count),
    "n_literals": optional(read_count),
    "backend": optional(read_text),
    "seconds": optional(read_amount),
    "checks": list_of(_read_check),
    "lam": optional(read_amount),
    "seed": optional(read_count),
    "parameters": object_of(_read_plain),
    "versions": object_of(read_text),
}


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).strftime(TIME_FORMAT)


def installed_versions() -> dict[str, str]:
    """Of Python and of what takes part in learning, as far as it is installed."""
    found = {"python": python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def fingerprint(rule: Rule) -> str:
    """A short text that is another for another rule. Unused slots and counts are no part of a rule here."""
    content = rule.with_counts(None).to_dict()
    if "slots" in content:
        content["slots"] = [clause for clause in content["slots"] if clause is not None]
    text = json.dumps(content, sort_keys=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def frozen(value: Any) -> Any:
    """The same with tuples for lists, and mappings that cannot change for dicts."""
    if isinstance(value, Mapping):
        return MappingProxyType({name: frozen(part) for name, part in value.items()})
    return tuple(map(frozen, value)) if isinstance(value, list | tuple) else value


def thawed(value: Any) -> Any:
    """The same with lists and dicts, for JSON."""
    if isinstance(value, Mapping):
        return {name: thawed(part) for name, part in value.items()}
    return [thawed(part) for part in value] if isinstance(value, list | tuple) else value
