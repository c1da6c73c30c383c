"""Rows on a cluster: partitions of Dask, whose rows and bits stay with the workers; only sums are sent."""

import logging
from collections.abc import Callable, Collection, Sequence
from functools import partial, reduce
from operator import add
from typing import Any, TypeVar

import dask
import numpy as np
from dask import delayed

from imli.errors import UnknownColumnError
from imli.learning.rows.coreset import Core
from imli.learning.rows.packing import PackedPart, PackedRows, Packing
from imli.table.findings import Finding
from imli.table.frame import Frame, IntArray
from imli.table.read import as_frame
from imli.table.sample import Sample, make_sample

Found = TypeVar("Found")
_TOGETHER = 8  # answers that are merged at a time, so that no single worker has to hold those of all
_log = logging.getLogger("imli")


class DaskEngine:
    """An engine for all partitions at once, with the scheduler of a client of Dask or threads of this process.

    The table is a data frame or an array of Dask; labels and weights are columns of it, or series or arrays beside it.
    """

    def __init__(self, X: Any, y: Any, weight: Any) -> None:
        self.has_names = hasattr(X, "columns")
        if not self.has_names:
            X = X.rechunk({1: -1}) if X.ndim == 2 else X
            if X.ndim != 2:
                raise ValueError(f"An array to learn from must have rows and columns. Got {X.ndim} dimensions.")
        known = tuple(map(str, X.columns)) if self.has_names else tuple(f"x{j}" for j in range(X.shape[1]))
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
        self.X, self.y, self.weight = X, y, weight
        self._beside = tuple(given for given in (y, weight) if isinstance(given, str))
        self.names = tuple(name for name in known if name not in self._beside)
        self.target = y if isinstance(y, str) else getattr(y, "name", None) if self.has_names else None
        self.is_weighted = weight is not None
        self._packed: PackedOnCluster | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        return ()

    def gather(
        self,
        ask: Callable[[Sample], Found],
        merge: Callable[[Found, Found], Found],
        columns: Collection[str] | None = None,
    ) -> Found:
        found: Found | None = _compute(_merged(_asked(ask, self._pieces(columns)), merge))
        if found is None:
            raise ValueError("The data has no rows.")
        return found

    def pack(self, packing: Packing) -> "PackedOnCluster":
        self.close()  # only the newest literals are used
        pairs = _asked(packing, self._pieces())
        parts = [delayed(_item)(pair, 0) for pair in pairs]
        cores = _merged([delayed(_item)(pair, 1) for pair in pairs], Core.merge)
        *parts, core = dask.persist(*parts, cores)
        self._packed = PackedOnCluster(parts, _compute(core))
        return self._packed

    def close(self) -> None:
        if self._packed is not None:
            self._packed.close()
            self._packed = None

    def _pieces(self, columns: Collection[str] | None = None) -> list[Any]:
        """Return a delayed piece for each partition, with all columns or with these."""
        wanted = tuple(name for name in self.names if columns is None or name in columns)
        tables = _partitions(self.X[[*wanted, *self._beside]] if self.has_names else self.X)
        nothing = [None] * len(tables)
        labels = nothing if isinstance(self.y, str) else _partitions(self.y)
        weights = nothing if isinstance(self.weight, str | None) else _partitions(self.weight)
        named = {what: given for what, given in (("target", self.y), ("weight", self.weight)) if isinstance(given, str)}
        make = delayed(partial(_make_piece, names=self.names, wanted=wanted, **named), traverse=False)
        return [delayed(_call)(make, *each) for each in zip(tables, labels, weights, strict=True)]


def _make_piece(
    table: Any,
    labels: Any,
    weights: Any,
    names: tuple[str, ...],
    wanted: tuple[str, ...],
    target: str | None = None,
    weight: str | None = None,
) -> Sample | None:
    """Return the rows of a partition; ``names`` are those of all columns, which an array does not have."""
    if not len(table):
        return None
    frame = as_frame(table) if hasattr(table, "columns") else as_frame(table).renamed(names)
    labels = frame[target] if target is not None else labels
    if weight is not None:
        weights = np.where(frame[weight].missing, np.nan, frame[weight].numbers())
    chosen = frame.select(wanted) if wanted else Frame({}, frame.n_rows)
    return make_sample(chosen, labels, weights, target)


class PackedOnCluster(PackedRows):
    """Bits of partitions, each in the memory of the worker that made them."""

    def __init__(self, parts: Sequence[Any], core: Core) -> None:
        super().__init__()
        self._parts, self.seen = _by_worker(parts), core

    def total(self, sums: Callable[[PackedPart], IntArray]) -> IntArray:
        # each worker adds up its own first, so that what is sent grows with the workers, and not with the parts
        shared = delayed(sums, traverse=False)
        of_workers = [_merged([delayed(_call)(shared, part) for part in parts], add) for parts in self._parts]
        found: IntArray = _compute(_merged(of_workers, add))
        return found

    def close(self) -> None:
        self._parts = []


def decide_partitions(
    X: Any, names: tuple[str, ...], columns: Collection[str], decide: Callable[[Frame], Any], target: str | None
) -> Any:
    """Return a lazy series of decisions for a data frame of Dask, or an array for an array."""
    if not hasattr(X, "columns"):
        deciding = partial(_decide_array, names=names, decide=decide)
        return X.rechunk({1: -1}).map_blocks(deciding, drop_axis=1, dtype=deciding(np.zeros((0, len(names)))).dtype)
    for name in columns:
        if name not in X.columns:
            raise UnknownColumnError.named(name, tuple(X.columns))
    some = X[list(columns) or list(X.columns)[:1]]
    deciding = partial(_decide_frame, decide=decide, target=target)
    return some.map_partitions(deciding, meta=deciding(some._meta))


def _decide_array(rows: Any, names: tuple[str, ...], decide: Callable[[Frame], Any]) -> Any:
    return decide(as_frame(rows).renamed(names))


def _decide_frame(table: Any, decide: Callable[[Frame], Any], target: str | None) -> Any:
    import pandas as pd  # as Dask's data frames do

    return pd.Series(decide(as_frame(table)), index=table.index, name=target)


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
    return [delayed(_call)(shared, piece) for piece in pieces]


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


def _call(function: Callable[..., Any], piece: Any, *others: Any) -> Any:
    """Call the function, unless the piece has no rows."""
    return None if piece is None else function(piece, *others)


def _merge(merge: Callable[[Any, Any], Any], answers: list[Any]) -> Any:
    found = [answer for answer in answers if answer is not None]
    return reduce(merge, found) if found else None


def _item(pair: tuple[PackedPart, Core] | None, place: int) -> PackedPart | Core | None:
    return None if pair is None else pair[place]
