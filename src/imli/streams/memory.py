"""A bounded memory of the rows of a stream: a sample of each class, weighted to stand for all that were seen.

Within a class it is a priority sample: each row draws its weight divided by a random number, those with the highest
draws are kept, and a row that is kept counts its weight or the highest draw that was turned away, whichever is more.
That estimates any sum over the rows without bias, however they weigh, and needs one look at each row.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from imli.arrays import BoolArray, FloatArray, IntArray
from imli.frames import Frame
from imli.stacking import stacked

_LEAST_SHARE = 0.25  # of an equal share of the room, for each class, however rare
_DECIMALS = 3  # of the weights: enough, and few different ones are searched faster


@dataclass(frozen=True, eq=False)
class Memory:
    """At most ``room`` rows. Only ``plus`` changes what is in there, and gives a new memory."""

    room: int
    frame: Frame | None
    positions: IntArray  # of each row's class
    given: FloatArray  # what each row weighed when it came
    draws: FloatArray
    turned_away: FloatArray  # for each class, the highest draw of a row that is not here
    totals: FloatArray  # for each class, the weight of all rows seen

    @classmethod
    def empty(cls, room: int, n_classes: int, totals: FloatArray | None = None) -> Self:
        """Without a row, whatever was seen."""
        none = np.zeros(0)
        seen = np.zeros(n_classes) if totals is None else totals
        return cls(room, None, none.astype(np.int64), none, none, np.zeros(n_classes), seen)

    @property
    def n_rows(self) -> int:
        return len(self.given)

    @property
    def weights(self) -> FloatArray:
        """What each row counts, so that those of a class add up to all that was seen of it."""
        counted = np.maximum(self.given, self.turned_away[self.positions])
        sums = np.bincount(self.positions, weights=counted, minlength=len(self.totals))
        factors = np.divide(self.totals, sums, out=np.ones_like(sums), where=sums > 0)
        return self._whole(counted * factors[self.positions])

    def _whole(self, weights: FloatArray) -> FloatArray:
        """The same weights in whole numbers with the same sums, if the rows came with such: counts of rows then."""
        if (self.given % 1).any():
            rounded: FloatArray = np.maximum(np.round(weights, _DECIMALS), 10.0**-_DECIMALS)
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
            draws=np.concatenate([self.draws, draws]),
            totals=totals,
        )
        return everything._cut_to_room()

    def of_classes(self, places: IntArray, n_classes: int) -> Self:
        """The same among more classes; ``places`` says where each of the old ones is now."""
        wider = np.zeros((2, n_classes))
        wider[:, places] = [self.turned_away, self.totals]
        return replace(self, positions=places[self.positions], turned_away=wider[0], totals=wider[1])

    def within(self, room: int) -> Self:
        """The same with other room."""
        return self if room == self.room else replace(self, room=room)._cut_to_room()

    def _cut_to_room(self) -> Self:
        kept = np.zeros(self.n_rows, dtype=bool)
        turned_away = self.turned_away.copy()
        for position, n_kept in enumerate(self._rooms()):
            of_class = np.flatnonzero(self.positions == position)
            order = of_class[np.argsort(-self.draws[of_class], kind="stable")]
            kept[order[:n_kept]] = True
            if len(order) > n_kept:
                turned_away[position] = max(turned_away[position], self.draws[order[n_kept]])
        return self._only(kept, turned_away)

    def _only(self, kept: BoolArray, turned_away: FloatArray) -> Self:
        if kept.all() or self.frame is None:
            return replace(self, turned_away=turned_away)
        return replace(
            self,
            frame=self.frame.take(kept),
            positions=self.positions[kept],
            given=self.given[kept],
            draws=self.draws[kept],
            turned_away=turned_away,
        )

    def _rooms(self) -> list[int]:
        """How many rows of each class may stay: its share of the weight seen, and a rare one not too few."""
        seen = self.totals > 0
        if not seen.any():
            return [0] * len(seen)
        least = _LEAST_SHARE / seen.sum()
        shares = np.where(seen, np.maximum(self.totals / self.totals.sum(), least), 0.0)
        return [int(share) for share in self.room * shares / shares.sum()]
