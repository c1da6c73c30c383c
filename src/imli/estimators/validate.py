"""Reading and checking what comes into ``fit`` and ``predict``."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from numbers import Integral
from typing import Any

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from imli.errors import brief
from imli.estimators.parameters import require_integer, require_number
from imli.learning.backends import Native
from imli.learning.deadline import SearchSettings
from imli.learning.objective import to_units
from imli.learning.path.folds import Part, deal_folds
from imli.learning.rows.engine import Engine, Look, SampleInParts, look_at_piece
from imli.learning.strategies import Joint
from imli.learning.vocabulary import Binning
from imli.rules import POINT_RULES, Rule
from imli.rules.literals import plain_value
from imli.table.frame import AnyArray, BoolArray, FloatArray, Frame, IntArray
from imli.table.read import as_frame, missing_labels, refuse_odd_tables, rows_as_array
from imli.table.read import read_labels as read_labels_as_array
from imli.table.sample import Sample


@contextmanager
def unchanged_on_error(estimator: BaseEstimator) -> Iterator[None]:
    """Give an estimator its attributes back if anything is raised inside, so that a fit that fails changes nothing."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


Classify = Callable[[AnyArray, BoolArray], tuple[AnyArray, IntArray]]


def read_sample(
    estimator: BaseEstimator, X: Any, y: Any, sample_weight: Any, classify: Classify, *, reset: bool = True
) -> Sample:
    """Read what comes into ``fit``, set ``classes_``, and return the rows of positive weight.

    ``classify`` gets the labels and which rows have a weight, and returns the classes and the position of each label.
    """
    frame = read_table(estimator, X, reset=reset)
    labels = read_labels(estimator, y, frame)
    weights = read_weights(estimator, sample_weight, frame.n_rows)
    in_use = weights > 0
    estimator.classes_, positions = classify(labels, in_use)
    name = getattr(y, "name", None)
    sample = Sample(
        frame=frame,
        classes=tuple(plain_value(label) for label in estimator.classes_),
        positions=positions,
        weights=weights,
        target=name if isinstance(name, str) else None,
    )
    return sample if in_use.all() else sample.take(in_use)


def read_table(estimator: BaseEstimator, X: Any, *, reset: bool) -> Frame:
    """Return the table as columns. Sets, or with ``reset=False`` checks, the names and number of its columns."""
    refuse_odd_tables(X)
    if isinstance(X, Frame | Mapping):
        frame = as_frame(X)
        _remember_names(estimator, frame, reset)
    elif nw.dependencies.is_into_dataframe(X):
        frame = as_frame(X)
        validate_data(estimator, X=X, reset=reset, skip_check_array=True)
    else:
        if isinstance(X, list | tuple) and X and isinstance(X[0], list | tuple):
            X = rows_as_array(X)
        frame = as_frame(validate_data(estimator, X=X, reset=reset, dtype=None, ensure_all_finite=False))
    if not reset:
        # a table without names, or a rule learned from one: scikit-learn has warned, and goes by position
        frame = frame.renamed(column_names(estimator))
    if not frame.columns:
        raise ValueError("The data has no columns. A rule needs at least one to look at.")
    if frame.n_rows == 0:
        raise ValueError("The data has no rows.")
    return frame


def column_names(estimator: BaseEstimator) -> tuple[str, ...]:
    """Return the names of the columns that a fitted estimator knows."""
    return tuple(getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(estimator.n_features_in_)]))


def _remember_names(estimator: BaseEstimator, frame: Frame, reset: bool) -> None:
    names = np.array(frame.names, dtype=object)
    if reset:
        estimator.n_features_in_, estimator.feature_names_in_ = len(names), names
    elif hasattr(estimator, "feature_names_in_") and not np.array_equal(names, estimator.feature_names_in_):
        raise ValueError(
            f"The columns must be those that {type(estimator).__name__} was fitted on, in the same order. "
            f"Expected {list(estimator.feature_names_in_)}, got {list(names)}."
        )
    elif len(names) != estimator.n_features_in_:
        raise ValueError(f"The data has {len(names)} columns, but there were {estimator.n_features_in_} to learn from.")


def read_labels(estimator: BaseEstimator, y: Any, frame: Frame) -> AnyArray:
    """Return the labels, one per row, none missing."""
    name = type(estimator).__name__
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    labels: AnyArray = column_or_1d(read_labels_as_array(y), warn=True)
    check_consistent_length(np.empty(frame.n_rows), labels)
    missing = missing_labels(labels)
    if missing.any():
        raise ValueError(
            f"Input y contains NaN: {missing.sum()} labels are missing, the first in row {missing.argmax()}. "
            "Drop those rows."
        )
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        raise ValueError("Input y contains infinity. Labels must be names of classes.")
    check_classification_targets(labels)
    return labels


_LISTS = "DecisionListClassifier or DecisionSetClassifier"
# Advice for more than two classes, and for scores and checklists.
_WAYS = {False: _LISTS, True: f"scikit-learn's OneVsRestClassifier for one card per class, or {_LISTS}"}


def find_classes(
    estimator: BaseEstimator, labels: AnyArray, in_use: BoolArray, most: int | None = None
) -> tuple[AnyArray, IntArray]:
    """Return the classes, which must not be more than ``most``, and for each row the position of its class."""
    name = type(estimator).__name__
    if labels.dtype.kind in "biuf":  # faster than with return_inverse, which sorts the rows
        classes = np.unique(labels)
        positions = np.searchsorted(classes, labels)
    else:
        classes, positions = np.unique(labels, return_inverse=True)
    used = classes if in_use.all() else np.unique(labels[in_use])
    if len(used) < 2:
        raise ValueError(
            f"{name} needs rows of two classes, but y has one class only: {used.tolist()[0]!r}"
            f"{'' if in_use.all() else ' (in the rows with a positive weight)'}."
        )
    if most is not None and len(classes) > most:
        is_card = getattr(estimator, "_kind", None) in POINT_RULES
        raise ValueError(
            f"Only binary classification is supported. {name} decides between two classes, but y has {len(classes)} "
            f"(type of the target: {type_of_target(labels)}). Use {_WAYS[is_card]}."
        )
    return classes, positions.astype(np.int64, copy=False)


def find_known_classes(labels: AnyArray, classes: AnyArray) -> IntArray:
    """Return for each row the position of its class among known classes."""
    known = {label: n for n, label in enumerate(classes.tolist())}
    for row, label in enumerate(labels.tolist()):
        if label not in known:
            raise ValueError(
                f"y has the label {brief(label)} in row {row}, but the classes are {list(known)}. "
                "Name all that may come: partial_fit(X, y, classes=[...])."
            )
    return np.array([known[label] for label in labels.tolist()], dtype=np.int64)


def read_classes(
    estimator: BaseEstimator, classes: Any, seen: AnyArray, most: int | None, also: bool = False
) -> AnyArray:
    """Return the named classes in order, or the seen ones if none are named; with ``also``, both."""
    found = np.unique(seen)
    if classes is not None:
        named = column_or_1d(read_labels_as_array(classes))
        if missing_labels(named).any():
            raise ValueError("partial_fit: classes must not have a missing value among them.")
        if not len(named):
            raise ValueError("partial_fit: classes names no class. Name all that may come, or leave it out.")
        mixed = len(found) and (named.dtype.kind in "OSU") != (found.dtype.kind in "OSU")
        if mixed:
            raise TypeError(
                f"partial_fit: classes must be of the kind of the labels, such as {found.tolist()[0]!r}. "
                f"Got {named.tolist()[0]!r}."
            )
        found = np.unique(np.concatenate([named, found])) if also else np.unique(named)
    name = type(estimator).__name__
    if most is not None and len(found) > most:
        raise ValueError(
            f"{name} decides between two classes, but there are {len(found)}: {found.tolist()}. "
            "Use DecisionListClassifier or DecisionSetClassifier."
        )
    if len(found) < 2:
        raise ValueError(
            f"{name} needs two classes, but there is only {found.tolist()}. "
            "Name all that may come: partial_fit(X, y, classes=[...])."
        )
    return found


def read_weights(estimator: BaseEstimator, sample_weight: Any, n_rows: int) -> FloatArray:
    """Return a weight for each row, not all of them zero."""
    name = type(estimator).__name__
    if sample_weight is None:
        return np.broadcast_to(np.float64(1.0), n_rows)  # which takes no memory
    if np.isscalar(sample_weight):
        return np.full(n_rows, require_number(name, "sample_weight", sample_weight, positive=True))
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(f"{name}: sample_weight must have one number per row, {n_rows}. Got shape {weights.shape}.")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"{name}: sample_weight must be finite and not negative.")
    if not weights.any():
        raise ValueError(f"{name}: sample_weight is zero in every row, so no class has any rows.")
    return weights


def class_factors(
    estimator: BaseEstimator, class_weight: Any, classes: AnyArray, class_weights: Sequence[float]
) -> FloatArray:
    """Return the factor of each class by which its rows count more than they weigh."""
    name = type(estimator).__name__
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, Mapping):
        known = classes.tolist()
        for label in class_weight:
            if label not in known:
                raise ValueError(f"{name}: class_weight names {brief(label)}, but the classes are {known}.")
        factors = [require_number(name, "class_weight", class_weight.get(label, 1.0)) for label in known]
        return np.asarray(factors, dtype=np.float64)
    if not isinstance(class_weight, str) or class_weight != "balanced":
        raise ValueError(f"{name}: class_weight must be 'balanced', a dict or None. Got {class_weight!r}.")
    totals = np.append(class_weights, np.zeros(len(classes) - len(class_weights)))  # the last may have no rows
    present = totals > 0
    balance: FloatArray = math.fsum(class_weights) / (present.sum() * np.where(present, totals, 1.0))
    return balance


def decide(rule: Rule, classes: AnyArray, frame: Frame) -> AnyArray:
    """Return the class that the rule decides for each row."""
    decided: AnyArray = classes[rule.decisions(rule.holds_in(frame), frame.n_rows, classes.tolist())]
    return decided


def look_at(estimator: BaseEstimator, engine: Engine, binning: Binning, classify: Classify) -> SampleInParts:
    """Look at all rows of an engine for the first time. Sets the classes, and the names and number of columns."""
    if not engine.names:
        raise ValueError("The data has no columns. A rule needs at least one to look at.")
    scale = 1
    if engine.is_weighted:  # the distinct weights decide what is counted
        weights = engine.gather(partial(look_at_piece, 1, False), Look.merge, columns=()).weights
        different = weights.low.astype(np.float64)
        _, scale, _ = to_units(different, rows=float(np.dot(different, weights.totals)))
    look = engine.gather(partial(look_at_piece, scale, binning.looks_at_classes), Look.merge)
    check_classification_targets(look.classes)
    estimator.classes_, _ = classify(look.classes, np.ones(len(look.classes), dtype=bool))
    estimator.n_features_in_ = len(engine.names)
    if engine.has_names:
        estimator.feature_names_in_ = np.array(engine.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    return SampleInParts(engine, look, scale)


def refuse_what_needs_all_rows(owner: str, lam: Any, settings: SearchSettings, memory: Any) -> None:
    """Raise a ValueError that names what cannot be done with rows that are never all in memory."""
    strategy, backend = settings.strategy, settings.backend
    reasons = {
        "lam='cv'": isinstance(lam, str) and lam == "cv",
        "prove": isinstance(strategy, Joint) and bool(strategy.prove),
        f"strategy {type(strategy).__name__}": not isinstance(strategy, Joint),
        f"backend {backend.name!r}": not isinstance(backend, Native),
        f"memory={memory}": bool(memory),
    }
    if refused := [reason for reason, is_asked in reasons.items() if is_asked]:
        raise ValueError(
            f"{owner}: {' and '.join(refused)} needs all rows in memory, but this table is read in parts. "
            "Leave it out, or learn from some of the rows."
        )


def read_folds(owner: str, cv: Any, sample: Sample, seed: int) -> list[Part]:
    """Return the parts that a number of folds, a splitter of scikit-learn or a list of splits makes of the sample.

    Folds by number are stratified, and there are no more of them than rows of the second most frequent class, but two
    at least. The fold of a row depends on the seed and on the cells of all rows, not on their order.
    """
    if isinstance(cv, Integral):
        fold = deal_folds(sample, require_integer(owner, "cv", cv, least=2), seed)
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(int(fold.max()) + 1)]
    if hasattr(cv, "split") and not isinstance(cv, str):
        parts = list(cv.split(np.zeros((sample.n_rows, 1)), sample.positions))
    elif isinstance(cv, Iterable) and not isinstance(cv, str):
        parts = [(_rows_in_use(train, sample), _rows_in_use(test, sample)) for train, test in cv]
    else:
        raise TypeError(f"{owner}: cv must be a number of folds, a splitter or a list of splits. Got {cv!r}.")
    if len(parts) < 2:
        raise ValueError(f"{owner}: cv must give at least two splits. Got {len(parts)}.")
    for number, (train, test) in enumerate(parts, 1):
        if len(train) == 0 or len(test) == 0:
            what = "learn from" if len(train) == 0 else "try a rule on"
            raise ValueError(f"{owner}: split {number} of cv has no rows of positive weight to {what}.")
    return parts


def _rows_in_use(rows: Any, sample: Sample) -> IntArray:
    """Return the positions in the sample of rows of the given table, which come as positions or as a mask."""
    given = np.asarray(rows)
    given = np.flatnonzero(given) if given.dtype == bool else given.astype(np.int64)
    if sample.origins is None:
        return given
    place = np.full(max(int(sample.origins[-1]), int(given.max(initial=0))) + 1, -1)
    place[sample.origins] = np.arange(sample.n_rows)
    found: IntArray = place[given]
    return found[found >= 0]
