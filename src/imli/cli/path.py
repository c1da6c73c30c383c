"""``imli path``: rules from short to long, with the best and the recommended one marked."""

import argparse
import json

from imli.cli.learner import make_classifier
from imli.cli.problem import choose_kind, read_problem
from imli.cli.screen import print_json, progress_of, remarks_of_warnings, require_writable, say, writing
from imli.errors import PathInterrupted, brief
from imli.estimators import rule_path
from imli.files import new_file, write_whole
from imli.rules import RULES

_PLOTS = (".png", ".svg", ".pdf")
_NOT_FOR_A_PATH = ("callback", "verbose", "cv", "warm_start")


def run(options: argparse.Namespace) -> int:
    """Learn a path of rules, print or draw it, and return the exit status."""
    require_writable(options.save, options.plot)
    if options.plot is not None and not options.plot.endswith(_PLOTS):
        raise ValueError(f"--plot must end in {', '.join(_PLOTS)}. Got {options.plot!r}.")
    problem = read_problem(options, options.data)
    kind = choose_kind(problem.classes, options.kind)
    given = make_classifier(options, kind, problem.classes).get_params()
    parameters = {name: value for name, value in given.items() if name not in _NOT_FOR_A_PATH}
    if not options.json:
        size = f"{problem.n_rows:,} rows and {problem.n_columns} columns"
        say(f"Learning {RULES[kind].title}s for {brief(problem.target)} from {size}.\n")
    is_stopped = False
    with remarks_of_warnings(), progress_of("Searching", options.time_limit, bool(options.verbose)) as watch:
        try:
            path = rule_path(
                problem.X,
                problem.y,
                kind,
                cv=options.cv,
                n_rules=options.n_rules,
                sample_weight=problem.weights,
                callback=watch,
                **parameters,
            )
        except PathInterrupted as stop:
            path, is_stopped = stop.path, True
    if options.json:
        print_json(path.to_dict())
    else:
        say(str(path))
    with writing():
        if options.save is not None:
            write_whole(options.save, json.dumps(path.to_dict(), indent=1, ensure_ascii=False) + "\n")
        if options.plot is not None:
            with new_file(options.plot) as unfinished:
                path.plot().figure_.savefig(unfinished, format=options.plot.rpartition(".")[2], dpi=150)
    return 130 if is_stopped else 0
