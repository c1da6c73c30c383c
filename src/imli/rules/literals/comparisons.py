"""Tests that compare a cell with numbers or dates."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from imli.errors import at, brief, placed
from imli.rules.literals.literal import Bound, Literal, plain_value
from imli.rules.notation import moment_length, number_length, write_name, write_number
from imli.table.dates import read_moment, write_moment
from imli.table.frame import BoolArray, Column

OPERATORS = ("<", "<=", ">", ">=")
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}  # for exchanged sides
_REVERSED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_COMPARISONS = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}


@dataclass(frozen=True)
class _Comparison(Literal):
    """A comparison with one end of a range."""

    operator: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.operator not in OPERATORS:
            complaint = f"A comparison is one of {', '.join(OPERATORS)}. Got {brief(self.operator)}."
            raise placed(ValueError(complaint), "operator")

    def opposite(self) -> Self:
        return replace(self, operator=_REVERSED[self.operator])

    @property
    def direction(self) -> int:
        return 1 if self.operator in (">", ">=") else -1

    @property
    @abstractmethod
    def bound(self) -> Bound:
        """Return the end of the range of values that pass."""

    def _text(self) -> str:
        return f"{write_name(self.column)} {self.operator} {self.bound.text}"


@dataclass(frozen=True)
class Compare(_Comparison):
    """A comparison of the cell with a number.

    Parameters
    ----------
    column
        Name of the column.
    operator
        "<", "<=", ">" or ">=".
    threshold
        A finite number.
    or_missing
        True if missing cells pass the test.

    Examples
    --------
    >>> str(Compare("age", ">=", 40)), str(~Compare("age", ">=", 40))
    ('age >= 40', 'age < 40 or missing')
    """

    threshold: float

    test: ClassVar[str] = "compare"
    reads = "number"

    def __post_init__(self) -> None:
        super().__post_init__()
        _set_number(self, "threshold")

    def _accepts(self, column: Column) -> BoolArray:
        with np.errstate(invalid="ignore"):
            return np.asarray(_COMPARISONS[self.operator](column.numbers(), self.threshold), dtype=bool)

    @property
    def cuts(self) -> tuple[float, ...]:
        return (self.threshold,)

    @property
    def bound(self) -> Bound:
        return Bound(self.operator, self.threshold, write_number(self.threshold))

    @property
    def length(self) -> int:
        return super().length + number_length(self.threshold)


@dataclass(frozen=True)
class CompareDate(_Comparison):
    """A comparison of the cell with a date or time.

    Parameters
    ----------
    column
        Name of the column.
    operator
        "<", "<=", ">" or ">=".
    moment
        A date such as 2024-12-31, with or without a time of day such as 23:59.
    or_missing
        True if missing cells pass the test.

    Examples
    --------
    >>> str(CompareDate("signed", ">=", "2021-01-01")), str(~CompareDate("signed", ">=", "2021-01-01"))
    ('signed >= 2021-01-01', 'signed < 2021-01-01 or missing')
    """

    moment: str

    test: ClassVar[str] = "date"
    reads = "date"

    def __post_init__(self) -> None:
        super().__post_init__()
        with at("moment"):
            moment: object = self.moment
            if not isinstance(moment, str):
                raise TypeError(f"A literal's moment must be a date as text, like 2024-12-31. Got {brief(moment)}.")
            object.__setattr__(self, "moment", write_moment(read_moment(moment)))

    def _accepts(self, column: Column) -> BoolArray:
        return np.asarray(_COMPARISONS[self.operator](column.moments(), self.cuts[0]), dtype=bool)

    @property
    def cuts(self) -> tuple[int, ...]:
        return (read_moment(self.moment),)

    @property
    def bound(self) -> Bound:
        return Bound(self.operator, self.cuts[0], self.moment)

    @property
    def length(self) -> int:
        return super().length + moment_length(self.moment)


@dataclass(frozen=True)
class InInterval(Literal):
    """A test that the cell lies in ``low <= cell < high``, or outside of it.

    Parameters
    ----------
    column
        Name of the column.
    low
        Least number inside.
    high
        Least number above the interval.
    negated
        True if numbers outside pass the test instead.
    or_missing
        True if missing cells pass the test.

    Examples
    --------
    >>> str(InInterval("age", 20, 30)), str(~InInterval("age", 20, 30))
    ('20 <= age < 30', 'not 20 <= age < 30 (or missing)')
    """

    low: float
    high: float
    negated: bool = False

    test: ClassVar[str] = "interval"
    reads = "number"
    size = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        _set_number(self, "low")
        _set_number(self, "high")
        if not self.low < self.high:
            raise ValueError(f"An interval's low end must be below its high end. Got {self.low} and {self.high}.")

    def _accepts(self, column: Column) -> BoolArray:
        numbers = column.numbers()
        with np.errstate(invalid="ignore"):
            inside = np.greater_equal(numbers, self.low) & np.less(numbers, self.high)
        return np.asarray(inside != self.negated, dtype=bool)

    @property
    def cuts(self) -> tuple[float, ...]:
        return self.low, self.high

    @property
    def length(self) -> int:
        return super().length + number_length(self.low) + number_length(self.high)

    def _text(self) -> str:
        inside = f"{write_number(self.low)} <= {write_name(self.column)} < {write_number(self.high)}"
        return f"not {inside}" if self.negated else inside


def _set_number(literal: Literal, name: str) -> None:
    """Replace the value of a field by a plain finite number, or raise ValueError."""
    number: Any = getattr(literal, name)
    if isinstance(number, bool | np.bool_) or not isinstance(number, int | float | np.number):
        raise placed(ValueError(f"A literal's {name} must be a number. Got {brief(number)}."), name)
    try:
        number = plain_value(number)
    except ValueError as error:
        raise placed(error, name) from None
    fits = -(2**63) <= number < 2**63
    if isinstance(number, float) and number.is_integer() and fits:
        number = int(number)  # compares exactly with integers past 2^53
    elif isinstance(number, int) and not fits:
        number = float(number)
    object.__setattr__(literal, name, number)
