"""Tests on one column. A literal is a set of values, with or without the missing one.

That is the whole algebra: ``holds`` says for each row whether its cell is in the set, and ``~`` is the exact
complement, so a test that fails on missing cells has a complement that accepts them: ``~(age >= 40)`` is
``age < 40 or missing``. ``opposite()`` turns the test around and leaves the missing cells where they are.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from imli.arrays import BoolArray
from imli.frames import Column, ColumnKind, UnreadableColumnError
from imli.moments import read_moment, write_moment
from imli.notation import Value, listing, write_name, write_number, write_value

OPERATORS = ("<", "<=", ">", ">=")
# The same comparison read from the other side.
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_LARGEST = sys.float_info.max
_TURNED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_COMPARISONS = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}


class Bound(NamedTuple):
    """One end of a range: the comparison with it, the end itself, and how it is written."""

    operator: str
    end: float
    text: str


@dataclass(frozen=True)
class Literal(ABC):
    """A test on one column: what a clause is made of."""

    column: str
    _: KW_ONLY
    or_missing: bool = False

    test: ClassVar[str]

    def holds(self, column: Column) -> BoolArray:
        """In which rows the test holds."""
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
        """The kind of column that the test is made for; a flag counts as a number. None: any kind."""

    @property
    def size(self) -> int:
        """How many atomic tests this is."""
        return 1

    @property
    def cuts(self) -> tuple[float, ...]:
        """The numbers at which the answer changes; none if it does not depend on numbers."""
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
            raise ValueError(f"A literal must be a JSON object. Got {content!r}.")
        kind = content.get("test")
        if not isinstance(kind, str) or kind not in _KINDS:
            raise ValueError(f"Unknown test {kind!r} in a literal. Known: {', '.join(_KINDS)}.")
        values: dict[str, Any] = {
            name: tuple(v) if isinstance(v, list) else v for name, v in content.items() if name != "test"
        }
        expected = {part.name for part in fields(_KINDS[kind])}
        if set(values) != expected:
            raise ValueError(
                f"A literal with test {kind!r} has the fields {', '.join(sorted(expected))}. "
                f"Got {', '.join(sorted(map(str, values)))}."
            )
        return _KINDS[kind](**values)

    def __post_init__(self) -> None:
        if not isinstance(self.column, str):
            raise TypeError(f"A literal's column must be a name. Got {self.column!r}.")
        for part in fields(self):
            if part.type is bool and not isinstance(value := getattr(self, part.name), bool):
                raise TypeError(f"A literal's {part.name} must be true or false. Got {value!r}.")


@dataclass(frozen=True)
class Compare(Literal):
    """The cell lies on one side of a threshold.

    >>> str(Compare("age", ">=", 40)), str(~Compare("age", ">=", 40))
    ('age >= 40', 'age < 40 or missing')
    """

    operator: str
    threshold: float

    test: ClassVar[str] = "compare"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.operator not in OPERATORS:
            raise ValueError(f"A comparison is one of {', '.join(OPERATORS)}. Got {self.operator!r}.")
        _set_number(self, "threshold")

    @property
    def reads(self) -> ColumnKind:
        return "number"

    def _accepts(self, column: Column) -> BoolArray:
        with np.errstate(invalid="ignore"):
            return np.asarray(_COMPARISONS[self.operator](column.numbers(), self.threshold), dtype=bool)

    def opposite(self) -> Self:
        return replace(self, operator=_TURNED[self.operator])

    @property
    def cuts(self) -> tuple[float, ...]:
        return (self.threshold,)

    @property
    def direction(self) -> int:
        return 1 if self.operator in (">", ">=") else -1

    @property
    def bound(self) -> Bound:
        return Bound(self.operator, self.threshold, write_number(self.threshold))

    def _text(self) -> str:
        return f"{write_name(self.column)} {self.operator} {write_number(self.threshold)}"


@dataclass(frozen=True)
class CompareDate(Literal):
    """The cell lies before a date or a time, or not.

    >>> str(CompareDate("signed", ">=", "2021-01-01")), str(~CompareDate("signed", ">=", "2021-01-01"))
    ('signed >= 2021-01-01', 'signed < 2021-01-01 or missing')
    """

    operator: str
    moment: str

    test: ClassVar[str] = "date"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.operator not in OPERATORS:
            raise ValueError(f"A comparison is one of {', '.join(OPERATORS)}. Got {self.operator!r}.")
        if not isinstance(self.moment, str):
            raise TypeError(f"A literal's moment must be a date as text, like 2024-12-31. Got {self.moment!r}.")
        object.__setattr__(self, "moment", write_moment(read_moment(self.moment)))

    @property
    def reads(self) -> ColumnKind:
        return "date"

    def _accepts(self, column: Column) -> BoolArray:
        return np.asarray(_COMPARISONS[self.operator](column.moments(), self.cuts[0]), dtype=bool)

    def opposite(self) -> Self:
        return replace(self, operator=_TURNED[self.operator])

    @property
    def cuts(self) -> tuple[int, ...]:
        return (read_moment(self.moment),)

    @property
    def direction(self) -> int:
        return 1 if self.operator in (">", ">=") else -1

    @property
    def bound(self) -> Bound:
        return Bound(self.operator, self.cuts[0], self.moment)

    def _text(self) -> str:
        return f"{write_name(self.column)} {self.operator} {self.moment}"


@dataclass(frozen=True)
class InInterval(Literal):
    """The cell lies in ``low <= cell < high``, or outside of it.

    >>> str(InInterval("age", 20, 30)), str(~InInterval("age", 20, 30))
    ('20 <= age < 30', 'not 20 <= age < 30 or missing')
    """

    low: float
    high: float
    negated: bool = False

    test: ClassVar[str] = "interval"

    def __post_init__(self) -> None:
        super().__post_init__()
        _set_number(self, "low")
        _set_number(self, "high")
        if not self.low < self.high:
            raise ValueError(f"An interval's low end must be below its high end. Got {self.low} and {self.high}.")

    @property
    def reads(self) -> ColumnKind:
        return "number"

    def _accepts(self, column: Column) -> BoolArray:
        numbers = column.numbers()
        with np.errstate(invalid="ignore"):
            inside = np.greater_equal(numbers, self.low) & np.less(numbers, self.high)
        return np.asarray(inside != self.negated, dtype=bool)

    def opposite(self) -> Self:
        return replace(self, negated=not self.negated)

    @property
    def size(self) -> int:
        return 2

    @property
    def cuts(self) -> tuple[float, ...]:
        return self.low, self.high

    def _text(self) -> str:
        inside = f"{write_number(self.low)} <= {write_name(self.column)} < {write_number(self.high)}"
        return f"not {inside}" if self.negated else inside


@dataclass(frozen=True)
class IsIn(Literal):
    """The cell is one of some categories, or none of them.

    A category that was not seen while learning is none of them.

    >>> str(IsIn("color", ("red", "blue"))), str(IsIn("class", (3,), negated=True))
    ('color is red or blue', 'class is not 3')
    """

    values: tuple[Value, ...]
    negated: bool = False

    test: ClassVar[str] = "is"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.values, tuple):  # a text would fall apart into letters
            raise TypeError(f"'is' needs a tuple of values. Got {self.values!r}.")
        values = tuple(plain_value(value) for value in self.values)
        if not values or len(set(values)) < len(values):
            raise ValueError(f"'is' needs one or more different values. Got {list(values)}.")
        if any(isinstance(value, bool) for value in values):
            raise ValueError(f"'is' compares with text or numbers. Got {list(values)}.")
        if len({isinstance(value, str) for value in values}) > 1:
            raise ValueError(f"'is' compares with text or with numbers, not both. Got {list(values)}.")
        object.__setattr__(self, "values", values)

    @property
    def reads(self) -> ColumnKind:
        return "text" if isinstance(self.values[0], str) else "number"

    def _accepts(self, column: Column) -> BoolArray:
        if column.missing.all():
            return np.zeros(len(column.missing), dtype=bool)
        is_text = isinstance(self.values[0], str)
        if is_text != (column.kind == "text"):
            held, compared = column.kind_in_words, "text" if is_text else "numbers"
            raise UnreadableColumnError(
                f"Column {column.name!r} holds {held}, but the rule compares it with {compared}: '{self}'. "
                f"Convert the column to {compared} first."
            )
        if is_text:
            accepted = np.zeros(len(column.categories) + 1, dtype=bool)
            accepted[[column.code(str(value)) for value in self.values]] = True
            accepted[-1] = False  # which missing cells and values that the column does not have stand for
            found = accepted[column.values]
        else:
            numbers = column.numbers()
            # one by one, since an array of integers and fractions would round the integers
            found = np.logical_or.reduce([numbers == value for value in self.values])
        return np.asarray(found != self.negated, dtype=bool)

    def opposite(self) -> Self:
        return replace(self, negated=not self.negated)

    @property
    def size(self) -> int:
        return len(self.values)

    @property
    def cuts(self) -> tuple[float, ...]:
        return tuple(value for value in self.values if not isinstance(value, str))

    def _text(self) -> str:
        verb = "is not" if self.negated else "is"
        return f"{write_name(self.column)} {verb} {listing(write_value(value) for value in self.values)}"


@dataclass(frozen=True)
class IsTrue(Literal):
    """The cell is true, or 1; or it is anything else.

    >>> str(IsTrue("smoker")), str(~IsTrue("smoker"))
    ('smoker', 'not smoker or missing')
    """

    negated: bool = False

    test: ClassVar[str] = "true"

    @property
    def reads(self) -> ColumnKind:
        return "number"

    def _accepts(self, column: Column) -> BoolArray:
        return np.asarray((column.numbers() == 1) != self.negated, dtype=bool)

    def opposite(self) -> Self:
        return replace(self, negated=not self.negated)

    @property
    def cuts(self) -> tuple[float, ...]:
        return (1,)

    @property
    def direction(self) -> int:
        return -1 if self.negated else 1

    def _text(self) -> str:
        return f"not {write_name(self.column)}" if self.negated else write_name(self.column)


@dataclass(frozen=True)
class IsMissing(Literal):
    """The cell is missing, or it is there.

    >>> str(IsMissing("age")), str(~IsMissing("age"))
    ('age is missing', 'age is not missing')
    """

    # true: missing cells pass and no others; false: the reverse
    or_missing: bool = field(default=True, kw_only=True)

    test: ClassVar[str] = "missing"

    @property
    def reads(self) -> None:
        return None

    def _accepts(self, column: Column) -> BoolArray:
        return np.full(len(column.missing), not self.or_missing)

    def opposite(self) -> Self:
        return replace(self, or_missing=not self.or_missing)

    def __invert__(self) -> Self:
        return self.opposite()

    @property
    def direction(self) -> None:
        return None

    def _text(self) -> str:
        return f"{write_name(self.column)} is {'missing' if self.or_missing else 'not missing'}"

    def __str__(self) -> str:
        return self._text()


_KINDS: dict[str, type[Literal]] = {
    kind.test: kind for kind in (Compare, CompareDate, InInterval, IsIn, IsTrue, IsMissing)
}


def plain_value(value: Any) -> Value:
    """A category or label as a plain Python value.

    >>> plain_value(np.int64(3))
    3
    """
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, str | int | float | bool):
        raise TypeError(f"A category or label must be text, a number or a truth value. Got {value!r}.")
    if not isinstance(value, str) and not -_LARGEST <= value <= _LARGEST:  # NaN is not either
        raise ValueError(f"A category or label must be a finite number below 1e308. Got {value!r}.")
    return value


def _set_number(literal: Literal, name: str) -> None:
    """Keep the field as a plain finite number."""
    number = plain_value(getattr(literal, name))
    if isinstance(number, str | bool):
        raise ValueError(f"A literal's {name} must be a number. Got {number!r}.")
    fits = -(2**63) <= number < 2**63
    if isinstance(number, float) and number.is_integer() and fits:
        number = int(number)  # compares exactly with integers past 2^53
    elif isinstance(number, int) and not fits:
        number = float(number)
    object.__setattr__(literal, name, number)
