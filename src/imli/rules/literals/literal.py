"""Tests on one column. A literal is a set of values, with or without the missing one.

That is the whole algebra: ``holds`` says for each row whether its cell is in the set, and ``~`` is the exact
complement, so a test that fails on missing cells has a complement that accepts them: ``~(age >= 40)`` is
``age < 40 or missing``. ``opposite()`` turns the test around and leaves the missing cells where they are.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from imli.errors import brief, brief_list, placed
from imli.table.frame import BoolArray, Column, ColumnKind, Value

_LARGEST = sys.float_info.max


class Bound(NamedTuple):
    """One end of a range: the comparison with it, the end itself, and how it is written."""

    operator: str
    end: float
    text: str


# By the name of their test, as JSON has it; each kind enters itself.
_KINDS: dict[str, type["Literal"]] = {}


@dataclass(frozen=True)
class Literal(ABC):
    """A test on one column: what a clause is made of."""

    column: str
    _: KW_ONLY
    or_missing: bool = False

    test: ClassVar[str]

    def __init_subclass__(cls) -> None:
        _KINDS[cls.test] = cls

    def holds(self, column: Column) -> BoolArray:
        """In which rows the test holds."""
        if column.missing.all():  # it has nothing to ask about, whatever kind of column it is
            return np.full(len(column.missing), self.or_missing)
        return np.where(column.missing, self.or_missing, self._accepts(column))

    @abstractmethod
    def _accepts(self, column: Column) -> BoolArray:
        """The answer for cells that are not missing."""

    @abstractmethod
    def opposite(self) -> "Literal":
        """The reverse test, with the same answer on missing cells."""

    def __invert__(self) -> "Literal":
        return replace(self.opposite(), or_missing=not self.or_missing)

    @property
    @abstractmethod
    def reads(self) -> ColumnKind | None:
        """The kind of column that the test is made for; a flag counts as a number, and None is any kind."""

    @property
    def size(self) -> int:
        """How many atomic tests this is."""
        return 1

    @property
    def cuts(self) -> tuple[float, ...]:
        """The numbers at which the answer changes; none if it does not depend on numbers."""
        return ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Cells of text that show all answers there are; none if it does not depend on text.

        Rules are compared and simplified on such cells, so they must be enough: together with those of other tests
        on the column, and with some other text.
        """
        return ()

    @property
    def direction(self) -> int | None:
        """1 if larger values pass, -1 if smaller ones do, 0 if neither; None if values do not matter."""
        return 0

    @property
    def bound(self) -> Bound | None:
        """The end of a range that this test is; None if it is another kind of test."""
        return None

    @abstractmethod
    def _text(self) -> str:
        """The test as text, without the word on missing cells."""

    def __str__(self) -> str:
        return self._text() + (" or missing" if self.or_missing else "")

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values, for JSON."""
        return {"test": self.test} | {
            part.name: list(value) if isinstance(value := getattr(self, part.name), tuple) else value
            for part in fields(self)
        }

    @staticmethod
    def from_dict(content: Mapping[str, Any]) -> "Literal":
        """The literal that ``to_dict`` described."""
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
            if not isinstance(values["values"], list | tuple):
                error = ValueError(f"A literal's values must be a list. Got {brief(values['values'])}.")
                raise placed(error, "values")
            values["values"] = tuple(values["values"])
        return _KINDS[kind](**values)

    def __post_init__(self) -> None:
        if not isinstance(self.column, str):
            raise placed(TypeError(f"A literal's column must be a name. Got {brief(self.column)}."), "column")
        for part in fields(self):
            if part.type is bool and not isinstance(value := getattr(self, part.name), bool):
                error = TypeError(f"A literal's {part.name} must be true or false. Got {brief(value)}.")
                raise placed(error, part.name)


def plain_value(value: Any) -> Value:
    """A category or label as a plain Python value.

    >>> plain_value(np.int64(3))
    3
    """
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, str | int | float | bool):
        raise TypeError(f"A category or label must be text, a number or a truth value. Got {brief(value)}.")
    if not isinstance(value, str) and not -_LARGEST <= value <= _LARGEST:  # NaN is not either
        raise ValueError(f"A category or label must be a finite number below 1e308. Got {brief(value)}.")
    return value
