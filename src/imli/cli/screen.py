"""Output of the commands: drawn by rich in a terminal, plain text everywhere else; and checks of output files."""

import ast
import json
import os
import re
import shlex
import shutil
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from textwrap import fill
from time import monotonic
from typing import TYPE_CHECKING, Any

from imli.errors import escaped
from imli.files import new_file
from imli.learning.answer import Progress, describe
from imli.learning.parameter_table import PARAMETERS
from imli.table.findings import Finding, in_order

if TYPE_CHECKING:
    from imli.rules import Rule

_MOST_FINDINGS = 5
_TEXT = r"(?:'[^'\\]*'|\"[^\"\\]*\")"
_VALUE = rf"{_TEXT}|\[{_TEXT}(?:, {_TEXT})*\]|-?\d[\d.]*\d|\d|True"
_PARAMETER = re.compile(rf"\b({'|'.join(PARAMETERS)})=({_VALUE})")
_OWNER = re.compile(rf"^\w+Classifier: ({'|'.join(PARAMETERS)}) (must|is|needs|names)\b")
_KINDS = {
    "CNFClassifier": "cnf",
    "DNFClassifier": "dnf",
    "DecisionListClassifier": "list",
    "DecisionSetClassifier": "set",
}


def readable(text: str) -> str:
    """Return lines with escapes of signs that would hide text from a reader, or control a terminal."""
    return escaped(text, kept="\n\t")


def say(text: str = "") -> None:
    """Print lines of the result; in a terminal a long line is broken between words."""
    text = readable(text)
    width = shutil.get_terminal_size().columns
    if sys.stdout.isatty() and "\n" not in text and len(text) > width:
        text = fill(text, width, break_long_words=False)
    print(text, flush=True)


def remark(text: str) -> None:
    """Print a line on standard error."""
    print(f"imli: {readable(text)}", file=sys.stderr)


def show_findings(findings: Iterable[Finding]) -> None:
    """Print the gravest findings, a line for each, and how many there are besides."""
    ordered = in_order(findings)
    for finding in ordered[:_MOST_FINDINGS]:
        say(f"- {as_typed(str(finding))}")
    if len(ordered) > _MOST_FINDINGS:
        say(f"- and {len(ordered) - _MOST_FINDINGS} more, which 'imli inspect' lists.")
    if ordered:
        say()


def as_typed(text: str) -> str:
    """Return a text with options as they are typed, in place of parameters and classifiers as Python writes them.

    >>> as_typed("DNFClassifier: lam must be a number. Leave out never=['sex', 'no'], or use DecisionListClassifier.")
    '--lam must be a number. Leave out --never sex --never no, or use --kind list.'
    """
    text = _OWNER.sub(lambda found: f"--{found[1].replace('_', '-')} {found[2]}", text)
    text = re.sub(r"^\w+Classifier: (\w)", lambda found: found[1].upper(), _PARAMETER.sub(_as_option, text))
    text = re.sub(r"^\w+Classifier: ", "", text)
    return re.sub("|".join(_KINDS), lambda found: f"--kind {_KINDS[found[0]]}", text)


def _as_option(found: "re.Match[str]") -> str:
    """Return a parameter and its value, as Python writes them, as they are typed."""
    name, value = found[1].replace("_", "-"), ast.literal_eval(found[2])
    parts = value if isinstance(value, list) else [value]
    return " ".join(f"--{name}" if part is True else f"--{name} {shlex.quote(str(part))}" for part in parts)


def show_rule(rule: "Rule", rows: str = "rows") -> None:
    """Print the rule, with counts of each clause if it has them; ``rows`` says which rows were counted."""
    from imli.rules import POINT_RULES
    from imli.rules.text import clause_remarks, summarize, write_footer

    if draws(sys.stdout):
        from rich.console import Console

        Console().print(rule)
        return
    summary = summarize(rule)
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    say(f"{rule.to_text(width=width, ascii=_is_ascii())}\n")
    if rule.counts is not None and rule.kind not in POINT_RULES:  # items decide together
        for line in clause_remarks(summary):
            say(line)
    summary["notes"] = []  # they stand below the rule
    say(f"Total: {write_footer(summary, rows)}")


def _is_ascii() -> bool:
    """Return True if standard output cannot encode signs beyond ASCII."""
    try:
        "ß≤".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return True
    return False


def draws(stream: Any) -> bool:
    """Return True if a stream is a terminal in which rich can draw."""
    return bool(stream.isatty()) and find_spec("rich") is not None


@contextmanager
def remarks_of_warnings(besides: type[Warning] | None = None) -> Iterator[None]:
    """Print the lines of warnings of this block on standard error, each once, but for a class of warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        yield
    told = (warning for warning in caught if besides is None or not issubclass(warning.category, besides))
    for line in dict.fromkeys(line for warning in told for line in str(warning.message).splitlines()):
        remark(as_typed(line))


@contextmanager
def progress_of(what: str, limit: float | None = None, verbose: bool = False) -> Iterator["Watch"]:
    """Show the work of the block in a terminal, with the time that it took and has left; yield what is told of it."""
    if not draws(sys.stderr):
        yield Watch(verbose)
        return
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner

    watch = Watch(verbose, what, limit)
    spinner = Spinner("dots")

    def draw() -> Spinner:
        spinner.update(text=watch.describe())
        return spinner

    with Live(get_renderable=draw, console=Console(stderr=True), transient=True, refresh_per_second=10):
        yield watch


class Watch:
    """The present work for the screen; called with the progress of a search, or with ``now`` when other work begins."""

    def __init__(self, verbose: bool = False, what: str = "", limit: float | None = None) -> None:
        self._verbose, self._what, self._limit = verbose, what, limit
        self._began = monotonic()
        self._latest: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        self._latest = progress
        if self._verbose:
            remark(str(progress))

    def now(self, what: str) -> None:
        """Begin other work."""
        self._what, self._latest, self._began = what, None, monotonic()

    def describe(self) -> str:
        """Return a line about the present work."""
        return f"{self._what}: {describe(self._latest, monotonic() - self._began, self._limit)}"


@contextmanager
def writing() -> Iterator[None]:
    """Mark file errors of this block as errors of writing."""
    try:
        yield
    except OSError as error:
        error.is_about_writing = True  # type: ignore[attr-defined]
        raise


def require_writable(*paths: str | None) -> None:
    """Refuse paths that cannot be written, before the work whose result goes there begins."""
    for path in paths:
        if path is not None:
            with writing():
                _try_to_write(Path(path))


def _try_to_write(path: Path) -> None:
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder. Add the name of a file.")
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(13, "Permission denied", str(path))
    with suppress(_NotYetError), new_file(path):
        raise _NotYetError


class _NotYetError(Exception):
    """The end of a trial, so that nothing is written."""


def print_json(content: Any) -> None:
    """Print a value as JSON, whose escapes a program reads as the signs."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    print(escaped(text, lambda sign: json.dumps(sign)[1:-1], kept="\n"), flush=True)
