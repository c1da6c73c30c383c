"""What tells a rule from others.

JSON values that cannot change, and back.

A rule with all that is known about it.

The classifier that a card speaks of.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from imli.errors import ModelFileError, NotPlainError, at, brief
from imli.learning.answer import Answer
from imli.learning.stream import Stream
from imli.logic.domains import domain_of
from imli.models.card import Card, Check, fingerprint, frozen, installed_versions, now
from imli.models.document import check_document
from imli.models.reading import (
    from_plain,
    read_amount,
    read_at,
    to_plain,
)
from imli.models.schema import FORMAT, are_same, check_labels, read_parts, stream_to_dict
from imli.rules import Counts, Label, Rule, region_probabilities
from imli.rules.literals import plain_value
from imli.table.frame import AnyArray, ColumnKind, FloatArray
from imli.table.read import as_frame
from imli.table.statistics import ColumnStatistics, DataCard

if TYPE_CHECKING:
    from imli.learning.task import Task
    from imli.logic.what_if import WhatIf
    from imli.logic.why import Why


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """A rule, all classes in order, what the training rows were like, and a card with where it comes from.

    Decides any table by column name, and needs no learner. ``imli.save`` writes it to a file that people can read and
    edit, ``imli.load`` reads it. Two models are equal if all of this is.

    Parameters
    ----------
    rule
        The rule, with its counts if it has them.
    labels
        All classes in order, also those that the rule never decides for.
    columns
        What the training rows had in each column.
    class_factors
        By how much the rows of each class count more than they weigh, for probabilities; None is 1 for all.
    card
        Where the rule comes from and what is proven about it; None if nothing is known.
    stream
        What the learner remembers, to go on with; None if it does not.

    Examples
    --------
    >>> from imli import DNFClassifier
    >>> ages, ill = [25, 32, 47, 51, 62, 70], ["no", "no", "no", "yes", "yes", "yes"]
    >>> model = DNFClassifier(lam=1).fit({"age": ages * 4}, ill * 4).to_model()
    >>> print(model.rule)
    IF    age > 50
    THEN  yes   (100 % of the 12 rows it covers)
    ELSE  no    (100 % of 12)
    >>> model.predict({"age": [30, 60]}).tolist(), model.kinds
    (['no', 'yes'], {'age': 'number'})
    """

    rule: Rule
    labels: tuple[Label, ...]
    columns: Mapping[str, ColumnStatistics] = field(default_factory=dict)
    class_factors: tuple[float, ...] | None = None
    card: Card | None = None
    stream: Stream | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.rule, Rule):
            raise TypeError(f"A model needs a rule. Got {brief(self.rule)}.")
        with at("labels"):
            object.__setattr__(self, "labels", tuple(plain_value(label) for label in self.labels))
            check_labels(self.labels, self.rule)
        object.__setattr__(self, "columns", frozen(self.columns))
        counts = self.rule.counts
        if counts is not None and not are_same(counts.classes, self.labels):
            raise ValueError(
                f"The rule's counts are of the classes {brief(list(counts.classes))}, but the labels are "
                f"{brief(list(self.labels))}. They must be the same, in the same order."
            )
        if self.class_factors is not None:
            with at("statistics", "class_factors"):
                object.__setattr__(self, "class_factors", _checked_factors(self.class_factors, self.labels, counts))

    @staticmethod
    def of_rule(rule: Rule) -> "Model":
        """A model of a rule by itself. Its card has the time and the versions of what is installed."""
        card = Card(created=now(), fingerprint=fingerprint(rule), versions=installed_versions())
        return Model(rule, rule.classes if rule.counts is None else rule.counts.classes, card=card)

    @property
    def is_edited(self) -> bool:
        """Whether the rule is another than the one that the card speaks of, as after an edit of the file by hand."""
        card = self.card
        return card is not None and card.fingerprint is not None and card.fingerprint != fingerprint(self.rule)

    @property
    def kinds(self) -> dict[str, ColumnKind]:
        """The kind of each column, as in the training rows, or else as the rule reads it."""
        read = {literal.column: literal.reads for literal in self.rule.literals if literal.reads is not None}
        return read | {name: column.kind for name, column in self.columns.items()}

    def predict(self, data: Any) -> AnyArray:
        """Decide each row of a table, which needs only the columns that the rule looks at."""
        return self.rule.predict(data)

    def predict_proba(self, data: Any) -> FloatArray:
        """How probable each of the ``labels`` is in each row, as the classifier says it."""
        if self.rule.counts is None:
            why = " since the rule was edited by hand" if self.is_edited else ""
            raise ValueError(
                f"This model has no counts of training rows{why}, so it knows no probabilities. "
                "Count the rule anew: model.with_rule(model.rule.counted_on(X, y))."
            )
        frame = as_frame(data, only=self.rule.columns)
        regions = self.rule.regions(self.rule.holds_in(frame), frame.n_rows)
        factors = np.ones(len(self.labels)) if self.class_factors is None else np.array(self.class_factors)
        probabilities: FloatArray = region_probabilities(self.rule, factors)[regions]
        return probabilities

    def why(self, row: Any, *, values: Any = None) -> "Why":
        """Why the rule decides a row as it does: see :meth:`imli.rules.Rule.why`.

        Columns can take the values that the training rows have, as a table of them would say, unless ``values`` says
        otherwise of some, or is another table.

        >>> from imli import DNFClassifier
        >>> table = {"age": [25, 32, 62, 70, 62, 70] * 4, "smoker": [True, False, True, False, False, True] * 4}
        >>> model = DNFClassifier(lam=1).fit(table, ["low", "low", "high", "low", "low", "high"] * 4).to_model()
        >>> print(model.why({"age": 70, "smoker": False}))
        low, because not smoker: whatever possible values the other columns hold, the decision is the same.
        >>> print(model.what_if({"age": 25, "smoker": True}))
        The decision would be high instead of low with age above 30 instead of 25.
        """
        return self.rule.why(row, values=self._values(values))

    def what_if(
        self, row: Any, *, keep: str | Iterable[str] = (), to: Label | None = None, values: Any = None
    ) -> "WhatIf":
        """What would change the decision on a row: see :meth:`imli.rules.Rule.what_if`, and ``why`` for the values."""
        return self.rule.what_if(row, keep=keep, to=to, values=self._values(values))

    def _values(self, given: Any) -> Any:
        known = {name: domain_of(column) for name, column in self.columns.items()} or None
        if given is None:
            return known
        return {**(known or {}), **given} if isinstance(given, Mapping) else given

    def with_rule(self, rule: Rule) -> "Model":
        """The same with another rule, or with other counts. The card still speaks of the rule that it spoke of."""
        counts = rule.counts
        if counts is not None and set(counts.classes) <= set(self.labels):
            rule = rule.with_counts(_in_order(counts, self.labels))
        return replace(self, rule=rule)

    def with_check(self, check: Check | Mapping[str, Any]) -> "Model":
        """The same with one more estimate of the accuracy in its card.

        >>> from imli import parse_rule
        >>> model = Model.of_rule(parse_rule("age > 60"))
        >>> model.with_check({"kind": "holdout", "accuracy": 0.9, "rows": 50}).card.checks
        (Check(kind='holdout', accuracy=0.9, rows=50, folds=None, standard_error=None),)
        """
        card = self.card or Card()
        one = check if isinstance(check, Check) else Check(**check)
        return replace(self, card=replace(card, checks=(*card.checks, one)))

    def estimator(self, **parameters: Any) -> Any:
        """The classifier that learned the rule, not fitted, with the same parameters except for those given here."""
        return build_learner(self.card, parameters)

    def resume(self, **parameters: Any) -> Any:
        """The classifier that learned the rule, ready to go on with ``partial_fit``, with these parameters changed."""
        return resume_learner(self, parameters)

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values that goes to JSON and, by ``from_dict``, comes back."""
        content: dict[str, Any] = {
            "imli": "model",
            "format": FORMAT,
            "rule": self.rule.with_counts(None).to_dict(),
            "labels": list(self.labels),
        }
        if self.card is not None:
            content["card"] = self.card.to_dict()
        statistics: dict[str, Any] = {}
        if self.rule.counts is not None:
            counts = self.rule.counts.to_dict()
            del counts["classes"]  # which the labels are
            statistics = {"fingerprint": fingerprint(self.rule), "counts": counts}
        if self.class_factors is not None:
            statistics["class_factors"] = list(self.class_factors)
        if statistics:
            content["statistics"] = statistics
        if self.columns:
            content["columns"] = {name: column.to_dict() for name, column in self.columns.items()}
        if self.stream is not None:
            content["stream"] = stream_to_dict(self.stream)
        return content

    @staticmethod
    def from_dict(content: Any) -> "Model":
        """The model that ``to_dict`` described, or one of the rule that the ``to_dict`` of a rule did.

        Executes nothing, and refuses what it does not understand with a :class:`ModelFileError`. Counts of a rule
        that has been edited since are left out.
        """
        try:
            check_document(content)
            return Model(*read_parts(content))
        except ModelFileError:
            raise
        except (ValueError, TypeError) as error:
            raise ModelFileError.of(error) from None

    def __str__(self) -> str:
        remark = self._remark()
        return f"{self.rule}\n\n{remark}" if remark else str(self.rule)

    def __repr__(self) -> str:
        return f"<Model of {len(self.rule.clauses)} clauses, {len(self.labels)} labels>\n{self}"

    def _repr_html_(self) -> str:
        remark = self._remark()
        note = f'<p style="max-width: 60rem; font: 0.85rem/1.5 system-ui, sans-serif">{escape(remark)}</p>'
        return f"<div>{self.rule._repr_html_()}{note if remark else ''}</div>"

    def _remark(self) -> str:
        """What the card says, in one line."""
        card = self.card
        if card is None:
            return ""
        day = f" on {card.created[:10]}" if card.created else ""
        source = f" from {card.data}" if card.data else ""
        origin = f"Learned by {card.learner}{source}{day}" if card.learner else f"Saved{day}" if day else ""
        sentences = [f"{origin}."] if origin else []
        if self.is_edited:
            since, claims = ("learned", "counts, cost and bound") if card.learner else ("saved", "counts")
            sentences.append(
                f"The rule was edited by hand after it was {since}, so its {claims} no longer speak of it."
            )
        else:
            answer = card.answer(self.rule)
            sentences += [] if answer is None else [f"It has {answer}."]
            sentences += [f"{check}." for check in card.checks]
        if self.stream is not None and self.stream.memory.n_rows:
            sentences.append(f"It holds {self.stream.memory.n_rows:,} rows of data, to go on learning from.")
        if card.notes:
            sentences.append(f"Notes: {' '.join(card.notes.split())}")
        return " ".join(sentences)

    def _identity(self) -> str:
        return json.dumps(self.to_dict(), sort_keys=True)

    def __eq__(self, other: object) -> bool:
        return self._identity() == other._identity() if isinstance(other, Model) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity())

    def __reduce__(self) -> tuple[type["Model"], tuple[Any, ...]]:
        # mappings that cannot change do not pickle
        return Model, (self.rule, self.labels, dict(self.columns), self.class_factors, self.card, self.stream)


def _checked_factors(given: Iterable[Any], labels: tuple[Label, ...], counts: Counts | None) -> tuple[float, ...]:
    factors = tuple(read_at(number, factor, read_amount) for number, factor in enumerate(np.asarray(given).tolist()))
    if len(factors) != len(labels):
        raise ValueError(f"There must be a number for each of the {len(labels)} labels. Got {len(factors)}.")
    if counts is not None:
        total = sum(factor * rows for region in counts.regions for factor, rows in zip(factors, region, strict=True))
        if not isfinite(total):
            raise ValueError(f"The numbers are too large to count rows by. Got {brief(list(factors))}.")
    return factors


def _in_order(counts: Counts, labels: tuple[Label, ...]) -> Counts:
    """The same counts with the classes in the order of the labels, none of which is left out."""
    place = [counts.classes.index(label) if label in counts.classes else None for label in labels]
    regions = tuple(tuple(0.0 if n is None else region[n] for n in place) for region in counts.regions)
    return replace(counts, classes=labels, regions=regions)


def build_learner(card: Card | None, given: dict[str, Any], asked: str = "estimator") -> Any:
    """The classifier, not fitted, with the parameters of the card except for those given.

    ``asked`` is the method of a model that asks for it.
    """
    if card is None or card.learner is None:
        raise ValueError("The card of this model names no learner, so there is no classifier to build.")
    learners = _learners()
    if card.learner not in learners:
        listed = ", ".join(sorted(learners))
        raise ValueError(f"The learner {brief(card.learner)} is not one of imli's, which are {listed}.")
    learner = learners[card.learner]
    known = learner().get_params()
    for name in (*card.parameters, *given):
        if name not in known:
            raise ValueError(f"{card.learner} has no parameter {brief(name)}.")
    kept = {name: _parameter(name, value, asked) for name, value in card.parameters.items() if name not in given}
    return learner(**kept, **given)


def resume_learner(model: Any, given: dict[str, Any]) -> Any:
    """The classifier of a model, fitted, with its parameters except for those given."""
    from imli.estimators.partial_fit import resume

    return resume(build_learner(model.card, given, "resume"), model)


def _learners() -> dict[str, Any]:
    from imli.estimators import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier

    kinds = (CNFClassifier, DNFClassifier, DecisionListClassifier, DecisionSetClassifier)
    return {kind.__name__: kind for kind in kinds}


def _parameter(name: str, value: Any, asked: str) -> Any:
    try:
        return from_plain(value)
    except NotPlainError as error:
        raise ValueError(
            f"The parameter {name} was an object, which a model file can only describe: {error}. "
            f"Give it yourself: model.{asked}({name}=...)."
        ) from None


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


def record(task: "Task", rule: Rule, seed: int, n_literals: int) -> Record:
    """Take down the facts of a fit."""
    data, columns = task.described({*task.frame.names[:_MOST_COLUMNS], *rule.columns})
    return Record(
        created=now(),
        data=data,
        columns=columns,
        class_factors=tuple(task.factors.tolist()),
        lam=float(task.goal.lam),
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
