"""Rules in a terminal, drawn by rich."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from imli.rules.text import LineSummary, RuleSummary, summarize, write_count, write_footer, write_share

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from imli.rules import Rule


class Terminal:
    """What rich draws of a rule: keywords dim, counts on the right, escapes where the terminal has ASCII only."""

    def __init__(self, rule: "Rule") -> None:
        self.rule = rule

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        summary = summarize(self.rule, in_ascii=options.ascii_only)
        yield _table(summary)
        yield Text(write_footer(summary), style="dim")


def _table(summary: RuleSummary) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim", justify="left")
    table.add_column(ratio=1)
    headings: list[Any] = ["", ""]
    if summary["n_rows"] is not None:
        for heading in ("rows", "right", "only here"):
            table.add_column(no_wrap=True, justify="right")
            headings.append(Text(heading, style="dim"))
        table.add_row(*headings)
    for line in summary["lines"]:
        figures = _figures(line) if summary["n_rows"] is not None else []
        table.add_row(line["keyword"], _words(line), *figures)
    return table


def _words(line: LineSummary) -> Text:
    """The clause and the decision. As text of our own, so that nothing in it is taken for markup."""
    words = Text()
    for piece in line["pieces"]:
        if piece["joint"]:
            words.append(f" {piece['joint']} ", style="dim")
        words.append(piece["text"], style="bold" if piece["is_decision"] else "")
    return words


def _figures(line: LineSummary) -> Iterator[str]:
    share = line["clause"] or (None if line["repeats_clause"] else line["decided"])
    if share is None:
        return
    yield write_count(share["rows"])
    yield write_share(share) if share["rows"] else ""
    yield "" if share["only_here"] is None else write_count(share["only_here"])
