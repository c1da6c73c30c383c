"""From a piece of a table to the bits of its rows."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from imli import _kernel
from imli.learning.bits import BitTable, tabulate
from imli.learning.rows import PlainItems, PlainRule
from imli.learning.rows.coreset import Core
from imli.rules.literals import Literal
from imli.table.frame import AnyArray, FloatArray, IntArray
from imli.table.sample import Sample

if TYPE_CHECKING:
    from imli.learning.query import Query
    from imli.rules import Rule

_LINE = 64  # bytes of a line of the cache


@dataclass(frozen=True, eq=False)
class PackedPart:
    """The rows of a piece in the form that the kernel sums up: the bits, apart from the rest, which is small."""

    others: tuple[Any, ...]
    bits: npt.NDArray[np.uint64]

    def sums(self, kind: str, n_locked: int, with_counts: bool, rule: PlainRule, with_places: bool) -> IntArray:
        """Return the sums about a rule that ``RowSums.sums`` describes."""
        make: Callable[..., _kernel.Part] = _kernel.Part
        return make(*self.others, aligned(self.bits)).sums(kind, n_locked, with_counts, *rule, with_places)

    def by_total(self, items: PlainItems) -> IntArray:
        """Return the units by total and class, of items with points, and then the rows that each item covers."""
        make: Callable[..., _kernel.Part] = _kernel.Part
        part = make(*self.others, aligned(self.bits))
        return np.append(part.by_total(items), np.array(part.n_covered(items), dtype=np.int64))

    def __sizeof__(self) -> int:  # by which a cluster decides what it moves, and what it writes to disk
        return self.bits.nbytes + sum(other.nbytes for other in self.others if isinstance(other, np.ndarray))


class PackedRows(ABC):
    """The bits of all rows, on disk or on a cluster, and their core."""

    seen: Core

    def __init__(self) -> None:
        self._heads: dict[str, IntArray] = {}
        self._by_total: dict[str, IntArray] = {}

    @property
    def n_rows(self) -> int:
        return self.seen.n_rows

    @property
    def weight(self) -> int:
        return self.seen.weight

    def unavoidable(self, query: "Query") -> int:  # noqa: ARG002
        """Return the units that every rule costs on the rows of the core."""
        return self.seen.unavoidable

    def core(self, query: "Query", n_threads: int = 1) -> Core:  # noqa: ARG002
        return self.seen

    def summed(self, query: "Query", n_threads: int = 1) -> "PackedRows":  # noqa: ARG002
        return self  # which gives its sums itself

    def errors(self, query: "Query", rule: "Rule") -> int:
        return int(query.sums(self, query.plain(rule), with_places=False)[0])

    def by_total(self, query: "Query", rule: "Rule") -> IntArray:
        n_totals = len(rule.region_classes)
        return self._summed_items(query.plain_items(rule))[: 2 * n_totals].reshape(n_totals, 2)

    def _summed_items(self, items: PlainItems) -> IntArray:
        asked = repr(items)
        if asked not in self._by_total:
            self._by_total[asked] = self.total(ItemSums(items))
        return self._by_total[asked]

    def n_covered(self, query: "Query", rule: "Rule") -> list[int]:
        if query.is_points:
            items = query.plain_items(rule)
            return [int(n) for n in self._summed_items(items)[2 * len(rule.region_classes) :]]
        plain = query.plain(rule)
        n_rows = query.sums(self, plain, with_places=False)[1 + len(query.classes) :]
        return [int(n) for n, (held, _, _) in zip(n_rows, plain[0], strict=False) if held]

    def sums(self, kind: str, n_locked: int, with_counts: bool, rule: PlainRule, with_places: bool = True) -> IntArray:
        """Return the sums about a rule; the short form is kept, and not computed twice."""
        asked = repr((kind, n_locked, with_counts, rule))
        if not with_places and asked in self._heads:
            return self._heads[asked]
        found = self.total(Sums(kind, n_locked, with_counts, rule, with_places))
        clauses, _ = rule
        self._heads[asked] = found[: 1 + self.seen.by_class.shape[1] + len(clauses)]
        return found

    @abstractmethod
    def total(self, sums: "Callable[[PackedPart], IntArray]") -> IntArray:
        """Return the sums over all parts."""

    @abstractmethod
    def close(self) -> None:
        """Free the bits."""


@dataclass(frozen=True, eq=False)
class Sums:
    """A function from a part to its sums about a rule."""

    kind: str
    n_locked: int
    with_counts: bool
    rule: PlainRule
    with_places: bool  # which the benchmark of clusters reads

    def __call__(self, part: PackedPart) -> IntArray:
        return part.sums(self.kind, self.n_locked, self.with_counts, self.rule, self.with_places)


@dataclass(frozen=True, eq=False)
class ItemSums:
    """A function from a part to the sums of its rows by total."""

    items: PlainItems

    def __call__(self, part: PackedPart) -> IntArray:
        return part.by_total(self.items)


@dataclass(frozen=True, eq=False)
class Packing:
    """A function from a piece to a part that gives sums, and its core."""

    literals: tuple[Literal, ...]
    classes: AnyArray  # in ascending order
    places: IntArray  # of these classes in the query
    factors: FloatArray  # by which the rows of each class count more than they weigh
    scale: int
    is_cnf: bool
    with_counts: bool
    is_points: bool = False
    n_threads: int = 1

    def __call__(self, sample: Sample) -> "tuple[PackedPart, Core]":
        table = tabulate(sample.frame, self.literals, self.n_threads)
        positions = sample.positions_among(self.classes)
        weights = np.round(sample.weights * self.factors[positions] * self.scale).astype(np.int64)
        labels = self.places[positions].astype(np.int32)
        core = Core.of(table, labels, weights, len(self.classes), self.n_threads)
        *others, bits = self._part(table, labels, weights).arrays()
        return PackedPart(tuple(others), aligned(bits)), core

    def _part(self, table: BitTable, labels: npt.NDArray[np.int32], weights: IntArray) -> "_kernel.Part":
        rows = _kernel.Rows(
            table.words,
            (1 - labels).astype(np.int32) if self.is_cnf else labels,
            weights,
            n_classes=len(self.classes),
            complemented=self.is_cnf,
            counts=np.ones(len(labels), dtype=np.int64) if self.with_counts else None,
            n_threads=self.n_threads,
            apart=self.is_points,
        )
        return _kernel.Part(rows, len(self.classes), self.n_threads)


def aligned(bits: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the bits at an address that the kernel can read in whole lines of the cache."""
    if bits.ctypes.data % _LINE == 0:
        return bits
    room = np.empty(len(bits) + _LINE // 8, dtype=np.uint64)
    begin = -room.ctypes.data % _LINE // 8
    found = room[begin:][: len(bits)]  # in two steps, since NumPy lets an empty slice begin where the array does
    found[:] = bits
    return found
