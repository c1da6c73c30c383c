"""Why curves go elsewhere than in the paper: what trials made for that say."""

from collections.abc import Callable, Iterable, Sequence
from statistics import median

from imli.bench.rendering.ablations import MEASURES, PARAMETERS, Spread, curve, varied
from imli.bench.rendering.marks import listed, table
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
    questions = _questions(results)
    n_rows = max((run.trial.most_rows for run in questions), default=0)
    lines, ratios = list[list[str]](), {solver: list[tuple[float, float]]() for solver in _SOLVERS}
    for problem in in_order({run.trial.problem for run in questions}):
        asked = [run for run in questions if run.trial.problem == problem and run.trial.most_rows == n_rows]
        by_lam = _on_the_same_folds(_grouped(asked, lambda run: run.settings["lam"]))
        if not by_lam:
            continue
        for lam, runs in by_lam.items():
            wrong = [_n_wrong(run) for run in _of(runs, "imli exact") if run.is_done]
            seconds = [_said(_of(runs, solver)) for solver in _SOLVERS]
            lines.append([title_of_data(problem), f"{lam:.2g}", f"{median(wrong):g}" if wrong else "", *seconds])
        for solver, pairs in ratios.items():
            first, last = (_seconds(_of(by_lam[lam], solver)) for lam in (min(by_lam), max(by_lam)))
            if first and last:
                pairs.append((last, first))
    if not lines:
        return NOTHING
    header = ["data", "λ", "rows wrong", *(f"seconds, {name}" for name in _SOLVERS.values())]
    told = [
        f"{_SOLVERS[solver]} takes {mean_ratio(pairs):.2g} times as long" for solver, pairs in ratios.items() if pairs
    ]
    ends = f"\n\nAt the largest λ, beside the smallest: {listed(told)} (geometric means)." if told else ""
    return table(header, lines) + ends


def seconds_by_batch(results: Results) -> str:
    """One batch by itself, of each size, at the λ that was tried with most of them."""
    by_lam = _grouped(_of(_questions(results), "imli exact"), lambda run: run.settings["lam"])
    runs = max(by_lam.values(), key=lambda runs: len({run.trial.most_rows for run in runs}), default=[])
    sizes = sorted({run.trial.most_rows for run in runs})
    if len(sizes) < 2:
        return NOTHING
    lines, pairs = [], []
    for problem in in_order({run.trial.problem for run in runs}):
        by_size = [[run for run in runs if (run.trial.problem, run.trial.most_rows) == (problem, n)] for n in sizes]
        lines.append([title_of_data(problem), *map(_said, by_size)])
        few, many = _seconds(by_size[0]), _seconds(by_size[-1])
        if few and many:
            pairs.append((many, few))
    told = f"A question about {sizes[-1]} rows takes {mean_ratio(pairs):.2g} times as long as one about {sizes[0]} "
    told += f"(geometric mean), and there are {sizes[-1] / sizes[0]:g} times fewer of them."
    return table(["seconds", *(f"{n} rows" for n in sizes)], lines) + (f"\n\n{told}" if pairs else "")


def seconds_by_k(results: Results) -> str:
    """From which number of clauses on rules stay as they are, so that more cannot take longer."""
    part, said = results.part("ablations"), []
    if not part:
        return NOTHING
    for problem in in_order(part.problems):
        runs = varied(part, problem, "k")
        sizes, accuracies = (curve(runs, "k", measure) for measure in ("size", "train_accuracy"))
        ends = [(size.middle, accuracy.middle) for size, accuracy in zip(sizes, accuracies, strict=False)]
        same = next((n for n, each in enumerate(ends) if all(other == each for other in ends[n:])), len(ends))
        if same < len(ends) - 1:
            said.append(f"{title_of_data(problem)} from {sizes[same].at:g} to {sizes[-1].at:g} clauses")
    if not said:
        return "Here they change on every data set with every clause that is allowed."
    return f"Size and accuracy in training stay the same on {listed(said)}."


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
                n_rows = max(run.outcome.n_train for run in runs)
                lines.append([PARAMETERS[parameter], title_of_data(problem), f"{n_rows:,}",
                              *(_ends(curves[measure], measure) for measure in _COMPARED)])  # fmt: skip
                first, *_, last = curves["accuracy"]
                moved = "up" if last.middle > first.middle else "down" if last.middle < first.middle else "level"
                as_printed[name][0] += moved == wanted.get((parameter, "accuracy"))
                as_printed[name][1] += 1
    if not lines:
        return NOTHING
    few, many = (f"{so} of {n}" for so, n in as_printed.values())
    told = (
        f"Between the two ends, {MEASURES['accuracy']} moves as in the paper in {few} with RC2 on the fewer rows, and "
        f"in {many} with our own search on the more."
    )
    return table(["as it grows", "data", "rows", *(MEASURES[each] for each in _COMPARED)], lines) + "\n\n" + told


def _questions(results: Results) -> list[Run]:
    """Trials of one clause for one batch."""
    return [run for run in results.part("causes") if run.trial.rival in _SOLVERS]


def _grouped(runs: Iterable[Run], key: Callable[[Run], float]) -> dict[float, list[Run]]:
    found: dict[float, list[Run]] = {}
    for run in sorted(runs, key=key):
        found.setdefault(key(run), []).append(run)
    return found


def _on_the_same_folds(groups: dict[float, list[Run]]) -> dict[float, list[Run]]:
    """Those of the folds that every group has."""
    folds = [{run.trial.fold for run in runs} for runs in groups.values()]
    shared = set.intersection(*folds) if folds else set()
    return {key: [run for run in runs if run.trial.fold in shared] for key, runs in groups.items()}


def _n_wrong(run: Run) -> int:
    return round(run.outcome.n_train * (1 - (run.outcome.train_accuracy or 0.0) / 100))


def _of(runs: Sequence[Run], rival: str) -> list[Run]:
    return [run for run in runs if run.trial.rival == rival]


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


def _ends(points: Sequence[Spread], measure: str) -> str:
    form = ".0f" if measure == "size" else ".1f"
    return " → ".join(format(point.middle, form) for point in (points[0], points[-1]))
