"""What the columns of a table are, for rivals that cannot read all kinds of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

MISSING = "missing"  # as a category


def is_text(column: pd.Series) -> bool:
    """Whether a column has categories; numbers and truth values are no texts."""
    return not (pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column))


def to_texts(column: pd.Series) -> npt.NDArray[np.object_]:
    """Cells as text, with missing ones as a category of their own."""
    cells = np.asarray(column, dtype=object)
    missing = pd.isna(cells)
    texts = [MISSING if is_missing else str(cell) for cell, is_missing in zip(cells, missing, strict=True)]
    return np.array(texts, dtype=object)


def to_floats(column: pd.Series) -> npt.NDArray[np.float64]:
    """Numbers and truth values as floats, with missing ones as NaN."""
    return np.asarray(column, dtype=np.float64)


def categories(cells: npt.NDArray[np.object_]) -> list[str]:
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


def shortened(lines: Sequence[str], most: int = 4000) -> str:
    """Lines to read, with the last ones left out where they are too many."""
    text = "\n".join(lines)
    if len(text) <= most:
        return text
    kept: list[str] = []
    for line in lines:
        if sum(len(other) + 1 for other in kept) + len(line) > most - 40:
            break
        kept.append(line)
    return "\n".join([*kept, f"… and {len(lines) - len(kept)} more lines"])
