"""Forms of tables, settings and models that adapters share.

This module runs in environments that may have nothing but numpy, pandas and the rival.

The paper's bits are columns of 0 and 1: ten bins of equal width per number, one column per category. Bins are closed on
the left: a <= x < b. The first and the last one are open to the outside, so each number is in one. A truth value is two
categories. Where cells of training rows are missing, "missing" is a category, also of a number.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

BoolArray = npt.NDArray[np.bool_]
Settings = dict[str, Any]

MISSING = "missing"  # as a category
BINS = 10


class NotInstalledError(Exception):
    """A rival cannot run here. The message says why, and what to do about it if something can be done."""


@dataclass(frozen=True)
class Adapter:
    """What is known of a rival.

    ``fit(X, y, settings, seed)`` returns a :class:`Fitted`, learned on one core unless the settings have ``n_jobs``; it
    raises NotInstalledError where something that is no package of Python is missing. ``grid(n)`` returns at most ``n``
    settings out of those printed in the paper, spread evenly, the default first.
    """

    title: str  # in tables
    fit: Callable[[pd.DataFrame, BoolArray, Settings, int], "Fitted"]
    grid: Callable[[int], list[Settings]]
    is_readable: bool  # whether its models are meant to be read
    requires: tuple[str, ...] = ()  # versions pinned; none is the environment of imli_bench itself
    quick_rows: int = 0  # how many rows it can take in seconds, for quick comparisons; 0 is any number
    # Of a rival that takes minutes for any number of rows: shorter chains or fewer rounds, for quick comparisons.
    quick_settings: Settings = field(default_factory=dict)


@dataclass(frozen=True)
class Fitted:
    """A learned model: how it decides rows, and how much of it a person would have to read.

    ``size`` counts literals, each time one is written; ``n_conditions`` counts a test on a range or on a list of values
    once. Both are None where reading is of no use. ``text`` is what a person would read.
    """

    predict: Callable[[pd.DataFrame], BoolArray]
    n_conditions: int | None = None
    size: int | None = None
    text: str = ""


def read_task(path: str | Path) -> tuple[pd.DataFrame, Any, Any, Any]:
    """Return the rows of a task file, their labels, the positions to learn from, and those held out."""
    with np.load(path, allow_pickle=False) as content:
        columns = {}
        for j, name in enumerate(_texts(content, "names")[:-1]):
            cells = content[str(j)]
            if f"{j}.texts" in content:
                # code -1 is the last of the texts, None
                columns[name] = pd.Series(_texts(content, f"{j}.texts")[cells], dtype=object)
            else:
                columns[name] = pd.Series(cells)
        y, train, test = (content[key] for key in ("y", "train", "test"))
    return pd.DataFrame(columns, index=pd.RangeIndex(len(y))), y, train, test


def _texts(content: Any, key: str) -> Any:
    """Return texts, and None after the last."""
    joined = content[key].tobytes()
    ends = content[f"{key}.ends"].tolist()
    texts = [joined[begin:end].decode("utf-8", "surrogatepass") for begin, end in zip([0, *ends], ends, strict=False)]
    found = np.empty(len(texts) + 1, dtype=object)
    found[:-1] = texts
    return found


def at_most_threads(n: int) -> AbstractContextManager[Any]:
    """Return a context manager in which numerical libraries use so many threads."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(limits=n)
    return limits


def is_text(column: pd.Series) -> bool:
    """Return True if a column has categories; numbers and truth values are no texts."""
    return not (pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column))


def to_texts(column: pd.Series) -> npt.NDArray[np.object_]:
    """Return cells as text, with missing ones as a category of their own."""
    cells = np.asarray(column, dtype=object)
    missing = pd.isna(cells)
    texts = [MISSING if is_missing else str(cell) for cell, is_missing in zip(cells, missing, strict=True)]
    return np.array(texts, dtype=object)


def to_floats(column: pd.Series) -> npt.NDArray[np.float64]:
    """Return numbers and truth values as floats, with missing ones as NaN."""
    return np.asarray(column, dtype=np.float64)


def categories(cells: npt.NDArray[np.object_]) -> list[str]:
    """Return the distinct texts in order."""
    return sorted(set(cells.tolist()))


@dataclass(frozen=True)
class Numeric:
    """One column of a matrix: a column of the frame, or whether it has a certain text."""

    column: str
    value: str | None = None

    def __str__(self) -> str:
        return self.column if self.value is None else f"{self.column} is {self.value}"


class Matrix:
    """A frame as numbers, as learned from the training rows: one column per number and truth value, and one per text.

    ``fill`` puts medians where numbers are missing, and ``scale`` gives them mean 0 and deviation 1; texts are 0 or 1.
    A text that was not among the training rows is 0 in all its columns.
    """

    def __init__(self, X: pd.DataFrame, fill: bool = True, scale: bool = False) -> None:
        self.columns: list[Numeric] = []
        self._texts: dict[str, list[str]] = {}
        self._numbers: dict[str, tuple[float, float, float]] = {}  # what stands for a missing one; mean; deviation
        for name in X.columns:
            if is_text(X[name]):
                self._texts[name] = categories(to_texts(X[name]))
                self.columns += [Numeric(name, value) for value in self._texts[name]]
            else:
                self._numbers[name] = _statistics(to_floats(X[name]), fill, scale)
                self.columns.append(Numeric(name))

    def __call__(self, X: pd.DataFrame) -> npt.NDArray[np.float64]:
        matrix = np.empty((len(X), len(self.columns)))
        place = 0
        for name in X.columns:
            if name in self._texts:
                cells = to_texts(X[name])
                for value in self._texts[name]:
                    matrix[:, place] = cells == value
                    place += 1
            else:
                missing, mean, deviation = self._numbers[name]
                numbers = to_floats(X[name])
                matrix[:, place] = (np.where(np.isnan(numbers), missing, numbers) - mean) / deviation
                place += 1
        return matrix


def _statistics(numbers: npt.NDArray[np.float64], fill: bool, scale: bool) -> tuple[float, float, float]:
    known = numbers[~np.isnan(numbers)]
    missing = float("nan")
    if fill:
        missing = float(np.median(known)) if len(known) else 0.0
        known = np.where(np.isnan(numbers), missing, numbers)
    if not scale or not len(known):
        return missing, 0.0, 1.0
    return missing, float(known.mean()), float(known.std()) or 1.0


class Plain:
    """A frame for rivals that read texts, but neither missing cells nor names with signs in them.

    Numbers and truth values are floats, with the medians of the training rows where they are missing.
    """

    def __init__(self, X: pd.DataFrame) -> None:
        self.titles = {f"c{place}": name for place, name in enumerate(X.columns)}
        self._medians = {name: _statistics(to_floats(X[name]), True, False)[0] for name in X if not is_text(X[name])}

    def __call__(self, X: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({short: self._cells(X[name], name) for short, name in self.titles.items()})

    def _cells(self, column: pd.Series, name: str) -> npt.NDArray[Any]:
        if name not in self._medians:
            return to_texts(column)
        numbers = to_floats(column)
        return np.where(np.isnan(numbers), self._medians[name], numbers)


def shortened(lines: Sequence[str], most: int = 4000) -> str:
    """Join lines to read, and leave out the last ones where they are too many."""
    text = "\n".join(lines)
    if len(text) <= most:
        return text
    kept: list[str] = []
    for line in lines:
        if sum(len(other) + 1 for other in kept) + len(line) > most - 40:
            break
        kept.append(line)
    return "\n".join([*kept, f"… and {len(lines) - len(kept)} more lines"])


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
        """Return a row of bits for each row of the frame, in the order of ``bits``."""
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


def count_conjunctions(conjunctions: Iterable[Conjunction], bits: Sequence[Bit]) -> tuple[int, int]:
    """Return how many conditions a person reads, and how many literals are written.

    Several tests of one conjunction on one column are one condition: the list of values that it may have.
    """
    n_conditions = size = 0
    for conjunction in conjunctions:
        places = conjunction.ones + conjunction.zeros
        size += len(places)
        n_conditions += len({bits[i].column for i in places})
    return n_conditions, size


def linear_grid(name: str, low: int, high: int, n: int) -> list[Settings]:
    """Return the default, then whole numbers at equal distances."""
    numbers = [round(low + (high - low) * i / max(1, n - 2)) for i in range(n - 1)]
    return _default_first([{name: number} for number in numbers], n)


def logarithmic_grid(name: str, low: float, high: float, n: int) -> list[Settings]:
    """Return the default, then numbers between two powers of ten at equal ratios, to three digits."""
    exponents = [low + (high - low) * i / max(1, n - 2) for i in range(n - 1)]
    return _default_first([{name: float(f"{10**exponent:.3g}")} for exponent in exponents], n)


def crossed_grid(values: Mapping[str, Sequence[Any]], n: int) -> list[Settings]:
    """Return the default, then combinations of values: next is always that of values and pairs that came up least.

    So few of them have each value about as often as any other, and what a short list has a longer one has too.
    """
    ahead = [tuple(enumerate(chosen)) for chosen in product(*values.values())]
    chosen: list[Settings] = []
    seen: Counter[Any] = Counter()

    def familiar(combination: tuple[Any, ...]) -> tuple[int, int]:
        return sum(seen[value] for value in combination), sum(seen[pair] for pair in combinations(combination, 2))

    while ahead and len(chosen) < n - 1:
        best = min(ahead, key=familiar)
        ahead.remove(best)
        seen.update([*best, *combinations(best, 2)])
        chosen.append(dict(zip(values, (value for _, value in best), strict=True)))
    return _default_first(chosen, n)


def _default_first(settings: list[Settings], n: int) -> list[Settings]:
    distinct: list[Settings] = [{}]
    distinct += [setting for i, setting in enumerate(settings) if setting not in settings[:i]]
    return distinct[:n]
