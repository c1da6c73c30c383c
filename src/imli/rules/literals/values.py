"""Tests for categories, for truth, and for being missing."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from imli.errors import UnreadableColumnError, at, brief
from imli.rules.literals.literal import Literal, plain_value
from imli.rules.notation import listing, write_name, write_value
from imli.table.frame import BoolArray, Column, ColumnKind, Value


@dataclass(frozen=True)
class IsIn(Literal):
    """A test that the cell is one of some values, or none of them.

    Parameters
    ----------
    column
        Name of the column.
    values
        Different texts or different numbers. A category that was not seen while learning is none of them.
    negated
        True if all other values pass the test instead.
    or_missing
        True if missing cells pass the test.

    Examples
    --------
    >>> str(IsIn("color", ("red", "blue"), or_missing=True)), str(IsIn("class", (1, 2, 3), negated=True))
    ('color is red, blue or missing', 'class is neither 1, 2 nor 3')
    """

    values: tuple[Value, ...]
    negated: bool = False

    test: ClassVar[str] = "is"

    def __post_init__(self) -> None:
        super().__post_init__()
        with at("values"):
            object.__setattr__(self, "values", _check_values(self.values))

    @property
    def reads(self) -> ColumnKind:
        return "text" if isinstance(self.values[0], str) else "number"

    def _accepts(self, column: Column) -> BoolArray:
        is_text = isinstance(self.values[0], str)
        if is_text != (column.kind == "text"):
            held, compared = column.kind_in_words, "text" if is_text else "numbers"
            raise UnreadableColumnError(
                f"Column {brief(column.name)} holds {held}, but the rule compares it with {compared}: "
                f"{brief(str(self))}. "
                f"Convert the column to {compared} first."
            )
        if is_text:
            accepted = np.zeros(len(column.categories) + 1, dtype=bool)
            accepted[[column.code(str(value)) for value in self.values]] = True
            accepted[-1] = False  # the code -1 is that of missing cells and of values that are no category
            found = accepted[column.values]
        else:
            numbers = column.numbers()
            # one by one, since an array with integers and fractions would round large integers
            found = np.logical_or.reduce([numbers == value for value in self.values])
        return np.asarray(found != self.negated, dtype=bool)

    @property
    def size(self) -> int:
        return len(self.values)

    @property
    def cuts(self) -> tuple[float, ...]:
        return tuple(value for value in self.values if not isinstance(value, str))

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(value for value in self.values if isinstance(value, str))

    def _text(self) -> str:
        return self._listed(map(write_value, self.values))

    def __str__(self) -> str:
        if self.or_missing and not self.negated:
            return self._listed([*map(write_value, self.values), "missing"])
        return super().__str__()

    def _listed(self, values: Iterable[str]) -> str:
        if not self.negated:
            return f"{write_name(self.column)} is {listing(values)}"
        is_one = len(self.values) == 1
        return f"{write_name(self.column)} is {'not' if is_one else 'neither'} {listing(values, 'nor')}"

    @property
    def has_or(self) -> bool:
        return not self.negated and len(self.values) + self.or_missing > 1


def _check_values(given: object) -> tuple[Value, ...]:
    if not isinstance(given, tuple):  # text would be split into letters
        raise TypeError(f"'is' needs a tuple of values. Got {brief(given)}.")
    values = tuple(plain_value(value) for value in given)
    if not values or len(set(values)) < len(values):
        raise ValueError(f"'is' needs one or more different values. Got {brief(list(values))}.")
    if any(isinstance(value, bool) for value in values):
        raise ValueError(f"'is' compares with text or numbers. Got {brief(list(values))}.")
    if len({isinstance(value, str) for value in values}) > 1:
        raise ValueError(f"'is' compares with text or with numbers, not both. Got {brief(list(values))}.")
    return values


@dataclass(frozen=True)
class IsTrue(Literal):
    """A test that the cell is true or 1, or that it is anything else.

    Parameters
    ----------
    column
        Name of the column.
    negated
        True if all other values pass the test instead.
    or_missing
        True if missing cells pass the test.

    Examples
    --------
    >>> str(IsTrue("smoker")), str(~IsTrue("smoker"))
    ('smoker', 'not smoker (or missing)')
    """

    negated: bool = False

    test: ClassVar[str] = "true"
    reads = "number"
    cuts = (1,)

    def _accepts(self, column: Column) -> BoolArray:
        return np.asarray((column.numbers() == 1) != self.negated, dtype=bool)

    @property
    def direction(self) -> int:
        return -1 if self.negated else 1

    def _text(self) -> str:
        return f"not {write_name(self.column)}" if self.negated else write_name(self.column)


@dataclass(frozen=True)
class IsMissing(Literal):
    """A test that the cell is missing, or that it is not.

    Parameters
    ----------
    column
        Name of the column.
    or_missing
        True if exactly the missing cells pass the test, False if exactly the others do.

    Examples
    --------
    >>> str(IsMissing("age")), str(~IsMissing("age"))
    ('age is missing', 'age is not missing')
    """

    or_missing: bool = field(default=True, kw_only=True)

    test: ClassVar[str] = "missing"
    reads = None
    direction = None

    def _accepts(self, column: Column) -> BoolArray:
        return np.full(len(column.missing), not self.or_missing)

    def opposite(self) -> Self:
        return replace(self, or_missing=not self.or_missing)

    def __invert__(self) -> Self:
        return self.opposite()

    def _text(self) -> str:
        return f"{write_name(self.column)} is {'missing' if self.or_missing else 'not missing'}"

    def __str__(self) -> str:
        return self._text()

    @property
    def has_or(self) -> bool:
        return False
