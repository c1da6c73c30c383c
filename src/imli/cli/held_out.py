"""Rows held out: how often rules that are learned from the other rows are right on them."""

import argparse
import warnings
from collections.abc import Callable
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from imli.errors import ConstantRuleWarning
from imli.models import Check
from imli.table.frame import Column, Frame

if TYPE_CHECKING:
    from imli.estimators.base import BaseRuleClassifier
    from imli.table.frame import AnyArray, FloatArray

_FOLDS, _HOLDOUT = 5, 0.2
_MANY_ROWS = 2000  # from here on a fifth of the rows is enough to judge by


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
        self,
        classifier: "BaseRuleClassifier",
        frame: Frame,
        y: Column,
        weights: "FloatArray | None",
        now: Callable[[str], None],
    ) -> Check:
        """Return how often rules that the classifier learns are right on rows held out."""
        rights, totals = [], []
        for number, (train, test) in enumerate(self._splits, start=1):
            if self.n_folds is not None:
                now(f"Checking, fold {number} of {self.n_folds}")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConstantRuleWarning)  # a fold is not the rule that is shown
                classifier.fit(frame.take(train), y.take(train), None if weights is None else weights[train])
            rule = classifier.rule_
            right = rule.predict(frame.take(test)) == self._labels[test]
            weight = np.ones(len(test)) if weights is None else weights[test]
            rights.append(float(weight[right].sum()))
            totals.append(float(weight.sum()))
        accuracy = sum(rights) / sum(totals)
        if self.n_folds is None:
            return Check("holdout", accuracy, len(test))
        shares = np.divide(rights, totals)
        spread = float(shares.std(ddof=1) / np.sqrt(len(shares)))
        return Check("cv", accuracy, len(self._labels), folds=self.n_folds, standard_error=spread)


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


def write_check(check: Check, labels: "AnyArray") -> str:
    """Return a sentence about accuracy on rows that were not learned from."""
    right = f"{100 * check.accuracy:.1f} %"
    if check.standard_error is None:
        text = f"A rule learned the same way from the other rows is right on {right} of {check.rows:,} held-out rows"
    else:
        spread = f"{right} (± {100 * check.standard_error:.1f})"
        text = f"Rules learned the same way are right on {spread} of new rows, in {check.folds}-fold cross-validation"
    classes, counts = np.unique(labels, return_counts=True)
    share = float(counts.max() / counts.sum())
    but = "" if check.beats(share) else " The rule is not clearly better than that."
    return f"{text}; always saying {classes[counts.argmax()]} is right on {100 * share:.1f} %.{but}"
