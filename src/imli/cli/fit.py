"""``imli fit``: learn a rule, print it with what is known about it, and save it; or go on from a saved model."""

import argparse
import warnings
from collections.abc import Callable
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from imli.cli.data import is_several
from imli.cli.learner import make_classifier, typed_parameters
from imli.cli.problem import Problem, choose_kind, open_problem, read_batch
from imli.cli.screen import (
    print_json,
    progress_of,
    remark,
    remarks_of_warnings,
    require_writable,
    say,
    show_rule,
    writing,
)
from imli.errors import ConstantRuleWarning, Interrupted
from imli.models import Check, Model, load, save
from imli.rules import RULES
from imli.table.frame import Column, Frame

if TYPE_CHECKING:
    from imli.estimators.base import BaseRuleClassifier
    from imli.learning.memory import Batch
    from imli.table.frame import AnyArray, FloatArray

_FOLDS, _HOLDOUT = 5, 0.2
_MANY_ROWS = 2000  # from here on a fifth of the rows is enough to judge by


def run(options: argparse.Namespace) -> int:
    """Learn a rule and return the exit status."""
    if options.update is not None:
        return _update(options)
    require_writable(options.save)
    with open_problem(options) as problem:
        return _solve(problem, options)


def _solve(problem: Problem, options: argparse.Namespace) -> int:
    kind = choose_kind(problem.classes, options.kind)
    classifier = make_classifier(options, kind, problem.classes)
    labels = problem.y.cells() if problem.is_in_memory else None
    checking = None if labels is None else Checking(options, labels, options.random_state or 0)
    if not options.json:
        size = f"{problem.n_rows:,} rows and {problem.n_columns} columns"
        what = "rule of the best kind" if kind == "auto" else RULES[kind].title
        say(f"Learning a {what} for {problem.target!r} from {size}.")
        say("" if problem.how is None else f"{problem.how}\n")
    what = "Searching" if problem.is_in_memory else "Reading and searching"
    fit = classifier.fit
    is_stopped = not _learn(classifier, options, what, lambda: fit(problem.X, problem.y, problem.weights))
    model = classifier.to_model()
    if not options.json:
        show_rule(classifier.rule_)
        say(f"It has {classifier.answer_}.")
    if checking is not None and checking.n_fits and not is_stopped:
        model, is_stopped = _checked(model, checking, classifier, problem)
    if options.json:
        print_json({**model.to_dict(), "text": str(model.rule)})
    elif labels is not None and model.card is not None and model.card.checks:
        say(write_check(model.card.checks[-1], labels))
    if options.save is not None:
        _save(model, options.save, options)
    return 130 if is_stopped else 0


def _learn(classifier: "BaseRuleClassifier", options: argparse.Namespace, what: str, fit: Callable[[], object]) -> bool:
    """Run a fit and return True if the search came to its own end; Ctrl-C leaves the best rule so far."""
    with remarks_of_warnings(), progress_of(what, options.time_limit, bool(options.verbose)) as watch:
        classifier.callback = watch
        try:
            fit()
        except Interrupted:
            return False
        finally:
            classifier.callback = None
    return True


def _checked(
    model: Model, checking: "Checking", classifier: "BaseRuleClassifier", problem: Problem
) -> tuple[Model, bool]:
    """Return the model with the result of the check, and whether Ctrl-C ended the check."""
    try:
        with progress_of("Checking on held-out rows") as watch:
            again = clone(classifier).set_params(callback=watch)
            result = checking.run(again, problem.X, problem.y, problem.weights, watch.now)
    except KeyboardInterrupt:
        remark("Stopped before it was checked on rows that it has not seen.")
        return model, True
    return model.with_check(result), False


def _save(model: Model, path: str, options: argparse.Namespace) -> None:
    with writing():
        save(model, path)
    if not options.json:
        say(f"Saved as {path}.")


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


def _update(options: argparse.Namespace) -> int:
    """Go on learning from a saved model and return the exit status."""
    path = options.save or options.update
    require_writable(path)
    _refuse_others(options)
    model = load(options.update)
    parameters = typed_parameters(options, model.rule.kind, list(model.labels))
    parameters.pop("cv", None)
    classifier = model.resume(**parameters)
    stream = classifier._stream
    batch = read_batch(options, options.data[0], model, stream.columns)
    if not options.json:
        size = f"{batch.n_rows:,} rows"
        say(f"Going on from {options.update} with {size}; {stream.memory.n_rows:,} rows before are remembered.\n")
    fit = classifier.partial_fit
    new = batch.classes or None
    is_stopped = not _learn(classifier, options, "Searching", lambda: fit(batch.X, batch.y, new, batch.weights))
    updated = classifier.to_model()
    if options.json:
        print_json({**updated.to_dict(), "text": str(updated.rule)})
    else:
        show_rule(classifier.rule_)
        say(f"It has {classifier.answer_}.")
        say(_describe(classifier.drift_[-1]))
    _save(updated, path, options)
    return 130 if is_stopped else 0


def _refuse_others(options: argparse.Namespace) -> None:
    if not options.data:
        raise ValueError("--update needs DATA, the new rows. Add the name of a CSV or Parquet file.")
    if len(options.data) > 1 or is_several(options.data[0]):
        raise ValueError("--update goes on with one file at a time. Name one, and call it again for each other.")
    if options.engine in ("parts", "dask") or options.scheduler is not None:
        option = "--scheduler" if options.engine in ("auto", "memory") else f"--engine {options.engine}"
        raise ValueError(f"--update reads the new rows into memory. Remove {option}.")
    for name in ("kind", "cv", "holdout", "warm_start"):
        if getattr(options, name) is not None:
            raise ValueError(f"--{name.replace('_', '-')} does not go with --update. Remove it.")


def _describe(batch: "Batch") -> str:
    """Return sentences about what the batch did to the rule."""
    sentences = []
    if batch.is_drift:
        sentences.append(
            "The new rows are of another kind than those before: the rule did much worse on them than ever. "
            "What was remembered is forgotten."
        )
    before = (
        "" if batch.error_before is None else f"The rule as it was is wrong on {100 * batch.error_before:.1f} % of them"
    )
    if not batch.moved and not batch.turned:
        sentences.append(f"{before}, and stays as it is.")
        return " ".join(sentences)
    sentences.append(f"{before}, as it is now on {100 * batch.error_after:.1f} %.")
    for verb, literals in (("Came", batch.came), ("Went", batch.went)):
        if literals:
            sentences.append(f"{verb}: {', '.join(map(str, literals))}.")
    if batch.turned:
        sentences.append(f"{batch.turned} clause{'' if batch.turned == 1 else 's'} turned to another class.")
    return " ".join(sentences)
