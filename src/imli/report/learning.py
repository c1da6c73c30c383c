"""The parts of a report for which rules are learned."""

from math import isfinite
from typing import Any

import numpy as np

from imli.deadline import Deadline
from imli.frames import as_frame
from imli.models import Model
from imli.report.columns import EFFORT, ColumnsSummary, Step, weigh_columns
from imli.report.paths import PathSummary, summarize_path
from imli.report.rows import Rows

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
