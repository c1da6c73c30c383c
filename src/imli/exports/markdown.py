"""Rules as Markdown, for documents: a table that renders on GitHub and wherever tables do."""

import re

from imli.rules import Rule
from imli.rules.text import LineSummary, summarize, write_count, write_footer, write_share


def write(rule: Rule, *, counts: bool = True) -> str:
    """The rule as a table; ``Rule.to_markdown`` says more.

    >>> from imli import parse_rule
    >>> print(write(parse_rule("IF age > 60 AND smoker THEN risk is high ELSE risk is low")))
    | | Rule |
    | :-- | :-- |
    | IF | `age > 60` AND `smoker` |
    | THEN | **`risk is high`** |
    | ELSE | **`risk is low`** |
    <BLANKLINE>
    1 clause, 2 conditions, size 2
    """
    summary = summarize(rule if counts else rule.with_counts(None))
    with_counts = summary["n_rows"] is not None
    headings, sides = ["", "Rule"], [":--", ":--"]
    if with_counts:
        headings += ["Rows", "Right", "Only here"]
        sides += ["--:"] * 3
    rows = [_cells(line, with_counts) for line in summary["lines"]]
    return "\n".join([*map(_row, (headings, sides, *rows)), "", write_footer(summary)])


def _row(cells: list[str]) -> str:
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


def _cells(line: LineSummary, with_counts: bool) -> list[str]:
    cells = [line["keyword"], _words(line)]
    if with_counts:
        share = line["clause"] or (None if line["repeats_clause"] else line["decided"])
        if share is None:
            return [*cells, "", "", ""]
        right = write_share(share) if share["rows"] else "–"
        only_here = "" if share["only_here"] is None else write_count(share["only_here"])
        cells += [write_count(share["rows"]), right, only_here]
    return cells


def _words(line: LineSummary) -> str:
    words = []
    for piece in line["pieces"]:
        # no name or value starts or ends with a parenthesis, so these are the ones around a clause
        found = re.fullmatch(r"(\(?)(.*?)(\)?)", piece["text"], re.DOTALL)
        assert found is not None
        text = found[1] + _code(found[2]) + found[3]
        words.append(f"{piece['joint']} {f'**{text}**' if piece['is_decision'] else text}".lstrip())
    return " ".join(words)


def _code(text: str) -> str:
    """Text that is shown as it is, whatever signs are in it."""
    # a span ends at as many backticks as it began with, and a table's cell at a bar
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence, gap = "`" * (longest + 1), " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{gap}{text}{gap}{fence}".replace("|", r"\|")
