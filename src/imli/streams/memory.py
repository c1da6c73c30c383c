"""A bounded memory of the rows of a stream: a sample of each class, weighted to stand for all that were seen.

Within a class it is a priority sample: each row draws its weight divided by a random number, those with the highest
draws are kept, and a row that is kept counts its weight or the highest draw that was turned away since it came,
whichever is more. That estimates any sum over the rows without bias, however they weigh, and needs one look at each
row. What was turned away before a row came says nothing about it, so there may be more room at any time.
"""

from dataclasses import dataclass, replace
from math import floor, log10
from typing import Self

import numpy as np

from imli.arrays import FloatArray, IntArray
from imli.frames import Frame
from imli.stacking import stacked

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

    def plus(self, frame: Frame, positions: IntArray, weights: FloatArray, rng: np.random.Generator) -> Self:
        """With these rows seen too. Their positions are of the classes that the memory knows."""
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
