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

@overload
def group_sorted(ordered: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], most: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], int]: ...

@overload
def group_sorted(ordered: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], most: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], int]: ...

def pack_keys(keys: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

class Rows:
    def __init__(self, words: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, complemented: bool, counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 1, apart: bool = False) -> None:
        """
        Counts are of the rows that each stands for, where that matters. Apart keeps what equal rows of several classes weigh.
        """

    @property
    def unavoidable(self) -> int: ...

    @property
    def n_distinct(self) -> int: ...

class Part:
    @overload
    def __init__(self, rows: Rows, n_classes: int, n_threads: int = 1) -> None: ...

    @overload
    def __init__(self, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], turned: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_columns: int, filled: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], constant: int, n_classes: int, panels: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def arrays(self) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], int, Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], int, int, Annotated[NDArray[numpy.uint64], dict(shape=(None,))]]:
        """All of it, for the other way to make one."""

    def sums(self, kind: str, n_locked: int, with_counts: bool, clauses: Sequence[tuple[bool, int, Sequence[int]]], otherwise: int, with_places: bool = True, n_threads: int = 1) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        What these rows say about a rule and, with places, about every change of one.
        """

    def by_total(self, items: Sequence[tuple[Sequence[int], int]]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Units by total and class, of items with points."""

    def n_covered(self, items: Sequence[tuple[Sequence[int], int]]) -> list[int]:
        """The number of rows that each item covers."""

    def totals(self, literals: Sequence[int], decides: int, n_threads: int = 1) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def n_words(self) -> int: ...

    @property
    def n_bytes(self) -> int: ...

class Core:
    def __init__(self, n_literals: int, n_classes: int, most: int) -> None: ...

    def add(self, words: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> None: ...

    def merge(self, other: Core) -> None: ...

    def restore(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: int, has_all: bool) -> None: ...

    def rows(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        The bits of each row, what it weighs in each class, and how many rows it stands for.
        """

    @property
    def has_all(self) -> bool: ...

    @property
    def weight(self) -> int: ...

    @property
    def own_weight(self) -> int: ...

class Question:
    def __init__(self, *, kind: str, n_clauses: int, n_locked: int, n_classes: int, costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], near: Sequence[Sequence[int]], near_cost: int, always: Sequence[Sequence[int]], every: Sequence[int], reuse_cost: int, disjoint: bool, max_literals: int, min_rows: int, unused_slots: bool, needs_literals: bool) -> None: ...

    def better(self, clauses: Sequence[tuple[bool, int, Sequence[int]]], otherwise: int, sums: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: int, most: int = 8) -> list[tuple[list[tuple[bool, int, list[int]]], int, int]]:
        """The rules that differ in one place and are better, the best first."""

    def price(self, clauses: Sequence[tuple[bool, int, Sequence[int]]], otherwise: int, sums: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: int) -> int:
        """What a rule costs, with a penalty for each demand it does not meet."""

class Search:
    def __init__(self, rows: Rows, question: Question, *, start: Sequence[tuple[bool, int, Sequence[int]]], otherwise: int, seed: int, work: float, n_threads: int, unit: int) -> None: ...

    def build_on(self, clauses: Sequence[tuple[bool, int, Sequence[int]]], otherwise: int) -> None:
        """
        Let the first walks start from this rule too. To be called before run().
        """

    def run(self) -> None:
        """Search until the work is done or stop() is called."""

    def reprice(self, costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Change what literals cost; -1 is never. For improve(), not for run()."""

    def improve(self, n_steps: float) -> None:
        """Make the best rule better by one walk of so many steps."""

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

class CardSearch:
    def __init__(self, rows: Rows, *, costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], signs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], barred: Sequence[Sequence[int]], always: Sequence[Sequence[int]], reuse_cost: int, disjoint: bool, max_literals: int, min_rows: int, max_items: int, n_locked: int, item_literals: int, max_points: int, only_ones: bool, is_log: bool, ridge: float, start: Sequence[tuple[Sequence[int], int]], seed: int, work: float, n_threads: int, unit: int) -> None: ...

    def run(self) -> None:
        """Search until the work is done or stop() is called."""

    def stop(self) -> None:
        """May be called from any thread."""

    @property
    def best(self) -> tuple[list[tuple[list[int], int]], int]:
        """The items of the best card, each with its points, and its cost."""

    @property
    def work(self) -> float: ...
