"""Why curves go elsewhere than in the paper: what trials made for that say."""

from collections.abc import Sequence
from statistics import median

from imli.bench.rendering.ablations import MEASURES, PARAMETERS, Spread, curve, direction, varied
from imli.bench.rendering.marks import counted, table
from imli.bench.rendering.measured import Results, Run
from imli.bench.rendering.names import in_order, title_of_data
from imli.bench.rendering.paper import Paper
from imli.bench.rendering.standings import NOTHING
from imli.bench.rendering.sums import mean_ratio

_SOLVERS = {"imli exact": "RC2", "imli exact cpsat": "CP-SAT", "imli exact native": "our own search"}
_LEARNER = "imli incremental cnf"
_COMPARED = ("train_accuracy", "accuracy", "size")


def seconds_by_lam(results: Results) -> str:
    """One batch by itself at each λ: what the best clause gets wrong, and how long solvers take for it."""
    part = results.part("causes")
    n_rows = max((run.trial.most_rows for run in part if run.trial.rival in _SOLVERS), default=0)
    lines, by_solver = [], {name: list[tuple[float, float]]() for name in _SOLVERS}
    for problem in in_order(part.problems):
        runs = _on_the_same_folds([run for run in part if run.trial.problem == problem
                                   and run.trial.most_rows == n_rows and run.trial.rival in _SOLVERS])  # fmt: skip
        lambdas = sorted({run.settings["lam"] for run in runs})
        for lam in lambdas:
            at = [run for run in runs if run.settings["lam"] == lam]
            wrong = [_n_wrong(run) for run in at if run.trial.rival == "imli exact" and run.is_done]
            seconds = [_said(_of(at, solver)) for solver in _SOLVERS]
            lines.append([title_of_data(problem), f"{lam:.2g}", f"{median(wrong):g}" if wrong else "", *seconds])
        for solver, pairs in by_solver.items():
            ends = [_seconds(_of([run for run in runs if run.settings["lam"] == lam], solver))
                    for lam in (lambdas[:1] + lambdas[-1:] if len(lambdas) > 1 else ())]  # fmt: skip
            if len(ends) == 2 and ends[0] and ends[1]:
                pairs.append((ends[1], ends[0]))
    if not lines:
        return NOTHING
    ratios = [f"{_SOLVERS[solver]} {mean_ratio(pairs):.2g} times as long on {counted(len(pairs), 'data set')}"
              for solver, pairs in by_solver.items() if pairs]  # fmt: skip
    told = f"\n\nAt the largest λ it takes, beside the smallest: {'; '.join(ratios)}." if ratios else ""
    header = ["data", "λ", "rows wrong", *(f"seconds, {name}" for name in _SOLVERS.values())]
    return table(header, lines) + told


def seconds_by_batch(results: Results) -> str:
    """One batch by itself, of each size, at the λ that has all."""
    part = results.part("causes").where(lambda run: run.trial.rival == "imli exact")
    sizes = {lam: {run.trial.most_rows for run in part if run.settings["lam"] == lam}
             for lam in {run.settings["lam"] for run in part}}  # fmt: skip
    lam = max(sizes, key=lambda each: len(sizes[each]), default=None)
    if lam is None or len(sizes[lam]) < 2:
        return NOTHING
    smallest, largest = min(sizes[lam]), max(sizes[lam])
    lines, pairs = [], []
    for problem in in_order(part.problems):
        runs = [run for run in part if run.trial.problem == problem and run.settings["lam"] == lam]
        by_size = {size: _of([run for run in runs if run.trial.most_rows == size]) for size in sorted(sizes[lam])}
        lines.append([title_of_data(problem), *map(_said, by_size.values())])
        few, many = _seconds(by_size[smallest]), _seconds(by_size[largest])
        if few and many:
            pairs.append((many, few))
    if not pairs:
        return table(["data", *(f"{size} rows" for size in sorted(sizes[lam]))], lines)
    told = (
        f"A question about {largest} rows takes {mean_ratio(pairs):.2g} times as long as one about {smallest} "
        f"(geometric mean), and there are {largest / smallest:g} times fewer of them."
    )
    return table(["seconds", *(f"{size} rows" for size in sorted(sizes[lam]))], lines) + "\n\n" + told


def more_rows(results: Results, paper: Paper) -> str:
    """Accuracy and size at the smallest and at the largest value of a parameter, on few rows and on more."""
    parts = {"ablations": results.part("ablations"),
             "causes": results.part("causes").where(lambda run: run.trial.rival == _LEARNER)}  # fmt: skip
    if not all(parts.values()):
        return NOTHING
    lines, as_printed = [], {name: [0, 0] for name in parts}
    wanted = {(claim.parameter, claim.measure): claim.direction for claim in paper.claims}
    for parameter in PARAMETERS:
        for problem in in_order(parts["causes"].problems):
            for name, part in parts.items():
                runs = varied(part, problem, parameter)
                curves = {measure: curve(runs, parameter, measure) for measure in _COMPARED}
                if not all(curves.values()):
                    continue
                lines.append([PARAMETERS[parameter], title_of_data(problem), f"{_n_rows(runs):,}",
                              *(_ends(curves[measure], measure) for measure in _COMPARED)])  # fmt: skip
                so = direction(curves["accuracy"]) == wanted.get((parameter, "accuracy"))
                as_printed[name][0] += so
                as_printed[name][1] += 1
    if not lines:
        return NOTHING
    few, many = (f"{so} of {n}" for so, n in as_printed.values())
    told = (
        f"Curves of {MEASURES['accuracy']} that go as in the paper: {few} with RC2 on the fewer rows, "
        f"{many} with our own search on the more."
    )
    return table(["as it grows", "data", "rows", *(MEASURES[each] for each in _COMPARED)], lines) + "\n\n" + told


def _on_the_same_folds(runs: Sequence[Run]) -> list[Run]:
    """Those of the folds that every λ has."""
    lambdas = {run.settings["lam"] for run in runs}
    folds = [{run.trial.fold for run in runs if run.settings["lam"] == lam} for lam in lambdas]
    return [run for run in runs if all(run.trial.fold in each for each in folds)]


def _n_wrong(run: Run) -> int:
    return round(run.outcome.n_train * (1 - (run.outcome.train_accuracy or 0.0) / 100))


def _of(runs: Sequence[Run], rival: str | None = None) -> list[Run]:
    return [run for run in runs if rival in (None, run.trial.rival)]


def _seconds(runs: Sequence[Run]) -> float | None:
    """The median; a time-out counts as its limit."""
    found = [run.outcome.seconds for run in runs
             if run.outcome.seconds is not None and (run.is_done or run.outcome.status == "time limit")]  # fmt: skip
    return median(found) if found else None


def _said(runs: Sequence[Run]) -> str:
    seconds = _seconds(runs)
    if seconds is None:
        return runs[0].outcome.status if runs else ""
    is_limit = any(run.outcome.status == "time limit" and run.outcome.seconds == seconds for run in runs)
    return f"{'more than ' if is_limit else ''}{seconds:.2g}"


def _n_rows(runs: Sequence[Run]) -> int:
    return max(run.outcome.n_train for run in runs)


def _ends(points: Sequence[Spread], measure: str) -> str:
    form = ".0f" if measure == "size" else ".1f"
    return " → ".join(format(point.middle, form) for point in (points[0], points[-1]))
