"""How it was measured: what was tried, on which machine, with which versions."""

import json
from collections import Counter

from imli.bench.rendering.marks import bullets, folded, listed, table
from imli.bench.rendering.measured import PARTS, Part, Results
from imli.bench.rendering.names import in_order, title_of, title_of_data
from imli.bench.rendering.standings import NOTHING
from imli.bench.results import SPARED, STATUSES

ABOUT = {
    "defaults": "each rival as it comes",
    "tables": "each rival with many settings, the best of them shown, as in the paper's tables",
    "formulations": "three ways to ask the same question, as in the paper's Figure 2",
    "ablations": "what each parameter does, as in the paper's Figures 3 to 5",
    "causes": "why curves of the ablations go where they go",
    "scale": "tables of up to a million rows",
    "growth": "seconds against rows",
}


def protocol(results: Results) -> str:
    """A line for each part of the comparison, also for those that are not there yet."""
    lines = []
    for name in PARTS:
        part = results.part(name)
        if not part:
            lines.append([f"`{name}`", "not measured yet", "", "", "", ""])
            continue
        lines.append(
            [f"`{name}`", str(len(part.problems)), str(len(part.rivals)), _folds(part.folds),
             f"{len(part.runs):,}", _limits(part)]
        )  # fmt: skip
    return table(["part", "data sets", "rivals", "folds", "trials", "limit in seconds"], lines)


def _folds(folds: list[int]) -> str:
    """Their number if they are the first ones, else which.

    >>> _folds([0, 1, 2]), _folds([0, 4])
    ('3', '0, 4')
    """
    return str(len(folds)) if folds == list(range(len(folds))) else ", ".join(map(str, folds))


def _limits(part: Part) -> str:
    found = sorted({run.outcome.limit for run in part if run.outcome.limit is not None})
    if len(found) > 2:
        return f"{found[0]:g} to {found[-1]:g}"
    return " or ".join(f"{limit:g}" for limit in found)


def outcomes(results: Results) -> str:
    """What each part is, how its trials ended, and which folds are missing."""

    def said(name: str) -> str:
        part = results.part(name)
        if not part:
            return f"`{name}`, {ABOUT[name]}: not measured yet."
        found = Counter(run.outcome.status for run in part)
        ends = listed(f"{found[status]:,} {status}" for status in STATUSES if found[status])
        return f"`{name}`, {ABOUT[name]}: {ends}.{_missing(part)}"

    return bullets(map(said, PARTS))


def _missing(part: Part) -> str:
    """The data sets that not all folds were tried of yet."""
    few = []
    for problem in in_order(part.problems):
        folds = sorted({run.trial.fold for run in part if run.trial.problem == problem})
        if folds != part.folds:
            few.append(f"{title_of_data(problem)} (fold{'' if len(folds) == 1 else 's'} {', '.join(map(str, folds))})")
    return f" So far not on all folds: {listed(few)}." if few else ""


def samples(results: Results) -> str:
    """Who learned from fewer rows than there were."""
    found: dict[tuple[str, int], dict[str, set[str]]] = {}
    for name in PARTS:
        if name != "growth":  # where that is what is measured
            for run in results.part(name):
                if run.is_sample:
                    by_rival = found.setdefault((name, run.trial.most_rows), {})
                    by_rival.setdefault(run.trial.rival, set()).add(run.trial.problem)
    if not any(results.part(name) for name in PARTS):
        return NOTHING
    if not found:
        return spared(results) + "Every rival learned from all rows of the training part."
    said = []
    for (name, n_rows), by_rival in found.items():
        for problems in dict.fromkeys(frozenset(each) for each in by_rival.values()):
            rivals = listed(title_of(rival) for rival, each in by_rival.items() if each == problems)
            said.append(
                f"`{name}`, {n_rows:,} rows of {listed(map(title_of_data, in_order(set(problems))))}: {rivals}."
            )
    sentence = "Some learned from a sample, to end in time. All are judged on the same rows."
    return f"{spared(results)}{sentence}\n\n{folded('Samples', bullets(said))}"


def spared(results: Results) -> str:
    """Who had fewer rounds than by default, whatever else was asked."""
    notes = {(run.trial.rival, run.outcome.note.removeprefix(SPARED)) for name in PARTS for run in results.part(name)
             if run.outcome.note.startswith(SPARED)}  # fmt: skip
    if not notes:
        return ""
    said = [f"{title_of(rival)} {with_settings(json.loads(note))}" for rival, note in sorted(notes)]
    return f"Some had less to do than by default in all their trials, to end in time: {listed(said)}. "


def with_settings(settings: dict[str, float]) -> str:
    return listed(f"`{name}={value:,}`".replace(",", "_") for name, value in settings.items())


def origin(results: Results) -> str:
    """Machines, commits, dates and versions."""
    origins = list(dict.fromkeys(each for name in PARTS for each in results.origins(name)))
    if not origins:
        return NOTHING
    machines, commits = (list(dict.fromkeys(getattr(each, name) for each in origins)) for name in ("machine", "commit"))
    days = sorted({each.date for each in origins})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    versions: dict[str, dict[str, None]] = {}
    for name in PARTS:
        for run in results.part(name):
            if run.outcome.versions:
                versions.setdefault(run.outcome.versions, {})[title_of(run.trial.rival)] = None
    said = bullets(f"{listed(rivals)}: {text}" for text, rivals in versions.items())
    sentence = f"Measured {when} on {listed(machines)}, with imli at {listed(f'`{commit}`' for commit in commits)}."
    return f"{sentence}\n\n{folded('Versions', said)}" if said else sentence
