"""The front of a path search: the rules found so far, from short to long, and the cheapest of them at each λ."""

import math
from dataclasses import dataclass

import numpy as np

from imli.learning.query import Query
from imli.rules import Rule


@dataclass(frozen=True)
class Priced:
    """A rule with its cost in units: of its literals at the λ of the query (``length``), and the rest (``loss``)."""

    rule: Rule
    length: int
    loss: int

    @property
    def n_literals(self) -> int:
        return len(self.rule.literals)


@dataclass(frozen=True)
class Place:
    """A rule of the front, and a λ at which it is the cheapest found among rules with at most as many literals.

    ``is_corner`` is True if it is also the cheapest of all rules found, however long.
    """

    priced: Priced
    lam: float
    is_corner: bool


class Front:
    """Rules for one query at many λ. A rule costs ``loss`` + λ·``length``; in the given query, λ is ``lam``."""

    def __init__(self, query: Query, lam: float) -> None:
        self.query, self._lam = query, lam
        self._known: dict[Rule, Priced] = {}
        costs = query.literal_costs[query.literal_costs > 0]
        self.step = int(np.gcd.reduce(costs)) if len(costs) else 1  # lengths are multiples of it

    def add(self, *rules: Rule) -> None:
        """Add rules, each with its price."""
        costs, position = self.query.literal_costs, self.query.position
        for rule in rules:
            if rule not in self._known:
                length = sum(int(costs[position[literal]]) for clause in rule.clauses for literal in set(clause))
                self._known[rule] = Priced(rule, length, self.query.units(rule) - length)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return all rules, in the order in which they were added."""
        return tuple(self._known)

    def cheapest(self, lam: float, max_literals: int | None = None) -> Rule:
        """Return the cheapest rule at this λ; of equal ones the shortest, of these the first found.

        If every rule has more than ``max_literals`` literals, return the cheapest of all.
        """
        factor, known = lam / self._lam, self._known.values()
        some = [each for each in known if max_literals is None or each.n_literals <= max_literals]
        return min(some or known, key=lambda each: (each.loss + factor * each.length, each.length)).rule

    def ladder(self) -> list[Priced]:
        """Return the rules with less loss than every shorter one, from the shortest to the longest."""
        return _descending(sorted(self._known.values(), key=lambda each: (each.length, each.loss)))

    def steps(self) -> list[Priced]:
        """Return the rules of the ladder with less loss than every one of smaller size, where listed values count."""
        return _descending(sorted(self.ladder(), key=lambda each: (each.rule.size, each.loss)))

    def corners(self) -> list[Priced]:
        """Return the rules of the ladder that are the cheapest of all at some λ: the lower convex hull."""
        hull: list[Priced] = []
        for point in self.ladder():
            # the last point is on or above the line from the point before it to the new one
            while len(hull) > 1 and _area(hull[-2], hull[-1], point) <= 0:
                hull.pop()
            hull.append(point)
        return hull

    def slope(self, shorter: Priced, longer: Priced) -> float:
        """Return the λ at which both rules cost the same."""
        return self._lam * (shorter.loss - longer.loss) / (longer.length - shorter.length)

    def places(self, least: float) -> list[Place]:
        """Return the rules of the ladder, each with a λ at which no shorter rule is as cheap.

        Where there is such a λ, no longer rule is as cheap either: the rule is a corner.
        """
        ladder, places = self.ladder(), list[Place]()
        for n, priced in enumerate(ladder):
            high = min((self.slope(shorter, priced) for shorter in ladder[:n]), default=math.inf)
            low = max((self.slope(priced, longer) for longer in ladder[n + 1 :]), default=min(least, high / 2))
            is_corner = low < high
            places.append(Place(priced, between(low if is_corner else high / 2, high), is_corner))
        return places


def _descending(points: list[Priced]) -> list[Priced]:
    """Return the points with less loss than all points before them."""
    kept: list[Priced] = []
    for point in points:
        if not kept or point.loss < kept[-1].loss:
            kept.append(point)
    return kept


def _area(first: Priced, second: Priced, third: Priced) -> int:
    """Return a number that is positive if the second point lies below the line between the others."""
    before, after = second.length - first.length, third.length - second.length
    return (first.loss - second.loss) * after - (second.loss - third.loss) * before


def between(low: float, high: float) -> float:
    """Return a number of few digits between two others, near their geometric mean.

    >>> between(12.3, 14.9), between(2.1, 2.2), between(3.0, float("inf"))
    (14.0, 2.15, 3.0)
    """
    if not math.isfinite(high) or low <= 0:
        return low
    mean = math.sqrt(low) * math.sqrt(high)
    rounded = (float(f"{mean:.{digits}g}") for digits in range(2, 16))
    return next((number for number in rounded if low < number < high), mean)
