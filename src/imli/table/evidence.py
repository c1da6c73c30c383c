"""Evidence: what all cells of a column say about how they are to be read, in counts that add up over parts."""

from collections import Counter
from collections.abc import Callable, Collection
from functools import cached_property
from typing import Any

import numpy as np

from imli.table.csv_cells import DAY, Texts, count_empty, distinct, parse_each, read_plain, without
from imli.table.readings import (
    CODE_ZERO,
    MISSING,
    NumberShape,
    has_digits,
    is_infinite,
    number_shape,
    read_clock,
    read_day,
    read_formatted,
)

_MOST_SHAPES = 5000  # that are told apart; numbers and dates have fewer
_OTHER = "\0"  # the shape that stands for those that are not told apart
_FEW = 20  # texts of eight digits that tell whether these may be days
COMPACT_DAY = "00000000"


class Evidence:
    """Counts of the shapes and days among the cells of a column, which add up over the parts of a table."""

    def __init__(self, missing: Collection[str], date_format: str = "") -> None:
        self.missing, self._format = missing, date_format
        self._numeric = list(filter(has_digits, missing))
        self.shapes: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self.days: Counter[str] = Counter()
        self.clocks: Counter[str] = Counter()
        self.known: list[Any] = []  # each part as pyarrow has read it, None where it has not
        self.n_blank = self.n_formatted = self.n_plain_days = 0

    def add(self, cells: Any, keeps: bool = False) -> None:
        """Count the cells of another part, and maybe keep what pyarrow makes of them."""
        cells = without(cells, self._numeric)
        n_empty = count_empty(cells)
        plain = read_plain(cells) if n_empty < len(cells) else ("", None)
        self.known.append(None if plain is None or not keeps else plain[1])
        if plain is not None:
            if plain[0] == DAY:
                self.n_plain_days += len(cells) - n_empty
            elif plain[0]:
                self.shapes[plain[0]] += len(cells) - n_empty
                self.examples.setdefault(plain[0], plain[0])
            return
        texts = distinct(cells)
        counts = texts.counts
        found = np.bincount(texts.shape_codes, weights=counts, minlength=len(texts.shapes)).astype(np.int64)
        largest = np.argsort(-found, kind="stable")[:_MOST_SHAPES]
        self.shapes[_OTHER] += int(found.sum() - found[largest].sum())
        firsts = np.full(len(found), -1)
        firsts[texts.shape_codes[::-1]] = np.arange(len(counts))[::-1]
        for place, example in zip(largest.tolist(), texts.words(firsts[largest]), strict=True):
            self.shapes[texts.shapes[place]] += int(found[place])
            self.examples.setdefault(texts.shapes[place], example)
        self.n_blank += max(0, self.shapes.pop("", 0) + int(cells.null_count or 0) - n_empty)
        self._count_days(texts, counts)

    def _count_days(self, texts: Texts, counts: Any) -> None:
        if self._format:
            self.n_formatted += int(counts[parse_each(texts, lambda text: read_formatted(text, self._format))[1]].sum())
        for shape, rows, days, clocks in texts.days_and_clocks():
            if shape == COMPACT_DAY and not parse_each(days.first(_FEW), lambda text: read_day(text, "ymd"))[1].all():
                continue
            for part, counter in ((days, self.days), (clocks, self.clocks)):
                if part is not None:
                    found = np.bincount(part.codes, weights=counts[rows], minlength=len(part.texts))
                    counter.update(dict(zip(part.texts.to_pylist(), found.astype(int).tolist(), strict=True)))

    @cached_property
    def n_present(self) -> int:
        """Return the number of cells that are not missing by what they say."""
        return sum(self.shapes.values()) + self.n_plain_days - self.n_missing

    @cached_property
    def n_missing(self) -> int:
        """Return the number of cells with a text that stands for missing ones."""
        return sum(self.shapes[text] for text in self.missing if text)

    @cached_property
    def told(self) -> dict[str, int]:
        """Return the number of missing cells with each text of which a person should know that it is missing."""
        blank = {" ": self.n_blank} if self.n_blank else {}
        return blank | {text: self.shapes[text] for text in MISSING if text in self.missing and self.shapes[text]}

    @cached_property
    def words(self) -> dict[str, int]:
        """Return the number of cells with each text that is not missing, if it has no digits."""
        return {
            shape: count
            for shape, count in self.shapes.items()
            if count and shape not in self.missing and "0" not in shape
        }

    @cached_property
    def numbers(self) -> dict[str, tuple[NumberShape, int]]:
        """Return the shapes of numbers with their numbers of cells."""
        found = {shape: (number_shape(shape), count) for shape, count in self.shapes.items() if count}
        return {shape: (number, count) for shape, (number, count) in found.items() if number is not None}

    @cached_property
    def n_infinite(self) -> int:
        """Return the number of infinite numbers."""
        return sum(count for shape, count in self.shapes.items() if is_infinite(shape))

    def count_days(self, order: str) -> int:
        """Return the number of cells with a date, if its day and month come in this order."""
        n_odd = sum(count for text, count in self.clocks.items() if not fits(read_clock, text))
        n_days = sum(count for text, count in self.days.items() if fits(read_day, text, order))
        return max(0, n_days - n_odd) + self.n_plain_days

    @cached_property
    def n_codes(self) -> int:
        """Return the number of cells with digits alone that begin with a zero."""
        return sum(count for shape, count in self.shapes.items() if is_code(shape))


def is_code(shape: str) -> bool:
    """Return True for the shape of digits that begin with a zero."""
    return shape[:1] == CODE_ZERO and set(shape[1:]) == {"0"}


def fits(read: Callable[..., int], *arguments: str) -> bool:
    """Return True if a function reads a text."""
    try:
        read(*arguments)
    except (ValueError, OverflowError, KeyError):
        return False
    return True
