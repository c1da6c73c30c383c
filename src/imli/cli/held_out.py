"""Rows held out: how often rules that are learned from the other rows are right on them."""

import argparse
import warnings
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from imli.errors import SurpriseWarning
from imli.models import Check, ClauseCheck
from imli.models.checks import effective, figures_of, limits
from imli.rules import POINT_RULES, Rule
from imli.table.frame import Column, Frame

if TYPE_CHECKING:
    from imli.cli.screen import Watch
    from imli.estimators.base import BaseRuleClassifier
    from imli.table.frame import AnyArray, BoolArray, FloatArray

_FOLDS, _HOLDOUT = 5, 0.2
_MANY_ROWS = 2000  # from here on a fifth of the rows is enough to judge by
_FOLD_EFFORT = 0.3  # of the search in each of several folds: on six data sets right as often, within 0.2 points
_ALIKE = 0.5  # of the rows that one of two clauses covers, the share that both do
_MISSED = 0.02  # by intervals of 95 %, which would be true if rows held out had no say in what is learned at all


class Checking:
    """A choice of rows to hold out: each in one of several folds, or a share of them once."""

    def __init__(self, options: "argparse.Namespace", labels: "AnyArray", seed: int) -> None:
        self._labels = labels
        self.n_folds: int | None = None
        self._splits: list[tuple[AnyArray, AnyArray]] = []  # rows to learn from, and rows to decide
        least, n_classes = _smallest_class(labels)
        is_default = options.cv is None and options.holdout is None
        if options.no_check or (is_default and (options.time_limit is not None or least < 2)):
            return
        if options.holdout is not None or (is_default and len(labels) >= _MANY_ROWS):
            share = _HOLDOUT if options.holdout is None else options.holdout
            self._splits = _one_split(labels, share, n_classes, least, seed)
            return
        n_folds = min(_FOLDS, least) if options.cv is None else options.cv
        if not 2 <= n_folds <= least:
            raise ValueError(
                f"--cv must be a number of folds from 2 to the {least:,} rows of the smallest class. Got {n_folds}."
            )
        self.n_folds = n_folds
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        self._splits = list(folds.split(np.zeros(len(labels)), labels))

    @property
    def n_fits(self) -> int:
        """Return how many rules are learned to check one."""
        return len(self._splits)

    def run(
        self, learned: "BaseRuleClassifier", frame: Frame, y: Column, weights: "FloatArray | None", watch: "Watch"
    ) -> Check:
        """Return how often rules are right on rows held out, which the classifier learns as it has learned its own."""
        effort = learned.effort * (1 if self.n_folds is None else _FOLD_EFFORT)
        classifier = clone(learned).set_params(callback=watch, effort=effort)
        weights = np.ones(len(self._labels)) if weights is None else weights
        classes, positions = np.unique(self._labels, return_inverse=True)
        names = classes.tolist()
        confusions = np.zeros((len(self._splits), len(names), len(names)))
        clauses = _Clauses(learned.rule_, len(learned.literals_), frame, self._labels, weights)
        for number, (train, test) in enumerate(self._splits):
            if self.n_folds is not None:
                watch.now(f"Checking, fold {number + 1} of {self.n_folds}")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SurpriseWarning)  # a fold is not the rule that is shown
                classifier.fit(frame.take(train), y.take(train), weights[train])
            rule = classifier.rule_
            decided = rule.decisions(rule.holds_in(frame), frame.n_rows, names)[test]
            np.add.at(confusions[number], (positions[test], decided), weights[test])
            clauses.compare(rule, train, test)
        shares = [np.trace(confusion) / confusion.sum() for confusion in confusions]
        confusion, n_folds = confusions.sum(axis=0), self.n_folds
        return Check(
            "holdout" if n_folds is None else "cv",
            float(np.trace(confusion) / confusion.sum()),
            sum(len(test) for _, test in self._splits),
            folds=n_folds,
            standard_error=None if n_folds is None else float(np.std(shares, ddof=1) / np.sqrt(n_folds)),
            clauses=clauses.judged(),
            **figures_of(confusion, names, learned.positive_),
        )


class _Clauses:
    """The clauses of a rule, and those of other rules that are most like them, on the rows held out from these."""

    def __init__(self, rule: Rule, n_literals: int, frame: Frame, labels: "AnyArray", weights: "FloatArray") -> None:
        self._rule, self._n_literals, self._frame, self._weights = rule, n_literals, frame, weights
        self._covered = rule.coverage(rule.holds_in(frame), frame.n_rows)
        self._is_own = [labels == label for label in rule.clause_classes]
        # for each clause the held-out rows of those like it, and whether there was one each time
        self._held = [np.zeros(frame.n_rows, dtype=bool) for _ in rule.clauses]
        self._is_lost = [False for _ in rule.clauses]

    def compare(self, other: Rule, train: "AnyArray", test: "AnyArray") -> None:
        """Look for the clauses in a rule that was learned without some rows."""
        covered = other.coverage(other.holds_in(self._frame), self._frame.n_rows)
        for n, own in enumerate(self._covered):
            label = self._rule.clause_classes[n]
            alike = [rows for rows, their in zip(covered, other.clause_classes, strict=True) if their == label]
            likeness = [float((own & rows)[train].sum() / max(1, (own | rows)[train].sum())) for rows in alike]
            if max(likeness, default=0.0) < _ALIKE:
                self._is_lost[n] = True
                continue
            self._held[n][test] |= alike[int(np.argmax(likeness))][test]

    def judged(self) -> tuple[ClauseCheck, ...]:
        """Return for each clause how often it is right on new rows."""
        if self._rule.kind in POINT_RULES:  # their items decide together
            return ()
        return tuple(map(self._judge, range(len(self._rule.clauses))))

    def _judge(self, n: int) -> ClauseCheck:
        rule, own, held = self._rule, self._covered[n], self._held[n]
        before = rule.clauses[:n] if rule.kind == "list" else ()  # on which the rows of a clause depend
        length = len(rule.clauses[n]) + sum(map(len, before))
        low, high = limits(*self._rows(n, own), _MISSED, max(2.0, self._n_literals) ** min(length, 90))
        if self._is_lost[n] or not held.any():
            return ClauseCheck(low, high, 0.0, is_lost=True)
        right, rows = self._rows(n, held)
        low, other = limits(right, rows, _MISSED)
        return ClauseCheck(low, max(high, other), float(self._weights[held].sum()), right / rows)

    def _rows(self, n: int, rows: "BoolArray") -> tuple[float, float]:
        """Return how many of some rows are of the class of a clause, and how many they are."""
        return effective(self._weights[rows], self._is_own[n][rows])


def _smallest_class(labels: "AnyArray") -> tuple[int, int]:
    counts = np.unique(labels, return_counts=True)[1]
    return int(counts.min()), len(counts)


def _one_split(
    labels: "AnyArray", share: float, n_classes: int, least: int, seed: int
) -> list[tuple["AnyArray", "AnyArray"]]:
    if not 0 < share < 1:
        raise ValueError(f"--holdout must be a share between 0 and 1, such as 0.2. Got {share:g}.")
    n_held = ceil(share * len(labels))
    if least < 2 or not n_classes <= n_held <= len(labels) - n_classes:
        raise ValueError(
            f"--holdout must leave a row of each of the {n_classes} classes on both sides. "
            f"With {share:g} that is {n_held:,} of {len(labels):,} rows, and the smallest class has {least:,}."
        )
    splitter = StratifiedShuffleSplit(1, test_size=n_held, random_state=seed)
    return list(splitter.split(np.zeros(len(labels)), labels))
