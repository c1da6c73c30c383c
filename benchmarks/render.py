"""Writes the tables of README.md anew from the result files.

python benchmarks/render.py [--check]
"""

import argparse
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

from results import middle, read, values

PAGE = Path(__file__).parent / "README.md"


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(header), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


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
                 cell(own, "{:.2f}", measure="memory_growth_over_frame", **wanted),
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


TABLES: dict[str, Callable[[], str]] = {
    "search": search, "kernel": kernel, "fits": fits, "proof": proof, "strategies": strategies
}  # fmt: skip


def rendered(page: str) -> str:
    def fill(match: re.Match[str]) -> str:
        return f"<!-- table: {match[1]} -->\n\n{TABLES[match[1]]()}\n\n<!-- end -->"

    return re.sub(r"<!-- table: (\w+) -->.*?<!-- end -->", fill, page, flags=re.DOTALL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say whether the page is what the files say")
    options = parser.parse_args()
    page = PAGE.read_text()
    new = rendered(page)
    if options.check:
        raise SystemExit(None if new == page else "benchmarks/README.md is not what the result files say.")
    PAGE.write_text(new)


if __name__ == "__main__":
    main()
