"""Counting in bits, and the search that rests on it."""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def pack_numbers(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], accepts: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None: ...

@overload
def pack_numbers(values: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], accepts: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None: ...

@overload
def count_numbers(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

@overload
def count_numbers(values: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def count_codes(values: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], n_kinds: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def pack_codes(values: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], accepts: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')], n_threads: int = 1) -> None: ...

class Rows:
    def __init__(self, words: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, complemented: bool, with_counts: bool, n_threads: int = 1) -> None: ...

    @property
    def unavoidable(self) -> int: ...

    @property
    def n_distinct(self) -> int: ...

class Table:
    def __init__(self, rows: Rows, n_classes: int, n_threads: int = 1) -> None: ...

    def totals(self, literals: Sequence[int], decides: int, n_threads: int = 1) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def n_words(self) -> int: ...

    @property
    def n_bytes(self) -> int: ...

class Search:
    def __init__(self, rows: Rows, *, kind: str, n_clauses: int, n_locked: int, n_classes: int, costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], near: Sequence[Sequence[int]], near_cost: int, always: Sequence[Sequence[int]], every: Sequence[int], reuse_cost: int, disjoint: bool, max_literals: int, min_rows: int, unused_slots: bool, start: Sequence[tuple[bool, int, Sequence[int]]], otherwise: int, seed: int, work: float, n_threads: int, unit: int) -> None: ...

    def build_on(self, clauses: Sequence[tuple[bool, int, Sequence[int]]], otherwise: int) -> None:
        """
        Let the first walks start from this rule too. To be called before run().
        """

    def run(self) -> None:
        """Search until the work is done or stop() is called."""

    def stop(self) -> None:
        """May be called from any thread."""

    @property
    def best(self) -> tuple[list[tuple[bool, int, list[int]]], int, int]: ...

    @property
    def work(self) -> float: ...

    def price(self, clauses: Sequence[tuple[bool, int, Sequence[int]]], otherwise: int) -> int:
        """What a rule costs, with a penalty for each demand it does not meet."""

    def wander(self, seed: int, n_moves: int, temperature: float) -> tuple[list[tuple[bool, int, list[int]]], int, int]:
        """Random moves from the best rule, for tests."""
