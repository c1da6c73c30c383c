"""How well rules that are learned this way decide rows that they have not seen."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from imli.frames import Column, Frame
from imli.models import Check

if TYPE_CHECKING:
    import argparse

    from imli.arrays import AnyArray, FloatArray
    from imli.estimators.classifier import RuleClassifier

_FOLDS, _HOLDOUT = 5, 0.2
_MANY_ROWS = 2000  # from here on a fifth of the rows is enough to judge by


class Checking:
    """Which rows are held out, and in how many parts."""

    def __init__(self, options: "argparse.Namespace", labels: "AnyArray", seed: int) -> None:
        counts = np.unique(labels, return_counts=True)[1]
        self._labels, self._seed = labels, seed
        self.n_folds: int | None = None
        self.share: float | None = None
        is_default = options.cv is None and options.holdout is None
        if options.no_check or (is_default and options.time_limit is not None):
            return
        if options.holdout is not None or (is_default and len(labels) >= _MANY_ROWS):
            self.share = _HOLDOUT if options.holdout is None else options.holdout
            if not 0 < self.share < 1:
                raise ValueError(f"--holdout must be a share between 0 and 1, such as 0.2. Got {self.share:g}.")
        else:
            self.n_folds = _FOLDS if options.cv is None else options.cv
            if options.cv is None:
                self.n_folds = min(self.n_folds, int(counts.min()))
            elif not 2 <= self.n_folds <= counts.min():
                raise ValueError(
                    f"--cv must be a number of folds from 2 to the {counts.min():,} rows of the smallest class. "
                    f"Got {self.n_folds}."
                )
        if counts.min() < 2:  # nothing can be held out of a class of one row
            self.n_folds = self.share = None

    @property
    def n_fits(self) -> int:
        return self.n_folds or (1 if self.share else 0)

    def run(self, classifier: "RuleClassifier", frame: Frame, y: Column, weights: "FloatArray | None") -> Check:
        """How often rules that the classifier learns are right on rows held out."""
        rights, totals = [], []
        for train, test in self._splits():
            rule = classifier.fit(frame.take(train), y.take(train), None if weights is None else weights[train]).rule_
            right = rule.predict(frame.take(test)) == self._labels[test]
            weight = np.ones(len(test)) if weights is None else weights[test]
            rights.append(float(weight[right].sum()))
            totals.append(float(weight.sum()))
        accuracy = sum(rights) / sum(totals)
        if self.n_folds is None:
            return Check(kind="holdout", accuracy=accuracy, rows=len(test))
        shares = np.divide(rights, totals)
        spread = float(shares.std(ddof=1) / np.sqrt(len(shares)))
        return Check("cv", accuracy, len(self._labels), folds=self.n_folds, standard_error=spread)

    def _splits(self) -> Iterator[tuple["AnyArray", "AnyArray"]]:
        from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

        if self.n_folds is None:
            splitter = StratifiedShuffleSplit(1, test_size=self.share, random_state=self._seed)
        else:
            splitter = StratifiedKFold(self.n_folds, shuffle=True, random_state=self._seed)
        yield from splitter.split(np.zeros(len(self._labels)), self._labels)


def write_check(check: Check, labels: "AnyArray") -> str:
    """A sentence about accuracy on rows that were not learned from."""
    share = f"{100 * check.accuracy:.1f} %"
    if check.standard_error is None:
        text = f"A rule learned the same way from the other rows is right on {share} of {check.rows:,} held-out rows"
    else:
        spread = f"{share} (± {100 * check.standard_error:.1f})"
        text = f"Rules learned the same way are right on {spread} of new rows, in {check.folds}-fold cross-validation"
    classes, counts = np.unique(labels, return_counts=True)
    baseline = f"{100 * counts.max() / counts.sum():.1f} %"
    return f"{text}; always saying {classes[counts.argmax()]} is right on {baseline}."
