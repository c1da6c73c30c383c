"""What a fit leaves behind for a model, beside its rule: all that is known of the rows once they are gone."""

from dataclasses import dataclass
from typing import Any

from imli.answer import Answer
from imli.estimators.training import Training
from imli.models import Card, DataCard, Model
from imli.models.card import installed_versions, now
from imli.models.columns import ColumnStatistics
from imli.models.fingerprint import fingerprint
from imli.models.parameters import to_plain
from imli.rules import Rule

_MOST_COLUMNS = 200  # described, besides those of the rule


@dataclass(frozen=True, eq=False)
class Record:
    """The facts of a fit."""

    created: str
    data: DataCard
    columns: dict[str, ColumnStatistics]
    class_factors: tuple[float, ...]
    lam: float
    seed: int
    n_literals: int


def record(training: Training, rule: Rule, seed: int, n_literals: int) -> Record:
    """Take down the facts of a fit."""
    data, columns = training.described({*training.frame.names[:_MOST_COLUMNS], *rule.columns})
    return Record(
        created=now(),
        data=data,
        columns=columns,
        class_factors=tuple(training.factors.tolist()),
        lam=float(training.terms["lam"]),
        seed=seed,
        n_literals=n_literals,
    )


def as_model(learner: str, parameters: dict[str, Any], rule: Rule, answer: Answer, facts: Record) -> Model:
    """All that is known of a rule that was learned."""
    assert rule.counts is not None
    totals = [sum(region) for region in zip(*rule.counts.regions, strict=True)]
    card = Card(
        created=facts.created,
        fingerprint=fingerprint(rule),
        learner=learner,
        target=rule.target,
        data=facts.data,
        class_shares=tuple(total / rule.counts.total for total in totals),
        cost=float(answer.cost),
        bound=float(answer.bound),
        gap=float(answer.gap),
        status=answer.status,
        scope=answer.scope,
        is_clause_optimal=bool(answer.is_clause_optimal),
        n_locked=answer.n_locked,
        n_literals=facts.n_literals,
        backend=answer.backend,
        seconds=round(float(answer.seconds), 3),
        lam=facts.lam,
        seed=facts.seed,
        parameters={name: to_plain(value) for name, value in parameters.items() if name != "callback"},
        versions=installed_versions(),
    )
    return Model(rule, rule.counts.classes, facts.columns, facts.class_factors, card)
