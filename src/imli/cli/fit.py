"""``imli fit``: learn a rule, print it with what is known about it, and save it."""

import argparse
from typing import TYPE_CHECKING

from imli.cli.checks import Checking, write_check
from imli.cli.classifiers import make_classifier
from imli.cli.outputs import print_json, require_writable, writing
from imli.cli.problems import Problem, read_problem
from imli.cli.screen import progress_of, remark, remarks_of_warnings, say, show_rule
from imli.cli.update import update
from imli.models import Model, save

if TYPE_CHECKING:
    from imli.estimators.classifier import RuleClassifier

KINDS_IN_WORDS = {"cnf": "CNF rule", "dnf": "DNF rule", "list": "decision list", "set": "decision set"}


def run(options: argparse.Namespace) -> int:
    if options.update is not None:
        return update(options)
    require_writable(options.save)
    problem = read_problem(options)
    kind = problem.kind(options.kind)
    classifier = make_classifier(options, kind, problem.classes)
    checking = Checking(options, problem.labels, options.random_state or 0)
    size = f"{problem.frame.n_rows:,} rows and {len(problem.frame.names)} columns"
    if not options.json:
        say(f"Learning a {KINDS_IN_WORDS[kind]} for {problem.target.name!r} from {size}.\n")
    is_stopped = not _learn(classifier, problem, options)
    model = classifier.to_model()
    if not options.json:
        show_rule(classifier.rule_)
        say(f"It has {classifier.answer_}.")
    if not is_stopped:
        model, is_stopped = _checked(model, checking, classifier, problem)
    if options.json:
        print_json({**model.to_dict(), "text": str(model.rule)})
    elif model.card is not None and model.card.checks:
        say(write_check(model.card.checks[-1], problem.labels))
    if options.save is not None:
        with writing():
            save(model, options.save)
        if not options.json:
            say(f"Saved as {options.save}.")
    return 130 if is_stopped else 0


def _learn(classifier: "RuleClassifier", problem: Problem, options: argparse.Namespace) -> bool:
    """Whether the search came to its own end; Ctrl-C leaves the best rule so far."""
    from imli.answer import Interrupted

    with remarks_of_warnings(), progress_of("Searching", options.time_limit, bool(options.verbose)) as watch:
        classifier.callback = watch
        try:
            classifier.fit(problem.frame, problem.target, problem.weights)
        except Interrupted:
            return False
        finally:
            classifier.callback = None
    return True


def _checked(model: Model, checking: Checking, classifier: "RuleClassifier", problem: Problem) -> tuple[Model, bool]:
    """The model with how well its like decide new rows, and whether the user had no patience for that."""
    if not checking.n_fits:
        return model, False
    from sklearn.base import clone

    try:
        with progress_of("Checking on held-out rows") as watch:
            again = clone(classifier).set_params(callback=watch)
            result = checking.run(again, problem.frame, problem.target, problem.weights, watch.now)
    except KeyboardInterrupt:
        remark("Stopped before it was checked on rows that it has not seen.")
        return model, True
    return model.with_check(result), False
