"""Coordinates of the marks of plots, which the templates draw."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor, log10
from typing import Any

from imli.report.words import percent

_STEP = 26  # between two lines of a forest plot


def forest(calibration: Mapping[str, Any]) -> dict[str, Any]:
    """Place a line for each part of the rule that decides rows, with its observed and its predicted accuracy."""
    parts = [(part, part["observed"]) for part in calibration["parts"] if part["observed"] is not None]
    left, right, top = 78.0, 20.0, 8.0
    width = 380.0
    lowest = min((min(seen["low"], part["predicted"]) for part, seen in parts), default=0.0)
    ticks = _ticks(lowest, 1.0, 6)
    x = _scale(min(ticks[0], lowest), max(ticks[-1], 1.0), left, width - right)
    bottom = top + _STEP * len(parts)
    return {
        "width": width,
        "height": bottom + 34,
        "left": left,
        "right": width - right,
        "top": top,
        "bottom": bottom,
        "ticks": [{"x": x(tick), "text": percent(tick, 0)} for tick in ticks if tick <= 1],
        "lines": [
            {
                "name": part["name"],
                "y": top + _STEP * (place + 0.5),
                "low": x(seen["low"]),
                "high": x(seen["high"]),
                "observed": x(seen["share"]),
                "predicted": x(part["predicted"]),
            }
            for place, (part, seen) in enumerate(parts)
        ],
    }


def curve(path: Mapping[str, Any]) -> dict[str, Any]:
    """Place the accuracy over the size: in cross-validation with error bars, on the training rows as a line."""
    points = path["points"]
    width, height = 440.0, 260.0
    left, right, top, bottom = 50.0, 20.0, 14.0, 44.0
    accuracies = [point["training"] for point in points]
    for point in points:
        if point["validated"] is not None:
            accuracies += _ends(point["validated"], point["standard_error"])
    y_ticks = _ticks(min(accuracies), max(accuracies), 5)
    y = _scale(y_ticks[0], y_ticks[-1], height - bottom, top)
    sizes = [point["size"] for point in points] + [path["size"]]
    x_ticks, widened = _sizes(sizes)
    x = _scale(widened(x_ticks[0]), widened(max(x_ticks[-1], *sizes)), left + 10, width - right)
    marks = []
    for place, point in enumerate(points):
        validated = point["validated"]
        low, high = (None, None) if validated is None else map(y, _ends(validated, point["standard_error"]))
        marks.append(
            {
                "x": x(widened(point["size"])),
                "training": y(point["training"]),
                "validated": None if validated is None else y(validated),
                "low": low,
                "high": high,
                "is_pick": place == path["pick"],
                "is_best": place == path["best"],
            }
        )
    digits = 0 if all(abs(100 * tick - round(100 * tick)) < 1e-6 for tick in y_ticks) else 1
    return {
        "width": width,
        "height": height,
        "left": left,
        "right": width - right,
        "top": top,
        "bottom": height - bottom,
        "x_ticks": [{"x": x(widened(tick)), "text": f"{tick:,.0f}"} for tick in x_ticks],
        "y_ticks": [{"y": y(tick), "text": percent(tick, digits)} for tick in y_ticks if 0 <= tick <= 1],
        "marks": marks,
        "training": " ".join(f"{mark['x']},{mark['training']}" for mark in marks),
        "this": x(widened(path["size"])),
    }


def _ends(share: float, error: float | None) -> tuple[float, float]:
    """Return the share minus and plus one standard error, within 0 and 1."""
    return max(share - (error or 0.0), 0.0), min(share + (error or 0.0), 1.0)


def _sizes(sizes: Sequence[int]) -> tuple[list[float], Callable[[float], float]]:
    """Return ticks for sizes and their scale: logarithmic for wide ranges, to give small rules more room."""
    least, most = min(sizes), max(sizes)
    if least > 0 and most > 10 * least:
        steps = [float(factor * 10**power) for power in range(7) for factor in (1, 2, 5)]
        return [step for step in steps if least / 2 < step <= most], log10
    return [tick for tick in _ticks(0, max(most, 1), 7, whole=True) if tick <= max(most, 1)], float


def _scale(low: float, high: float, start: float, end: float) -> Any:
    """Return a function that maps low to high linearly onto start to end."""
    span = high - low or 1.0

    def place(value: float) -> float:
        return round(start + (value - low) / span * (end - start), 1)

    return place


def _ticks(low: float, high: float, most: int, whole: bool = False) -> list[float]:
    """Return round numbers from at most ``low`` to at least ``high``, about ``most`` of them.

    >>> _ticks(0.913, 1.0, 5), _ticks(0, 23, 7, whole=True)
    ([0.9, 0.92, 0.94, 0.96, 0.98, 1.0], [0.0, 5.0, 10.0, 15.0, 20.0, 25.0])
    """
    span = max(high - low, 1e-3)
    power = 10.0 ** floor(log10(span / most))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10, 20) if span / (power * factor) <= most)
    if whole:
        step = max(1.0, ceil(step))
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [float(round(step * n, 10)) for n in range(first, max(last, first + 1) + 1)]
