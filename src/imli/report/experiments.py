"""The sections of a report for which rules are learned: a path of rules of other sizes, and the worth of columns."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np
from sklearn.base import clone

from imli.estimators import rule_path
from imli.learning.deadline import Deadline
from imli.models import Model
from imli.report.columns import EFFORT, Step, weigh_columns
from imli.rules import POINT_RULES, Formula, PointRule, Rule, rule_from_dict
from imli.table.read import as_frame
from imli.table.sample import Sample

_WIDTH = 80  # characters of a line of a rule
_OWN = ("lam", "callback", "verbose", "kind")  # parameters of a classifier that a path does not have
_NO_TIME = "There was not enough time to learn again."


class Experiments:
    """The sections of a report for which rules are learned, and the reasons why some are left out."""

    def __init__(
        self, given: Any, model: Model, sample: Sample, is_whole: bool, deadline: Deadline, on_step: Step
    ) -> None:
        self.given, self.model, self.sample, self.is_whole = given, model, sample, is_whole
        self.deadline, self.on_step = deadline, on_step
        self.left_out = {"path": "", "columns": ""}

    def follow_path(self, path: Any, half: bool) -> dict[str, Any] | None:
        """Return the section on a path, which is given or learned now in all or half of the remaining time."""
        made: Any = getattr(self.given, "path_", None) if path is True else path  # fit makes a path if lam is "cv"
        if made is not None:
            return _summarize_path(made.to_dict(), self.model.rule, learned_here=False)
        if not self._is_possible("path"):
            return None
        if self.model.rule.kind in POINT_RULES:
            self.left_out["path"] = f"There are no paths of {self.model.rule.title}s."
            return None
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
        rule, sample = self.model.rule, self.sample
        labels = sample.labels if rule.target is None else as_frame({rule.target: sample.labels})[rule.target]
        found = rule_path(sample.frame, labels, rule.kind, sample_weight=sample.weights, **given)
        self.on_step("path", 1, 1)
        return _summarize_path(found.to_dict(), rule, learned_here=True)

    def weigh_columns(self) -> dict[str, Any] | None:
        """Return the section on the worth of columns, or None."""
        if not self._is_possible("columns"):
            return None
        found = weigh_columns(self.model.rule, self._learner, self.sample, self.deadline, self.on_step)
        if found is None:
            self.left_out["columns"] = _NO_TIME
        return found

    def _is_possible(self, section: str) -> bool:
        """Return True if rules can be learned as this one was; note the reason if a learned rule has an obstacle."""
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
        if len(np.unique(self.sample.positions)) < 2:
            return "All rows are of one class, from which nothing can be learned."
        try:
            self._learner()
        except ValueError as error:
            return str(error)
        return ""

    def _learner(self) -> Any:
        """Return an unfitted classifier with the parameters of the model, but less effort and no output."""
        learner = self.model.estimator() if isinstance(self.given, Model) else clone(self.given)
        effort = EFFORT * learner.effort
        quiet = {"prove": False, "warm_start": False, "start": None, "verbose": 0, "callback": None}
        known = learner.get_params(deep=False)
        quiet = {name: value for name, value in quiet.items() if name in known}
        learner.set_params(effort=effort if isfinite(effort) else EFFORT, **quiet)
        if "kind" in known:
            learner.set_params(kind=self.model.rule.kind)
        if isinstance(self.model.rule, Formula | PointRule):
            learner.set_params(positive=self.model.rule.classes[1])  # also where it is not the rarer one here
        if isinstance(learner.lam, str) and learner.lam != "auto" and self.model.card is not None:
            learner.set_params(lam=self.model.card.lam)
        return learner


def _summarize_path(content: Mapping[str, Any], rule: Rule, learned_here: bool) -> dict[str, Any]:
    """Return the section on a path, given as the dict of ``RulePath.to_dict``; accuracies are shares of rows."""
    return {
        "points": [
            {
                "size": point["size"],
                "n_conditions": point["n_conditions"],
                "lam": point["lam"],
                "training": 1 - point["training_error"],
                "validated": None if point["cv_error"] is None else 1 - point["cv_error"],
                "standard_error": point["cv_standard_error"],
                "rule": rule_from_dict(point["rule"]).to_text(counts=False, width=_WIDTH),
            }
            for point in content["points"]
        ],
        "pick": content["pick"],
        "best": content["best"],
        "n_folds": content["n_folds"] or None,
        "size": rule.size,  # of the rule that the report is about
        "learned_here": learned_here,
    }
