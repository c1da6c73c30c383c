"""Tables of what was measured beside the comparison, for the README of the benchmarks and the page on large tables."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

from imli_bench.data_sets import title_of_data
from imli_bench.pages.marks import NOTHING, table
from imli_bench.results import Line, ResultFile, middle, values


def keys(rows: list[Line], name: str) -> list[str]:
    return list(dict.fromkeys(row[name] for row in rows))


def search(rows: list[Line]) -> str:
    limits = keys(rows, "settings")

    def excess(problem: str, limit: str) -> str:
        found = values(rows, problem=problem, settings=limit, measure="excess_percent")
        units = max(values(rows, problem=problem, settings=limit, measure="excess"))
        return f"{median(found):.2f} / {max(found):.2f} % ({units:+.4g})"

    def error(problem: str) -> str:
        found = (middle(rows, problem=problem, settings=limit, measure="held_out_error_percent") for limit in limits)
        return " / ".join(f"{value:.1f}" for value in found)

    def body() -> Iterable[list[str]]:
        for problem in keys(rows, "problem"):
            costs, excesses = (values(rows, problem=problem, measure=name) for name in ("cost", "excess"))
            seconds = middle(rows, problem=problem, settings="default", measure="seconds")
            best_known = f"{costs[0] - excesses[0]:g}"
            yield [problem, best_known, *(excess(problem, limit) for limit in limits), f"{seconds:.1f}", error(problem)]

    header = ["problem", "best known", *(f"excess, {limit}" for limit in limits), "seconds, default"]
    return table([*header, f"held-out error in %, {' / '.join(limits)}"], body())


def kernel(rows: list[Line]) -> str:
    names = ("milliseconds", "scan_gb_s", "memory_gb_s", "share_percent")
    header = ["literals x rows", "threads", "ms a scan", "scan, GB/s", "memory, GB/s", "share"]
    return table(
        header,
        (
            [problem, settings.split()[0], *(f"{middle(rows, problem=problem, settings=settings, measure=name):.1f}"
                                              for name in names[:3]),
             f"{middle(rows, problem=problem, settings=settings, measure='share_percent'):.0f} %"]
            for problem in keys(rows, "problem") for settings in keys(rows, "settings")
        ),
    )  # fmt: skip


def cell(rows: list[Line], form: str, **wanted: str) -> str:
    return form.format(middle(rows, **wanted)) if values(rows, **wanted) else ""


def fits(rows: list[Line]) -> str:
    lines = []
    for problem in keys(rows, "problem"):
        own = [row for row in rows if row["problem"] == problem]
        for method, settings in dict.fromkeys((row["rival"], row["settings"]) for row in own):
            wanted = {"rival": method, "settings": settings}
            lines.append(
                [problem, f"{method} {settings}".strip(),
                 cell(own, "{:.2f}", measure="seconds", **wanted),
                 cell(own, "{:.2f}", measure="microseconds_per_row", **wanted),
                 cell(own, "{:.2f}", measure="memory_growth_over_frame", **wanted)
                 or cell(own, "{:.0f} MB", measure="memory_growth_mb", **wanted),
                 cell(own, "{:.2f}", measure="held_out_accuracy_percent", **wanted),
                 cell(own, "{:.0f}", measure="n_conditions", **wanted)]
            )  # fmt: skip
    header = ["data", "method", "seconds", "µs a row", "memory / frame", "held-out accuracy in %", "conditions"]
    return table(header, lines)


def proof(rows: list[Line]) -> str:
    lines = []
    for settings in keys(rows, "settings"):
        seconds = values(rows, settings=settings, measure="seconds")
        costs, bounds = (values(rows, settings=settings, measure=name) for name in ("cost", "bound"))
        proven = sum(cost == bound for cost, bound in zip(costs, bounds, strict=True))
        lines.append([settings, f"{proven} of {len(costs)}", f"{median(seconds):.2f}", f"{max(seconds):.2f}"])
    return table(["λ", "proven optimal", "seconds, median", "seconds, worst"], lines)


def strategies(rows: list[Line]) -> str:
    lines = []
    for settings in keys(rows, "settings"):
        for method in keys(rows, "rival"):
            own = [row for row in rows if row["settings"] == settings and row["rival"] == method]
            costs = values(own, measure="cost")
            if not costs:
                continue
            pairs = zip(values(own, measure="seconds"), values(own, measure="solver_seconds"), strict=True)
            ratio = median(seconds / max(solver, 1e-9) for seconds, solver in pairs)
            first = ", ".join(f"{cost:g}" for cost in costs[:3])
            lines.append(
                [settings.removeprefix("k="), method, f"{median(costs):g} ({first})",
                 f"{middle(own, measure='literals'):g}", f"{middle(own, measure='test_accuracy_percent'):.1f}",
                 f"{middle(own, measure='seconds'):.2f}", f"{ratio:.2f}"]
            )  # fmt: skip
    header = ["k", "strategy", "training cost: median (folds 0, 1, 2)", "literals", "test accuracy in %", "seconds"]
    return table([*header, "seconds / solver's"], lines)


def defaults(part: str, rows: list[Line]) -> str:
    rows = [row for row in rows if row["rival"].startswith(f"{part}:")]
    problems = keys(rows, "problem")

    def shown(settings: str, problem: str) -> str:
        own = {"settings": settings, "problem": problem}
        accuracy, length = (middle(rows, measure=name, **own) for name in ("accuracy_percent", "n_conditions"))
        return f"{accuracy:.2f} ± {middle(rows, measure='standard_error', **own):.2f} ({length:.0f})"

    def mean(settings: str) -> str:
        return f"{sum(values(rows, settings=settings, measure='accuracy_percent')) / len(problems):.2f}"

    return table(
        [part, *(title_of_data(problem) for problem in problems), "mean"],
        ([settings, *(shown(settings, problem) for problem in problems), mean(settings)]
         for settings in keys(rows, "settings")),
    )  # fmt: skip


def checks(rows: list[Line]) -> str:
    names = ("passed", "failed", "xfail", "skipped")
    header = ["estimator", "passed", "failed", "expected to fail", "skipped"]
    body = ([problem, *(f"{middle(rows, problem=problem, measure=name):g}" for name in names)]
            for problem in keys(rows, "problem"))  # fmt: skip
    return table(header, body)


def path_time(rows: list[Line]) -> str:
    rows = [row for row in rows if row["settings"] == "time"]
    names = ("rules", "seconds", "fit_seconds", "ratio")
    body = ([problem, *(f"{middle(rows, problem=problem, measure=name):.3g}" for name in names)]
            for problem in keys(rows, "problem"))  # fmt: skip
    return table(["data", "rules", "seconds", "seconds of one fit", "ratio"], body)


def path_choice(rows: list[Line]) -> str:
    rows = [row for row in rows if row["settings"] == "choice"]
    methods = keys(rows, "rival")

    def shown(problem: str, method: str) -> str:
        accuracy, size, seconds = (
            values(rows, problem=problem, rival=method, measure=name)
            for name in ("accuracy_percent", "size", "seconds")
        )
        mean = sum(accuracy) / len(accuracy)
        return f"{mean:.1f} ({median(size):g}), {median(seconds):.1f} s"

    body = ([problem, str(len(values(rows, problem=problem, rival=methods[0], measure="size"))),
             *(shown(problem, method) for method in methods)] for problem in keys(rows, "problem"))  # fmt: skip
    return table(["data", "folds", *methods], body)


def command_line(rows: list[Line]) -> str:

    def body() -> Iterable[list[str]]:
        for problem in keys(rows, "problem"):
            own = [row for row in rows if row["problem"] == problem]
            first = keys(own, "rival")[0]
            for method in keys(own, "rival"):
                seconds, base = (middle(own, rival=each, measure="seconds") for each in (method, first))
                yield [problem, method, f"{seconds:.2f}", f"{seconds / base:.2f}"]

    return table(["", "process", "seconds", "relative to the first"], body())


def surrogates(rows: list[Line]) -> str:
    """Return the fidelity of our rules and of trees, means over seeds, with the conditions of each."""
    rows = [row for row in rows if row["settings"] == "surrogates"]

    def shown(problem: str, method: str) -> str:
        own = {"problem": problem, "rival": method}
        fidelity, n_conditions = (values(rows, measure=name, **own) for name in ("fidelity_percent", "n_conditions"))
        return f"{sum(fidelity) / len(fidelity):.2f} ({sum(n_conditions) / len(n_conditions):.0f})"

    kinds = [method for method in keys(rows, "rival") if not method.startswith("cart")]
    body = ([title_of_data(problem), kind, shown(problem, kind),
             *(shown(problem, f"cart for {kind}, {count}") for count in ("nodes", "paths"))]
            for problem in keys(rows, "problem") for kind in kinds)  # fmt: skip
    return table(["data", "kind", "imli", "CART by inner nodes", "CART by paths"], body)


def local_rules(rows: list[Line]) -> str:
    """Return how local rules and anchors do on the same rows."""
    rows = [row for row in rows if row["settings"] == "local"]
    measures = {
        "precision_percent": "precision", "reached_percent": "rows that reach 95 %",
        "around_percent": "precision around the row", "held_percent": "precision on rows held out",
        "coverage_percent": "coverage", "held_coverage_percent": "coverage of rows held out",
        "n_conditions": "conditions", "seconds": "seconds, median", "n_rows": "rows explained",
    }  # fmt: skip
    body = ([title_of_data(problem), method, *(f"{middle(rows, problem=problem, rival=method, measure=name):.3g}"
                                       for name in measures)]
            for problem in keys(rows, "problem") for method in keys(rows, "rival"))  # fmt: skip
    return table(["data", "method", *measures.values()], body)


def streams_final(rows: list[Line]) -> str:
    """Return what a stream ends with, beside one fit on all of its rows; means over seeds."""
    rows = [row for row in rows if row["settings"] == "final"]

    def mean(problem: str, method: str, measure: str) -> float:
        found = values(rows, problem=problem, rival=method, measure=measure)
        return sum(found) / len(found)

    def body() -> Iterable[list[str]]:
        for problem in keys(rows, "problem"):
            own = [row for row in rows if row["problem"] == problem]
            for method in keys(own, "rival"):
                excess = values(own, rival=method, measure="excess_percent")
                n_seeds = len(values(own, rival=method, measure="cost"))
                cells = [title_of_data(problem), method, str(n_seeds), f"{mean(problem, method, 'cost'):,.0f}"]
                if not excess:
                    yield [*cells, "", "", f"{mean(problem, method, 'literals'):.0f}", "", ""]
                    continue
                yield [*cells, f"{sum(excess) / len(excess):+.1f}", f"{min(excess):+.1f} … {max(excess):+.1f}",
                       *(f"{mean(problem, method, name):.{digits}f}"
                         for name, digits in (("literals", 0), ("moved_per_batch", 1), ("alarms", 1)))]  # fmt: skip

    header = ["data", "", "seeds", "cost on all rows", "more than one fit, %", "range", "literals",
              "literals moved in a batch", "false alarms"]  # fmt: skip
    return table(header, body())


def streams_flip(rows: list[Line]) -> str:
    """Return how soon a rule follows where the classes change places; means over seeds."""
    rows = [row for row in rows if row["settings"] == "flip"]
    measures = {
        "error_before_flip_percent": "wrong before, %", "error_at_flip_percent": "wrong at the flip, %",
        "batches_to_follow": "batches to follow", "error_at_end_percent": "wrong at the end, %",
        "found_at_once": "found in that batch", "false_alarms": "false alarms",
    }  # fmt: skip

    def shown(problem: str, method: str, measure: str) -> str:
        found = values(rows, problem=problem, rival=method, measure=measure)
        return f"{sum(found) / len(found):.3g}"

    body = ([title_of_data(problem), method, *(shown(problem, method, measure) for measure in measures)]
            for problem in keys(rows, "problem") for method in keys(rows, "rival"))  # fmt: skip
    return table(["data", "", *measures.values()], body)


def streams_time(rows: list[Line]) -> str:
    """Return milliseconds of one batch with our search and with RC2."""
    rows = [row for row in rows if row["settings"] == "time"]

    def body() -> Iterable[list[str]]:
        for problem in keys(rows, "problem"):
            for method in keys(rows, "rival"):
                own = {"problem": problem, "rival": method}
                times = values(rows, measure="milliseconds", **own)
                optimal = values(rows, measure="is_optimal", **own)
                proven = f"{sum(optimal):.0f} of {len(optimal)}" if optimal else ""
                yield [problem, method, str(len(times)), f"{middle(rows, measure='literals', **own):.0f}",
                       f"{median(times):.1f}", f"{max(times):.0f}", proven]  # fmt: skip

    return table(["clauses", "search", "batches", "literals", "milliseconds, median", "most", "proven optimal"], body())


WHERE = {
    "memory": "in memory",
    "parts": "in parts",
    "dask": "two workers of Dask",
    "predict": "`imli predict`, in parts",
}


def capacity(rows: list[Line]) -> str:
    return table(
        ["rows", "where", "literals", "seconds", "seconds for a million rows", "memory at most", "bits",
         "rounds", "sent in a round", "same rule"],
        _capacity_lines(rows),
    )  # fmt: skip


def _capacity_lines(rows: list[Line]) -> Iterable[list[str]]:
    for problem in dict.fromkeys(row["problem"] for row in rows):
        own = [row for row in rows if row["problem"] == problem]
        rules = set(values(own, measure="rule"))
        for method in WHERE:
            if not values(own, rival=method, measure="seconds"):
                continue

            def cell(measure: str, form: str, own: list[Line] = own, method: str = method) -> str:
                found = values(own, rival=method, measure=measure)
                return form.format(found[0]) if found else ""

            yield [
                problem, WHERE[method], cell("literals", "{:,.0f}"), cell("seconds", "{:.0f}"),
                cell("seconds_a_million", "{:.1f}"), cell("peak_mb", "{:,.0f} MB"), cell("bits_mb", "{:,.0f} MB"),
                cell("rounds", "{:.0f}"), cell("kb_a_round", "{:.0f} kB"),
                cell("rule", "yes" if len(rules) == 1 else "no"),
            ]  # fmt: skip


def capacity_model(rows: list[Line]) -> str:
    """Return what larger tables would take: a part without rows, and one that grows with them, which workers share."""
    lines = {method: line for method in ("parts", "dask") if (line := _line(rows, method)) is not None}
    if len(lines) < 2:
        return NOTHING
    bits = _per_million(rows, "parts", "bits_mb")
    # a worker holds bits beside what it needs for few rows
    least = {
        "parts": max(values(rows, rival="parts", measure="peak_mb")),
        "dask": min(values(rows, rival="dask", measure="peak_mb_worker")),
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


def _line(rows: list[Line], method: str) -> tuple[float, float] | None:
    """Return seconds without rows, and for a million more, by least squares."""
    own = [row for row in rows if row["rival"] == method and row["seconds"]]
    if len(own) < 2:
        return None
    n_millions = [float(row["problem"].split()[0]) for row in own]
    each, always = np.polyfit(n_millions, [float(row["seconds"]) for row in own], 1)
    return max(0.0, float(always)), float(each)


def _per_million(rows: list[Line], method: str, measure: str) -> float:
    largest = max((row["problem"] for row in rows if row["rival"] == method), key=lambda name: int(name.split()[0]))
    return middle(rows, rival=method, problem=largest, measure=measure) / int(largest.split()[0])


# The places of the pages, the file that each is made from, and what makes it.
_MAKERS: dict[str, tuple[str, Callable[[list[Line]], str]]] = {
    "search": ("search", search),
    "kernel": ("kernel", kernel),
    "fits": ("fits", fits),
    "proof": ("proof", proof),
    "strategies": ("strategies", strategies),
    "checks": ("checks", checks),
    "command_line": ("command_line", command_line),
    "capacity": ("large", capacity),
    "capacity_model": ("large", capacity_model),
    "path_time": ("path", path_time),
    "path_choice": ("path", path_choice),
    "surrogates": ("explain", surrogates),
    "local_rules": ("explain", local_rules),
    "streams_final": ("streams", streams_final),
    "streams_flip": ("streams", streams_flip),
    "streams_time": ("streams", streams_time),
    **{part: ("defaults", partial(defaults, part)) for part in ("binning", "lam", "clauses", "inner")},
}


def tables_of(results: Path) -> dict[str, Callable[[], str]]:
    """Return what fills each place of the two pages from a folder of result files."""

    def make(name: str) -> str:
        part, maker = _MAKERS[name]
        lines = ResultFile(results, part).lines()
        return maker(lines) if lines else NOTHING

    return {name: partial(make, name) for name in _MAKERS}
