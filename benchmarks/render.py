"""Writes the tables of README.md and of the page on large tables anew from the result files, and the page of the
comparison with its plots.

python benchmarks/render.py [--check]
"""

import argparse
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from statistics import median

import capacity
from results import FOLDER, middle, read, values

from imli.bench.rendering import render
from imli.bench.rendering.marks import fill, table

PAGE = Path(__file__).parent / "README.md"
DOCS = Path(__file__).parents[1] / "docs"
COMPARISON, LARGE = DOCS / "about" / "comparison.md", DOCS / "recipes" / "large.md"


def keys(rows: list[dict[str, str]], name: str) -> list[str]:
    return list(dict.fromkeys(row[name] for row in rows))


def search() -> str:
    rows = read("search")
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


def kernel() -> str:
    rows = read("kernel")
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


def cell(rows: list[dict[str, str]], form: str, **wanted: str) -> str:
    return form.format(middle(rows, **wanted)) if values(rows, **wanted) else ""


def fits() -> str:
    rows = read("fits")
    lines = []
    for problem in keys(rows, "problem"):
        own = [row for row in rows if row["problem"] == problem]
        for method, settings in dict.fromkeys((row["method"], row["settings"]) for row in own):
            wanted = {"method": method, "settings": settings}
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


def proof() -> str:
    rows = read("proof")
    lines = []
    for settings in keys(rows, "settings"):
        seconds = values(rows, settings=settings, measure="seconds")
        costs, bounds = (values(rows, settings=settings, measure=name) for name in ("cost", "bound"))
        proven = sum(cost == bound for cost, bound in zip(costs, bounds, strict=True))
        lines.append([settings, f"{proven} of {len(costs)}", f"{median(seconds):.2f}", f"{max(seconds):.2f}"])
    return table(["λ", "proven optimal", "seconds, median", "seconds, worst"], lines)


def strategies() -> str:
    rows = read("strategies")
    lines = []
    for settings in keys(rows, "settings"):
        for method in keys(rows, "method"):
            own = [row for row in rows if row["settings"] == settings and row["method"] == method]
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


NAMES = {
    "parkinsons": "Parkinsons", "pima": "Pima", "magic": "MAGIC", "credit_default": "Credit", "bank_marketing": "Bank",
    "weather_aus": "Weather", "wdbc": "WDBC", "titanic": "Titanic", "tomshardware": "Tom's Hardware", "adult": "Adult",
    "connect4": "Connect-4", "skin": "Skin",
}  # fmt: skip


def defaults(part: str) -> str:
    rows = [row for row in read("defaults") if row["method"].startswith(f"{part}:")]
    problems = keys(rows, "problem")

    def shown(settings: str, problem: str) -> str:
        own = {"settings": settings, "problem": problem}
        accuracy, length = (middle(rows, measure=name, **own) for name in ("accuracy_percent", "n_conditions"))
        return f"{accuracy:.2f} ± {middle(rows, measure='standard_error', **own):.2f} ({length:.0f})"

    def mean(settings: str) -> str:
        return f"{sum(values(rows, settings=settings, measure='accuracy_percent')) / len(problems):.2f}"

    return table(
        [part, *(NAMES[problem] for problem in problems), "mean"],
        ([settings, *(shown(settings, problem) for problem in problems), mean(settings)]
         for settings in keys(rows, "settings")),
    )  # fmt: skip


def checks() -> str:
    rows = read("checks")
    names = ("passed", "failed", "xfail", "skipped")
    header = ["estimator", "passed", "failed", "expected to fail", "skipped"]
    body = ([problem, *(f"{middle(rows, problem=problem, measure=name):g}" for name in names)]
            for problem in keys(rows, "problem"))  # fmt: skip
    return table(header, body)


def path_time() -> str:
    rows = [row for row in read("path") if row["settings"] == "time"]
    names = ("rules", "seconds", "fit_seconds", "ratio")
    body = ([problem, *(f"{middle(rows, problem=problem, measure=name):.3g}" for name in names)]
            for problem in keys(rows, "problem"))  # fmt: skip
    return table(["data", "rules", "seconds", "seconds of one fit", "ratio"], body)


def path_choice() -> str:
    rows = [row for row in read("path") if row["settings"] == "choice"]
    methods = keys(rows, "method")

    def shown(problem: str, method: str) -> str:
        accuracy, size, seconds = (
            values(rows, problem=problem, method=method, measure=name)
            for name in ("accuracy_percent", "size", "seconds")
        )
        mean = sum(accuracy) / len(accuracy)
        return f"{mean:.1f} ({median(size):g}), {median(seconds):.1f} s"

    body = ([problem, str(len(values(rows, problem=problem, method=methods[0], measure="size"))),
             *(shown(problem, method) for method in methods)] for problem in keys(rows, "problem"))  # fmt: skip
    return table(["data", "folds", *methods], body)


def command_line() -> str:
    rows = read("command_line")

    def body() -> Iterable[list[str]]:
        for problem in keys(rows, "problem"):
            own = [row for row in rows if row["problem"] == problem]
            first = keys(own, "method")[0]
            for method in keys(own, "method"):
                seconds, base = (middle(own, method=each, measure="seconds") for each in (method, first))
                yield [problem, method, f"{seconds:.2f}", f"{seconds / base:.2f}"]

    return table(["", "process", "seconds", "relative to the first"], body())


def surrogates() -> str:
    """Fidelity of our rules and of trees, means over seeds, with the conditions of each."""
    rows = [row for row in read("explain") if row["settings"] == "surrogates"]

    def shown(problem: str, method: str) -> str:
        own = {"problem": problem, "method": method}
        fidelity, n_conditions = (values(rows, measure=name, **own) for name in ("fidelity_percent", "n_conditions"))
        return f"{sum(fidelity) / len(fidelity):.2f} ({sum(n_conditions) / len(n_conditions):.0f})"

    kinds = [method for method in keys(rows, "method") if not method.startswith("cart")]
    body = ([NAMES[problem], kind, shown(problem, kind),
             *(shown(problem, f"cart for {kind}, {count}") for count in ("nodes", "paths"))]
            for problem in keys(rows, "problem") for kind in kinds)  # fmt: skip
    return table(["data", "kind", "imli", "CART by inner nodes", "CART by paths"], body)


def local_rules() -> str:
    """How local rules and anchors do on the same rows."""
    rows = [row for row in read("explain") if row["settings"] == "local"]
    measures = {
        "precision_percent": "precision", "reached_percent": "rows that reach 95 %",
        "around_percent": "precision around the row", "held_percent": "precision on rows held out",
        "coverage_percent": "coverage", "held_coverage_percent": "coverage of rows held out",
        "n_conditions": "conditions", "seconds": "seconds, median", "n_rows": "rows explained",
    }  # fmt: skip
    body = ([NAMES[problem], method, *(f"{middle(rows, problem=problem, method=method, measure=name):.3g}"
                                       for name in measures)]
            for problem in keys(rows, "problem") for method in keys(rows, "method"))  # fmt: skip
    return table(["data", "method", *measures.values()], body)


def streams_final() -> str:
    """What a stream ends with, beside one fit on all of its rows; means over seeds."""
    rows = [row for row in read("streams") if row["settings"] == "final"]

    def mean(problem: str, method: str, measure: str) -> float:
        found = values(rows, problem=problem, method=method, measure=measure)
        return sum(found) / len(found)

    def body() -> Iterable[list[str]]:
        for problem in keys(rows, "problem"):
            own = [row for row in rows if row["problem"] == problem]
            for method in keys(own, "method"):
                excess = values(own, method=method, measure="excess_percent")
                n_seeds = len(values(own, method=method, measure="cost"))
                cells = [NAMES[problem], method, str(n_seeds), f"{mean(problem, method, 'cost'):,.0f}"]
                if not excess:
                    yield [*cells, "", "", f"{mean(problem, method, 'literals'):.0f}", "", ""]
                    continue
                yield [*cells, f"{sum(excess) / len(excess):+.1f}", f"{min(excess):+.1f} … {max(excess):+.1f}",
                       *(f"{mean(problem, method, name):.{digits}f}"
                         for name, digits in (("literals", 0), ("moved_per_batch", 1), ("alarms", 1)))]  # fmt: skip

    header = ["data", "", "seeds", "cost on all rows", "more than one fit, %", "range", "literals",
              "literals moved in a batch", "false alarms"]  # fmt: skip
    return table(header, body())


def streams_flip() -> str:
    """How soon a rule follows where the classes change places; means over seeds."""
    rows = [row for row in read("streams") if row["settings"] == "flip"]
    measures = {
        "error_before_flip_percent": "wrong before, %", "error_at_flip_percent": "wrong at the flip, %",
        "batches_to_follow": "batches to follow", "error_at_end_percent": "wrong at the end, %",
        "found_at_once": "found in that batch", "false_alarms": "false alarms",
    }  # fmt: skip

    def shown(problem: str, method: str, measure: str) -> str:
        found = values(rows, problem=problem, method=method, measure=measure)
        return f"{sum(found) / len(found):.3g}"

    body = ([NAMES[problem], method, *(shown(problem, method, measure) for measure in measures)]
            for problem in keys(rows, "problem") for method in keys(rows, "method"))  # fmt: skip
    return table(["data", "", *measures.values()], body)


def streams_time() -> str:
    """One batch with our search and with RC2."""
    rows = [row for row in read("streams") if row["settings"] == "time"]

    def body() -> Iterable[list[str]]:
        for problem in keys(rows, "problem"):
            for method in keys(rows, "method"):
                own = {"problem": problem, "method": method}
                times = values(rows, measure="milliseconds", **own)
                optimal = values(rows, measure="is_optimal", **own)
                proven = f"{sum(optimal):.0f} of {len(optimal)}" if optimal else ""
                yield [problem, method, str(len(times)), f"{middle(rows, measure='literals', **own):.0f}",
                       f"{median(times):.1f}", f"{max(times):.0f}", proven]  # fmt: skip

    return table(["clauses", "search", "batches", "literals", "milliseconds, median", "most", "proven optimal"], body())


TABLES: dict[str, Callable[[], str]] = {
    "search": search, "kernel": kernel, "fits": fits, "proof": proof, "strategies": strategies, "checks": checks,
    "command_line": command_line, "capacity": capacity.measured, "capacity_model": capacity.model,
    "path_time": path_time, "path_choice": path_choice, "surrogates": surrogates, "local_rules": local_rules,
    "streams_final": streams_final, "streams_flip": streams_flip, "streams_time": streams_time,
    **{part: partial(defaults, part) for part in ("binning", "lam", "clauses", "inner")},
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say whether the pages are what the files say")
    options = parser.parse_args()
    filled = {page: fill(page.read_text(), TABLES) for page in (PAGE, LARGE)}
    stale = [page for page, text in filled.items() if text != page.read_text()]
    stale += render(FOLDER / "quick", COMPARISON, check=options.check)
    if not options.check:
        for page, text in filled.items():
            page.write_text(text)
    elif stale:
        raise SystemExit(f"Not what the result files say: {', '.join(path.name for path in stale)}.")


if __name__ == "__main__":
    main()
