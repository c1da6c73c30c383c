"""Rules as Markdown tables."""

import re

from imli.rules import Rule
from imli.rules.text import LineSummary, summarize, table_share, write_figures, write_footer


def write(rule: Rule, *, counts: bool = True) -> str:
    """Write the rule as a Markdown table, as documented for ``Rule.to_markdown``."""
    summary = summarize(rule if counts else rule.with_counts(None))
    with_counts = summary["n_rows"] is not None
    headings, sides = ["", "Rule"], [":--", ":--"]
    if with_counts:
        headings += ["Rows", "Correct", "Only here"]
        sides += ["--:"] * 3
    rows = [
        [line["keyword"], _words(line), *(write_figures(table_share(line)) if with_counts else [])]
        for line in summary["lines"]
    ]
    return "\n".join([*map(_row, (headings, sides, *rows)), "", write_footer(summary)])


def _row(cells: list[str]) -> str:
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


def _words(line: LineSummary) -> str:
    words = []
    for piece in line["pieces"]:
        text = piece["opens"] + _code(piece["text"]) + piece["closes"]
        words.append(f"{piece['joint']} {f'**{text}**' if piece['is_decision'] else text}".lstrip())
    return " ".join(words)


def _code(text: str) -> str:
    """Return text as code, in which no sign is Markdown."""
    # code ends at as many backticks as it began with, and a cell of a table at a bar
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence, gap = "`" * (longest + 1), " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{gap}{text}{gap}{fence}".replace("|", r"\|")
