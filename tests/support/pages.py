"""The examples in the pages of the documentation: Python at the prompt, and commands of the command line.

All examples of a page share what they define, and run in a folder that has the files of ``docs/data``.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from imli.cli import main

FOLDER = Path(__file__).parents[2] / "docs"
PAGES = sorted(path for path in FOLDER.rglob("*.md") if "_build" not in path.relative_to(FOLDER).parts)
CHECKER = doctest.OutputChecker()

_BLOCK = re.compile(r"^```(?P<kind>python|console)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<printed>(?:(?!\$ ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """What is typed, what the page says that is then printed, and where in the page that stands."""

    kind: str
    source: str
    printed: str
    start: int
    end: int
    ellipsis: bool = False


def examples(text: str) -> Iterator[Example]:
    """The examples of a page, in order."""
    for block in _BLOCK.finditer(text):
        body, start = block["body"], block.start("body")
        if block["kind"] == "console":
            for match in _COMMAND.finditer(body):
                begin, end = (start + match.start("printed"), start + match.end("printed"))
                yield Example("console", match["command"], match["printed"], begin, end)
            continue
        lines = body.splitlines(keepends=True)
        offsets = [start + sum(map(len, lines[:n])) for n in range(len(lines) + 1)]
        for example in doctest.DocTestParser().get_examples(body):
            first = example.lineno + example.source.count("\n")
            begin, end = offsets[first], offsets[first + example.want.count("\n")]
            shortened = doctest.ELLIPSIS in example.options
            yield Example("python", example.source, example.want, begin, end, shortened)


def run(example: Example, names: dict[str, object]) -> str:
    """What the example prints. An error is printed as the page would show it."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        if example.kind == "console":
            _run_command(*shlex.split(example.source))
        else:
            try:
                exec(compile(example.source, "<example>", "single"), names)
            except Exception as error:
                printed.write(f"Traceback (most recent call last):\n    ...\n{type(error).__name__}: {error}\n")
    # doctest ends what is printed at the first blank line, so that one has to be named
    blank = "<BLANKLINE>" if example.kind == "python" else ""
    return "".join(f"{line.rstrip() or blank}\n" for line in printed.getvalue().splitlines())


def _run_command(program: str, *arguments: str) -> None:
    if program == "cat":
        sys.stdout.write(Path(*arguments).read_text(encoding="utf-8"))
        return
    assert program == "imli", f"Only imli and cat can be run, not {program}."
    with contextlib.suppress(SystemExit):
        main(list(arguments))


def agree(example: Example, got: str) -> bool:
    """Whether that is what the page says."""
    options = doctest.ELLIPSIS if example.ellipsis else 0
    return CHECKER.check_output(example.printed, got, options)


def fetched(text: str) -> str | None:
    """The table that a page reads and that is not shipped: it has to lie in the folder that IMLI_DATA names."""
    found = re.match(r"<!-- needs: (\S+) -->\n", text)
    return found and found[1]


def is_at_hand(text: str) -> bool:
    """Whether the table that a page reads is there, if it needs one that is not shipped."""
    name, folder = fetched(text), os.environ.get("IMLI_DATA")
    return name is None or (folder is not None and (Path(folder) / name).exists())


def bring_data(folder: Path, text: str) -> None:
    """Copy the files that the examples of a page read."""
    shutil.copytree(FOLDER / "data", folder, dirs_exist_ok=True)
    if name := fetched(text):
        shutil.copy(Path(os.environ["IMLI_DATA"]) / name, folder)
