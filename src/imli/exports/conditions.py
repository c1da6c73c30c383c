"""The base of writers of conditions, which join them with parentheses only where needed, and large numbers.

A table holds a column of numbers as int64 or as float64. ``Literal.holds`` rounds int64 to float64 before a comparison
with a float, and rounds an integer to float64 before a comparison with float64. Python and SQL compare integers and
floats exactly. Below 2^53 rounding changes nothing.
"""

from collections.abc import Iterable
from typing import ClassVar, NamedTuple

from imli.rules import Clause
from imli.rules.literals import Compare, CompareDate, InInterval, IsIn, IsMissing, IsTrue, Literal

EXACT = 2**53

# The method of a writer for each kind of literal.
TESTS: dict[type[Literal], str] = {
    Compare: "compare",
    CompareDate: "date",
    InInterval: "interval",
    IsIn: "values",
    IsMissing: "missing",
    IsTrue: "truth",
}


def rounds_cells(number: int | float) -> bool:
    """Return True if an integer in a cell must be rounded to a float before it is compared with a number."""
    # past 2^63 there are no cells that rounding could bring to the other side
    return isinstance(number, float) and EXACT <= abs(number) <= 2**63


def rounded(number: int | float) -> float | None:
    """Return the float that a float in a cell is compared with instead of a number; None if with the number itself.

    >>> rounded(2**53), rounded(2**53 + 1)
    (None, 9007199254740992.0)
    """
    return float(number) if isinstance(number, int) and float(number) != number else None


class Joined(NamedTuple):
    """Conditions with the same word between them.

    >>> test = Joined("OR", ("age > 60", "age IS NULL"))
    >>> test.inside("OR"), test.inside("AND")
    ('age > 60 OR age IS NULL', '(age > 60 OR age IS NULL)')
    """

    word: str
    conditions: tuple[str, ...]

    def inside(self, word: str) -> str:
        """Return the text, in parentheses if it needs them among conditions joined by a word."""
        text = f" {self.word} ".join(self.conditions)
        return f"({text})" if len(self.conditions) > 1 and self.word != word else text


def single(condition: str) -> Joined:
    """Return one condition, which needs no word."""
    return Joined("", (condition,))


def join(word: str, tests: Iterable[Joined]) -> Joined:
    """Join tests by a word, each condition once."""
    flat: list[str] = []
    for test in tests:
        flat += test.conditions if test.word == word else (test.inside(word),)
    return Joined(word, tuple(dict.fromkeys(flat)))


class ConditionWriter:
    """A writer of the literals of one rule, with a method for each kind of literal in ``TESTS``."""

    language: ClassVar[str]

    def test(self, literal: Literal) -> Joined:
        """Return a literal as a condition."""
        if type(literal) not in TESTS:
            raise TypeError(f"There is no {self.language} for the literal '{literal}'.")
        test: Joined = getattr(self, TESTS[type(literal)])(literal)
        return test

    def clause(self, clause: Clause, word: str) -> Joined:
        """Return a clause with a word between its literals; without conditions if it has no literals."""
        return join(word, map(self.test, clause))
