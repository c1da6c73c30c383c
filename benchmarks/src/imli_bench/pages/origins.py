"""How it was measured: what was tried, on which machine, with which versions; and what large tables take."""

import json
from collections import Counter

from imli_bench import protocols
from imli_bench.data_sets import in_order, title_of_data
from imli_bench.pages.marks import KINDS, NOTHING, bullets, counted, folded, listed, table, title_of
from imli_bench.pages.measured import PARTS, FoldGroup, MeasuredPart, Results
from imli_bench.pages.standings import bold_if_ours
from imli_bench.results import SPARED, STATUSES


def protocol(results: Results) -> str:
    """Return a line for each part of the comparison, also for those that are not there yet."""
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
    """Return the number of folds if they are the first ones, else which they are.

    >>> _folds([0, 1, 2]), _folds([0, 4])
    ('3', '0, 4')
    """
    return str(len(folds)) if folds == list(range(len(folds))) else ", ".join(map(str, folds))


def _limits(part: MeasuredPart) -> str:
    found = sorted({run.outcome.limit for run in part if run.outcome.limit is not None})
    if len(found) > 2:
        return f"{found[0]:g} to {found[-1]:g}"
    return " or ".join(f"{limit:g}" for limit in found)


def outcomes(results: Results) -> str:
    """Return what each part is, how its trials ended, and which folds are missing."""

    def said(name: str) -> str:
        part = results.part(name)
        if not part:
            return f"`{name}`, {protocols.PARTS[name].about}: not measured yet."
        found = Counter(run.outcome.status for run in part)
        ends = listed(f"{found[status]:,} {status}" for status in STATUSES if found[status])
        return f"`{name}`, {protocols.PARTS[name].about}: {ends}.{_missing(part)}"

    return bullets(map(said, PARTS))


def _missing(part: MeasuredPart) -> str:
    """Return the data sets of which not all folds were tried yet."""
    few = []
    for problem in in_order(part.problems):
        folds = sorted({run.trial.fold for run in part if run.trial.problem == problem})
        if folds != part.folds:
            few.append(f"{title_of_data(problem)} (fold{'' if len(folds) == 1 else 's'} {', '.join(map(str, folds))})")
    return f" So far not on all folds: {listed(few)}." if few else ""


def samples(results: Results) -> str:
    """Return the rivals that learned from fewer rows than there were."""
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
    """Return the rivals that had fewer rounds than by default, whatever else was asked."""
    notes = {(run.trial.rival, run.outcome.note.removeprefix(SPARED)) for name in PARTS for run in results.part(name)
             if run.outcome.note.startswith(SPARED)}  # fmt: skip
    if not notes:
        return ""
    said = [f"{title_of(rival)} {with_settings(json.loads(note))}" for rival, note in sorted(notes)]
    return f"Some had less to do than by default in all their trials, to end in time: {listed(said)}. "


def with_settings(settings: dict[str, float]) -> str:
    return listed(f"`{name}={value:,}`".replace(",", "_") for name, value in settings.items())


def origin(results: Results) -> str:
    """Return machines, commits, dates and versions."""
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


LOGISTIC, FOREST = "logistic_regression", "random_forest"


def scale_table(results: Results) -> str:
    """Return a line for each rival on each table."""
    part = results.part("scale")
    lines = []
    for problem in in_order(part.problems):
        for rival in part.rivals:
            statuses = part.statuses(problem, rival)
            if not statuses:
                continue
            group = part.only(problem, rival)
            done = FoldGroup(tuple(run for run in group.runs if run.is_done)) if group else FoldGroup(())
            rows = done.median("n_train")
            lines.append(
                [title_of_data(problem), bold_if_ours(rival), "" if rows is None else f"{rows:,.0f}",
                 _figure(done, "accuracy", ".2f"), _figure(done, "n_conditions", "g"), _figure(done, "seconds", ".1f"),
                 _figure(done, "megabytes", ",.0f"), _said(dict(statuses))]
            )  # fmt: skip
    header = ["data", "", "rows learned from", "accuracy", "conditions", "seconds", "megabytes", "status"]
    return table(header, lines) if lines else NOTHING


def _figure(group: FoldGroup, measure: str, form: str) -> str:
    found = group.median(measure)
    return "" if found is None else format(found, form)


def _said(statuses: dict[str, int]) -> str:
    if len(statuses) == 1:
        return next(iter(statuses))
    return ", ".join(f"{status} ({n})" for status, n in statuses.items())


def scale_goals(results: Results) -> str:
    """Return how many kinds were learned, nearly as accurate as logistic regression, and faster than a forest."""
    part = results.part("scale")
    problems = in_order(part.problems)
    if not problems:
        return NOTHING
    learned = {(problem, kind): group for problem in problems for kind in KINDS
               if (group := part.only(problem, kind)) is not None and not group.n_failed}  # fmt: skip
    n_all = len(problems) * len(KINDS)
    missing = [f"{kind} on {title_of_data(problem)}" for problem in problems for kind in KINDS
               if (problem, kind) not in learned]  # fmt: skip
    said = [f"Learned: {len(learned)} of {n_all}, that is {counted(len(KINDS), 'kind')} of rules on "
            f"{listed(map(title_of_data, problems))}." + (f" Not: {listed(missing)}." if missing else "")]  # fmt: skip
    said += _compared(part, learned, LOGISTIC, "accuracy")
    said += _compared(part, learned, FOREST, "seconds")
    return bullets(said)


def _compared(part: MeasuredPart, learned: dict[tuple[str, str], FoldGroup], rival: str, measure: str) -> list[str]:
    """Return how many of ours are at least as good as a rival; nothing where it was not tried."""
    pairs = []
    for (problem, kind), ours in learned.items():
        theirs = part.only(problem, rival)
        values = ours.median(measure), theirs.median(measure) if theirs else None
        if values[0] is not None and values[1] is not None:
            pairs.append((problem, kind, values[0], values[1]))
    if not pairs:
        return []
    name = title_of(rival)
    if measure == "accuracy":
        behind = [f"{kind} on {title_of_data(problem)} ({ours - theirs:+.2f})" for problem, kind, ours, theirs in pairs
                  if round(ours, 2) < round(theirs - 1, 2)]  # fmt: skip
        sentence = f"As accurate as {name}, or less than one point below"
    else:
        behind = [f"{kind} on {title_of_data(problem)} ({ours:.1f} s, not {theirs:.1f} s)"
                  for problem, kind, ours, theirs in pairs if ours >= theirs]  # fmt: skip
        sentence = f"Faster than {name}"
    tail = f" Not: {listed(behind)}." if behind else ""
    return [f"{sentence}: {len(pairs) - len(behind)} of {len(pairs)}.{tail}"]
