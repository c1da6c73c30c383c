"""Tables of what was measured beside the comparison, for the README of the benchmarks and the page on large tables.

Each function makes one table of the lines of a result file, as a data frame with a column for each figure.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from imli_bench.data_sets import REAL, title_of_data
from imli_bench.pages.marks import NOTHING, table
from imli_bench.results import ResultFile

_WORDS = ("part", "problem", "rival", "settings", "status", "note", "text", "versions", "commit", "machine", "date")


def _groups(lines: pd.DataFrame, *names: str) -> Iterator[tuple[Any, pd.DataFrame]]:
    """Yield the lines of each combination of these columns that occurs, in their order."""
    yield from lines.groupby(list(names) if len(names) > 1 else names[0], sort=False)


def _plain(
    lines: pd.DataFrame,
    header: list[str],
    figures: dict[str, str],
    *,
    form: str = "{:.3g}",
    by: tuple[str, ...] = ("problem", "rival"),
    statistic: str = "median",
    title: Callable[[str], str] = title_of_data,
) -> str:
    """Return a table with a statistic of each figure in one form."""
    rows = (
        [title(keys[0]), *keys[1:], *(form.format(getattr(own[name], statistic)()) for name in figures)]
        for keys, own in ((keys if len(by) > 1 else (keys,), own) for keys, own in _groups(lines, *by))
    )
    return table([*header, *figures.values()], rows)


def _search(lines: pd.DataFrame) -> str:
    limits = list(lines["settings"].unique())
    rows = []
    for problem, own in _groups(lines, "problem"):
        by_limit = [own[own["settings"] == limit] for limit in limits]
        excesses = (
            f"{each['excess_percent'].median():.2f} / {each['excess_percent'].max():.2f} % "
            f"({each['excess'].max():+.4g})" for each in by_limit
        )  # fmt: skip
        seconds = own["seconds"][own["settings"] == "default"].median()
        errors = " / ".join(f"{each['held_out_error_percent'].median():.1f}" for each in by_limit)
        best = own["cost"].iloc[0] - own["excess"].iloc[0]
        rows.append([problem, f"{best:g}", *excesses, f"{seconds:.1f}", errors])
    header = ["problem", "best known", *(f"excess, {limit}" for limit in limits), "seconds, default"]
    return table([*header, f"held-out error in %, {' / '.join(limits)}"], rows)


def _kernel(lines: pd.DataFrame) -> str:
    header = ["literals x rows", "threads", "ms a scan", "scan, GB/s", "memory, GB/s", "share"]
    rows = (
        [problem, settings.split()[0],
         *(f"{own[name].median():.1f}" for name in ("milliseconds", "scan_gb_s", "memory_gb_s")),
         f"{own['share_percent'].median():.0f} %"]
        for (problem, settings), own in _groups(lines, "problem", "settings")
    )  # fmt: skip
    return table(header, rows)


def _cell(figures: pd.Series, form: str) -> str:
    """Return the median in this form, nothing where nothing was measured."""
    return form.format(figures.median()) if figures.notna().any() else ""


def _fits(lines: pd.DataFrame) -> str:
    rows = (
        [problem, f"{rival} {settings}".strip(), _cell(own["seconds"], "{:.2f}"),
         _cell(own["microseconds_per_row"], "{:.2f}"), _cell(own["share_of_boosting"], "{:.2f}"),
         _cell(own["memory_growth_over_frame"], "{:.2f}") or _cell(own["memory_growth_mb"], "{:.0f} MB"),
         _cell(own["held_out_accuracy_percent"], "{:.2f}"), _cell(own["n_conditions"], "{:.0f}")]
        for (problem, rival, settings), own in _groups(lines, "problem", "rival", "settings")
    )  # fmt: skip
    header = [
        "data",
        "method",
        "seconds",
        "µs a row",
        "of boosting's",
        "memory / frame",
        "held-out accuracy in %",
        "conditions",
    ]
    return table(header, rows)


def _proof(lines: pd.DataFrame) -> str:
    rows = (
        [settings, f"{(own['cost'] == own['bound']).sum()} of {len(own)}", f"{own['seconds'].median():.2f}",
         f"{own['seconds'].max():.2f}"]
        for settings, own in _groups(lines, "settings")
    )  # fmt: skip
    return table(["λ", "proven optimal", "seconds, median", "seconds, worst"], rows)


def _strategies(lines: pd.DataFrame) -> str:
    order = [(settings, rival) for settings in lines["settings"].unique() for rival in lines["rival"].unique()]
    found = dict(_groups(lines, "settings", "rival"))
    rows = (
        [settings.removeprefix("k="), rival,
         f"{own['cost'].median():g} ({', '.join(f'{cost:g}' for cost in own['cost'][:3])})",
         f"{own['literals'].median():g}", f"{own['test_accuracy_percent'].median():.1f}",
         f"{own['seconds'].median():.2f}", f"{(own['seconds'] / own['solver_seconds'].clip(lower=1e-9)).median():.2f}"]
        for settings, rival in order if (own := found.get((settings, rival))) is not None
    )  # fmt: skip
    header = ["k", "strategy", "training cost: median (folds 0, 1, 2)", "literals", "test accuracy in %", "seconds"]
    return table([*header, "seconds / solver's"], rows)


def _defaults(part: str, lines: pd.DataFrame) -> str:
    lines = lines[lines["rival"].str.startswith(f"{part}:")]
    problems = list(lines["problem"].unique())
    rows = []
    for settings, own in _groups(lines, "settings"):
        by_problem = own.set_index("problem").loc[problems]
        cells = (
            f"{accuracy:.2f} ± {error:.2f} ({length:.0f})"
            for accuracy, error, length in by_problem[["accuracy_percent", "standard_error", "n_conditions"]].to_numpy()
        )
        rows.append([settings, *cells, f"{own['accuracy_percent'].mean():.2f}"])
    return table([part, *map(title_of_data, problems), "mean"], rows)


def _length(lines: pd.DataFrame) -> str:
    """Return accuracy and conditions by data set with the default before and now, and the means of the twelve."""
    lines = lines[lines["rival"].str.startswith("length:")]
    before, now = (
        lines[lines["settings"] == name].set_index("problem")[["accuracy_percent", "n_conditions", "worse_percent"]]
        for name in ("default at 2be8e4b", "default")
    )
    problems = [problem for problem in before.index if problem in now.index]
    before, now = before.loc[problems], now.loc[problems]
    difference = now["accuracy_percent"] - before["accuracy_percent"]
    # a rule without conditions counts as half a one
    ratios = now["n_conditions"].clip(lower=0.5) / before["n_conditions"].clip(lower=0.5)

    def line(title: str, some: list[str]) -> list[str]:
        cells = (f"{each.loc[some, 'accuracy_percent'].mean():.2f}" for each in (before, now))
        lengths = (f" ({each.loc[some[0], 'n_conditions']:.1f})" if len(some) == 1 else "" for each in (before, now))
        worse = (f"{each.loc[some, 'worse_percent'].mean():.0f} %" for each in (before, now))
        return [title, *(f"{cell}{length}" for cell, length in zip(cells, lengths, strict=True)),
                f"{difference[some].mean():+.2f}", f"{np.exp(np.log(ratios[some]).mean()):.2f}", *worse]  # fmt: skip

    rows = [line(title_of_data(problem), [problem]) for problem in problems]
    twelve = [problem for problem in problems if problem in REAL]
    rows.append(line("mean of the paper's twelve", twelve))
    return table(
        ["data", "before", "now", "difference", "ratio of conditions", "worse than the constant, before", "now"], rows
    )


def _noise_columns(lines: pd.DataFrame) -> str:
    rows = (
        [title_of_data(problem), str(len(own)), str((own["n_on_noise"] > 0).sum()), f"{own['n_conditions'].mean():.1f}"]
        for problem, own in _groups(lines, "problem")
    )
    return table(["data", "seeds", "with a condition on a random column", "conditions"], rows)


def _noise_rare(lines: pd.DataFrame) -> str:
    means = lines.groupby(["problem", "rival"], sort=False)[["balanced_accuracy_percent", "n_conditions"]].mean()
    rivals = list(lines["rival"].unique())
    cells = {key: f"{accuracy:.1f} ({length:.1f})" for key, accuracy, length in means.itertuples(name=None)}
    rows = (
        [title_of_data(problem), *(cells.get((problem, rival), "") for rival in rivals)]
        for problem in lines["problem"].unique()
    )
    return table(["data", *rivals], rows)


def _path_choice(lines: pd.DataFrame) -> str:
    rivals = list(lines["rival"].unique())
    rows = []
    for problem, own in _groups(lines, "problem"):
        cells = (
            f"{each['accuracy_percent'].mean():.1f} ({each['size'].median():g}), {each['seconds'].median():.1f} s"
            for each in (own[own["rival"] == rival] for rival in rivals)
        )
        rows.append([problem, str((own["rival"] == rivals[0]).sum()), *cells])
    return table(["data", "folds", *rivals], rows)


def _command_line(lines: pd.DataFrame) -> str:
    seconds = lines.groupby(["problem", "rival"], sort=False)["seconds"].median()
    rows = (
        [problem, rival, f"{found:.2f}", f"{found / seconds[problem].iloc[0]:.2f}"]
        for (problem, rival), found in seconds.items()
    )
    return table(["", "process", "seconds", "relative to the first"], rows)


def _reading(lines: pd.DataFrame) -> str:
    rows = (
        [problem, f"`{rival}`", *(f"{own[name].iloc[0]:.0f} ({100 * own[name].iloc[0] / own['columns'].iloc[0]:.1f} %)"
                                  for name in ("right_type", "right_cells")),
         *(f"{own[name].iloc[0]:.0f}" for name in ("silent", "refused"))]
        for (problem, rival), own in _groups(lines, "problem", "rival")
    )  # fmt: skip
    header = ["files", "reader", "columns of the right type", "with the right cells"]
    return table([*header, "numbers and dates wrong without a word", "files refused"], rows)


def _reading_speed(lines: pd.DataFrame) -> str:
    """Return the medians of seconds and of processor seconds, also relative to the first reader."""
    found = lines.groupby(["problem", "rival"], sort=False)[["seconds", "processor_seconds"]].median()
    rows = (
        [problem, f"`{rival}`", f"{own.iloc[0]:.2f}", f"{own.iloc[0] / found.loc[problem].iloc[0, 0]:.2f}",
         f"{own.iloc[1]:.2f}", f"{own.iloc[1] / found.loc[problem].iloc[0, 1]:.2f}"]
        for (problem, rival), own in found.iterrows()
    )  # fmt: skip
    return table(["file", "reader", "seconds", "relative", "of processors", "relative"], rows)


def _surrogates(lines: pd.DataFrame) -> str:
    """Return the fidelity of our rules and of trees, means over seeds, with the conditions of each."""
    means = lines.groupby(["problem", "rival"], sort=False)[["fidelity_percent", "n_conditions"]].mean()
    shown = {key: f"{fidelity:.2f} ({length:.0f})" for key, fidelity, length in means.itertuples(name=None)}
    rows = (
        [title_of_data(problem), kind, cell,
         *(shown[problem, f"cart for {kind}, {count}"] for count in ("nodes", "paths"))]
        for (problem, kind), cell in shown.items() if not kind.startswith("cart")
    )  # fmt: skip
    return table(["data", "kind", "imli", "CART by inner nodes", "CART by paths"], rows)


def _streams_final(lines: pd.DataFrame) -> str:
    """Return what a stream ends with, beside one fit on all of its rows; means over seeds."""
    rows = []
    for (problem, rival), own in _groups(lines, "problem", "rival"):
        excess, mean = own["excess_percent"], own.mean(numeric_only=True)
        is_stream = excess.notna().any()
        against = [f"{excess.mean():+.1f}", f"{excess.min():+.1f} … {excess.max():+.1f}"] if is_stream else ["", ""]
        moved = [f"{mean[name]:.1f}" for name in ("moved_per_batch", "alarms")] if is_stream else ["", ""]
        rows.append([title_of_data(problem), rival, str(len(own)), f"{mean['cost']:,.0f}", *against,
                     f"{mean['literals']:.0f}", *moved])  # fmt: skip
    header = ["data", "", "seeds", "cost on all rows", "more than one fit, %", "range", "literals",
              "literals moved in a batch", "false alarms"]  # fmt: skip
    return table(header, rows)


def _streams_time(lines: pd.DataFrame) -> str:
    """Return milliseconds of one batch with our search and with RC2."""
    rows = []
    for problem in lines["problem"].unique():
        for rival in lines["rival"].unique():
            own = lines[(lines["problem"] == problem) & (lines["rival"] == rival)]
            optimal, times = own["is_optimal"].dropna(), own["milliseconds"]
            proven = f"{optimal.sum():.0f} of {len(optimal)}" if len(optimal) else ""
            rows.append([problem, rival, str(len(times)), f"{own['literals'].median():.0f}", f"{times.median():.1f}",
                         f"{times.max():.0f}", proven])  # fmt: skip
    return table(["clauses", "search", "batches", "literals", "milliseconds, median", "most", "proven optimal"], rows)


_WHERE = {
    "memory": "in memory", "parts": "in parts", "dask": "two workers of Dask", "predict": "`imli predict`, in parts",
}  # fmt: skip


def _capacity(lines: pd.DataFrame) -> str:
    forms = {
        "literals": "{:,.0f}", "seconds": "{:.0f}", "seconds_a_million": "{:.1f}", "peak_mb": "{:,.0f} MB",
        "bits_mb": "{:,.0f} MB", "rounds": "{:.0f}", "kb_a_round": "{:.0f} kB",
    }  # fmt: skip
    rows = []
    for problem, own in _groups(lines, "problem"):
        is_same = "yes" if own["rule"].nunique() == 1 else "no"
        for rival in (each for each in _WHERE if (own["rival"] == each).any()):
            line = own[own["rival"] == rival]
            rows.append([problem, _WHERE[rival], *(_cell(line[name], form) for name, form in forms.items()),
                         _cell(line["rule"], is_same)])  # fmt: skip
    header = ["rows", "where", "literals", "seconds", "seconds for a million rows", "memory at most", "bits", "rounds",
              "sent in a round", "same rule"]  # fmt: skip
    return table(header, rows)


def _capacity_model(lines: pd.DataFrame) -> str:
    """Return what larger tables would take: seconds without rows, and some that grow with them, which workers share."""
    by_rival = {rival: own.assign(millions=own["problem"].str.split().str[0].astype(int))
                for rival, own in _groups(lines, "rival")}  # fmt: skip
    if any(len(by_rival.get(rival, ())) < 2 for rival in ("parts", "dask")):
        return NOTHING
    parts, dask = by_rival["parts"], by_rival["dask"]
    largest = parts.loc[parts["millions"].idxmax()]
    bits = largest["bits_mb"] / largest["millions"]
    least = {"parts": parts["peak_mb"].max(), "dask": dask["peak_mb_worker"].min()}  # beside the bits
    rows = []
    for millions, n_workers in ((100, 2), (100, 16), (1000, 2), (1000, 16), (1000, 64)):
        for rival in ("parts", "dask") if n_workers == 2 else ("dask",):
            each, always = np.polyfit(by_rival[rival]["millions"], by_rival[rival]["seconds"], 1)
            minutes = (max(0.0, always) + each * millions * 2 / n_workers) / 60
            in_parts, disk = rival == "parts", f"{bits * millions / 1e3:,.0f} GB"
            held = least[rival] + (0.0 if in_parts else bits * millions / n_workers)
            rows.append([
                f"{millions:,} million", "in parts, 2 cores" if in_parts else f"Dask, {n_workers} workers",
                f"{minutes:,.0f} min", f"{held / 1e3:,.1f} GB{'' if in_parts else ' a worker'}",
                f"{disk}{' of disk' if in_parts else ' in all'}",
            ])  # fmt: skip
    return table(["rows", "where", "minutes", "memory", "bits"], rows)


_CHECKS = {"passed": "passed", "failed": "failed", "xfail": "expected to fail", "skipped": "skipped"}
_PATH = {"rules": "rules", "seconds": "seconds", "fit_seconds": "seconds of one fit", "ratio": "ratio"}
_LOCAL = {
    "precision_percent": "precision", "reached_percent": "rows that reach 95 %",
    "around_percent": "precision around the row", "held_percent": "precision on rows held out",
    "coverage_percent": "coverage", "held_coverage_percent": "coverage of rows held out",
    "n_conditions": "conditions", "seconds": "seconds, median", "n_rows": "rows explained",
}  # fmt: skip
_FLIP = {
    "error_before_flip_percent": "wrong before, %", "error_at_flip_percent": "wrong at the flip, %",
    "batches_to_follow": "batches to follow", "error_at_end_percent": "wrong at the end, %",
    "found_at_once": "found in that batch", "false_alarms": "false alarms",
}  # fmt: skip

# The places of the pages: the file that each is made from, the settings if only some, and what makes it.
_MAKERS: dict[str, tuple[str, str | None, Callable[[pd.DataFrame], str]]] = {
    "search": ("search", None, _search),
    "kernel": ("kernel", None, _kernel),
    "fits": ("fits", None, _fits),
    "proof": ("proof", None, _proof),
    "strategies": ("strategies", None, _strategies),
    "checks": ("checks", None, partial(_plain, header=["estimator"], figures=_CHECKS, form="{:g}", by=("problem",))),
    "command_line": ("command_line", None, _command_line),
    "capacity": ("large", None, _capacity),
    "capacity_model": ("large", None, _capacity_model),
    "path_time": ("path", "time", partial(_plain, header=["data"], figures=_PATH, by=("problem",), title=str)),
    "path_choice": ("path", "choice", _path_choice),
    "reading": ("reading", "types", _reading),
    "reading_speed": ("reading", "speed", _reading_speed),
    "surrogates": ("explain", "surrogates", _surrogates),
    "local_rules": ("explain", "local", partial(_plain, header=["data", "method"], figures=_LOCAL)),
    "streams_final": ("streams", "final", _streams_final),
    "streams_flip": ("streams", "flip", partial(_plain, header=["data", ""], figures=_FLIP, statistic="mean")),
    "streams_time": ("streams", "time", _streams_time),
    **{part: ("defaults", None, partial(_defaults, part)) for part in ("binning", "lam", "clauses", "inner")},
    "length": ("defaults", None, _length),
    "noise_columns": ("noise", "columns", _noise_columns),
    "noise_rare": ("noise", "rare", _noise_rare),
}


def tables_of(results: Path) -> dict[str, Callable[[], str]]:
    """Return what fills each place of the two pages from a folder of result files."""

    def make(name: str) -> str:
        part, settings, maker = _MAKERS[name]
        lines = pd.DataFrame(ResultFile(results, part).lines())
        if lines.empty:
            return NOTHING
        figures = [column for column in lines if column not in _WORDS]
        lines[figures] = lines[figures].apply(pd.to_numeric)
        return maker(lines if settings is None else lines[lines["settings"] == settings])

    return {name: partial(make, name) for name in _MAKERS}
