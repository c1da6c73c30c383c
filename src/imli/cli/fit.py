"""``imli fit``: learn a rule, print it with what is known about it, and save it; or go on from a saved model."""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from imli.cli.data import is_several
from imli.cli.held_out import Checking
from imli.cli.learner import make_classifier, typed_parameters
from imli.cli.problem import Problem, choose_kind, open_problem, read_batch
from imli.cli.screen import (
    print_json,
    progress_of,
    remark,
    remarks_of_warnings,
    require_writable,
    say,
    show_findings,
    show_rule,
    writing,
)
from imli.errors import FindingWarning, Interrupted, brief
from imli.models import Model, load, save
from imli.rules import RULES
from imli.table.findings import in_order

if TYPE_CHECKING:
    from imli.estimators.base import BaseRuleClassifier
    from imli.learning.memory import Batch


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
        say(f"Learning a {what} for {brief(problem.target)} from {size}.")
        say("" if problem.how is None else f"{problem.how}\n")
    what = "Searching" if problem.is_in_memory else "Reading and searching"
    fit = classifier.fit
    is_stopped = not _learn(
        classifier, options, what, lambda: fit(problem.X, problem.y, problem.weights), FindingWarning
    )
    classifier.findings_ = in_order((*problem.findings, *classifier.findings_))
    model = classifier.to_model().with_readings(problem.readings)
    if not options.json:
        show_findings(classifier.findings_)
        _show(classifier, options)
    if checking is not None and checking.n_fits and not is_stopped:
        model, is_stopped = _checked(model, checking, classifier, problem)
    if options.json:
        print_json({**model.to_dict(), "text": str(model.rule)})
    elif model.card is not None and model.card.checks:
        for sentence in model.card.checks[-1].sentences:
            say(sentence)
    if options.save is not None:
        _save(model, options.save, options)
    return 130 if is_stopped else 0


def _show(classifier: "BaseRuleClassifier", options: argparse.Namespace) -> None:
    """Print the rule and what it costs."""
    show_rule(classifier.rule_, "training rows")
    say(str(classifier.answer_))
    if options.details:
        say(classifier.answer_.details)


def _learn(
    classifier: "BaseRuleClassifier",
    options: argparse.Namespace,
    what: str,
    fit: Callable[[], object],
    besides: type[Warning] | None = None,
) -> bool:
    """Run a fit and return True if the search came to its own end; Ctrl-C leaves the best rule so far."""
    with remarks_of_warnings(besides=besides), progress_of(what, options.time_limit, bool(options.verbose)) as watch:
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
            result = checking.run(classifier, problem.X, problem.y, problem.weights, watch)
    except KeyboardInterrupt:
        remark("Stopped before it was checked on rows that it has not seen.")
        return model, True
    return model.with_check(result), False


def _save(model: Model, path: str, options: argparse.Namespace) -> None:
    with writing():
        save(model, path)
    if not options.json:
        say(f"Saved as {path}.")


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
    updated = classifier.to_model().with_readings(model.readings)
    if options.json:
        print_json({**updated.to_dict(), "text": str(updated.rule)})
    else:
        _show(classifier, options)
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
            "The new rows differ from those before: the rule did much worse on them than on any batch so far. "
            "The remembered rows are dropped."
        )
    before = (
        ""
        if batch.error_before is None
        else f"The old rule is wrong on {100 * batch.error_before:.1f} % of the new rows"
    )
    if not batch.moved and not batch.turned:
        sentences.append(f"{before}. It stays as it is.")
        return " ".join(sentences)
    sentences.append(f"{before}, the new one on {100 * batch.error_after:.1f} %.")
    for verb, literals in (("Added", batch.came), ("Removed", batch.went)):
        if literals:
            sentences.append(f"{verb}: {', '.join(map(str, literals))}.")
    if batch.turned:
        sentences.append(f"{batch.turned} clause{'' if batch.turned == 1 else 's'} turned to another class.")
    return " ".join(sentences)
