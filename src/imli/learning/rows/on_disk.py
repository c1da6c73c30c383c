"""Rows on disk: this machine reads pieces one after the other, and keeps their bits in a temporary file."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import reduce
from tempfile import TemporaryFile
from typing import Any, TypeVar

import numpy as np

from imli.learning.rows.coreset import Core
from imli.learning.rows.packing import PackedPart, PackedRows, Packing, Sums
from imli.table.frame import IntArray
from imli.table.sample import Sample, Source

Given = TypeVar("Given")
Found = TypeVar("Found")
_LINE = 64  # bytes, at a multiple of which bits begin


class LocalEngine:
    """An engine with a few threads, each of which holds one piece at a time."""

    has_names = True

    def __init__(self, source: Source, n_threads: int = 1) -> None:
        self.source, self.n_threads = source, n_threads
        self.names, self.target, self.is_weighted = source.names, source.target, source.is_weighted
        self._packed: PackedFile | None = None

    def gather(
        self,
        ask: Callable[[Sample], Found],
        merge: Callable[[Found, Found], Found],
        columns: Collection[str] | None = None,
    ) -> Found:
        answers = in_order(ask, self.source.samples(columns), self.n_threads)
        found = next(answers, None)
        if found is None:
            raise ValueError("The data has no rows.")
        for answer in answers:
            found = merge(found, answer)
        return found

    def pack(self, packing: Packing) -> "PackedFile":
        self._drop_packed()  # only the newest literals are used
        self._packed = PackedFile(self.n_threads)
        for part, core in in_order(packing, self.source.samples(), self.n_threads):
            self._packed.add(part, core)
        return self._packed

    def _drop_packed(self) -> None:
        if self._packed is not None:
            self._packed.close()
            self._packed = None

    def close(self) -> None:
        self._drop_packed()
        self.source.close()


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

    def total(self, sums: Sums) -> IntArray:
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
