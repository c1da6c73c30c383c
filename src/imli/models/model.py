"""Models: a rule with all that is known about it, as a value that decides rows and goes to JSON and back."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from html import escape
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from imli.errors import ModelFileError, NotPlainError, at, brief, placed
from imli.learning.memory import Stream
from imli.logic.domains import domain_of
from imli.models.card import CARD, Card, fingerprint, from_plain, in_utc, installed_versions
from imli.models.checks import Check
from imli.models.comparison import LEVEL, Comparison, compare, read_parts
from imli.models.schema import (
    AMOUNT,
    ANYTHING,
    COLUMN,
    COUNT,
    TEXT,
    Kind,
    check_document,
    freeze,
    list_of,
    mapping_of,
    nullable,
    optional,
    read_stream,
    shape,
    write_stream,
)
from imli.rules import Counts, Label, Rule, region_probabilities, rule_from_dict
from imli.rules.literals import plain_value
from imli.table.frame import AnyArray, ColumnKind, FloatArray
from imli.table.read import as_frame
from imli.table.readings import Reading
from imli.table.summaries import ColumnStatistics

if TYPE_CHECKING:
    from imli.logic.what_if import WhatIf
    from imli.logic.why import Why

_FORMAT = 1


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """A rule, all classes in order, statistics of the training rows, and a card with the origin of the rule.

    A model decides the rows of any table by column name, and needs no learner. ``imli.save`` writes it to a file that
    people can read and edit, ``imli.load`` reads it. Two models are equal if all their parts are.

    Parameters
    ----------
    rule
        The rule, with its counts if it has them.
    labels
        All classes in order, also those that the rule never decides for.
    columns
        The statistics of each column of the training rows.
    class_factors
        By how much the rows of each class count more than they weigh, for probabilities; None is 1 for all.
    card
        Where the rule comes from and what is proven about it; None if nothing is known.
    stream
        The state of a learner that goes on with ``partial_fit``; None if it does not.

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
            _check_labels(self.labels, self.rule)
        object.__setattr__(self, "columns", freeze(self.columns))
        counts = self.rule.counts
        if counts is not None and not _are_same(counts.classes, self.labels):
            raise ValueError(
                f"The rule's counts are of the classes {brief(list(counts.classes))}, but the labels are "
                f"{brief(list(self.labels))}. They must be the same, in the same order."
            )
        if self.class_factors is not None:
            with at("statistics", "class_factors"):
                object.__setattr__(self, "class_factors", _read_factors(self.class_factors, self.labels, counts))

    @staticmethod
    def of_rule(rule: Rule) -> "Model":
        """Return a model of a rule by itself.

        Parameters
        ----------
        rule
            The rule, with its counts if it has them.

        Returns
        -------
        Model
            The model. Its card has the time, and the versions of the packages that are installed.
        """
        card = Card(created=in_utc(datetime.now(UTC)), fingerprint=fingerprint(rule), versions=installed_versions())
        return Model(rule, _known_classes(rule), card=card)

    @property
    def is_edited(self) -> bool:
        """Return True if the card is about another rule, as after an edit of the file by hand."""
        card = self.card
        return card is not None and card.fingerprint is not None and card.fingerprint != fingerprint(self.rule)

    @property
    def kinds(self) -> dict[str, ColumnKind]:
        """Return the kind of each column, as in the training rows, or else as the rule reads it."""
        read = {literal.column: literal.reads for literal in self.rule.literals if literal.reads is not None}
        return read | {name: column.kind for name, column in self.columns.items()}

    @property
    def readings(self) -> dict[str, Reading]:
        """Return how the cells of each column were read, if they came from a file, as far as that is known."""
        known = {name: column.reading for name, column in self.columns.items() if column.reading is not None}
        words = all(isinstance(label, str) for label in self.labels) and self.rule.target is not None
        target = {str(self.rule.target): Reading("text")} if words else {}
        return target | {name: Reading(kind) for name, kind in self.kinds.items()} | known

    def with_readings(self, readings: Mapping[str, Reading]) -> "Model":
        """Return the model with how the cells of its columns were read from a file.

        Parameters
        ----------
        readings
            How the cells of each column were read, as a source says it. Plain readings are not kept.

        Returns
        -------
        Model
            The model, which reads new files in the same way.
        """
        columns = {
            name: replace(column, reading=readings[name]) if name in readings and readings[name].to_dict() else column
            for name, column in self.columns.items()
        }
        return replace(self, columns=columns)

    def predict(self, data: Any) -> AnyArray:
        """Decide each row of a table.

        Parameters
        ----------
        data
            The table. It needs only the columns that the rule looks at.

        Returns
        -------
        numpy.ndarray
            The class of each row.
        """
        return self.rule.predict(data)

    def predict_proba(self, data: Any) -> FloatArray:
        """Estimate the probability of each class in each row, as the classifier does.

        Parameters
        ----------
        data
            The table. It needs only the columns that the rule looks at.

        Returns
        -------
        numpy.ndarray
            The probabilities, one row for each row and one column for each label, in the order of ``labels``.

        Raises
        ------
        ValueError
            If the rule has no counts.
        """
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
        """Explain the decision on a row: see :meth:`imli.rules.Rule.why`.

        Parameters
        ----------
        row
            The row.
        values
            The values that columns can take: a dict for some columns, or a table. The other columns take the values
            of the training rows.

        Returns
        -------
        Why
            The literals that decide the row.

        Examples
        --------
        >>> from imli import DNFClassifier
        >>> table = {"age": [25, 32, 62, 70, 62, 70] * 4, "smoker": [True, False, True, False, False, True] * 4}
        >>> model = DNFClassifier(lam=1).fit(table, ["low", "low", "high", "low", "low", "high"] * 4).to_model()
        >>> print(model.why({"age": 70, "smoker": False}))
        low, because not smoker: whatever possible values the other columns hold, the prediction is the same.
        >>> print(model.what_if({"age": 25, "smoker": True}))
        The prediction would be high instead of low with age above 50 instead of 25.
        """
        return self.rule.why(row, values=self._values(values))

    def what_if(
        self, row: Any, *, keep: str | Iterable[str] = (), to: Label | None = None, values: Any = None
    ) -> "WhatIf":
        """Find the smallest changes of a row that change the decision: see :meth:`imli.rules.Rule.what_if`.

        Parameters
        ----------
        row
            The row.
        keep
            The columns that must not change.
        to
            The class to decide for; None for any other.
        values
            The values that columns can take: a dict for some columns, or a table. The other columns take the values
            of the training rows.

        Returns
        -------
        WhatIf
            The changes.
        """
        return self.rule.what_if(row, keep=keep, to=to, values=self._values(values))

    def _values(self, given: Any) -> Any:
        known = {name: domain_of(column) for name, column in self.columns.items()} or None
        if given is None:
            return known
        return {**(known or {}), **given} if isinstance(given, Mapping) else given

    def check(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        ignore: Collection[str] = (),
        level: float = LEVEL,
    ) -> Comparison:
        """Compare new rows with those that the rule was learned from: their columns, and what the rule decides.

        Parameters
        ----------
        X
            The new rows: a table, or files that are read in parts (a path, a folder, a pattern, or several).
        y
            One label per row, if they are known; of files, the name of a column.
        sample_weight
            The weight of each row for how often clauses decide and are right; of files, the name of a column.
        ignore
            Columns that are not compared, such as one that changes with time.
        level
            The probability that a difference is found in rows that are like those in training.

        Returns
        -------
        Comparison
            The differences in words, and all that was counted.
        """
        return compare(self, read_parts(self, X, y, sample_weight), level, ignore)

    def with_rule(self, rule: Rule) -> "Model":
        """Return the model with another rule, or with other counts.

        Parameters
        ----------
        rule
            The rule. Its counts are put in the order of the labels.

        Returns
        -------
        Model
            The model, with its old card.
        """
        counts = rule.counts
        if counts is not None and set(counts.classes) <= set(self.labels):
            place = [counts.classes.index(label) if label in counts.classes else None for label in self.labels]
            regions = tuple(tuple(0.0 if n is None else region[n] for n in place) for region in counts.regions)
            rule = rule.with_counts(replace(counts, classes=self.labels, regions=regions))
        return replace(self, rule=rule)

    def with_check(self, check: Check | Mapping[str, Any]) -> "Model":
        """Return the model with one more estimate of the accuracy in its card.

        Parameters
        ----------
        check
            The estimate, or its fields as a dict.

        Returns
        -------
        Model
            The model with the other card.

        Examples
        --------
        >>> from imli import parse_rule
        >>> model = Model.of_rule(parse_rule("age > 60"))
        >>> print(model.with_check({"kind": "holdout", "accuracy": 0.9, "rows": 50}).card.checks[0])
        90.0 % correct on 50 rows held out
        """
        card = self.card or Card()
        one = check if isinstance(check, Check) else Check(**check)
        return replace(self, card=replace(card, checks=(*card.checks, one)))

    def estimator(self, **parameters: Any) -> Any:
        """Build the classifier that learned the rule, not fitted.

        Parameters
        ----------
        **parameters
            The parameters that are to differ from those in the card.

        Returns
        -------
        Any
            The classifier.
        """
        return _build_learner(self.card, parameters, "estimator")

    def resume(self, **parameters: Any) -> Any:
        """Build the classifier that learned the rule, ready to go on with ``partial_fit``.

        Parameters
        ----------
        **parameters
            The parameters that are to differ from those in the card.

        Returns
        -------
        Any
            The classifier, fitted.
        """
        from imli.estimators.partial_fit import resume

        return resume(_build_learner(self.card, parameters, "resume"), self)

    def to_dict(self) -> dict[str, Any]:
        """Return a dict of plain values, for JSON, that ``from_dict`` reads."""
        statistics: dict[str, Any] = {}
        if self.rule.counts is not None:
            statistics = {"fingerprint": fingerprint(self.rule), "counts": self.rule.counts}
        if self.class_factors is not None:
            statistics["class_factors"] = self.class_factors
        header = {"imli": "model", "format": _FORMAT}
        content: dict[str, Any] = _MODEL.write({**vars(self), **header, "statistics": statistics})
        return content

    @staticmethod
    def from_dict(content: Any) -> "Model":
        """Return the model that ``to_dict`` described, or a model of the rule that the ``to_dict`` of a rule did.

        Parameters
        ----------
        content
            The dict. Nothing in it is executed.

        Returns
        -------
        Model
            The model. Counts of a rule that has been edited since are left out.

        Raises
        ------
        ModelFileError
            If the content is not a model. The message names the place.
        """
        try:
            check_document(content)
            return _read_model(content)
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
        """Return the card in one line."""
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
            sentences += [] if answer is None else [str(answer)]
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


def _known_classes(rule: Rule) -> tuple[Label, ...]:
    return rule.classes if rule.counts is None else rule.counts.classes


def _check_labels(labels: tuple[Label, ...], rule: Rule) -> None:
    """Raise an error if two labels are equal, or if one of the rule's classes is not among them."""
    if len(set(labels)) < len(labels):
        raise ValueError(f"The labels must differ. Got {brief(list(labels))}.")
    for label in rule.classes:
        if not any(_are_same((label,), (other,)) for other in labels):
            raise ValueError(
                f"The rule decides for {brief(label)}, which is not among the labels {brief(list(labels))}. "
                "Add it there."
            )


def _are_same(some: tuple[Label, ...], others: tuple[Label, ...]) -> bool:
    # True and 1 are equal in Python, but not the same class
    return some == others and [isinstance(a, bool) for a in some] == [isinstance(b, bool) for b in others]


def _read_factors(given: Iterable[Any], labels: tuple[Label, ...], counts: Counts | None) -> tuple[float, ...]:
    factors: tuple[float, ...] = list_of(AMOUNT).read(np.asarray(given).tolist())
    if len(factors) != len(labels):
        raise ValueError(f"There must be a number for each of the {len(labels)} labels. Got {len(factors)}.")
    if counts is not None:
        total = sum(factor * rows for region in counts.regions for factor, rows in zip(factors, region, strict=True))
        if not isfinite(total):
            raise ValueError(f"The numbers are too large to count rows by. Got {brief(list(factors))}.")
    return factors


def _read_rule(content: Any) -> Rule:
    if isinstance(content, Mapping) and "counts" in content:
        raise placed(ValueError("In a model file the counts are under statistics. Remove them here."), "counts")
    return rule_from_dict(content)


# the classes of counts are the labels of the model
_COUNTS = shape("The object of counts", {part.name: ANYTHING for part in fields(Counts) if part.name != "classes"})
_STATISTICS = shape(
    "The object of statistics",
    {
        "fingerprint": optional(TEXT),
        "counts": optional(Kind(write=_COUNTS.write)),  # read when it is known if they still belong to the rule
        "class_factors": nullable(list_of(AMOUNT)),
    },
)
_MODEL = shape(
    "A model",
    {
        "imli": TEXT,
        "format": COUNT,
        "rule": Kind(_read_rule, lambda rule: rule.with_counts(None).to_dict()),
        "labels": list_of(Kind(plain_value)),
        "card": nullable(CARD),
        "statistics": nullable(_STATISTICS, {}),
        "columns": nullable(mapping_of(COLUMN), {}),
        "stream": nullable(Kind(write=write_stream)),  # read when rule and labels are known
    },
)


def _read_model(content: Any) -> Model:
    """Return the model of a document, or of the dict of a rule."""
    is_object = isinstance(content, Mapping)
    if is_object and "imli" not in content and "kind" in content:
        rule = rule_from_dict(content)
        return Model(rule, _known_classes(rule))
    if not is_object or content.get("imli") != "model":
        raise ValueError('This is not a model, which is a JSON object with "imli": "model".')
    with at("format"):
        number = content.get("format")
        if type(number) is not int or number != _FORMAT:
            cure = " Install a newer imli." if type(number) is int and number > _FORMAT else ""
            raise ValueError(
                f"This model has format {brief(number)}, this version of imli reads format {_FORMAT}.{cure}"
            )
    found = _MODEL.read(content)
    rule, labels, statistics, stream = (found[name] for name in ("rule", "labels", "statistics", "stream"))
    factors = statistics.get("class_factors")
    with at("labels"):
        _check_labels(labels, rule)
    if "counts" in (content.get("statistics") or ()):
        if statistics["fingerprint"] is None:
            complaint = "The statistics need the fingerprint of the rule that their counts belong to. Remove both."
            raise placed(ValueError(complaint), "statistics")
        if statistics["fingerprint"] == fingerprint(rule):
            with at("statistics", "counts"):
                counts = {**_COUNTS.read(statistics["counts"]), "classes": list(labels)}
                rule = rule.with_counts(Counts.from_dict(counts))
        elif factors is not None and len(factors) != len(labels):
            factors = None  # labels were added or removed together with the edit
    if stream is not None:
        with at("stream"):
            stream = read_stream(stream, rule, len(labels))
    return Model(rule, labels, found["columns"], factors, found["card"], stream)


def _build_learner(card: Card | None, given: dict[str, Any], method: str) -> Any:
    """Return the classifier, not fitted, for a method of a model, which error messages name."""
    if card is None or card.learner is None:
        raise ValueError("The card of this model names no learner, so there is no classifier to build.")
    from imli.estimators.classifiers import CLASSIFIERS
    from imli.estimators.rule_classifier import RuleClassifier

    learners: dict[str, Any] = {each.__name__: each for each in (*CLASSIFIERS.values(), RuleClassifier)}
    if card.learner not in learners:
        listed = ", ".join(sorted(learners))
        raise ValueError(f"The learner {brief(card.learner)} is not one of imli's, which are {listed}.")
    learner = learners[card.learner]
    known = learner().get_params()
    for name in (*card.parameters, *given):
        if name not in known:
            raise ValueError(f"{card.learner} has no parameter {brief(name)}.")
    kept = {name: _parameter(name, value, method) for name, value in card.parameters.items() if name not in given}
    return learner(**kept, **given)


def _parameter(name: str, value: Any, method: str) -> Any:
    try:
        return from_plain(value)
    except NotPlainError as error:
        raise ValueError(
            f"The parameter {name} was an object, which a model file can only describe: {error}. "
            f"Give it yourself: model.{method}({name}=...)."
        ) from None
