"""The accuracy that each column of a rule is worth: the loss when rules are learned without it."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from time import monotonic
from typing import Any, TypedDict

import numpy as np

from imli.errors import ConstantRuleWarning, OutOfTimeError
from imli.learning.answer import Deadline
from imli.learning.constraints import as_words
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


class ColumnWorth(TypedDict):
    """The worth of a column of the rule. Where it was not measured, it is None, and ``why_not`` has the reason."""

    column: str
    clauses: list[int]
    accuracy: float | None  # without the column
    loss: float | None
    standard_error: float | None  # of the loss
    has_stand_in: bool | None  # True if the loss is at most its standard error
    stand_ins: list[str]  # columns of the rule learned without this column that the rule itself does not have
    why_not: str


class ColumnsSummary(TypedDict):
    """The columns of the rule, the largest loss first, and how the losses were measured."""

    columns: list[ColumnWorth]
    n_left_out: int  # columns of the rule that are not among the most used
    accuracy: float  # with all columns
    standard_error: float
    n_folds: int  # 0 if accuracies are those on the training rows
    n_rows: int
    n_rows_given: int
    effort: float  # relative to that of the model


def weigh_columns(
    rule: Rule, learner: Callable[[], Any], sample: Sample, deadline: Deadline, on_step: Step, seed: int = 0
) -> ColumnsSummary | None:
    """Learn with all columns and without each of the most used ones, and return the losses.

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
        base = trials.run(())
    except OutOfTimeError:
        return None
    found = []
    for number, column in enumerate(used, start=1):
        on_step("columns", number, len(used) + 1)
        found.append(_weigh(rule, column, trials, base))
    on_step("columns", len(used) + 1, len(used) + 1)
    accuracy, error = _mean(base.is_right.astype(float), sample.weights)
    return {
        "columns": sorted(found, key=lambda one: -1.0 if one["loss"] is None else -one["loss"] - 2),
        "n_left_out": len(rule.columns) - len(used),
        "accuracy": accuracy,
        "standard_error": error,
        "n_folds": len(np.unique(folds)) if folds is not None else 0,
        "n_rows": sample.n_rows,
        "n_rows_given": n_rows_given,
        "effort": EFFORT,
    }


@dataclass(frozen=True, eq=False)
class _Trial:
    """The result of learning in folds: for each row whether it is decided correctly, and the rule of all rows."""

    is_right: BoolArray
    rule: Rule


class _Trials:
    """Learns with and without columns, in the same folds, until the deadline."""

    def __init__(self, learner: Callable[[], Any], sample: Sample, folds: IntArray | None, deadline: Deadline) -> None:
        self.learner, self.sample, self.folds, self.deadline = learner, sample, folds, deadline
        self.longest = 0.0

    def run(self, never: tuple[str, ...]) -> _Trial:
        """Learn in all folds without some columns; raise OutOfTimeError if there is no time for that."""
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
        return _Trial(is_right, on_all)

    def _fit(self, sample: Sample, never: tuple[str, ...]) -> Rule:
        remaining = self.deadline.remaining
        if remaining == 0:
            raise OutOfTimeError
        learner = self.learner()
        before = as_words(learner.never, "never")
        limits = [limit for limit in (learner.time_limit, remaining) if limit is not None]
        learner.set_params(never=[*before, *never], time_limit=min(limits, default=None))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstantRuleWarning)
            rule: Rule = learner.fit(sample.frame, sample.labels, sample_weight=sample.weights).rule_
        if self.deadline.passed:
            raise OutOfTimeError  # the clock, not the effort, ended the search
        return rule


def _weigh(rule: Rule, column: str, trials: _Trials, base: _Trial) -> ColumnWorth:
    """Return the loss without one column, compared with the trial that has all columns."""
    clauses = [n for n, clause in enumerate(rule.clauses, start=1) if any(part.column == column for part in clause)]
    worth: ColumnWorth = {
        "column": write_name(column),
        "clauses": clauses,
        "accuracy": None,
        "loss": None,
        "standard_error": None,
        "has_stand_in": None,
        "stand_ins": [],
        "why_not": "",
    }
    try:
        without = trials.run((column,))
    except OutOfTimeError:
        return worth | {"why_not": "There was no time left to learn without it."}
    except ValueError as refused:  # a constraint requires the column, or it is the only one
        return worth | {"why_not": f"No rule can do without it: {refused}"}
    weights = trials.sample.weights
    loss, error = _mean(base.is_right.astype(float) - without.is_right, weights)
    return worth | {
        "accuracy": _mean(without.is_right.astype(float), weights)[0],
        "loss": loss,
        "standard_error": error,
        "has_stand_in": loss <= error,
        "stand_ins": [write_name(name) for name in without.rule.columns if name not in rule.columns],
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
