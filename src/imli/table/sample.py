"""Samples: rows with labels and weights; and sources: tables in files that are read as samples."""

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from imli.errors import UnknownColumnError, brief
from imli.table.findings import Finding
from imli.table.frame import AnyArray, BoolArray, Column, FloatArray, Frame, IntArray, Value, stacked
from imli.table.read import is_dataset, is_on_cluster, missing_labels, read_labels
from imli.table.readings import Reading

UIntArray = NDArray[np.uint64]


@contextmanager
def _refusing_infinite_sums() -> Iterator[None]:
    """Raise ValueError where weights add up to more than a float can hold."""
    try:
        yield
    except OverflowError:
        raise ValueError("The weights add up to over 1e308, which is too much. Divide them by a constant.") from None


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample:
    """Rows of positive weight, each with its class as a position in ``classes``.

    ``frame`` has the columns that a rule may use, ``target`` is the name of the column that held the labels.
    ``origins`` has the position of each row in the table that it was taken from; None if no row was left out.
    """

    frame: Frame
    classes: tuple[Value, ...]
    positions: IntArray
    weights: FloatArray
    target: str | None = None
    origins: IntArray | None = None
    stand_for: float = 1.0  # rows for each of these, if others were dropped
    left_out: frozenset[str] = frozenset()  # columns that a rule may use only if they are asked for

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return self.frame.n_rows

    @cached_property
    def weight(self) -> float:
        """Return the sum of all weights."""
        with _refusing_infinite_sums():
            return math.fsum(self.class_weights)

    @cached_property
    def class_weights(self) -> list[float]:
        """Return the sum of the weights of each class, rounded once, so that the order of rows does not matter."""
        with _refusing_infinite_sums():
            if self.weights.size and self.weights.min() == self.weights.max():
                counts = np.bincount(self.positions, minlength=len(self.classes))
                return [float(Fraction(float(self.weights[0])) * int(n)) for n in counts]
            return [math.fsum(self.weights[self.positions == label]) for label in range(len(self.classes))]

    @property
    def row_weight(self) -> float:
        """Return the weight of one row: 1 if all weights are whole numbers, which repeat rows, else their mean."""
        distinct = np.unique(self.weights[:1] if self.weights.strides == (0,) else self.weights)
        is_whole = bool((distinct == np.floor(distinct)).all())
        return 1.0 if is_whole else self.weight / self.n_rows

    @property
    def class_names(self) -> AnyArray:
        """Return the classes as an array."""
        plain = np.array(self.classes)
        if plain.tolist() != list(self.classes):  # NumPy would make text of mixed values
            plain = np.empty(len(self.classes), dtype=object)
            plain[:] = self.classes
        return plain

    @property
    def labels(self) -> AnyArray:
        """Return the class of each row, by name."""
        labels: AnyArray = self.class_names[self.positions]
        return labels

    def positions_among(self, classes: AnyArray) -> IntArray:
        """Return the position of the class of each row in ``classes``, which are in ascending order."""
        places: IntArray = np.searchsorted(classes, self.class_names).astype(np.int64)
        return places[self.positions]

    def take(self, rows: AnyArray) -> "Sample":
        """Return the rows at these positions, or where this mask is true."""
        origins = np.arange(self.n_rows) if self.origins is None else self.origins
        return replace(
            self,
            frame=self.frame.take(rows),
            positions=self.positions[rows],
            weights=self.weights[rows],
            origins=origins[rows],
        )

    def above(self, other: "Sample") -> "Sample":
        """Return the rows followed by those of another sample, which has the same columns and classes."""
        origins = None if self.origins is None or other.origins is None else np.append(self.origins, other.origins)
        return replace(
            self,
            frame=stacked(self.frame, other.frame),
            positions=np.concatenate([self.positions, other.positions]),
            weights=np.concatenate([self.weights, other.weights]),
            origins=origins,
        )


def least_rows(sample: Sample, n_rows: int, seed: int = 0) -> Sample:
    """Return so many rows at most, those of least hash, in the order of the hashes of their cells."""
    keys = fingerprints(sample.frame, seed)
    if len(keys) > n_rows:  # most are not worth sorting
        near = np.flatnonzero(keys <= np.partition(keys, n_rows - 1)[n_rows - 1])
        sample, keys = sample.take(near), keys[near]
    order = np.lexsort((sample.weights, sample.positions, keys))
    return sample.take(order[:n_rows])


def fingerprints(frame: Frame, seed: int) -> UIntArray:
    """Return a number for each row that depends only on the seed and on its cells."""
    keys = np.full(frame.n_rows, seed, dtype=np.uint64)
    for column in frame.columns.values():
        keys = _mixed(keys * np.uint64(0x9E3779B97F4A7C15) + _column_keys(column))
    return keys


def _column_keys(column: Column) -> UIntArray:
    if column.kind == "text":
        digests = [blake2b(name.encode(errors="surrogatepass"), digest_size=8).digest() for name in column.categories]
        named = np.frombuffer(b"".join(digests) or bytes(8), dtype="<u8").astype(np.uint64)
        keys = named[np.where(column.missing, 0, column.values)]
    else:
        keys = (column.values.astype(np.float64) + 0.0).view(np.uint64)  # -0.0 is 0.0
    return _mixed(np.where(column.missing, np.uint64(1), keys))


def _mixed(keys: UIntArray) -> UIntArray:
    """Mix the bits, as in splitmix64, so that each depends on all."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: UIntArray = keys ^ (keys >> np.uint64(31))
    return mixed


def make_sample(frame: Frame, labels: Any, weights: Any, target: str | None = None) -> Sample:
    """Check labels and weights, and return the rows whose weight is not 0, with the classes that they have."""
    column = labels if isinstance(labels, Column) and labels.kind == "text" else None
    found = read_labels(labels) if column is None else column.values
    missing = missing_labels(found) if column is None else column.missing
    if missing.any():
        raise ValueError(f"Input y contains NaN: {missing.sum()} labels are missing in one part. Drop those rows.")
    numbers = np.ones(frame.n_rows) if weights is None else np.asarray(weights, dtype=np.float64)
    if not np.isfinite(numbers).all() or (numbers < 0).any():
        raise ValueError("The weights must be finite and not negative.")
    in_use = numbers > 0
    if not in_use.all():
        frame, found, numbers = frame.take(in_use), found[in_use], numbers[in_use]
    values, positions = np.unique(found, return_inverse=True)
    classes = values.tolist() if column is None else [column.categories[code] for code in values]
    return Sample(
        frame=frame, classes=tuple(classes), positions=positions.astype(np.int64), weights=numbers, target=target
    )


def _known(labels: Any, there: BoolArray) -> Any:
    """Return the labels of some rows."""
    if isinstance(labels, Column):
        return labels.take(there)
    return labels[there] if isinstance(labels, np.ndarray) else read_labels(labels)[there]


def unlabelled(target: str, n_missing: int, n_rows: int) -> Finding:
    """Return the finding that so many rows have no label."""
    text = f"{n_missing:,} of {n_rows:,} rows have no {brief(target)}, and are left out."
    if n_missing == 1:
        text = f"1 of {n_rows:,} rows has no {brief(target)}, and is left out."
    return Finding("target", (target,), text, "", "notable")


class Source(ABC):
    """A table in files that is read as often as needed, always with the same rows in the same order."""

    title: str  # as messages call it
    target: str | None = None  # the column of labels, and the one of weights
    weight: str | None = None
    _unlabelled: tuple[Finding, ...] = ()  # about rows without a label, if all labels were read
    place = ""  # the file that is being read, in words, if there are several

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return what is to be known about how the cells were read, as far as they have been."""
        return self._unlabelled

    @property
    def readings(self) -> dict[str, Reading]:
        """Return how the cells of the columns that were read have been read, if they are text."""
        return {}

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Return the names of all columns."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Return the number of rows."""

    @property
    @abstractmethod
    def n_cells(self) -> int:
        """Return the number of rows times columns, or an estimate if only reading the table would tell."""

    @abstractmethod
    def rows(
        self, columns: Collection[str], keep: Sequence[str] = (), at_once: bool = False
    ) -> Iterator[tuple[Frame, Any]]:
        """Yield part by part, or all at once, a frame of some columns, and a table of those to keep as they are."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns that rules may use."""
        return tuple(name for name in self.columns if name not in (self.target, self.weight))

    @property
    def is_weighted(self) -> bool:
        """Return True if a column says what each row weighs."""
        return self.weight is not None

    def labelled(self, target: str, weight: str | None = None) -> Self:
        """Return this source with a column of labels, and maybe one of weights."""
        self.require([target, *([] if weight is None else [weight])])
        found = copy(self)
        found.target, found.weight = target, weight
        return found

    def require(self, columns: Iterable[str]) -> None:
        """Refuse columns that the table does not have."""
        known = set(self.columns)
        for name in columns:
            if name not in known:
                raise UnknownColumnError.named(name, self.columns)

    def frame(self, columns: Collection[str] | None = None) -> Frame:
        """Return all rows, with all columns or with these."""
        wanted = self.columns if columns is None else columns
        self.require(wanted)
        ((frame, _),) = self.rows(frozenset(wanted), at_once=True)
        return frame

    def samples(self, columns: Collection[str] | None = None) -> Iterator[Sample]:
        """Yield all rows part by part, with all columns that rules may use or with these."""
        wanted = [name for name in self.names if columns is None or name in columns]
        beside = [] if self.weight is None else [self.weight]
        n_rows = n_missing = 0
        for frame, labels in self._labelled_frames([*wanted, *beside]):
            gone = labels.missing if isinstance(labels, Column) else missing_labels(read_labels(labels))
            n_rows, n_missing = n_rows + frame.n_rows, n_missing + int(gone.sum())
            if gone.any():
                frame, labels = frame.take(~gone), _known(labels, ~gone)
            yield make_sample(frame.select(wanted), labels, self._weights_in(frame), self.target)
        self.leave_out(n_missing, n_rows)

    def leave_out(self, n_missing: int, n_rows: int) -> None:
        """Note that so many rows have no label, or refuse to go on if that is true of all."""
        if not n_missing:
            return
        if n_missing == n_rows:
            raise ValueError(
                f"Column {brief(self.target)} is missing in all {n_rows:,} rows, so there is nothing to learn."
            )
        self._unlabelled = (unlabelled(str(self.target), n_missing, n_rows),)

    @abstractmethod
    def _labelled_frames(self, columns: Collection[str]) -> Iterator[tuple[Frame, Any]]:
        """Yield part by part a frame of some columns, and the labels beside it."""

    def _weights_in(self, frame: Frame) -> AnyArray | None:
        if self.weight is None:
            return None
        column = frame[self.weight]
        if column.kind not in ("number", "flag"):
            raise ValueError(f"Weights are numbers, but column {self.weight!r} holds {column.kind_in_words}.")
        return np.where(column.missing, np.nan, column.numbers())

    def close(self) -> None:  # noqa: B027 most have nothing to remove
        """Remove what was written for this source."""


def is_large(X: Any) -> bool:
    """Return True if a table is read in parts: paths, a dataset of pyarrow, an iterator of frames, or one of Dask."""
    if isinstance(X, str | Path | Source):
        return True
    if isinstance(X, list | tuple):
        return bool(X) and all(isinstance(each, str | Path) for each in X)
    return is_dataset(X) or isinstance(X, Iterator) or is_on_cluster(X)
