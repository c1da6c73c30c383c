"""The commands and their options. Nothing heavy is imported here: help must appear at once."""

import argparse
import re
import shutil
import sys
from collections.abc import Callable, Collection, Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime
from importlib.util import find_spec
from textwrap import fill
from typing import Any, NoReturn

from imli.errors import suggest
from imli.learning.parameter_table import PARAMETERS, Parameter

# Options that only --help-all lists.
_RARE = {
    *("update", "engine", "scheduler", "details", "holdout", "every", "feature_costs", "disjoint", "locked", "start"),
    *("min_rows", "bins", "binning", "intervals", "refine", "n_jobs", "warm_start", "strategy", "batch_size", "rounds"),
    *("memory", "backend", "verbose", "weight", "delimiter", "decimal", "thousands", "date_formats", "encoding"),
    *("sheet", "test_size", "n_samples", "level"),
}
_N_EXAMPLES = 2  # of a command, without --help-all
_IN_COLOURS = {
    r"(?m)^\S.*:$": "bold",  # headings
    r"(?m)^  (imli\b.*?)(?=   |$)": "green",
    r"(?<![\w-])--?[a-z][a-z-]*": "cyan",
    r"(?m)^  ([a-z]+)(?=  )": "cyan",  # commands
}


class Parser(argparse.ArgumentParser):
    """A parser that refuses with one sentence, and whose help begins with examples and leaves out rare options."""

    def __init__(self, *, rare: Collection[str] = (), **settings: Any) -> None:
        super().__init__(formatter_class=_new_formatter, allow_abbrev=False, **settings)
        self.rare = rare
        self._positionals.title = "arguments"
        self._actions[0].help = "show this help"
        if rare:
            self.add_argument("--help-all", action=_HelpAll, nargs=0, help="show all options and examples")

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and exit."""
        sentence = re.sub(r"^argument ([^:]+): ", r"\1 ", message)
        stop = "" if sentence.endswith((".", "?")) else "."
        self.exit(2, f"imli: {sentence[:1].upper()}{sentence[1:]}{stop} See '{self.prog} --help'.\n")

    def format_help(self, rare: bool = False) -> str:
        """Return the help: usage, description, examples, and options, with the rare ones only if ``rare``."""
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(fill(self.description or "", _width()))
        heading, *examples = (self.epilog or "").rstrip().split("\n")
        shown_examples = examples[:_N_EXAMPLES] if self.rare and not rare else examples
        formatter.add_text("\n".join([heading, *shown_examples]))
        n_hidden = 0
        for group in self._action_groups:
            shown = [
                _whole_help(action) if rare else action
                for action in group._group_actions
                if rare or action.dest not in self.rare
            ]
            n_hidden += len(group._group_actions) - len(shown)
            formatter.start_section(group.title)
            formatter.add_text(fill(group.description, _width()) if group.description and shown else None)
            formatter.add_arguments(shown)
            formatter.end_section()
        hidden = {"option": n_hidden, "example": len(examples) - len(shown_examples)}
        more = " and ".join(f"{n} more {word}{'s'[: n > 1]}" for word, n in hidden.items() if n)
        if more:
            formatter.add_text(f"'{self.prog} --help-all' lists {more}.")
        return formatter.format_help()

    def print_help(self, file: Any = None, rare: bool = False) -> None:
        """Print the help, with colours in a terminal."""
        _draw(self.format_help(rare), file)


def _whole_help(action: argparse.Action) -> argparse.Action:
    """Return an option with the help that it has after ``--help-all``."""
    whole = copy(action)
    whole.help = getattr(action, "whole_help", action.help)
    return whole


class _HelpAll(argparse.Action):
    """The option that prints the whole help."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        assert isinstance(parser, Parser)
        parser.print_help(rare=True)
        parser.exit()


def _new_formatter(prog: str) -> argparse.HelpFormatter:
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=28, width=_width())


def _width() -> int:
    return min(shutil.get_terminal_size().columns, 100) - 2


def _draw(text: str, file: Any = None) -> None:
    """Print a text of the help, with colours if it goes to a terminal."""
    file = sys.stdout if file is None else file
    if not (file.isatty() and find_spec("rich")):
        file.write(text)
        return
    from rich.console import Console
    from rich.text import Text

    drawn = Text(text, end="")
    for pattern, style in _IN_COLOURS.items():
        for found in re.finditer(pattern, text):
            drawn.stylize(style, *found.span(found.lastindex or 0))
    Console(file=file).print(drawn, soft_wrap=True)


def one_of(*choices: str) -> Callable[[str], str]:
    """Return a function that reads one of these words."""

    def read(text: str) -> str:
        if text not in choices:
            raise argparse.ArgumentTypeError(
                f"must be one of {', '.join(choices)}. Got {text!r}.{suggest(text, choices)}"
            )
        return text

    read.choices = choices  # type: ignore[attr-defined]
    return read


def whole(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number. Got {text!r}.") from None


def number_or(*words: str) -> Callable[[str], float | str]:
    """Return a function that reads a number or one of these words."""

    def read(text: str) -> float | str:
        if text in words:
            return text
        try:
            return float(text)
        except ValueError:
            allowed = " or ".join(["a number", *words])
            raise argparse.ArgumentTypeError(f"must be {allowed}. Got {text!r}.") from None

    return read


number = number_or()


def pair(of: Callable[[str], Any], what: str) -> Callable[[str], tuple[str, Any]]:
    """Return a function that reads NAME=VALUE; a name may have equals signs in it, as in ``age >= 40=2``."""

    def read(text: str) -> tuple[str, Any]:
        name, sign, value = text.rpartition("=")
        if not sign or not name:
            raise argparse.ArgumentTypeError(f"must be {what}. Got {text!r}.")
        return name, of(value)

    return read


def date_format(text: str) -> tuple[str, str]:
    """Read a format of dates, and the name of a column before it, if there is one."""
    name, _, form = text.partition("=") if "=" in text.partition("%")[0] else ("", "", text)
    try:
        datetime.strptime(datetime(2001, 2, 3).strftime(form), form)
        if "%" not in form:
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a format such as %d/%m/%Y, or COL=FORMAT. Got {text!r}.") from None
    return name, form


DIRECTIONS = {"up": 1, "down": -1, "1": 1, "-1": -1}
COLUMN_KINDS = ("number", "flag", "text", "date")
FORMS = ("sql", "python", "markdown", "text", "json", "html")
DIALECTS = ("duckdb", "sqlite", "postgres")
SHELLS = ("bash", "zsh", "fish")
ENGINES = ("auto", "memory", "parts", "dask")
LARGE = 50_000_000  # cells, rows times columns: a file that has more of them is read in parts

_FILES = "CSV files, or Parquet files, folders of them, and patterns such as 'big/*.parquet'; - is standard input"


def _add_command(commands: Any, usage: str, *, examples: str, rare: Collection[str] = _RARE, **texts: str) -> Parser:
    """Add the command that the usage names, and return its parser."""
    name = usage.split()[1]
    parser: Parser = commands.add_parser(name, usage=usage, epilog=f"examples:{examples}", rare=rare, **texts)
    parser.set_defaults(command=name, parser=parser)
    return parser


def _add_fit(commands: Any) -> None:
    parser = _add_command(
        commands,
        "imli fit [DATA ... --target COL] [options]\n       imli fit --update MODEL DATA [options]",
        help="learn a rule from a table",
        description="Learn a rule that predicts the target column. Print the rule, how often it is correct, and what "
        "is proven about it.",
        examples="""
  imli fit                                                       on the breast cancer data of scikit-learn
  imli fit patients.csv --target outcome --save model.json
  imli fit patients.csv --target outcome --never gender --always age --max-literals 5
  imli fit loans.parquet --target default --lam cv --class-weight balanced
  imli fit claims.csv --target fraud --locked 'amount > 10000 AND new_customer' --prove 60
  zcat big.csv.gz | imli fit - --target outcome --time-limit 10 --json
  imli fit big/*.parquet --target outcome                        larger than memory: files, or a folder of them
  imli fit big/ --target outcome --scheduler tcp://host:8786     the same by the workers of a Dask cluster
  imli fit --update model.json new.csv                           go on with a saved model
""",
    )
    parser.add_argument("--update", metavar="MODEL", help="go on learning from a saved model, near its rule, and write "
                        "it back there or to --save")  # fmt: skip
    _add_problem(parser, many=True)
    parser.add_argument("--save", "--model", metavar="FILE", help="write the model to this JSON file")
    parser.add_argument("--json", action="store_true", help="print the model as JSON, for scripts")
    parser.add_argument("--details", action="store_true", help="print which rules were searched")
    group = parser.add_argument_group("tables larger than memory", "Files can be read in parts. The rule is the same; "
                                      "it is not checked on rows held out.")  # fmt: skip
    group.add_argument("--engine", type=one_of(*ENGINES), default="auto", metavar="NAME",
                       help="memory: all rows at once; parts: one part at a time, bits in a temporary file; dask: by "
                       "the workers of a Dask cluster; auto: parts for several files, folders, patterns, and files of "
                       f"more than {LARGE:,} cells, else memory (default: auto)")  # fmt: skip
    group.add_argument("--scheduler", metavar="ADDRESS", help="address of a Dask cluster, such as tcp://host:8786; "
                       "implies --engine dask, which else starts a process for each core")  # fmt: skip
    _add_parameters(parser, chooses_kind=True)
    group = parser.add_argument_group("how the rule is checked", "By default in 5 folds; from 2,000 rows on with a "
                                      "fifth of the rows held out; with --time-limit not at all.")  # fmt: skip
    one = group.add_mutually_exclusive_group()
    one.add_argument("--cv", type=whole, metavar="N", help="cross-validate in N folds")
    one.add_argument("--holdout", type=number, metavar="SHARE", help="hold out this share of the rows, such as 0.2")
    one.add_argument("--no-check", action="store_true", help="only learn the rule")


def _add_inspect(commands: Any) -> None:
    parser = _add_command(
        commands,
        "imli inspect DATA ... [--target COL] [options]",
        help="look at a table before anything is learned from it",
        description="Print a line for each column of a table: its type, how it was read, how many cells differ or are "
        "missing, and how much the column alone tells about the target. Then print the findings, the gravest first, "
        "such as misread columns, leaks, rare classes and identifiers.",
        examples="""
  imli inspect patients.csv                              the columns
  imli inspect patients.csv --target outcome             and what they tell about the target
  imli inspect patients.csv --target outcome --html look.html
  imli inspect big/*.parquet --target outcome --json     part by part, however large
""",
    )
    parser.add_argument("data", nargs="+", metavar="DATA", help=_FILES)
    parser.add_argument("--target", metavar="COL", help="target column")
    parser.add_argument("--html", metavar="FILE", help="write a page that needs nothing else")
    parser.add_argument("--json", action="store_true", help="print all of it as JSON, for scripts")
    parser.add_argument("--strict", action="store_true", help="exit with status 1 if a finding is serious")
    _add_reading(parser)


def _add_predict(commands: Any) -> None:
    parser = _add_command(
        commands,
        "imli predict MODEL DATA ... [options]",
        help="predict the rows of a table",
        description="Predict the class of each row with a saved model. The table needs only the columns of the rule.",
        examples="""
  imli predict model.json new.csv                              one prediction per line
  imli predict model.json new.csv --keep id -o decided.csv     beside the column 'id'
  imli predict model.json new.parquet --keep all --probability -o decided.parquet
  imli predict model.json new.csv --keep id --reasons          with the clause that decided and the reason in words
  imli predict model.json big/*.parquet -o decided.parquet     part by part, however large
  cat new.csv | imli predict model.json - | head
""",
    )
    _add_model(parser)
    parser.add_argument("data", nargs="+", metavar="DATA", help=_FILES)
    parser.add_argument("-o", "--output", metavar="FILE", help="write here, as CSV or Parquet by its ending "
                        "(default: standard output, as CSV)")  # fmt: skip
    parser.add_argument("--keep", action="append", metavar="COL", help="input column to write as well; or 'all'")
    parser.add_argument("--name", metavar="NAME", help="name of the column of predictions (default: that of training)")
    parser.add_argument("--probability", action="store_true", help="add the probability of each class")
    parser.add_argument("--reasons", action="store_true", help="add the clause that decided, and the reason in words")
    parser.add_argument("--score", action="store_true", help="print the accuracy; the table must have the "
                        "target column")  # fmt: skip
    _add_reading(parser)


def _add_show(commands: Any) -> None:
    parser = _add_command(
        commands,
        "imli show MODEL [DATA] [options]",
        help="print a saved model",
        description="Print the rule of a saved model, how it did where it was learned or, with DATA, on other rows, "
        "and its card.",
        examples="""
  imli show model.json              the rule and how its clauses did in training
  imli show model.json new.csv      how they do on other rows
  imli show model.json --card       where it comes from
""",
    )
    _add_model(parser)
    parser.add_argument("data", nargs="?", metavar="DATA", help="table with the target column, to count the rule on")
    parser.add_argument("--card", action="store_true", help="print the model card too")
    parser.add_argument("--json", action="store_true", help="print all of it as JSON, for scripts")
    _add_reading(parser)


def _add_check(commands: Any) -> None:
    parser = _add_command(
        commands,
        "imli check MODEL DATA ... [options]",
        help="compare new rows with those of training",
        description="Compare new rows with those that a saved model was learned from: each column, how many rows each "
        "clause decides and, if the table has the target column, how often that is correct. The exit status is 1 if "
        "there is a difference that chance does not explain.",
        examples="""
  imli check model.json new.csv                            in words
  imli check model.json new.csv --html new.html            and as a page
  imli check model.json new.csv && imli predict model.json new.csv -o predicted.csv
  imli check model.json big/*.parquet --json               part by part, however large
""",
    )
    _add_model(parser)
    parser.add_argument("data", nargs="+", metavar="DATA", help=_FILES)
    parser.add_argument("--target", metavar="COL", help="target column (default: that of training, if it is there)")
    parser.add_argument("--weight", metavar="COL", help="column of row weights")
    parser.add_argument("--ignore", action="append", metavar="COL", help="a column not to compare, as one that changes "
                        "with time; can be repeated")  # fmt: skip
    parser.add_argument("--level", type=number, metavar="X", default=0.01, help="how probable a difference may be in "
                        "rows like those in training (default: %(default)s)")  # fmt: skip
    parser.add_argument("--html", metavar="FILE", help="write a page that needs nothing else")
    parser.add_argument("--json", action="store_true", help="print all of it as JSON, for scripts")
    _add_reading(parser)


def _add_path(commands: Any) -> None:
    parser = _add_command(
        commands,
        "imli path [DATA --target COL] [options]",
        help="learn rules from short to long, with their errors",
        description="Learn rules from one condition up, each the best found of its length, and print how each does on "
        "rows that it has not seen. Marks the best, and the shortest that is not clearly worse, fold by fold.",
        examples="""
  imli path                                                        on the breast cancer data of scikit-learn
  imli path patients.csv --target outcome --save path.json --plot path.png
  imli path patients.csv --target outcome --n-rules 10 --kind list
""",
    )
    _add_problem(parser)
    parser.add_argument("--save", metavar="FILE", help="write the path, with all of its rules, to this JSON file")
    parser.add_argument("--plot", metavar="FILE", help="draw it: a .png, .svg or .pdf file")
    parser.add_argument("--json", action="store_true", help="print the path as JSON, for scripts")
    parser.add_argument("--n-rules", type=whole, metavar="N", default=20, help="how many rules (default: %(default)s)")
    parser.add_argument("--cv", type=whole, metavar="N", default=5, help="in how many folds (default: %(default)s)")
    _add_parameters(parser)


def _add_export(commands: Any) -> None:
    parser = _add_command(
        commands,
        "imli export MODEL --to FORM [options]",
        help="write the rule as SQL, Python, Markdown, …",
        description="Write the rule of a saved model in another language. The predictions are the same.",
        examples="""
  imli export model.json --to sql --dialect postgres    a CASE expression
  imli export model.json --to python -o decide.py       a function that needs nothing else
  imli export model.json --to markdown                  for a document
""",
    )
    _add_model(parser)
    parser.add_argument(
        "--to", required=True, type=one_of(*FORMS), metavar="FORM", help=f"language: {', '.join(FORMS)}"
    )
    parser.add_argument("--dialect", type=one_of(*DIALECTS), metavar="NAME",
                        help=f"dialect of SQL: {', '.join(DIALECTS)} (default: duckdb)")  # fmt: skip
    parser.add_argument("--name", metavar="NAME", help="name of the Python function (default: decide)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write here (default: standard output)")


def _add_report(commands: Any) -> None:
    parser = _add_command(
        commands,
        "imli report MODEL DATA [options]",
        help="write one HTML page about a model, to hand around",
        description="Write one HTML file, which needs nothing else, about a saved model: the rule in words, how its "
        "clauses do on the rows of DATA, what they get wrong and why, which columns matter, and the model card.",
        examples="""
  imli report model.json patients.csv                     writes model.html
  imli report model.json new.csv -o new.html --no-path
""",
    )
    _add_model(parser)
    parser.add_argument("data", metavar="DATA", help="CSV or Parquet file with the target column; - is standard input")
    parser.add_argument("-o", "--output", metavar="FILE", help="write here (default: MODEL with the ending .html)")
    parser.add_argument("--target", metavar="COL", help="target column (default: that of training)")
    parser.add_argument("--weight", metavar="COL", help="column of row weights")
    parser.add_argument("--no-path", action="store_true", help="leave out rules of other lengths, which take a while")
    parser.add_argument("--no-columns", action="store_true", help="leave out what each column is worth")
    parser.add_argument(
        "--time-limit", type=number, metavar="SECONDS", help="limit of the rules that are learned for the report"
    )
    parser.add_argument("--json", action="store_true", help="print what the report shows as JSON, for scripts")
    _add_reading(parser)


def _add_explain(commands: Any) -> None:
    parser = _add_command(
        commands,
        "imli explain MODEL DATA [options]",
        rare=_RARE | set(PARAMETERS) - {"kind", "n_clauses", "lam", "max_literals"},
        help="explain any model with rules",
        description="Learn a rule for what a model predicts on the rows of DATA, or with --row a rule for its "
        "prediction of one row. MODEL is a pickle of scikit-learn or the like, module:name of something that can "
        "be imported here, or a JSON file of 'imli fit --save'.",
        examples="""
  imli explain forest.joblib patients.csv --target outcome --trust       a rule for all rows
  imli explain forest.joblib patients.csv --target outcome --trust --row 17
  imli explain scoring:decide loans.parquet --row 1 --row 2 --precision 0.9 --json
  imli explain model.json patients.csv --row 17 --keep age               our own decision, and what would change it
""",
    )
    parser.add_argument("model", metavar="MODEL", help="a .joblib, .pkl or .json file, or module:name")
    parser.add_argument("data", metavar="DATA", help="a CSV or Parquet file; - is standard input")
    parser.add_argument("--row", action="append", type=whole, metavar="N", help="explain this row, counted from 1")
    parser.add_argument("--target", metavar="COL", help="a column that the model does not get")
    parser.add_argument("--trust", action="store_true", help="open a pickle, which can run any code")
    parser.add_argument("--name", metavar="NAME", help="what the decision is called in the rule")
    parser.add_argument("--json", action="store_true", help="print it as JSON, for scripts")
    group = parser.add_argument_group("for a rule about all rows")
    group.add_argument("--label", metavar="CLASS", help="explain this class against all others")
    group.add_argument(
        "--test-size", type=number, metavar="SHARE", help="share of the rows to hold out (default: 0.25)"
    )
    group = parser.add_argument_group("for a rule about one row")
    group.add_argument(
        "--precision", type=number, metavar="SHARE", help="precision that the rule should have (default: 0.95)"
    )
    group.add_argument("--n-samples", type=whole, metavar="N", help="how many neighbours to draw (default: 1000)")
    group.add_argument("--keep", action="append", metavar="COL", help="a column that must not change; for JSON models")
    _add_reading(parser)
    _add_parameters(parser)


def _add_problem(parser: Parser, many: bool = False) -> None:
    what = "a CSV file with a header or a Parquet file"
    if many:
        what = "CSV files with a header, or Parquet files, folders of them, and patterns such as 'big/*.parquet'"
    parser.add_argument("data", nargs="*" if many else "?", metavar="DATA",
                        help=f"{what}; - is standard input; without it, the breast cancer data of "
                        "scikit-learn")  # fmt: skip
    parser.add_argument("--target", metavar="COL", help="target column, which the rule predicts")
    parser.add_argument("--weight", metavar="COL", help="column of row weights")
    _add_reading(parser)


def _add_reading(parser: Parser) -> None:
    group = parser.add_argument_group("how the table is read")
    group.add_argument("--delimiter", metavar="SIGN", help="field separator (default: detected)")
    group.add_argument("--type", action="append", dest="types", metavar="COL=TYPE",
                       type=pair(one_of(*COLUMN_KINDS), "COL=TYPE"),
                       help="number, flag, text or date (default: detected from all cells of the column)")  # fmt: skip
    group.add_argument("--missing", action="append", metavar="TEXTS",
                       help="cells that mean missing besides empty ones, such as '?,NA' (default: detected)"
                       )  # fmt: skip
    group.add_argument(
        "--decimal", type=one_of(".", ","), metavar="SIGN", help="decimal sign, . or , (default: detected)"
    )
    group.add_argument("--thousands", type=one_of(",", ".", "'", "space", "none"), metavar="SIGN",
                       help="thousands separator: , . ' space or none (default: detected)")  # fmt: skip
    group.add_argument("--date-format", action="append", dest="date_formats", type=date_format, metavar="[COL=]FORMAT",
                       help="format of dates, such as %%d/%%m/%%Y (default: detected)")  # fmt: skip
    group.add_argument("--encoding", metavar="NAME", help="encoding of a CSV file, such as latin-1 (default: detected)")
    group.add_argument("--sheet", metavar="NAME", help="sheet of an Excel file (default: the first)")


def _add_model(parser: Parser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a JSON file that 'imli fit --save' wrote")


# Parameters of the classifiers in the groups of the help, in its order.
_GROUPS = {
    "the rule": ("kind", "positive", "n_clauses", "lam", "max_literals", "min_rows", "class_weight"),
    "scores and checklists": ("max_items", "max_points", "item_literals", "loss"),
    "constraints on the rule": ("never", "use", "always", "feature_costs", "monotone", "disjoint", "locked", "start"),
    "where numbers are cut": ("bins", "binning", "intervals", "refine"),
    "the search": ("effort", "time_limit", "prove", "random_state", "n_jobs", "warm_start", "strategy", "batch_size",
                   "rounds", "memory", "backend", "verbose"),
}  # fmt: skip
# How the flag of a parameter is read, if not by the name of its value.
_READ_AS: dict[str, dict[str, Any]] = {
    "lam": {"type": number_or(*PARAMETERS["lam"].words)},
    "class_weight": {"action": "append"},
    "never": {"action": "append"},
    "use": {"action": "append"},
    "always": {"action": "append"},
    "feature_costs": {"action": "append", "type": pair(number, "COL=X")},
    "monotone": {"action": "append", "type": pair(one_of(*DIRECTIONS), "COL=up or COL=down")},
    "disjoint": {"nargs": "?", "const": True, "type": number},
    "locked": {"action": "append"},
    "refine": {"action": argparse.BooleanOptionalAction, "default": None},
    "prove": {"nargs": "?", "const": True, "type": number},
    "verbose": {"action": "store_const", "const": 1},
}
_READERS: dict[str, Callable[[str], Any]] = {"N": whole, "X": number, "SECONDS": number}
_DEFAULTS = {"True": "yes", "False": "no", "1.0": "1"}


def _add_parameters(parser: Parser, chooses_kind: bool = False) -> None:
    for title, names in _GROUPS.items():
        group = parser.add_argument_group(title)
        for name in names:
            parameter = PARAMETERS[name]
            if name == "kind" and not chooses_kind:
                given = {word: meaning for word, meaning in parameter.words.items() if word != "auto"}
                parameter = replace(parameter, words=given)
            _add_parameter(group, name, parameter)
            if name == "always":
                group.add_argument("--every", action="append", metavar="TEXT", help="condition that each clause must "
                                   "have; can be repeated")  # fmt: skip


def _add_parameter(group: Any, name: str, parameter: Parameter) -> None:
    settings = _READ_AS.get(name, {})
    if not settings and parameter.metavar in ("HOW", "KIND"):
        settings = {"type": one_of(*parameter.words)}
    elif not settings and parameter.metavar in _READERS:
        settings = {"type": _READERS[parameter.metavar]}
    if parameter.metavar:
        settings = settings | {"metavar": parameter.metavar}
    notes = "; can be repeated" if settings.get("action") == "append" else ""
    if name == "kind":
        notes = " (default: dnf for two classes, list for more)"
    elif parameter.default not in (None, ()) and settings.get("action") != "store_const":
        notes += f" (default: {_DEFAULTS.get(str(parameter.default), parameter.default)})"
    action = group.add_argument(f"--{name.replace('_', '-')}", help=parameter.short_help + notes, **settings)
    action.whole_help = parameter.help + notes


_DESCRIPTION = "Learn classification rules that a person can read, check and sign off."
_FIRST = f"""\
{_DESCRIPTION}

type first:
  imli fit                                    learn a rule from example data
  imli fit patients.csv --target outcome      learn a rule from your table, which has the column 'outcome'

'imli --help' lists all commands.
"""
_TOUR = """\
examples:
  imli fit                                    learn a rule from example data
  imli fit patients.csv --target outcome      learn a rule from your table
"""
_LONG_TOUR = """\
  imli inspect patients.csv --target outcome            look at your table first
  imli fit patients.csv --target outcome --never gender --save model.json
  imli predict model.json new.csv -o predicted.csv      predict new rows
  imli check model.json new.csv                         compare them with the training rows
  imli export model.json --to sql                       take the rule to a database
  imli report model.json patients.csv                   write a page to hand around
  imli explain forest.joblib patients.csv --trust       describe another model by a rule
  imli bench --data FOLDER                              compare imli with other learners
"""
_STATUSES = """
exit status:
  0    done
  1    'imli check' has found differences, or 'imli inspect --strict' something serious
  2    the command or the data was refused; a sentence says why
  3    a file could not be read or written
  130  stopped with Ctrl-C or SIGTERM; fit still prints the best rule so far
"""
_COMMANDS = (
    _add_inspect,
    _add_fit,
    _add_path,
    _add_predict,
    _add_show,
    _add_check,
    _add_export,
    _add_report,
    _add_explain,
)
_SECTIONS = {
    "learn a rule": ("inspect", "fit", "path"),
    "use a saved rule": ("predict", "show", "check", "export", "report"),
    "explain another model": ("explain",),
}


class _Front(Parser):
    """The parser of ``imli`` itself, whose help lists the commands by what they are for."""

    def format_help(self, rare: bool = False) -> str:
        """Return the list of commands after two examples; with ``rare``, a tour and the exit statuses too."""
        commands = next(action for action in self._actions if isinstance(action, argparse._SubParsersAction))
        helps = {action.dest: action.help for action in commands._choices_actions}
        known = {name for names in _SECTIONS.values() for name in names}
        sections = _SECTIONS | {"more": tuple(name for name in helps if name not in known)}
        lists = "".join(
            f"\n{title}:\n" + "".join(f"  {name:<12}{helps[name]}\n" for name in names)
            for title, names in sections.items()
        )
        last = _STATUSES if rare else "\n'imli --help-all' has a longer tour and the exit statuses.\n"
        return (
            f"usage: imli COMMAND [options]\n\n{_DESCRIPTION}\n\n{_TOUR}{_LONG_TOUR if rare else ''}{lists}\n"
            f"'imli COMMAND --help' has examples and the options of a command.\n{last}"
        )


def new_parser() -> Parser:
    """Return the parser of all commands."""
    from imli import __version__

    parser = _Front(prog="imli", rare=("version",))
    parser.add_argument("--version", action="version", version=f"imli {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    for add in _COMMANDS:
        add(commands)
    commands.add_parser("bench", help="compare imli with other learners")  # imli-bench has its options and its help
    completion = _add_command(
        commands,
        "imli completion bash|zsh|fish",
        help="let a shell complete what you type",
        description="Print a script that lets a shell complete commands, options and their values.",
        rare=(),
        examples="""
  eval "$(imli completion bash)"                        in ~/.bashrc; in ~/.zshrc with zsh
  imli completion fish > ~/.config/fish/completions/imli.fish
""",
    )
    completion.add_argument("shell", type=one_of(*SHELLS), metavar="SHELL", help=", ".join(SHELLS))
    return parser


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return what was typed, or exit with one sentence and what was probably meant."""
    parser = new_parser()
    commands = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    if not arguments:
        _draw(_FIRST, sys.stderr)
        parser.exit(2)
    if not arguments[0].startswith("-") and arguments[0] not in commands.choices:
        parser.error(f"unknown command {arguments[0]!r}.{suggest(arguments[0], commands.choices)}")
    if arguments[0] == "bench":  # another distribution reads the rest
        return argparse.Namespace(command="bench", arguments=arguments[1:])
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        known = [name for name in options.parser._option_string_actions if name.startswith("--")]
        first = next((word for word in unknown if word.startswith("-")), unknown[0])
        what = "option" if first.startswith("-") else "argument"
        options.parser.error(f"unknown {what} {first!r}.{suggest(first.split('=')[0], known)}")
    return options
