"""Columns of 0 and 1, as the paper makes them: ten bins of equal width per number, one column per category.

Bins are closed on the left: a <= x < b. The first and the last one are open to the outside, so each number is in one.
A truth value is two categories. Where cells of training rows are missing, "missing" is a category, also of a number.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from .columns import MISSING, categories, is_text, to_floats, to_texts

BINS = 10
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Bit:
    """One column of 0 and 1: a test on a column of the frame."""

    column: str
    test: str  # as a person reads it: "is red", "< 3", "in [3, 4)"

    def __str__(self) -> str:
        return f"{self.column} {self.test}"


class Binary:
    """A frame as bits, as learned from the training rows. Tests that none or all of them pass are left out."""

    def __init__(self, X: pd.DataFrame, bins: int = BINS) -> None:
        self._made: dict[str, Callable[[pd.Series], dict[str, BoolArray]]] = {}
        self.bits: list[Bit] = []
        for name in X.columns:
            self._made[name] = _of_texts(X[name]) if is_text(X[name]) else _of_numbers(X[name], bins)
            for test, holds in self._made[name](X[name]).items():
                if 0 < holds.sum() < len(holds):
                    self.bits.append(Bit(name, test))

    def __call__(self, X: pd.DataFrame) -> BoolArray:
        """A row of bits for each row of the frame, in the order of ``bits``."""
        table = np.empty((len(X), len(self.bits)), dtype=np.bool_)
        made = {name: make(X[name]) for name, make in self._made.items()}
        for place, bit in enumerate(self.bits):
            table[:, place] = made[bit.column][bit.test]
        return table


def _of_texts(column: pd.Series) -> Callable[[pd.Series], dict[str, BoolArray]]:
    known = categories(to_texts(column))

    def make(column: pd.Series) -> dict[str, BoolArray]:
        cells = to_texts(column)
        return {f"is {value}": cells == value for value in known}

    return make


def _of_numbers(column: pd.Series, bins: int) -> Callable[[pd.Series], dict[str, BoolArray]]:
    if pd.api.types.is_bool_dtype(column):
        return lambda column: {"is true": np.asarray(column, bool), "is false": ~np.asarray(column, bool)}
    numbers = to_floats(column)
    known = numbers[np.isfinite(numbers)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    cuts = [low + (high - low) * i / bins for i in range(1, bins)] if low < high else []

    def make(column: pd.Series) -> dict[str, BoolArray]:
        numbers = to_floats(column)
        place = np.searchsorted(cuts, numbers, side="right")  # how many cuts are at or below
        tests = {_bin_text(cuts, i): (place == i) & ~np.isnan(numbers) for i in range(len(cuts) + 1)}
        return tests | {f"is {MISSING}": np.isnan(numbers)}

    return make


def _bin_text(cuts: Sequence[float], i: int) -> str:
    if not cuts:
        return "is known"
    if i == 0:
        return f"< {cuts[0]:.6g}"
    return f">= {cuts[-1]:.6g}" if i == len(cuts) else f"in [{cuts[i - 1]:.6g}, {cuts[i]:.6g})"


@dataclass(frozen=True)
class Conjunction:
    """Bits that must be 1, and bits that must be 0."""

    ones: tuple[int, ...]
    zeros: tuple[int, ...] = ()

    def holds(self, table: BoolArray) -> BoolArray:
        return np.asarray(table[:, list(self.ones)].all(axis=1) & ~table[:, list(self.zeros)].any(axis=1))

    def to_text(self, bits: Sequence[Bit]) -> str:
        words = [str(bits[i]) for i in self.ones] + [f"not ({bits[i]})" for i in self.zeros]
        return " AND ".join(words) or "always"


def counts(conjunctions: Iterable[Conjunction], bits: Sequence[Bit]) -> tuple[int, int]:
    """How many conditions a person reads, and how many literals are written.

    Several tests of one conjunction on one column are one condition: the list of values that it may have.
    """
    n_conditions = size = 0
    for conjunction in conjunctions:
        places = conjunction.ones + conjunction.zeros
        size += len(places)
        n_conditions += len({bits[i].column for i in places})
    return n_conditions, size
