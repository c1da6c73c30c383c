"""The rules that were found on some rows, from short to long, and which of them is the cheapest at each λ."""

import math
from dataclasses import dataclass

import numpy as np

from imli.learning.query import Query
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
        """The cheapest rule at this λ; of equals the shortest, of these the first that was found.

        If none is as short as is asked for, it is the cheapest of all.
        """
        factor, known = lam / self._lam, self._known.values()
        some = [each for each in known if max_literals is None or each.n_literals <= max_literals]
        return min(some or known, key=lambda each: (each.loss + factor * each.length, each.length)).rule

    def ladder(self) -> list[Priced]:
        """From the shortest to the longest, all rules with less loss than every other that is as short."""
        ladder: list[Priced] = []
        for point in sorted(self._known.values(), key=lambda each: (each.length, each.loss)):
            if not ladder or point.loss < ladder[-1].loss:
                ladder.append(point)
        return ladder

    def steps(self) -> list[Priced]:
        """Those of them that also have less loss than every other that is as small, if values in lists count."""
        steps: list[Priced] = []
        for point in sorted(self.ladder(), key=lambda each: (each.rule.size, each.loss)):
            if not steps or point.loss < steps[-1].loss:
                steps.append(point)
        return steps

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
        """The rules from short to long with their λ: below all at which a shorter rule is as cheap, and if there is
        room, above all at which a longer one is.
        """
        ladder, places = self.ladder(), list[Place]()
        for n, priced in enumerate(ladder):
            high = min((self.slope(shorter, priced) for shorter in ladder[:n]), default=math.inf)
            low = max((self.slope(priced, longer) for longer in ladder[n + 1 :]), default=min(least, high / 2))
            is_corner = low < high
            places.append(Place(priced, between(low if is_corner else high / 2, high), is_corner))
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
