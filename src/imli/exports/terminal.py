"""Rules in a terminal, drawn with rich."""

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from imli.rules.text import LineSummary, RuleSummary, summarize, table_share, write_figures, write_footer

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from imli.rules import Rule


class Terminal:
    """A rule for rich to draw: dim keywords, counts on the right, and escapes on terminals with ASCII only."""

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
        for heading in ("rows", "correct", "only here"):
            table.add_column(no_wrap=True, justify="right")
            headings.append(Text(heading, style="dim"))
        table.add_row(*headings)
    for line in summary["lines"]:
        figures = write_figures(table_share(line), no_rows="") if summary["n_rows"] is not None else []
        table.add_row(line["keyword"], _words(line), *figures)
    return table


def _words(line: LineSummary) -> Text:
    """Return the clause and the decision as a Text, so that rich reads no markup in it."""
    words = Text()
    for piece in line["pieces"]:
        if piece["joint"]:
            words.append(f" {piece['joint']} ", style="dim")
        text = piece["opens"] + piece["text"] + piece["closes"]
        words.append(text, style="bold" if piece["is_decision"] else "")
    return words
