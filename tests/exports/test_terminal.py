import io

from rich.console import Console

from imli import DNF, parse_rule
from imli.rules.literals import Compare, IsTrue

PEOPLE = {"age": [25, 70, 40, 50], "smoker": [True, False, False, False]}
RISKS = ["high", "low", "low", "low"]


def drawn(rule, width=60, encoding="utf-8"):
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=file, width=width, color_system=None, legacy_windows=False)
    console.print(rule)
    file.flush()
    return [line.rstrip() for line in file.buffer.getvalue().decode(encoding).splitlines()]


def test_counts_stand_on_the_right():
    rule = parse_rule("IF 20 < age <= 30 AND smoker OR age > 60 THEN high ELSE low").counted_on(PEOPLE, RISKS)
    assert drawn(rule) == [
        "                                 rows  correct  only here",
        "IF    20 < age <= 30 AND smoker     1    100 %          1",
        "OR    age > 60                      1      0 %          0",
        "THEN  high                          2     50 %",
        "ELSE  low                           2    100 %",
        "2 clauses, 3 conditions (size 4). Correct on 75 % of 4 rows.",
    ]


def test_without_counts():
    assert drawn(parse_rule("IF (a OR b) THEN 1 ELSE 0")) == [
        "IF    (a OR b)",
        "THEN  1",
        "ELSE  0",
        "1 clause, 2 conditions.",
    ]


def test_names_are_no_markup_and_long_clauses_wrap():
    rule = DNF(((IsTrue("[bold]x[/bold]"), Compare("a quite long name of a column", ">", 1)),))
    assert drawn(rule, width=40) == [
        "IF    [bold]x[/bold] AND a quite long",
        "      name of a column > 1",
        "THEN  true",
        "ELSE  false",
        "1 clause, 2 conditions.",
    ]


def test_a_terminal_that_has_ascii_only():
    rule = parse_rule("IF größe > 180 THEN high ELSE low").counted_on({"größe": [190, 170]}, ["high", "low"])
    lines = drawn(rule, encoding="ascii")
    assert lines[1].startswith(r"IF    `gr\u00f6\u00dfe` > 180 ")


def test_keywords_are_dim():
    console = Console(record=True, width=60, file=io.StringIO(), color_system="standard", force_terminal=True)
    console.print(parse_rule("IF a THEN 1 ELSE 0"))
    assert "\x1b[2mIF" in console.export_text(styles=True)
