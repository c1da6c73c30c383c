"""Tables of what large tables take: as measured, and by a model of it for tables that are larger still."""

from collections.abc import Iterable

import numpy as np
from results import middle, read, values

from imli.bench.rendering.marks import table

WHERE = {
    "memory": "in memory",
    "parts": "in parts",
    "dask": "two workers of Dask",
    "predict": "`imli predict`, in parts",
}
NOT_MEASURED = "Not measured yet."


def measured() -> str:
    rows = read("large")
    if not rows:
        return NOT_MEASURED
    return table(
        ["rows", "where", "literals", "seconds", "seconds for a million rows", "memory at most", "bits",
         "rounds", "sent in a round", "same rule"],
        _measured(rows),
    )  # fmt: skip


def _measured(rows: list[dict[str, str]]) -> Iterable[list[str]]:
    for problem in dict.fromkeys(row["problem"] for row in rows):
        own = [row for row in rows if row["problem"] == problem]
        rules = set(values(own, measure="rule"))
        for method in WHERE:
            if not values(own, method=method, measure="seconds"):
                continue

            def cell(measure: str, form: str, own=own, method=method) -> str:
                found = values(own, method=method, measure=measure)
                return form.format(found[0]) if found else ""

            yield [
                problem, WHERE[method], cell("literals", "{:,.0f}"), cell("seconds", "{:.0f}"),
                cell("seconds_a_million", "{:.1f}"), cell("peak_mb", "{:,.0f} MB"), cell("bits_mb", "{:,.0f} MB"),
                cell("rounds", "{:.0f}"), cell("kb_a_round", "{:.0f} kB"),
                cell("rule", "yes" if len(rules) == 1 else "no"),
            ]  # fmt: skip


def model() -> str:
    """Seconds are a part that does not depend on the rows, and one that grows with them, which workers share."""
    rows = read("large")
    lines = {method: _line(rows, method) for method in ("parts", "dask")}
    if any(line is None for line in lines.values()):
        return NOT_MEASURED
    bits = _per_million(rows, "parts", "bits_mb")
    # a worker holds bits beside what it needs for few rows
    least = {
        "parts": max(values(rows, method="parts", measure="peak_mb")),
        "dask": min(values(rows, method="dask", measure="peak_mb_worker")),
    }

    def body() -> Iterable[list[str]]:
        for n_millions, n_workers in ((100, 2), (100, 16), (1000, 2), (1000, 16), (1000, 64)):
            for method in ("parts", "dask"):
                if method == "parts" and n_workers != 2:
                    continue
                always, each = lines[method]
                seconds = always + each * n_millions * 2 / n_workers
                held = 0.0 if method == "parts" else bits * n_millions / n_workers
                where = "in parts, 2 cores" if method == "parts" else f"Dask, {n_workers} workers"
                yield [
                    f"{n_millions:,} million", where, f"{seconds / 60:,.0f} min",
                    f"{(least[method] + held) / 1e3:,.1f} GB{'' if method == 'parts' else ' a worker'}",
                    f"{bits * n_millions / 1e3:,.0f} GB{' of disk' if method == 'parts' else ' in all'}",
                ]  # fmt: skip

    return table(["rows", "where", "minutes", "memory", "bits"], body())


def _line(rows: list[dict[str, str]], method: str) -> tuple[float, float] | None:
    """Seconds without rows, and for a million more, by least squares."""
    own = [row for row in rows if row["method"] == method and row["measure"] == "seconds"]
    if len(own) < 2:
        return None
    n_millions = [float(row["problem"].split()[0]) for row in own]
    each, always = np.polyfit(n_millions, [float(row["value"]) for row in own], 1)
    return max(0.0, float(always)), float(each)


def _per_million(rows: list[dict[str, str]], method: str, measure: str) -> float:
    largest = max((row["problem"] for row in rows if row["method"] == method), key=lambda name: int(name.split()[0]))
    return middle(rows, method=method, problem=largest, measure=measure) / int(largest.split()[0])
