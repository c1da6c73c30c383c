"""Figures over data sets: ranks, geometric means, fronts, directions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import fmean

# The studentized range with infinite degrees of freedom over the square root of two, at 5 %, for 2, 3, … methods. SciPy
# computes the same figures, in seconds.
_NEMENYI = (1.960, 2.344, 2.569, 2.728, 2.850, 2.948, 3.031, 3.102, 3.164, 3.219, 3.268, 3.313, 3.354, 3.391, 3.426,
            3.458, 3.489, 3.517, 3.544, 3.569, 3.593, 3.616, 3.637, 3.658)  # fmt: skip


def geometric_mean(values: Sequence[float]) -> float:
    """The geometric mean; what is below one counts as one, since a rule may have no conditions at all.

    >>> round(geometric_mean([1, 10, 100]), 6), geometric_mean([0, 1])
    (10.0, 1.0)
    """
    return exp(fmean(log(max(value, 1.0)) for value in values))


def ratio_of_sizes(pairs: Sequence[tuple[float, float]]) -> float:
    """The geometric mean of how much larger the first is, rules without conditions counted as of one."""
    return exp(fmean(log(max(first, 1.0) / max(second, 1.0)) for first, second in pairs))


def mean_ratio(pairs: Sequence[tuple[float, float]]) -> float:
    """The geometric mean of how many times the second the first is.

    >>> mean_ratio([(1, 2), (8, 4)])
    1.0
    """
    return exp(fmean(log(first / second) for first, second in pairs))


def ranks(values: Mapping[str, float]) -> dict[str, float]:
    """1 for the highest; those that are equal share the mean of their ranks.

    >>> ranks({"a": 80.0, "b": 90.0, "c": 80.0})
    {'a': 2.5, 'b': 1.0, 'c': 2.5}
    """
    found = list(values.values())
    return {
        name: sum(other > value for other in found) + (found.count(value) + 1) / 2 for name, value in values.items()
    }


def critical_difference(n_methods: int, n_problems: int) -> float | None:
    """How far two mean ranks must be apart to tell methods apart at 5 % (Nemenyi's test); None if it is not tabled."""
    if not 2 <= n_methods < len(_NEMENYI) + 2:
        return None
    return _NEMENYI[n_methods - 2] * sqrt(n_methods * (n_methods + 1) / (6 * n_problems))


@dataclass(frozen=True)
class Point:
    """A model, by how much of it there is to read and how often it is right."""

    rival: str
    size: float
    accuracy: float
    settings: str = "{}"


def front(points: Sequence[Point]) -> list[Point]:
    """Those that no other beats in size and accuracy, from short to long."""
    best: list[Point] = []
    for point in sorted(points, key=lambda point: (point.size, -point.accuracy)):
        if not best or point.accuracy > best[-1].accuracy:
            best.append(point)
    return best


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Spearman's: 1 if the second always grows with the first, -1 if it always falls; None if one does not change.

    >>> rank_correlation([(1, 5), (2, 7), (3, 9)]), rank_correlation([(1, 5), (2, 5)])
    (1.0, None)
    """
    columns = [ranks({str(place): value for place, value in enumerate(column)}) for column in zip(*pairs, strict=True)]
    first, second = (list(column.values()) for column in columns)
    deviations = [(a - fmean(first), b - fmean(second)) for a, b in zip(first, second, strict=True)]
    spread = sqrt(sum(a * a for a, _ in deviations) * sum(b * b for _, b in deviations))
    return round(sum(a * b for a, b in deviations) / spread, 12) if spread else None
