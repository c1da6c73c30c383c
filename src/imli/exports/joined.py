"""Conditions joined by a word, with parentheses only where they are needed."""

from collections.abc import Iterable
from typing import NamedTuple


class Joined(NamedTuple):
    """Conditions with the same word between them.

    >>> test = Joined("OR", ("age > 60", "age IS NULL"))
    >>> test.inside("OR"), test.inside("AND")
    ('age > 60 OR age IS NULL', '(age > 60 OR age IS NULL)')
    """

    word: str
    conditions: tuple[str, ...]

    def inside(self, word: str) -> str:
        """As text that can stand among conditions with this word between them."""
        text = f" {self.word} ".join(self.conditions)
        return f"({text})" if len(self.conditions) > 1 and self.word != word else text


def single(condition: str) -> Joined:
    """One condition, which needs no word."""
    return Joined("", (condition,))


def join(word: str, tests: Iterable[Joined]) -> Joined:
    """All tests with the word between them, each condition once."""
    flat: list[str] = []
    for test in tests:
        flat += test.conditions if test.word == word else (test.inside(word),)
    return Joined(word, tuple(dict.fromkeys(flat)))
