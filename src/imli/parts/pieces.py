"""A table in pieces: where they come from, and what each of them is."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from imli.arrays import AnyArray, FloatArray
from imli.frames import Frame, is_missing, read_labels


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows that weigh something, with a label and a weight for each."""

    frame: Frame
    labels: AnyArray
    weights: FloatArray


class Source(Protocol):
    """A table that is read piece by piece, and as often as need be: always the same rows in the same order."""

    names: tuple[str, ...]  # of the columns that rules may look at
    is_weighted: bool

    @property
    def target(self) -> str | None:
        """The column of the labels."""

    def pieces(self, columns: Collection[str] | None = None) -> Iterator[Piece]:
        """All rows, with all columns or with these."""

    def close(self) -> None:
        """Let go of what it holds."""


def make_piece(frame: Frame, labels: Any, weights: Any) -> Piece:
    """Check labels and weights; rows of weight 0 are as if absent."""
    found = read_labels(labels)
    missing = _missing(found)
    if missing.any():
        raise ValueError(f"Input y contains NaN: {missing.sum()} labels are missing in one part. Drop those rows.")
    if weights is None:
        return Piece(frame, found, np.ones(frame.n_rows))
    numbers = np.asarray(weights, dtype=np.float64)
    if not np.isfinite(numbers).all() or (numbers < 0).any():
        raise ValueError("The weights must be finite and not negative.")
    in_use = numbers > 0
    if in_use.all():
        return Piece(frame, found, numbers)
    return Piece(frame.take(in_use), found[in_use], numbers[in_use])


def _missing(labels: AnyArray) -> AnyArray:
    if labels.dtype.kind == "f":
        return np.isnan(labels)
    if labels.dtype.kind == "O":
        return np.array([is_missing(label) for label in labels.tolist()], dtype=bool)
    return np.zeros(len(labels), dtype=bool)
