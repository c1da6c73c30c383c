"""Rows on disk: this machine reads pieces one after the other, and keeps their bits in a temporary file."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import reduce
from math import inf
from tempfile import TemporaryFile
from time import monotonic
from typing import Any, TypeVar

import numpy as np

from imli.learning.answer import Progress
from imli.learning.rows.coreset import Core
from imli.learning.rows.packing import PackedPart, PackedRows, Packing
from imli.table.findings import Finding
from imli.table.frame import IntArray
from imli.table.sample import Sample, Source

Given = TypeVar("Given")
Found = TypeVar("Found")
_LINE = 64  # bytes, at a multiple of which bits begin
_OFTEN = 1.0  # seconds from one report of progress to the next


class LocalEngine:
    """An engine with a few threads, each of which holds one piece at a time."""

    has_names = True

    def __init__(
        self, source: Source, n_threads: int = 1, on_progress: Callable[[Progress], None] | None = None
    ) -> None:
        self.source, self.n_threads, self._on_progress = source, n_threads, on_progress
        self._began, self._n_rows = monotonic(), 0  # of a whole pass, once there was one
        self.names, self.target, self.is_weighted = source.names, source.target, source.is_weighted
        self._packed: PackedFile | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.source.findings

    def gather(
        self,
        ask: Callable[[Sample], Found],
        merge: Callable[[Found, Found], Found],
        columns: Collection[str] | None = None,
    ) -> Found:
        answers = in_order(ask, self._samples(columns), self.n_threads)
        found = next(answers, None)
        if found is None:
            raise ValueError("The data has no rows.")
        for answer in answers:
            found = merge(found, answer)
        return found

    def _samples(self, columns: Collection[str] | None = None) -> Iterator[Sample]:
        """Yield all pieces, and report once in a while how much of the table has been read."""
        if self._on_progress is None:
            yield from self.source.samples(columns)
            return
        began = told = monotonic()
        n_rows, n_all = 0, self._n_rows
        for sample in self.source.samples(columns):
            yield sample
            n_rows += sample.n_rows
            now = monotonic()
            if now >= told + _OFTEN:
                told = now
                n_all = n_all or self.source.n_cells // max(1, len(self.source.columns))
                done = describe_reading(self.source.place, n_rows, n_all, now - began)
                self._on_progress(Progress(inf, 0.0, now - self._began, done=done))
        self._n_rows = n_rows

    def pack(self, packing: Packing) -> "PackedFile":
        self._drop_packed()  # only the newest literals are used
        self._packed = PackedFile(self.n_threads)
        for part, core in in_order(packing, self._samples(), self.n_threads):
            self._packed.add(part, core)
        return self._packed

    def _drop_packed(self) -> None:
        if self._packed is not None:
            self._packed.close()
            self._packed = None

    def close(self) -> None:
        self._drop_packed()
        self.source.close()


def describe_reading(place: str, n_rows: int, n_all: int, seconds: float) -> str:
    """Return how far the reading of a table has come, after so many seconds.

    >>> describe_reading("file 2 of 8", 250_000, 1_000_000, seconds=10)
    'reading file 2 of 8, 25 % of 1,000,000 rows, about 30 s left'
    """
    share = min(1.0, n_rows / max(1, n_all))
    left = seconds * (1 - share) / share if share else 0.0
    words = [f"reading {place}".rstrip(), f"{share:.0%} of {n_all:,} rows".replace("%", " %")]
    if left >= 1:
        words.append(f"about {left:.0f} s left")
    return ", ".join(words) if place else f"{words[0]} {', '.join(words[1:])}"


class PackedFile(PackedRows):
    """Bits of pieces in a temporary file. Each thread maps one piece at a time into memory."""

    def __init__(self, n_threads: int) -> None:
        super().__init__()
        self.n_threads = n_threads
        self._file = TemporaryFile(prefix="imli-")  # noqa: SIM115 until close()
        self._parts: list[tuple[tuple[Any, ...], int, int]] = []  # all but the bits, and where and how many these are

    def add(self, part: PackedPart, core: Core) -> None:
        begin = -(-self._file.seek(0, 2) // _LINE) * _LINE
        self._file.seek(begin)
        self._file.write(part.bits.data)  # which, unlike NumPy, says why if there is no room
        self._parts.append((part.others, begin, len(part.bits)))
        self.seen = self.seen.merge(core) if len(self._parts) > 1 else core

    def total(self, sums: Callable[[PackedPart], IntArray]) -> IntArray:
        def ask(place: int) -> IntArray:
            return sums(self._part(place))

        return reduce(np.add, in_order(ask, range(len(self._parts)), self.n_threads))

    def _part(self, place: int) -> PackedPart:
        others, begin, n = self._parts[place]
        if not n:
            return PackedPart(others, np.zeros(0, dtype=np.uint64))
        return PackedPart(others, np.memmap(self._file, dtype=np.uint64, mode="r", offset=begin, shape=(n,)))

    def close(self) -> None:
        self._file.close()


def in_order(work: Callable[[Given], Found], given: Iterable[Given], n_threads: int) -> Iterator[Found]:
    """Yield the results of ``work`` in order, from a few threads that never run far ahead."""
    if n_threads <= 1:
        yield from map(work, given)
        return
    ahead: deque[Future[Found]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            for each in given:
                ahead.append(pool.submit(work, each))
                if len(ahead) > n_threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()
