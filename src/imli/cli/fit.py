"""``imli fit``: learn a rule and print it."""

import argparse
import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

from imli.answer import Answer, Interrupted
from imli.cli.tables import read_csv
from imli.frames import Column, Frame, as_frame
from imli.rules import Rule
from imli.rules.summary import summarize
from imli.rules.text import clause_remarks, write_footer

_KINDS = {"cnf": "CNF rule", "dnf": "DNF rule", "list": "decision list", "set": "decision set"}


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "fit",
        help="learn a rule from a table",
        description="Learn a rule that tells two classes apart, and print it with what is proven about it.",
        epilog="Example: imli fit patients.csv --target outcome --never gender --n-clauses 2",
    )
    parser.add_argument("data", nargs="?", type=Path, metavar="DATA", help="a CSV file with a header; without it, "
                        "the breast cancer data that scikit-learn brings along")  # fmt: skip
    parser.add_argument("--target", metavar="COL", help="the column to decide")
    parser.add_argument(
        "--kind", choices=("cnf", "dnf", "list", "set"), default="dnf", help="the kind of rule (default: %(default)s)"
    )
    parser.add_argument("--n-clauses", type=int, metavar="N", help="how many clauses may be learned")
    parser.add_argument("--lam", type=_number_or_auto, metavar="X", help="how many errors a literal must save")
    parser.add_argument("--strategy", choices=("joint", "exact", "iterative", "minibatch", "incremental"),
                        help="search all clauses together (the default); or as the paper does: all at once, "
                        "one by one, on batches of rows, or both of these")  # fmt: skip
    parser.add_argument("--backend", choices=("native", "rc2", "cpsat", "brute"), help="the solver")
    parser.add_argument("--batch-size", type=int, metavar="N", help="how many rows a batch has")
    parser.add_argument("--rounds", type=int, metavar="N", help="in how many batches each row takes part")
    parser.add_argument("--random-state", type=int, metavar="N", help="the seed of all that is left to chance")
    parser.add_argument("--bins", type=int, metavar="N", help="numbers are cut into at most this many bins")
    parser.add_argument("--binning", choices=("quantile", "uniform", "supervised"),
                        help="bins of equally many rows, of equal width, or cut where the classes part")  # fmt: skip
    parser.add_argument("--intervals", choices=("open", "closed"), help="tests like x <= t, or like a <= x < b")
    parser.add_argument("--never", action="append", metavar="COL", help="a column or literal that must not occur")
    parser.add_argument("--always", action="append", metavar="COL", help="a column or literal that must occur")
    parser.add_argument("--max-literals", type=int, metavar="N", help="the most literals that the rule may have")
    parser.add_argument("--min-rows", type=int, metavar="N", help="the fewest rows that each clause must decide")
    parser.add_argument("--locked", action="append", metavar="TEXT",
                        help="a clause that stays as it is, while others are learned around it: "
                        "'age > 60 AND smoker', or for lists and sets 'IF age > 60 THEN yes'")  # fmt: skip
    parser.add_argument("--start", metavar="TEXT", help="a rule to start the search from")
    parser.add_argument("--class-weight", choices=("balanced",), help="let both classes count the same")
    parser.add_argument("--effort", type=float, metavar="X", help="search so many times as long as by default")
    parser.add_argument("--prove", nargs="?", type=float, const=True, metavar="SECONDS",
                        help="prove what can be proven about the rule, for so long at most")  # fmt: skip
    parser.add_argument("--n-jobs", type=int, metavar="N", help="how many threads to use (default: all cores)")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="stop with the best rule so far")
    parser.set_defaults(run=run)


def _number_or_auto(text: str) -> float | str:
    return text if text == "auto" else float(text)


def run(options: argparse.Namespace) -> int:
    from imli.estimators import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier

    classifiers = {
        "cnf": CNFClassifier,
        "dnf": DNFClassifier,
        "list": DecisionListClassifier,
        "set": DecisionSetClassifier,
    }
    if options.data is None and options.target is not None:
        raise ValueError("--target names a column of DATA. Add the name of a CSV file.")
    frame, target = _example() if options.data is None else _split(read_csv(options.data), options.target)
    classifier = classifiers[options.kind]()
    given = {name: value for name, value in vars(options).items() if value is not None}
    classifier.set_params(**{name: value for name, value in given.items() if name in classifier.get_params()})
    kind, size = _KINDS[options.kind], f"{frame.n_rows:,} rows and {len(frame.names)} columns"
    print(f"Learning a {kind} for {target.name!r} from {size}.\n", flush=True)
    stopped = False
    with warnings.catch_warnings(record=True) as caught:
        try:
            classifier.fit(frame, target)
        except Interrupted:
            stopped = True
    for warning in caught:
        print(f"imli: {warning.message}", file=sys.stderr)
    _show(classifier.rule_, classifier.answer_)
    return 130 if stopped else 0


def _example() -> tuple[Frame, Column]:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    frame = as_frame({str(name): data.data[:, j] for j, name in enumerate(data.feature_names)})
    return frame, as_frame({"diagnosis": data.target_names[data.target]})["diagnosis"]


def _split(frame: Frame, target: str | None) -> tuple[Frame, Column]:
    if target is None:
        raise ValueError(f"Which column should the rule decide? Add --target and one of: {', '.join(frame.names)}.")
    others = {name: column for name, column in frame.columns.items() if name != target}
    return Frame(others, frame.n_rows), frame[target]


def _show(rule: Rule, answer: Answer) -> None:
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    summary = summarize(rule)
    print(f"{rule.to_text(width=width)}\n")
    for remark in clause_remarks(summary):
        print(remark)
    print(f"In all {write_footer(summary)}.")
    print(f"It has {answer}.")
