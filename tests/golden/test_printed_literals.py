"""Printed conditions of all kinds, alone and in the clauses of each kind of rule, kept as a file to be read.

``python tests/golden/test_printed_literals.py`` writes the file anew.
"""

from pathlib import Path

from imli import CNF, DNF, DecisionList, DecisionSet, parse_literal, parse_rule
from imli.rules.literals import Compare, CompareDate, InInterval, IsIn, IsMissing, IsTrue

FILE = Path(__file__).parent / "literals.txt"
SMOKER = IsTrue("smoker")

LITERALS = {
    "A comparison": Compare("age", "<=", 37),
    "A comparison with a date": CompareDate("signed", ">=", "2021-01-01"),
    "An interval": InInterval("age", 20, 30),
    "A flag": IsTrue("insured"),
    "Missing": IsMissing("age", or_missing=False),
    "A category": IsIn("city", ("Bath",)),
    "Two categories": IsIn("city", ("Bath", "York")),
    "Three categories": IsIn("city", ("Bath", "York", "Ely")),
    "Numbers as categories": IsIn("rooms", (1, 2.5, 1200)),
    "Numbers as text": IsIn("rooms", ("1", "2.5", "1,200")),
    "Words of the notation as categories": IsIn("word", ("missing", "or", "nor", "neither a nor b", "or missing")),
    "Words of the notation as names": IsTrue("not a or missing"),
    "Odd texts as categories": IsIn("text", ("", " lead", 'a "b"', "(c)", "d, e", "true", "back\\slash", "Ünï")),
    "Odd text as a name": Compare("`a` (or b) < 3", ">", -0.001),
    "A text that looks like a comparison": IsIn("income", ("<=50K", ">50K")),
}


def forms(literal):
    """The literal and its reverse, each also for missing cells."""
    return [literal, literal.opposite(), *dict.fromkeys([~literal.opposite(), ~literal] * (literal.test != "missing"))]


def in_rules(literals):
    """Rules of each kind, with each literal beside another one, and one of them alone."""
    clauses = *((literal, SMOKER) for literal in literals), (literals[-2],)
    return [
        CNF(clauses),
        DNF(clauses),
        DNF(((literals[-2], IsTrue("insured", or_missing=True)),)),
        DecisionList(tuple((clause, "high") for clause in clauses), "low", "risk"),
        DecisionSet(tuple((clause, "high") for clause in clauses), "low", "risk"),
    ]


def printed():
    parts = []
    for name, literal in LITERALS.items():
        texts = "\n".join(f"    {one}" for one in forms(literal))
        parts += [
            f"{name}\n{'-' * len(name)}\n\n{texts}",
            *(f"{rule.title}\n{rule}" for rule in in_rules(forms(literal))),
        ]
    return "\n\n".join(parts) + "\n"


def test_printed_literals():
    assert printed() == FILE.read_text(encoding="utf-8")


def test_reading_them_gives_equal_literals_and_rules():
    for literal in LITERALS.values():
        for one in forms(literal):
            assert parse_literal(str(one)) == parse_literal(f"({one})") == one
        for rule in in_rules(forms(literal)):
            assert parse_rule(str(rule)) == rule


if __name__ == "__main__":
    FILE.write_text(printed(), encoding="utf-8")
