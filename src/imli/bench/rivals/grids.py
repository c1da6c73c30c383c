"""Settings to try, out of many."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any

Settings = dict[str, Any]


def linear(name: str, low: int, high: int, n: int) -> list[Settings]:
    """The default, then whole numbers at equal distances."""
    numbers = [round(low + (high - low) * i / max(1, n - 2)) for i in range(n - 1)]
    return _default_first([{name: number} for number in numbers], n)


def logarithmic(name: str, low: float, high: float, n: int) -> list[Settings]:
    """The default, then numbers between two powers of ten at equal ratios, to three digits."""
    exponents = [low + (high - low) * i / max(1, n - 2) for i in range(n - 1)]
    return _default_first([{name: float(f"{10**exponent:.3g}")} for exponent in exponents], n)


def crossed(values: Mapping[str, Sequence[Any]], n: int) -> list[Settings]:
    """The default, then combinations of values: each next one of those values, and pairs of them, that came up least.

    So few of them have each value about as often as any other, and what a short list has a longer one has too.
    """
    ahead = [tuple(enumerate(chosen)) for chosen in product(*values.values())]
    chosen: list[Settings] = []
    seen: Counter[Any] = Counter()

    def familiar(combination: tuple[Any, ...]) -> tuple[int, int]:
        return sum(seen[value] for value in combination), sum(seen[pair] for pair in combinations(combination, 2))

    while ahead and len(chosen) < n - 1:
        best = min(ahead, key=familiar)
        ahead.remove(best)
        seen.update([*best, *combinations(best, 2)])
        chosen.append(dict(zip(values, (value for _, value in best), strict=True)))
    return _default_first(chosen, n)


def _default_first(settings: list[Settings], n: int) -> list[Settings]:
    distinct: list[Settings] = [{}]
    distinct += [setting for i, setting in enumerate(settings) if setting not in settings[:i]]
    return distinct[:n]
