"""What is asked of a piece about a rule, or about a few of its columns."""

from dataclasses import dataclass

import numpy as np

from imli.arrays import AnyArray
from imli.binarize import Window
from imli.parts.pieces import Piece
from imli.rules import Rule
from imli.rules.counts import Counts, count_rows
from imli.valuecounts import ValueCounts


@dataclass(frozen=True, eq=False)
class Counting:
    """Counts the rows of a piece by clause and class."""

    rule: Rule
    classes: AnyArray
    names: tuple[bool | int | float | str, ...]  # of the classes

    def __call__(self, piece: Piece) -> Counts:
        positions = np.searchsorted(self.classes, piece.labels).astype(np.int64)
        return count_rows(self.rule, self.rule.holds_in(piece.frame), positions, self.names, piece.weights)


@dataclass(frozen=True, eq=False)
class Covering:
    """Counts the rows that each clause speaks for; a row counts once, whatever it weighs."""

    rule: Rule

    def __call__(self, piece: Piece) -> list[int]:
        covered = self.rule.coverage(self.rule.holds_in(piece.frame), piece.frame.n_rows)
        return [int(rows.sum()) for rows in covered]

    @staticmethod
    def merge(first: list[int], second: list[int]) -> list[int]:
        return [one + other for one, other in zip(first, second, strict=True)]


@dataclass(frozen=True, eq=False)
class Zooming:
    """Looks closer at the numbers between neighbouring thresholds. ``scale`` makes whole units of weights."""

    windows: tuple[Window, ...]
    scale: int

    def __call__(self, piece: Piece) -> list[ValueCounts]:
        units = np.round(piece.weights * self.scale).astype(np.int64)
        return [window.counts(piece.frame, units) for window in self.windows]

    @staticmethod
    def merge(first: list[ValueCounts], second: list[ValueCounts]) -> list[ValueCounts]:
        return [one.merge(other) for one, other in zip(first, second, strict=True)]
