"""A stream of batches, as its learner sees it: the log of batches with drift, and a bounded memory of the rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import asin, floor, log10, sqrt
from typing import Self, overload

import numpy as np

from imli.rules import Rule
from imli.rules.literals import Literal
from imli.table.frame import FloatArray, Frame, IntArray, stacked
from imli.table.sample import Sample

_MOST_SHOWN = 4  # literals that came or went, in a line of the log
_SURE = 4.0  # standard errors: about one false alarm in 30,000 batches
_LEAST_SHARE = 0.25  # of an equal share of the room, for each class, however rare
_DIGITS = 3  # of the weights, after the first of their mean: enough, and few different weights are searched faster
_GROWN = 1.25  # rows between two vocabularies, so that it is learned often at first, and then less and less


@dataclass(frozen=True)
class Batch:
    """One batch of a stream, with its errors and the changes that it made to the rule.

    Parameters
    ----------
    number
        The position of the batch in the stream, from 1.
    n_rows, weight
        The number of rows in the batch, and their weight.
    error_before, error_after
        The share of the rows (by weight) that the rule before the batch, which was not fitted to them, and the rule
        after it predict wrongly; None before if there was no rule.
    moved
        The number of literals that came or went, clause by clause.
    turned
        The number of clauses that now predict another class.
    came, went
        Literals that the rule did not have before, or no longer has, in any clause.
    is_drift
        True if the error before was so high that the learner started again.
    n_remembered
        The number of rows in memory, from which the rule is learned together with the next batch.
    n_effective
        The number of rows of equal weight that would estimate the error as well; None if all rows weigh the same.
    """

    number: int
    n_rows: int
    weight: float
    error_before: float | None
    error_after: float
    moved: int
    turned: int
    came: tuple[Literal, ...]
    went: tuple[Literal, ...]
    is_drift: bool
    n_remembered: int
    n_effective: float | None = None


@dataclass(frozen=True)
class DriftLog(Sequence[Batch]):
    """All batches so far, in order. It prints as a table, with a few of the literals that came (+) and went (-).

    Parameters
    ----------
    batches
        The batches.
    """

    batches: tuple[Batch, ...] = ()

    def plus(self, batch: Batch) -> "DriftLog":
        """Return the log with one more batch."""
        return DriftLog((*self.batches, batch))

    @property
    def since_drift(self) -> tuple[Batch, ...]:
        """Return the batches since the last drift, including the batch that drifted."""
        starts = [n for n, batch in enumerate(self.batches) if batch.is_drift]
        return self.batches[starts[-1] if starts else 0 :]

    def __len__(self) -> int:
        return len(self.batches)

    @overload
    def __getitem__(self, index: int) -> Batch: ...
    @overload
    def __getitem__(self, index: slice) -> "DriftLog": ...
    def __getitem__(self, index: int | slice) -> "Batch | DriftLog":
        return DriftLog(self.batches[index]) if isinstance(index, slice) else self.batches[index]

    def __str__(self) -> str:
        head = ("batch", "rows", "wrong before", "wrong after", "moved", "what came and went")
        lines = [head, *(_cells(batch) for batch in self.batches)]
        widths = [max(len(line[n]) for line in lines) for n in range(len(head) - 1)]
        return "\n".join(
            "  ".join([*(cell.rjust(width) for cell, width in zip(line, widths, strict=False)), line[-1]]).rstrip()
            for line in lines
        )


def _cells(batch: Batch) -> tuple[str, ...]:
    changes = [*(f"+ {literal}" for literal in batch.came), *(f"- {literal}" for literal in batch.went)]
    if len(changes) > _MOST_SHOWN:
        changes[_MOST_SHOWN - 1 :] = [f"{len(changes) - _MOST_SHOWN + 1} more"]
    remark = ["DRIFT"] if batch.is_drift else []
    if batch.turned:
        remark.append(f"{batch.turned} class{'' if batch.turned == 1 else 'es'} turned")
    return (
        str(batch.number),
        f"{batch.n_rows:,}",
        "" if batch.error_before is None else f"{100 * batch.error_before:.1f} %",
        f"{100 * batch.error_after:.1f} %",
        str(batch.moved),
        ", ".join([*remark, *changes]),
    )


def n_effective(weights: FloatArray) -> float:
    """Return the number of rows of equal weight that estimate a share as well as rows of these weights.

    >>> import numpy as np
    >>> n_effective(np.array([0.5, 0.5, 0.5])), round(n_effective(np.array([100, 1, 1])), 2)
    (3.0, 1.04)
    """
    relative = weights / weights.max()
    return float(relative.sum() ** 2 / (relative**2).sum())


def is_drift(log: DriftLog, error: float, n_rows: float) -> bool:
    """Return True if the error on a batch is so much higher than on earlier batches that chance cannot explain it.

    Each earlier batch counts with the error of the rule before it was learned from. The rule is at least as good
    since then, so a higher error now is a change in the rows. ``n_rows`` is the effective number of rows.
    """
    past = [batch for batch in log.since_drift if batch.error_before is not None and not batch.is_drift]
    n_past = sum(_n_rows(batch) for batch in past)
    if not n_past or not n_rows:
        return False
    n_wrong = sum((batch.error_before or 0.0) * _n_rows(batch) for batch in past)
    # angles, because their spread is equal for all shares, also for few rows or few errors
    risen = _angle(error * n_rows, n_rows) - _angle(n_wrong, n_past)
    return risen > _SURE * sqrt(1 / (n_rows + 0.5) + 1 / (n_past + 0.5))


def _n_rows(batch: Batch) -> float:
    return batch.n_rows if batch.n_effective is None else batch.n_effective


def _angle(n_wrong: float, n_rows: float) -> float:
    """Return a share as an angle, by Anscombe's transformation."""
    return 2 * asin(sqrt((n_wrong + 3 / 8) / (n_rows + 3 / 4)))


@dataclass(frozen=True, eq=False)
class Memory:
    """A bounded memory of the rows of a stream: a sample of each class, weighted to stand for all rows seen.

    Within a class it is a priority sample: each row draws its weight divided by a random number, the rows with the
    highest draws are kept, and a kept row counts its weight or the highest draw that was turned away since it came,
    whichever is more. This estimates any sum over the rows without bias, whatever their weights, and reads each row
    once. Draws turned away before a row came do not affect its count, so the room may grow at any time.
    """

    room: int  # the most rows to keep
    frame: Frame | None  # the rows, if there are any
    positions: IntArray  # of the class of each row
    given: FloatArray  # the weight of each row when it came
    counts: FloatArray  # that weight, or the highest draw of its class that was turned away since the row came
    draws: FloatArray  # the draw of each row
    totals: FloatArray  # for each class, the weight of all rows seen

    @classmethod
    def empty(cls, room: int, n_classes: int, totals: FloatArray | None = None) -> Self:
        """Return a memory without rows, whatever weight of each class was seen."""
        none = np.zeros(0)
        seen = np.zeros(n_classes) if totals is None else totals
        return cls(room, None, none.astype(np.int64), none, none, none, seen)

    @property
    def n_rows(self) -> int:
        """Return the number of rows kept."""
        return len(self.given)

    @property
    def weights(self) -> FloatArray:
        """Return the weight of each row, such that the rows of a class add up to the weight seen of it."""
        sums = np.bincount(self.positions, weights=self.counts, minlength=len(self.totals))
        factors = np.divide(self.totals, sums, out=np.ones_like(sums), where=sums > 0)
        return self._whole(self.counts * factors[self.positions])

    def _whole(self, weights: FloatArray) -> FloatArray:
        """Return the weights as integers with equal sums if the rows came with integers, else rounded."""
        if (self.given % 1).any():
            decimals = _DIGITS - floor(log10(weights.mean()))
            rounded: FloatArray = np.maximum(np.round(weights, decimals), 10.0**-decimals)
            return rounded
        whole = np.floor(weights)
        for position, total in enumerate(self.totals):
            of_class = np.flatnonzero(self.positions == position)
            n_more = round(float(total - whole[of_class].sum()))
            order = of_class[np.argsort(whole[of_class] - weights[of_class], kind="stable")]
            whole[order[:n_more]] += 1
        return whole

    def plus(self, sample: Sample, rng: np.random.Generator) -> Self:
        """Return the memory after these rows, whose positions are those of the memory's classes."""
        frame, positions, weights = sample.frame, sample.positions, sample.weights
        totals = np.bincount(positions, weights=weights, minlength=len(self.totals)).astype(np.float64)
        if self.frame is not None or self.room == 0:  # else no row is here to stand for the rows before
            totals = self.totals + totals
        if self.room == 0:
            return replace(self, totals=totals)
        draws = weights / (1.0 - rng.random(len(weights)))
        everything = replace(
            self,
            frame=frame if self.frame is None else stacked(self.frame, frame),
            positions=np.concatenate([self.positions, positions]),
            given=np.concatenate([self.given, weights]),
            counts=np.concatenate([self.counts, weights]),
            draws=np.concatenate([self.draws, draws]),
            totals=totals,
        )
        return everything._cut_to_room()

    def before(self, sample: Sample) -> Sample:
        """Return the rows remembered followed by those of a sample."""
        if self.frame is None or not self.n_rows:
            return sample
        seen = float(sample.weights.sum())
        return replace(
            sample,
            frame=stacked(self.frame, sample.frame),
            positions=np.concatenate([self.positions, sample.positions]),
            weights=np.concatenate([self.weights, sample.weights]),
            origins=None,
            stand_for=float((self.totals.sum() + seen) / (self.given.sum() + seen)),
        )

    def of_classes(self, places: IntArray, n_classes: int) -> Self:
        """Return the memory with more classes; ``places`` has the new position of each old class."""
        totals = np.zeros(n_classes)
        totals[places] = self.totals
        return replace(self, positions=places[self.positions], totals=totals)

    def within(self, room: int) -> Self:
        """Return the memory with other room."""
        return self if room == self.room else replace(self, room=room)._cut_to_room()

    def _cut_to_room(self) -> Self:
        kept, counts = np.zeros(self.n_rows, dtype=bool), self.counts.copy()
        for position, n_kept in enumerate(self._rooms()):
            of_class = np.flatnonzero(self.positions == position)
            order = of_class[np.argsort(-self.draws[of_class], kind="stable")]
            kept[order[:n_kept]] = True
            if len(order) > n_kept:
                counts[of_class] = np.maximum(counts[of_class], self.draws[order[n_kept]])
        if self.frame is None or not kept.any():
            return self.empty(self.room, len(self.totals), self.totals)
        return replace(
            self,
            frame=self.frame.take(kept),
            positions=self.positions[kept],
            given=self.given[kept],
            counts=counts[kept],
            draws=self.draws[kept],
        )

    def _rooms(self) -> list[int]:
        """Return the room of each class: its share of the weight seen, but not too few rows of a rare class."""
        seen = self.totals > 0
        if not seen.any():
            return [0] * len(seen)
        least = _LEAST_SHARE / seen.sum()
        shares = np.where(seen, np.maximum(self.totals / self.totals.sum(), least), 0.0)
        rooms = np.floor(self.room * shares / shares.sum()).astype(np.int64)
        if self.room >= seen.sum():
            rooms = np.maximum(rooms, seen)
            while rooms.sum() > self.room:
                rooms[rooms.argmax()] -= 1
        return list(rooms.tolist())


@dataclass(frozen=True, eq=False)
class Stream:
    """The state of learning from a stream."""

    rule: Rule  # the rule so far, to stay near
    columns: tuple[str, ...]  # the names of the columns
    literals: tuple[Literal, ...]  # the vocabulary
    memory: Memory
    n_rows: int  # seen since the beginning, or since the last drift
    learned_at: int | None  # ``n_rows`` when the vocabulary was learned; None if it was given and stays
    log: DriftLog = field(default_factory=DriftLog)

    @property
    def n_batches(self) -> int:
        """Return the number of batches so far."""
        return len(self.log)

    def is_due(self, n_more: int) -> bool:
        """Return True if the vocabulary has to be learned again with ``n_more`` rows: after each quarter more."""
        return self.learned_at is not None and self.n_rows + n_more >= _GROWN * self.learned_at

    def after(self, batch: Batch, **changes: object) -> Self:
        """Return the stream with one more batch in its log, and with these fields changed."""
        return replace(self, log=self.log.plus(batch), **changes)  # type: ignore[arg-type]
