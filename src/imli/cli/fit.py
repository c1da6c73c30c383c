"""``imli fit``: learn a rule, print it with what is known about it, and save it."""

import argparse
from typing import TYPE_CHECKING

from imli.cli.checks import Checking, write_check
from imli.cli.classifiers import make_classifier
from imli.cli.engines import open_problem
from imli.cli.outputs import print_json, require_writable, writing
from imli.cli.problems import Problem, choose_kind
from imli.cli.screen import progress_of, remark, remarks_of_warnings, say, show_rule
from imli.cli.update import update
from imli.models import Model, save

if TYPE_CHECKING:
    from imli.cli.large_problems import LargeProblem
    from imli.estimators.classifier import RuleClassifier

KINDS_IN_WORDS = {"cnf": "CNF rule", "dnf": "DNF rule", "list": "decision list", "set": "decision set"}


def run(options: argparse.Namespace) -> int:
    if options.update is not None:
        return update(options)
    require_writable(options.save)
    with open_problem(options) as problem:
        return _solve(problem, options)


def _solve(problem: "Problem | LargeProblem", options: argparse.Namespace) -> int:
    kind = choose_kind(problem.classes, options.kind)
    classifier = make_classifier(options, kind, problem.classes)
    checking = None
    if isinstance(problem, Problem):
        checking = Checking(options, problem.labels, options.random_state or 0)
    if not options.json:
        size = f"{problem.n_rows:,} rows and {problem.n_columns} columns"
        say(f"Learning a {KINDS_IN_WORDS[kind]} for {problem.target_name!r} from {size}.")
        say("" if isinstance(problem, Problem) else f"{problem.how}\n")
    is_stopped = not _learn(classifier, problem, options)
    model = classifier.to_model()
    if not options.json:
        show_rule(classifier.rule_)
        say(f"It has {classifier.answer_}.")
    if checking is not None and not is_stopped:
        assert isinstance(problem, Problem)
        model, is_stopped = _checked(model, checking, classifier, problem)
    if options.json:
        print_json({**model.to_dict(), "text": str(model.rule)})
    elif isinstance(problem, Problem) and model.card is not None and model.card.checks:
        say(write_check(model.card.checks[-1], problem.labels))
    if options.save is not None:
        with writing():
            save(model, options.save)
        if not options.json:
            say(f"Saved as {options.save}.")
    return 130 if is_stopped else 0


def _learn(classifier: "RuleClassifier", problem: "Problem | LargeProblem", options: argparse.Namespace) -> bool:
    """Whether the search came to its own end; Ctrl-C leaves the best rule so far."""
    from imli.answer import Interrupted

    what = "Searching" if isinstance(problem, Problem) else "Reading and searching"
    with remarks_of_warnings(), progress_of(what, options.time_limit, bool(options.verbose)) as watch:
        classifier.callback = watch
        try:
            classifier.fit(*problem.training)
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
