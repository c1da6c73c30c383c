"""Which columns matter: what is lost when rules are learned without one.

The parts of a report for which rules are learned.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite, sqrt
from time import monotonic
from typing import Any, TypedDict

import numpy as np

from imli.errors import OutOfTimeError
from imli.learning.answer import Deadline
from imli.learning.constraints import as_words
from imli.models import Model
from imli.report.decisions import Rows
from imli.report.path import PathSummary, summarize_path
from imli.rules import Rule
from imli.rules.notation import write_name
from imli.table.frame import BoolArray, IntArray
from imli.table.read import as_frame

N_COLUMNS = 10
N_FOLDS = 5
EFFORT = 0.1
N_ROWS = 10_000

Step = Callable[[str, int, int], None]


class ColumnSummary(TypedDict):
    """A column of the rule. What is None was not measured, and ``why_not`` says why."""

    column: str
    clauses: list[int]
    accuracy: float | None  # without the column
    loss: float | None
    standard_error: float | None  # of the loss
    has_stand_in: bool | None  # whether the loss is within chance
    stand_ins: list[str]  # columns of the rule that is learned without this one, which the rule does not have
    why_not: str


class ColumnsSummary(TypedDict):
    """The columns of the rule, the largest loss first, and how it was measured."""

    columns: list[ColumnSummary]
    n_left_out: int  # columns of the rule beyond the most used ones
    accuracy: float  # with all columns
    standard_error: float
    n_folds: int  # 0: judged on the rows that were learned from
    n_rows: int
    n_rows_given: int
    effort: float  # relative to that of the model


@dataclass(frozen=True, eq=False)
class _Trial:
    """How a way of learning does on each row, and what it learns from all rows."""

    is_right: BoolArray
    rule: Rule


def weigh_columns(
    rule: Rule, learner: Any, rows: Rows, deadline: Deadline, on_step: Step, seed: int = 0
) -> ColumnsSummary | None:
    """Learn with all columns, and without each of the most used ones; None if time runs out before all is known once.

    Every row is decided by a rule that was learned without it, in the same folds for all.
    """
    used = _most_used(rule)
    sample = _sample(rows, seed)
    folds = _folds(sample, seed)
    trials = _Trials(learner, sample, folds, deadline)
    on_step("columns", 0, len(used) + 1)
    try:
        base = trials.run(())
    except OutOfTimeError:
        return None
    weights = sample.weights
    found = []
    for number, column in enumerate(used, start=1):
        on_step("columns", number, len(used) + 1)
        found.append(_weigh(rule, column, trials, base, weights))
    on_step("columns", len(used) + 1, len(used) + 1)
    accuracy, error = _mean(base.is_right.astype(float), weights)
    return {
        "columns": sorted(found, key=lambda one: -1.0 if one["loss"] is None else -one["loss"] - 2),
        "n_left_out": len(rule.columns) - len(used),
        "accuracy": accuracy,
        "standard_error": error,
        "n_folds": len(np.unique(folds)) if folds is not None else 0,
        "n_rows": sample.n,
        "n_rows_given": rows.n,
        "effort": EFFORT,
    }


def _weigh(rule: Rule, column: str, trials: "_Trials", base: _Trial, weights: Any) -> ColumnSummary:
    clauses = [n for n, clause in enumerate(rule.clauses, start=1) if any(part.column == column for part in clause)]
    summary: ColumnSummary = {
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
        return summary | {"why_not": "There was no time left to learn without it."}
    except ValueError as refused:  # the column is asked for, or it is the only one
        return summary | {"why_not": f"No rule can do without it: {refused}"}
    loss, error = _mean(base.is_right.astype(float) - without.is_right, weights)
    summary["accuracy"] = _mean(without.is_right.astype(float), weights)[0]
    summary["loss"], summary["standard_error"] = loss, error
    summary["has_stand_in"] = loss <= error
    summary["stand_ins"] = [write_name(name) for name in without.rule.columns if name not in rule.columns]
    return summary


def _most_used(rule: Rule) -> list[str]:
    uses = {column: sum(part.column == column for part in rule.literals) for column in rule.columns}
    return sorted(uses, key=lambda column: -uses[column])[:N_COLUMNS]


class _Trials:
    """Learns again and again, in the same folds, while there is time."""

    def __init__(self, learner: Any, rows: Rows, folds: IntArray | None, deadline: Deadline) -> None:
        self.learner, self.rows, self.folds, self.deadline = learner, rows, folds, deadline
        self.longest = 0.0

    def run(self, never: tuple[str, ...]) -> _Trial:
        remaining = self.deadline.remaining
        if remaining is not None and remaining < self.longest:
            raise OutOfTimeError
        began = monotonic()
        on_all = self._fit(self.rows, never)
        if self.folds is None:
            is_right = self._judge(on_all, self.rows)
        else:
            is_right = np.zeros(self.rows.n, dtype=bool)
            for fold in np.unique(self.folds):
                held_out = self.folds == fold
                fitted = self._fit(self.rows.take(~held_out), never)
                is_right[held_out] = self._judge(fitted, self.rows.take(held_out))
        self.longest = max(self.longest, monotonic() - began)
        return _Trial(is_right, on_all)

    def _fit(self, rows: Rows, never: tuple[str, ...]) -> Rule:
        from imli.errors import ConstantRuleWarning

        remaining = self.deadline.remaining
        if remaining == 0:
            raise OutOfTimeError
        learner = self.learner()
        before = as_words(learner.never, "never")
        limits = [limit for limit in (learner.time_limit, remaining) if limit is not None]
        learner.set_params(never=[*before, *never], time_limit=min(limits, default=None))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstantRuleWarning)
            rule: Rule = learner.fit(rows.frame, rows.labels, sample_weight=rows.weights).rule_
        if self.deadline.passed:
            raise OutOfTimeError  # the clock, not the effort, ended the search
        return rule

    @staticmethod
    def _judge(rule: Rule, rows: Rows) -> BoolArray:
        decided = rule.decisions(rule.holds_in(rows.frame), rows.n, rows.classes)
        return np.asarray(decided == rows.positions, dtype=bool)


def _sample(rows: Rows, seed: int) -> Rows:
    """At most so many rows as can be learned from again and again."""
    if rows.n <= N_ROWS:
        return rows
    chosen = np.random.default_rng(seed).choice(rows.n, size=N_ROWS, replace=False)
    return rows.take(np.sort(chosen))


def _folds(rows: Rows, seed: int) -> IntArray | None:
    """For each row its fold; the rows of each class are dealt out evenly. None if a fold leaves only one class."""
    random = np.random.default_rng(seed)
    order = np.concatenate(
        [random.permutation(np.flatnonzero(rows.positions == label)) for label in range(len(rows.classes))]
    )
    folds = np.empty(rows.n, dtype=np.int64)
    folds[order] = np.arange(rows.n) % N_FOLDS
    if all(len(np.unique(rows.positions[folds != fold])) > 1 for fold in range(N_FOLDS)):
        return folds
    return None


def _mean(values: Any, weights: Any) -> tuple[float, float]:
    """The weighted mean over rows, and its standard error."""
    mean = float(np.average(values, weights=weights))
    variance = float(np.average((values - mean) ** 2, weights=weights))
    effective = float(weights.sum()) ** 2 / float((weights**2).sum())
    return mean, sqrt(variance / effective)


_OWN = ("lam", "callback", "verbose")  # parameters that a path does not share with a classifier
_NO_TIME = "There was not enough time to learn again."


class Learning:
    """The parts of a report for which rules are learned, and why some are left out."""

    def __init__(self, given: Any, model: Model, rows: Rows, is_whole: bool, deadline: Deadline, on_step: Step) -> None:
        self.given, self.model, self.rows, self.is_whole = given, model, rows, is_whole
        self.deadline, self.on_step = deadline, on_step
        self.left_out = {"path": "", "columns": ""}

    def follow_path(self, path: Any, half: bool) -> PathSummary | None:
        """The section on a path: one that was made before, or one that is learned now in all or half of the time."""
        made: Any = getattr(self.given, "path_", None) if path is True else path  # with lam="cv", fit makes one
        if made is not None:
            return summarize_path(made.to_dict(), self.model.rule, learned_here=False)
        if not self._is_possible("path"):
            return None
        from imli.estimators import rule_path

        self.on_step("path", 0, 1)
        learner = self._learner()
        given = {name: value for name, value in learner.get_params(deep=False).items() if name not in _OWN}
        remaining = self.deadline.remaining
        if remaining == 0:
            self.left_out["path"] = _NO_TIME
            return None
        if remaining is not None:
            share = remaining / 2 if half else remaining
            given["time_limit"] = share if learner.time_limit is None else min(share, learner.time_limit)
        rule, rows = self.model.rule, self.rows
        labels = rows.labels if rule.target is None else as_frame({rule.target: rows.labels})[rule.target]
        found = rule_path(rows.frame, labels, rule.kind, sample_weight=rows.weights, **given)
        self.on_step("path", 1, 1)
        return summarize_path(found.to_dict(), self.model.rule, learned_here=True)

    def weigh_columns(self) -> ColumnsSummary | None:
        if not self._is_possible("columns"):
            return None
        found = weigh_columns(self.model.rule, self._learner, self.rows, self.deadline, self.on_step)
        if found is None:
            self.left_out["columns"] = _NO_TIME
        return found

    def _is_possible(self, section: str) -> bool:
        """Whether rules can be learned as this one was. Of a rule by hand there is nothing to say, else why not."""
        card = self.model.card
        if card is None or card.learner is None:
            return False
        self.left_out[section] = self._obstacle()
        return not self.left_out[section]

    def _obstacle(self) -> str:
        if not self.is_whole:
            return "The table lacks some of the columns that the rule was learned from."
        if not self.model.rule.columns:
            return "The rule looks at no column."
        if len(np.unique(self.rows.positions)) < 2:
            return "All rows are of one class, from which nothing can be learned."
        try:
            self._learner()
        except ValueError as error:
            return str(error)
        return ""

    def _learner(self) -> Any:
        """The classifier as it was, but for a shorter search, and quiet."""
        from sklearn.base import clone

        learner = self.model.estimator() if isinstance(self.given, Model) else clone(self.given)
        effort = EFFORT * learner.effort
        learner.set_params(
            effort=effort if isfinite(effort) else EFFORT,
            prove=False,
            warm_start=False,
            start=None,
            verbose=0,
            callback=None,
        )
        if isinstance(learner.lam, str) and learner.lam != "auto" and self.model.card is not None:
            learner.set_params(lam=self.model.card.lam)
        return learner
