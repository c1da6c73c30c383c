"""A classifier as it was when its model was saved, to go on from there."""

from math import nan
from typing import Any

import numpy as np

from imli.answer import Answer
from imli.estimators.parameters import require_integer
from imli.models import Model
from imli.streams import Memory, Stream


def resume(clf: Any, model: Model) -> Any:
    """The classifier, fitted with the model's rule."""
    card, rule = model.card, model.rule
    if rule.kind != clf._kind:
        raise ValueError(f"{type(clf).__name__} cannot go on from a rule of kind {rule.kind}.")
    answer = None if card is None or model.is_edited else card.answer(rule)
    clf.answer_ = answer or Answer(rule, nan, 0.0, "feasible", 0.0, "rules that were not searched", "none")
    clf.rule_, clf.literals_ = rule, rule.literals
    clf.classes_ = np.array(model.labels)
    clf.lam_ = card.lam if card is not None and card.lam is not None else 0.0
    stream = model.stream or _begin(clf, model)
    clf._stream = stream
    clf._class_factors = np.ones(len(model.labels)) if model.class_factors is None else np.array(model.class_factors)
    clf.n_features_in_ = len(stream.columns)
    if stream.columns != tuple(f"x{n}" for n in range(len(stream.columns))):
        clf.feature_names_in_ = np.array(stream.columns, dtype=object)
    clf._resumed = model
    return clf


def _begin(clf: Any, model: Model) -> Stream:
    """Where nothing was remembered, the rule is where to go on from."""
    data = None if model.card is None else model.card.data
    columns = tuple(model.columns)
    if data is None or len(columns) != data.columns:
        raise ValueError(
            "This model does not say which columns it was learned from, so that it cannot go on. "
            "Learn it with memory, or with partial_fit."
        )
    counts = model.rule.counts
    seen = [sum(region) for region in zip(*counts.regions, strict=True)] if counts is not None else None
    return Stream(
        rule=model.rule.with_counts(None),
        columns=columns,
        literals=model.rule.literals,
        memory=Memory.empty(
            require_integer(type(clf).__name__, "memory", clf.memory, least=0),
            len(model.labels),
            None if seen is None else np.array(seen, dtype=np.float64),
        ),
        n_rows=data.rows,
        learned_at=0,
    )
