"""The accuracy that each column of a rule is worth: the loss when rules are learned without it."""

import warnings
from collections.abc import Callable
from math import sqrt
from time import monotonic
from typing import Any

import numpy as np

from imli.errors import OutOfTimeError, SurpriseWarning
from imli.learning.constraints import as_words
from imli.learning.deadline import Deadline
from imli.report.decisions import Decisions
from imli.rules import Rule
from imli.rules.notation import write_name
from imli.table.frame import BoolArray, FloatArray, IntArray
from imli.table.sample import Sample

N_COLUMNS = 10
N_FOLDS = 5
EFFORT = 0.1
N_ROWS = 10_000

Step = Callable[[str, int, int], None]


def weigh_columns(
    rule: Rule, learner: Callable[[], Any], sample: Sample, deadline: Deadline, on_step: Step, seed: int = 0
) -> dict[str, Any] | None:
    """Learn with all columns and without each of the most used ones, and return the losses, the largest first.

    Every row is decided by a rule that was learned without it, in the same folds for all columns. The result is None if
    the time runs out before rules with all columns are learned.
    """
    uses = {column: sum(part.column == column for part in rule.literals) for column in rule.columns}
    used = sorted(uses, key=lambda column: -uses[column])[:N_COLUMNS]
    n_rows_given = sample.n_rows
    if n_rows_given > N_ROWS:
        sample = sample.take(np.sort(np.random.default_rng(seed).choice(n_rows_given, size=N_ROWS, replace=False)))
    folds = _folds(sample, seed)
    trials = _Trials(learner, sample, folds, deadline)
    on_step("columns", 0, len(used) + 1)
    try:
        base, _ = trials.run()
    except OutOfTimeError:
        return None
    found = []
    for number, column in enumerate(used, start=1):
        on_step("columns", number, len(used) + 1)
        found.append(_weigh(rule, column, trials, base))
    on_step("columns", len(used) + 1, len(used) + 1)
    accuracy, error = _mean(base.astype(float), sample.weights)
    return {
        "columns": sorted(found, key=lambda one: -1.0 if one["loss"] is None else -one["loss"] - 2),
        "n_left_out": len(rule.columns) - len(used),  # columns of the rule that are not among the most used
        "accuracy": accuracy,  # with all columns
        "standard_error": error,
        "n_folds": 0 if folds is None else len(np.unique(folds)),  # 0 if accuracies are those on the training rows
        "n_rows": sample.n_rows,
        "n_rows_given": n_rows_given,
        "effort": EFFORT,  # relative to that of the model
    }


class _Trials:
    """Learns with and without columns, in the same folds, until the deadline."""

    def __init__(self, learner: Callable[[], Any], sample: Sample, folds: IntArray | None, deadline: Deadline) -> None:
        self.learner, self.sample, self.folds, self.deadline = learner, sample, folds, deadline
        self.longest = 0.0

    def run(self, *never: str) -> tuple[BoolArray, Rule]:
        """Learn in all folds without some columns; return which rows are decided correctly, and the rule of all rows.

        Raise OutOfTimeError if there is no time for that.
        """
        remaining = self.deadline.remaining
        if remaining is not None and remaining < self.longest:
            raise OutOfTimeError
        began = monotonic()
        on_all = self._fit(self.sample, never)
        if self.folds is None:
            is_right = Decisions(on_all, self.sample).is_right
        else:
            is_right = np.zeros(self.sample.n_rows, dtype=bool)
            for fold in np.unique(self.folds):
                held_out = self.folds == fold
                rule = self._fit(self.sample.take(~held_out), never)
                is_right[held_out] = Decisions(rule, self.sample.take(held_out)).is_right
        self.longest = max(self.longest, monotonic() - began)
        return is_right, on_all

    def _fit(self, sample: Sample, never: tuple[str, ...]) -> Rule:
        remaining = self.deadline.remaining
        if remaining == 0:
            raise OutOfTimeError
        learner = self.learner()
        before = as_words(learner.never, "never")
        limits = [limit for limit in (learner.time_limit, remaining) if limit is not None]
        learner.set_params(never=[*before, *never], time_limit=min(limits, default=None))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SurpriseWarning)
            rule: Rule = learner.fit(sample.frame, sample.labels, sample_weight=sample.weights).rule_
        if self.deadline.passed:
            raise OutOfTimeError  # the clock, not the effort, ended the search
        return rule


def _weigh(rule: Rule, column: str, trials: _Trials, base: BoolArray) -> dict[str, Any]:
    """Return the loss without one column, compared with ``base``, the rows decided correctly with all columns."""
    clauses = [n for n, clause in enumerate(rule.clauses, start=1) if any(part.column == column for part in clause)]
    unknown = dict.fromkeys(("accuracy", "loss", "standard_error", "has_stand_in"))
    worth = {"column": write_name(column), "clauses": clauses, **unknown, "stand_ins": [], "why_not": ""}
    try:
        is_right, other = trials.run(column)
    except OutOfTimeError:
        return worth | {"why_not": "There was no time left to learn without it."}
    except ValueError as refused:  # a constraint requires the column, or it is the only one
        return worth | {"why_not": f"No rule can do without it: {refused}"}
    weights = trials.sample.weights
    loss, error = _mean(base.astype(float) - is_right, weights)
    return worth | {
        "accuracy": _mean(is_right.astype(float), weights)[0],  # without the column
        "loss": loss,
        "standard_error": error,  # of the loss
        "has_stand_in": loss <= error,
        "stand_ins": [write_name(name) for name in other.columns if name not in rule.columns],
    }


def _folds(sample: Sample, seed: int) -> IntArray | None:
    """Return the fold of each row, each class dealt out evenly; None if the rows outside a fold have only one class."""
    random = np.random.default_rng(seed)
    order = np.concatenate(
        [random.permutation(np.flatnonzero(sample.positions == label)) for label in range(len(sample.classes))]
    )
    folds = np.empty(sample.n_rows, dtype=np.int64)
    folds[order] = np.arange(sample.n_rows) % N_FOLDS
    has_classes = all(len(np.unique(sample.positions[folds != fold])) > 1 for fold in range(N_FOLDS))
    return folds if has_classes else None


def _mean(values: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return the weighted mean over rows, and its standard error."""
    mean = float(np.average(values, weights=weights))
    variance = float(np.average((values - mean) ** 2, weights=weights))
    effective = float(weights.sum()) ** 2 / float((weights**2).sum())
    return mean, sqrt(variance / effective)
