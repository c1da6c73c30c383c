"""The rules that were found on some rows, from short to long, and which of them is the cheapest at each λ."""

import math
from dataclasses import dataclass

import numpy as np

from imli.query import Query
from imli.rules import Rule


@dataclass(frozen=True)
class Priced:
    """A rule with what its literals cost at the λ of the query, and all else, in units."""

    rule: Rule
    length: int
    loss: int

    @property
    def n_literals(self) -> int:
        return len(self.rule.literals)


@dataclass(frozen=True)
class Place:
    """A rule of the front, and the question that it answers: at this λ, with at most as many literals as it has.

    ``is_corner`` says whether it is also the cheapest of all that were found, however long.
    """

    priced: Priced
    lam: float
    is_corner: bool


class Front:
    """Rules of one question that is asked at many λ. At each a rule costs ``loss`` + λ·``length``."""

    def __init__(self, query: Query, lam: float) -> None:
        """The query is one in which a literal costs this λ."""
        self.query, self._lam = query, lam
        self._known: dict[Rule, Priced] = {}
        costs = query.literal_costs[query.literal_costs > 0]
        # lengths are multiples of this
        self.step = int(np.gcd.reduce(costs)) if len(costs) else 1

    def add(self, *rules: Rule) -> None:
        costs, position = self.query.literal_costs, self.query.position
        for rule in rules:
            if rule not in self._known:
                length = sum(int(costs[position[literal]]) for clause in rule.clauses for literal in set(clause))
                self._known[rule] = Priced(rule, length, self.query.units(rule) - length)

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(self._known)

    def cheapest(self, lam: float, max_literals: int | None = None) -> Rule:
        """The cheapest rule at this λ; of equals the shortest, of these the first that was found."""
        factor = lam / self._lam
        some = [each for each in self._known.values() if max_literals is None or each.n_literals <= max_literals]
        return min(some, key=lambda each: (each.loss + factor * each.length, each.length)).rule

    def ladder(self) -> list[Priced]:
        """From the shortest to the longest, all rules with less loss than every other that is as short."""
        ladder: list[Priced] = []
        for point in sorted(self._known.values(), key=lambda each: (each.length, each.loss)):
            if not ladder or point.loss < ladder[-1].loss:
                ladder.append(point)
        return ladder

    def n_steps(self) -> int:
        """How many of them also have less loss than every other that is as small, if values in lists are counted."""
        n_steps, least = 0, math.inf
        for point in sorted(self.ladder(), key=lambda each: (each.rule.size, each.loss)):
            if point.loss < least:
                n_steps, least = n_steps + 1, point.loss
        return n_steps

    def corners(self) -> list[Priced]:
        """Those of them that are the cheapest of all at some λ: the lower convex hull."""
        hull: list[Priced] = []
        for point in self.ladder():
            # the last is above the line from the one before it to the new point, or on it
            while len(hull) > 1 and _area(hull[-2], hull[-1], point) <= 0:
                hull.pop()
            hull.append(point)
        return hull

    def slope(self, shorter: Priced, longer: Priced) -> float:
        """The λ at which both cost the same."""
        return self._lam * (shorter.loss - longer.loss) / (longer.length - shorter.length)

    def places(self, least: float) -> list[Place]:
        """The rules from short to long with their λ, none of which is below the least."""
        corners, places = self.corners(), list[Place]()
        n = 0  # corners before the rule
        for priced in self.ladder():
            is_corner = priced is corners[n]
            high = self.slope(corners[n - 1], corners[n]) if n > 0 else math.inf
            low = self.slope(corners[n], corners[n + 1]) if n + 1 < len(corners) else min(least, high)
            places.append(Place(priced, between(low, high), is_corner))
            n = min(n + is_corner, len(corners) - 1)
        return places


def _area(first: Priced, second: Priced, third: Priced) -> int:
    """Positive if the second lies below the line between the others."""
    return (first.loss - second.loss) * (third.length - second.length) - (second.loss - third.loss) * (
        second.length - first.length
    )


def between(low: float, high: float) -> float:
    """A number of few digits near the geometric mean of two others, and between them.

    >>> between(12.3, 14.9), between(2.1, 2.2), between(3.0, float("inf"))
    (14.0, 2.15, 3.0)
    """
    if not math.isfinite(high) or low <= 0:
        return low
    mean = math.sqrt(low) * math.sqrt(high)
    rounded = (float(f"{mean:.{digits}g}") for digits in range(2, 16))
    return next((number for number in rounded if low < number < high), mean)
