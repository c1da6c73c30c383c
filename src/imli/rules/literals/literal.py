"""Tests on one column. A literal is a set of values, with or without the missing one.

That is the whole algebra: ``holds`` returns for each row whether its cell is in the set, and ``~`` is the exact
complement, so a test that fails on missing cells has a complement that accepts them: ``~(age >= 40)`` is
``age < 40 or missing``. ``opposite()`` reverses the test and leaves the result on missing cells as it is. A clause is
some literals, joined by AND or OR.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from imli.errors import at, brief, brief_list, placed
from imli.table.frame import BoolArray, Column, ColumnKind, Value

_LARGEST = sys.float_info.max


class Bound(NamedTuple):
    """One end of a range: the comparison with it, its value, and the value as text."""

    operator: str
    end: float
    text: str

    @property
    def is_upper(self) -> bool:
        """Return True if the smaller values pass."""
        return self.operator in ("<", "<=")


# The literal classes by the name of their test in JSON; ``__init_subclass__`` adds each class.
_KINDS: dict[str, type["Literal"]] = {}


@dataclass(frozen=True)
class Literal(ABC):
    """A test on the cells of one column. Clauses consist of literals.

    Parameters
    ----------
    column
        Name of the column.
    or_missing
        True if missing cells pass the test.
    """

    column: str
    _: KW_ONLY
    or_missing: bool = False

    test: ClassVar[str]

    def __init_subclass__(cls) -> None:
        if "test" in vars(cls):
            _KINDS[cls.test] = cls

    def holds(self, column: Column) -> BoolArray:
        """Return for each cell of a column whether the test holds.

        Parameters
        ----------
        column
            The cells to test.
        """
        if column.missing.all():  # such a column may be of any kind, also one that the test cannot read
            return np.full(len(column.missing), self.or_missing)
        return np.where(column.missing, self.or_missing, self._accepts(column))

    @abstractmethod
    def _accepts(self, column: Column) -> BoolArray:
        """Return the result of the test for each cell; missing cells may get any result."""

    def opposite(self) -> Self:
        """Return the reverse test, with an unchanged result on missing cells; by default ``negated`` is reversed."""
        reverse: dict[str, Any] = {"negated": not self._is_negated}
        return replace(self, **reverse)

    def __invert__(self) -> Self:
        return replace(self.opposite(), or_missing=not self.or_missing)

    @property
    @abstractmethod
    def reads(self) -> ColumnKind | None:
        """Return the kind of column that the test reads, "number" (also for flags), "text", "date" or None for any."""

    @property
    def size(self) -> int:
        """Return the number of atomic tests; a list of v values counts v, an interval 2."""
        return 1

    @property
    def length(self) -> int:
        """Return how much there is to read in the test. Of rules that cost the same, one of shorter tests is better."""
        return 4 * self.size + self.or_missing + self._is_negated

    @property
    def cuts(self) -> tuple[float, ...]:
        """Return the numbers at which the result changes; empty if it does not depend on numbers."""
        return ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Return texts that, with one more text, show every result of the test; empty if it does not depend on text.

        Rules are compared and simplified on the texts of all tests on a column, so these texts must suffice.
        """
        return ()

    @property
    def direction(self) -> int | None:
        """Return 1 if larger values pass, -1 if smaller ones do, 0 if neither; None if values do not matter."""
        return 0

    @property
    def bound(self) -> Bound | None:
        """Return the end of the range of values that pass; None if the test is no comparison."""
        return None

    @abstractmethod
    def _text(self) -> str:
        """Return the test as text, without the words on missing cells."""

    def __str__(self) -> str:
        if not self.or_missing:
            return self._text()
        # "not smoker or missing" could be read as the reverse of "smoker or missing"
        return f"{self._text()} (or missing)" if self._is_negated else f"{self._text()} or missing"

    @property
    def _is_negated(self) -> bool:
        return bool(getattr(self, "negated", False))

    @property
    def has_or(self) -> bool:
        """Return True if the text has an "or" outside of brackets, so that it needs some beside an AND."""
        return self.or_missing and not self._is_negated

    def to_dict(self) -> dict[str, Any]:
        """Return the literal as a dict of plain values for JSON."""
        return {"test": self.test} | {
            part.name: list(value) if isinstance(value := getattr(self, part.name), tuple) else value
            for part in fields(self)
        }

    @staticmethod
    def from_dict(content: Mapping[str, Any]) -> "Literal":
        """Return the literal that ``to_dict`` described.

        Parameters
        ----------
        content
            A dict with the name of the test and the fields of the literal.

        Raises
        ------
        ValueError, TypeError
            If ``content`` does not describe a literal.
        """
        if not isinstance(content, Mapping):
            raise ValueError(f"A literal must be a JSON object. Got {brief(content)}.")
        kind = content.get("test")
        if not isinstance(kind, str) or kind not in _KINDS:
            raise placed(ValueError(f"Unknown test {brief(kind)} in a literal. Known: {', '.join(_KINDS)}."), "test")
        values = {name: value for name, value in content.items() if name != "test"}
        expected = {part.name for part in fields(_KINDS[kind])}
        if set(values) != expected:
            raise ValueError(
                f"A literal with test {kind!r} has the fields {', '.join(sorted(expected))}. Got {brief_list(values)}."
            )
        if "values" in values:
            with at("values"):
                if not isinstance(values["values"], list | tuple):
                    raise ValueError(f"A literal's values must be a list. Got {brief(values['values'])}.")
            values["values"] = tuple(values["values"])
        return _KINDS[kind](**values)

    def __post_init__(self) -> None:
        if not isinstance(self.column, str):
            raise placed(TypeError(f"A literal's column must be a name. Got {brief(self.column)}."), "column")
        for part in fields(self):
            if part.type is bool and not isinstance(value := getattr(self, part.name), bool):
                with at(part.name):
                    raise TypeError(f"A literal's {part.name} must be true or false. Got {brief(value)}.")


Clause = tuple[Literal, ...]


def as_clause(literals: Iterable[Literal], joined_by: str = "AND") -> Clause:
    """Return a clause with each literal once, those on one column beside each other, in reading order.

    The lower end of a range comes before its upper end in a conjunction, and after it in a disjunction.
    """
    clause = tuple(dict.fromkeys(literals))
    for literal in clause:
        if not isinstance(literal, Literal):
            raise TypeError(f"A clause is made of literals. Got {literal!r}.")
    place = {column: n for n, column in enumerate(dict.fromkeys(literal.column for literal in clause))}
    if len(place) == len(clause):
        return clause

    def rank(literal: Literal) -> tuple[int, bool, bool, bool]:
        if literal.bound is None:
            return place[literal.column], True, False, False
        return place[literal.column], False, literal.or_missing, literal.bound.is_upper == (joined_by == "AND")

    return tuple(sorted(clause, key=rank))


def plain_value(value: Any) -> Value:
    """Return a category or label as a plain Python value.

    >>> plain_value(np.int64(3))
    3
    """
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, str | int | float | bool):
        raise TypeError(f"A category or label must be text, a number or a truth value. Got {brief(value)}.")
    if not isinstance(value, str) and not -_LARGEST <= value <= _LARGEST:  # false for NaN, too
        raise ValueError(f"A category or label must be a finite number below 1e308. Got {brief(value)}.")
    return value
