"""Rows on a cluster: partitions of Dask, whose rows and bits stay with the workers; only sums are sent."""

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any, TypeVar

import dask
import numpy as np
from dask import delayed

from imli.errors import UnknownColumnError
from imli.learning.rows.coreset import Core
from imli.learning.rows.packing import PackedPart, PackedRows, Packing, Sums
from imli.table.frame import Frame, IntArray
from imli.table.read import as_frame
from imli.table.sample import Sample, make_sample

Found = TypeVar("Found")
_TOGETHER = 8  # answers that are merged at a time, so that no single worker has to hold those of all
_log = logging.getLogger("imli")


@dataclass(eq=False)
class DaskEngine:
    """An engine for all partitions at once, with the scheduler of a client of Dask or threads of this process."""

    table: "DaskTable"
    _packed: "list[PackedOnCluster]" = field(default_factory=list)

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any) -> "DaskEngine":
        return cls(DaskTable.of(X, y, sample_weight))

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.names

    @property
    def has_names(self) -> bool:
        return self.table.is_frame

    @property
    def target(self) -> str | None:
        return self.table.target

    @property
    def is_weighted(self) -> bool:
        return self.table.weight is not None

    def gather(
        self,
        ask: Callable[[Sample], Found],
        merge: Callable[[Found, Found], Found],
        columns: Collection[str] | None = None,
    ) -> Found:
        found: Found | None = _compute(_merged(_asked(ask, self.table.pieces(columns)), merge))
        if found is None:
            raise ValueError("The data has no rows.")
        return found

    def pack(self, packing: Packing) -> "PackedOnCluster":
        self.close()  # only the newest literals are used
        pairs = _asked(packing, self.table.pieces())
        parts = [delayed(_first)(pair) for pair in pairs]
        cores = _merged([delayed(_second)(pair) for pair in pairs], Core.merge)
        *parts, core = dask.persist(*parts, cores)
        packed = PackedOnCluster(parts, _compute(core))
        self._packed.append(packed)
        return packed

    def close(self) -> None:
        while self._packed:
            self._packed.pop().close()


class PackedOnCluster(PackedRows):
    """Bits of partitions, each in the memory of the worker that made them."""

    def __init__(self, parts: Sequence[Any], core: Core) -> None:
        super().__init__()
        self._parts, self.seen = _by_worker(parts), core

    def total(self, sums: Sums) -> IntArray:
        # each worker adds up its own first, so that what is sent grows with the workers, and not with the parts
        shared = delayed(sums, traverse=False)
        of_workers = [_merged([delayed(_call_unless_empty)(shared, part) for part in parts], add)
                      for parts in self._parts]  # fmt: skip
        found: IntArray = _compute(_merged(of_workers, add))
        return found

    def close(self) -> None:
        self._parts = []


@dataclass(frozen=True, eq=False)
class DaskTable:
    """A data frame or an array of Dask; labels and weights are columns of it, or series or arrays beside it."""

    X: Any
    y: Any
    weight: Any
    names: tuple[str, ...]
    is_frame: bool

    @classmethod
    def of(cls, X: Any, y: Any, weight: Any) -> "DaskTable":
        is_frame = hasattr(X, "columns")
        if not is_frame:
            X = X.rechunk({1: -1}) if X.ndim == 2 else X
            if X.ndim != 2:
                raise ValueError(f"An array to learn from must have rows and columns. Got {X.ndim} dimensions.")
        known = tuple(map(str, X.columns)) if is_frame else tuple(f"x{j}" for j in range(X.shape[1]))
        for what, given in (("y", y), ("sample_weight", weight)):
            if isinstance(given, str) and given not in known:
                raise UnknownColumnError.named(given, known)
            if not isinstance(given, str) and given is not None and _n_partitions(given) != _n_partitions(X):
                raise ValueError(
                    f"{what} must be the name of a column, or of Dask with the partitions of the table, of which there "
                    f"are {_n_partitions(X)}. Got {_n_partitions(given) or type(given).__name__}."
                )
        if y is None:
            raise ValueError("There is nothing to learn without y: the name of a column, or labels of Dask.")
        beside = {given for given in (y, weight) if isinstance(given, str)}
        return cls(X, y, weight, tuple(name for name in known if name not in beside), is_frame)

    @property
    def target(self) -> str | None:
        return self.y if isinstance(self.y, str) else getattr(self.y, "name", None) if self.is_frame else None

    def pieces(self, columns: Collection[str] | None = None) -> list[Any]:
        """Return a delayed piece for each partition, with all columns or with these."""
        wanted = tuple(name for name in self.names if columns is None or name in columns)
        beside = tuple(given for given in (self.y, self.weight) if isinstance(given, str))
        tables = _partitions(self.X[[*wanted, *beside]] if self.is_frame else self.X)
        nothing = [None] * len(tables)
        labels = nothing if isinstance(self.y, str) else _partitions(self.y)
        weights = nothing if isinstance(self.weight, str | None) else _partitions(self.weight)
        make = _PieceMaker(self.names, wanted, *(given if isinstance(given, str) else None
                                                 for given in (self.y, self.weight)))  # fmt: skip
        shared = delayed(make, traverse=False)
        return [delayed(_call)(shared, *each) for each in zip(tables, labels, weights, strict=True)]


def decide_partitions(
    X: Any, names: tuple[str, ...], columns: Collection[str], decide: Callable[[Frame], Any], target: str | None
) -> Any:
    """Return a lazy series of decisions for a data frame of Dask, or an array for an array."""
    if not hasattr(X, "columns"):
        known = X.rechunk({1: -1})
        return known.map_blocks(_DecidingArray(names, decide), drop_axis=1, dtype=decide(_no_rows(names)).dtype)
    for name in columns:
        if name not in X.columns:
            raise UnknownColumnError.named(name, tuple(X.columns))
    deciding = _DecidingFrame(decide, target)
    some = X[list(columns) or list(X.columns)[:1]]
    return some.map_partitions(deciding, meta=deciding(some._meta))


@dataclass(frozen=True, eq=False)
class _DecidingFrame:
    decide: Callable[[Frame], Any]
    target: str | None

    def __call__(self, table: Any) -> Any:
        import pandas as pd  # as Dask's data frames do

        return pd.Series(self.decide(as_frame(table)), index=table.index, name=self.target)


@dataclass(frozen=True, eq=False)
class _DecidingArray:
    names: tuple[str, ...]
    decide: Callable[[Frame], Any]

    def __call__(self, rows: Any) -> Any:
        return self.decide(as_frame(rows).renamed(self.names))


def _no_rows(names: tuple[str, ...]) -> Frame:
    return as_frame(np.zeros((0, len(names)))).renamed(names)


@dataclass(frozen=True)
class _PieceMaker:
    names: tuple[str, ...]  # of all columns, which an array does not have
    wanted: tuple[str, ...]
    target: str | None
    weight: str | None

    def __call__(self, table: Any, labels: Any, weights: Any) -> Sample | None:
        if not len(table):
            return None
        frame = as_frame(table) if hasattr(table, "columns") else as_frame(table).renamed(self.names)
        labels = frame[self.target] if self.target is not None else labels
        if self.weight is not None:
            weights = np.where(frame[self.weight].missing, np.nan, frame[self.weight].numbers())
        chosen = frame.select(self.wanted) if self.wanted else Frame({}, frame.n_rows)
        return make_sample(chosen, labels, weights, self.target)


def _n_partitions(given: Any) -> int | None:
    """Return the number of partitions of a frame, a series or the rows of an array; None if it is not of Dask."""
    if hasattr(given, "npartitions") and hasattr(given, "dask"):
        return len(given.chunks[0]) if hasattr(given, "chunks") else int(given.npartitions)
    return None


def _partitions(given: Any) -> list[Any]:
    return list(np.ravel(given.to_delayed()))


def _asked(ask: Callable[[Any], Any], pieces: Sequence[Any]) -> list[Any]:
    """Apply ``ask`` to each piece. It is sent to each worker once, whatever its size."""
    shared = delayed(ask, traverse=False)
    return [delayed(_call_unless_empty)(shared, piece) for piece in pieces]


def _merged(answers: list[Any], merge: Callable[[Any, Any], Any]) -> Any:
    while len(answers) > 1:
        some = [answers[begin : begin + _TOGETHER] for begin in range(0, len(answers), _TOGETHER)]
        answers = [delayed(_merge)(merge, group) for group in some]
    return answers[0]


def _compute(wanted: Any) -> Any:
    """Return the result, and log the workers that were lost meanwhile."""
    before = _workers()
    (found,) = dask.compute(wanted)
    for address in sorted(before - _workers()):
        _log.warning("Worker %s is gone. Dask made anew what it held of the rows; the rule stays the same.", address)
    return found


def _workers() -> set[str]:
    client = _client()
    return set() if client is None else set(client.nthreads())


def _by_worker(parts: Sequence[Any]) -> list[list[Any]]:
    """Group the parts by the worker that holds them. If one is lost, only more is sent."""
    client, found = _client(), dict[str, list[Any]]()
    holders = {} if client is None else client.who_has()
    for part in parts:
        found.setdefault(min(holders.get(part.key, ()), default=""), []).append(part)
    return list(found.values())


def _client() -> Any:
    try:
        from distributed import get_client

        return get_client()
    except (ImportError, ValueError):  # there is none
        return None


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def _call_unless_empty(function: Callable[[Any], Any], piece: Any) -> Any:
    return None if piece is None else function(piece)


def _merge(merge: Callable[[Any, Any], Any], answers: list[Any]) -> Any:
    found = [answer for answer in answers if answer is not None]
    return reduce(merge, found) if found else None


def _first(pair: tuple[PackedPart, Core] | None) -> PackedPart | None:
    return None if pair is None else pair[0]


def _second(pair: tuple[PackedPart, Core] | None) -> Core | None:
    return None if pair is None else pair[1]
