"""Settings to try, out of many."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import gcd
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
    """The default, then combinations of values, as far from each other as so many can be.

    Each next one lies a golden section of the whole list further on, so each value comes up about as often as others,
    and what a short list has a longer one has too.
    """
    combinations = [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]
    stride = round(len(combinations) * 0.618)
    while gcd(stride, len(combinations)) != 1:
        stride += 1
    return _default_first([combinations[i * stride % len(combinations)] for i in range(len(combinations))], n)


def _default_first(settings: list[Settings], n: int) -> list[Settings]:
    distinct: list[Settings] = [{}]
    distinct += [setting for i, setting in enumerate(settings) if setting not in settings[:i]]
    return distinct[:n]
