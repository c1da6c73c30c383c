"""How a rule did from batch to batch, how far it moved, and whether the stream has turned into another.

A bounded memory of the rows of a stream: a sample of each class, weighted to stand for all that were seen.

Within a class it is a priority sample: each row draws its weight divided by a random number, those with the highest
draws are kept, and a row that is kept counts its weight or the highest draw that was turned away since it came,
whichever is more. That estimates any sum over the rows without bias, however they weigh, and needs one look at each
row. What was turned away before a row came says nothing about it, so there may be more room at any time.

What a learner knows of the stream so far.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import asin, floor, log10, sqrt
from typing import Self, overload

import numpy as np

from imli.rules import Rule
from imli.rules.literals import Literal
from imli.table.frame import FloatArray, Frame, IntArray, stacked
from imli.table.sample import Sample

_MOST_SHOWN = 4  # of the literals that came or went, in a line
_SURE = 4.0  # standard errors: about one false alarm in 30,000 batches


@dataclass(frozen=True)
class Batch:
    """What one batch did to the rule.

    ``error_before`` is the share of its rows (by weight) that the rule as it was decides wrongly, which no fitting
    has touched; ``error_after`` that of the rule as it is now. ``moved`` is the number of literals that came or went,
    clause by clause, ``turned`` that of clauses that now speak for another class; ``came`` and ``went`` are literals
    that the rule as a whole did not have, or has no more.
    """

    number: int
    n_rows: int
    weight: float
    error_before: float | None  # None: there was no rule
    error_after: float
    moved: int
    turned: int
    came: tuple[Literal, ...]
    went: tuple[Literal, ...]
    is_drift: bool
    n_remembered: int  # rows that the next batch will be learned together with
    n_effective: float | None = None  # rows of equal weight that would tell as much of the error; None: all of them


@dataclass(frozen=True)
class DriftLog(Sequence[Batch]):
    """All batches so far, in order. Prints as a table, with a few of the literals that came (+) and went (-)."""

    batches: tuple[Batch, ...] = ()

    def plus(self, batch: Batch) -> "DriftLog":
        return DriftLog((*self.batches, batch))

    @property
    def since_drift(self) -> tuple[Batch, ...]:
        """The batches since the last drift, that one included."""
        starts = [n for n, batch in enumerate(self.batches) if batch.is_drift]
        return self.batches[starts[-1] if starts else 0 :]

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[Batch]:
        return iter(self.batches)

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
    before = "" if batch.error_before is None else f"{100 * batch.error_before:.1f} %"
    changes = [*(f"+ {literal}" for literal in batch.came), *(f"- {literal}" for literal in batch.went)]
    if len(changes) > _MOST_SHOWN:
        changes[_MOST_SHOWN - 1 :] = [f"{len(changes) - _MOST_SHOWN + 1} more"]
    remark = ["DRIFT"] if batch.is_drift else []
    if batch.turned:
        remark.append(f"{batch.turned} class{'' if batch.turned == 1 else 'es'} turned")
    return (
        str(batch.number),
        f"{batch.n_rows:,}",
        before,
        f"{100 * batch.error_after:.1f} %",
        str(batch.moved),
        ", ".join([*remark, *changes]),
    )


def n_effective(weights: FloatArray) -> float:
    """How many rows of equal weight tell as much of a share of them as these do.

    >>> import numpy as np
    >>> n_effective(np.array([0.5, 0.5, 0.5])), round(n_effective(np.array([100, 1, 1])), 2)
    (3.0, 1.04)
    """
    relative = weights / weights.max()
    return float(relative.sum() ** 2 / (relative**2).sum())


def is_drift(log: DriftLog, error: float, n_rows: float) -> bool:
    """Whether the rule does so much worse on a batch than on those before that chance cannot explain it.

    Each batch is counted with the error that the rule of its time made on it before it was learned from. The rule has
    become better since, if anything, so what is found worse than that is worse. Where rows differ in weight, ``n_rows``
    is how many of equal weight would tell as much.
    """
    past = [batch for batch in log.since_drift if batch.error_before is not None and not batch.is_drift]
    n_past = sum(_n_rows(batch) for batch in past)
    if not n_past or not n_rows:
        return False
    n_wrong = sum((batch.error_before or 0.0) * _n_rows(batch) for batch in past)
    # angles: their spread is the same for all shares, and of few rows or few errors as well
    risen = _angle(error * n_rows, n_rows) - _angle(n_wrong, n_past)
    return risen > _SURE * sqrt(1 / (n_rows + 0.5) + 1 / (n_past + 0.5))


def _n_rows(batch: Batch) -> float:
    return batch.n_rows if batch.n_effective is None else batch.n_effective


def _angle(n_wrong: float, n_rows: float) -> float:
    """A share as an angle, as Anscombe has it."""
    return 2 * asin(sqrt((n_wrong + 3 / 8) / (n_rows + 3 / 4)))


_LEAST_SHARE = 0.25  # of an equal share of the room, for each class, however rare
_DIGITS = 3  # of the weights, after the first of their mean: enough, and few different ones are searched faster


@dataclass(frozen=True, eq=False)
class Memory:
    """At most ``room`` rows. Only ``plus`` changes what is in there, and gives a new memory."""

    room: int
    frame: Frame | None
    positions: IntArray  # of each row's class
    given: FloatArray  # what each row weighed when it came
    counts: FloatArray  # that, or the highest draw of a row of its class that has gone since
    draws: FloatArray
    totals: FloatArray  # for each class, the weight of all rows seen

    @classmethod
    def empty(cls, room: int, n_classes: int, totals: FloatArray | None = None) -> Self:
        """Without a row, whatever was seen."""
        none = np.zeros(0)
        seen = np.zeros(n_classes) if totals is None else totals
        return cls(room, None, none.astype(np.int64), none, none, none, seen)

    @property
    def n_rows(self) -> int:
        return len(self.given)

    @property
    def weights(self) -> FloatArray:
        """What each row counts, so that those of a class add up to all that was seen of it."""
        sums = np.bincount(self.positions, weights=self.counts, minlength=len(self.totals))
        factors = np.divide(self.totals, sums, out=np.ones_like(sums), where=sums > 0)
        return self._whole(self.counts * factors[self.positions])

    def _whole(self, weights: FloatArray) -> FloatArray:
        """The same weights in whole numbers with the same sums, if the rows came with such: counts of rows then."""
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
        """With these rows seen too. Their positions are of the classes that the memory knows."""
        frame, positions, weights = sample.frame, sample.positions, sample.weights
        totals = np.bincount(positions, weights=weights, minlength=len(self.totals)).astype(np.float64)
        if self.frame is not None or self.room == 0:  # else nothing is here to stand for the rows before
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
        """The same among more classes; ``places`` says where each of the old ones is now."""
        totals = np.zeros(n_classes)
        totals[places] = self.totals
        return replace(self, positions=places[self.positions], totals=totals)

    def within(self, room: int) -> Self:
        """The same with other room."""
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
        """How many rows of each class may stay: its share of the weight seen, and a rare one not too few."""
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


_GROWN = 1.25  # so that it happens often at first, and then ever less


@dataclass(frozen=True, eq=False)
class Stream:
    """The rule to stay near, the literals that it can choose from, the rows remembered, and how it went."""

    rule: Rule
    columns: tuple[str, ...]
    literals: tuple[Literal, ...]
    memory: Memory
    n_rows: int  # seen since the beginning, or since the last drift
    learned_at: int | None  # of them, when the literals were learned; None: they were given, and stay
    log: DriftLog = field(default_factory=DriftLog)

    @property
    def n_batches(self) -> int:
        return len(self.log)

    def is_due(self, n_more: int) -> bool:
        """Whether the literals are to be learned anew with so many more rows: whenever a quarter more have come."""
        return self.learned_at is not None and self.n_rows + n_more >= _GROWN * self.learned_at

    def after(self, batch: Batch, **changes: object) -> Self:
        """The same with one more batch."""
        return replace(self, log=self.log.plus(batch), **changes)  # type: ignore[arg-type]
