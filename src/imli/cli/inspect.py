"""``imli inspect``: a line for each column of a table, and what a person should know before a rule is learned."""

import argparse
import sys
from typing import TYPE_CHECKING

from imli.cli import DIFFERS, DONE
from imli.cli.data import format_of, goes_in_parts, open_tables
from imli.cli.screen import as_typed, draws, print_json, progress_of, readable, require_writable, say, writing
from imli.learning.inspection import ARE_NUMBERS, HEADINGS, inspect_source

if TYPE_CHECKING:
    from imli.learning.inspection import Inspection


def run(options: argparse.Namespace) -> int:
    """Look at the table and return the exit status."""
    require_writable(options.html)
    source = open_tables(options.data, format_of(options))
    in_parts = goes_in_parts(options.data, source)
    with progress_of("Reading") as watch:
        found = inspect_source(source, options.target, in_parts, watch)
    if options.html is not None:
        with writing():
            found.save(options.html)
    if options.json:
        print_json(found.to_dict())
    else:
        _show(found)
        if options.html is not None:
            say(f"\nWrote {options.html}.")
    is_serious = any(finding.grade == "serious" for finding in found.findings)
    return DIFFERS if options.strict and is_serious else DONE


def _show(found: "Inspection") -> None:
    if not draws(sys.stdout):
        say(as_typed(str(found)))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for place in found.shown:
        table.add_column(HEADINGS[place], justify="right" if ARE_NUMBERS[place] else "left", no_wrap=ARE_NUMBERS[place])
    for column in found.columns:
        table.add_row(*(Text(readable(column.line[place])) for place in found.shown))
    console.print(Text(readable(found.sentence)), Text(), table, Text(), sep="\n")
    for finding in found.findings:
        style = "bold" if finding.grade == "serious" else "dim"
        console.print(Text.assemble((f"{finding.grade}: ", style), readable(as_typed(str(finding)))))
