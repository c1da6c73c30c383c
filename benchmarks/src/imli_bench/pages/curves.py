"""What each parameter does: curves, where they go beside where the paper says, and why; and three formulations."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

from imli_bench.data_sets import in_order, title_of_data
from imli_bench.pages.marks import NOTHING, bullets, counted, listed, table
from imli_bench.pages.measured import MeasuredPart, Results, Run
from imli_bench.pages.printed import Paper
from imli_bench.pages.standings import mean_ratio, rank_correlation

PARAMETERS = {"k": "clauses k", "lam": "λ", "batch_size": "rows in a batch"}
MEASURES = {
    "train_accuracy": "accuracy in training",
    "accuracy": "accuracy on rows held out",
    "size": "size of the rule",
    "seconds": "seconds",
}
# A curve has a direction if its rank correlation with the parameter is at least this.
_CLEAR = 0.5


@dataclass(frozen=True)
class Spread:
    """A median, and the quartiles around it."""

    at: float
    low: float
    middle: float
    high: float


def varied(part: MeasuredPart, problem: str, parameter: str) -> list[Run]:
    """Return the trials that differ from others in the value of this parameter only."""
    values: dict[tuple[object, ...], set[float]] = {}
    runs = [
        run for run in part if run.trial.problem == problem and parameter in run.settings and run.accuracy is not None
    ]

    def others(run: Run) -> tuple[object, ...]:
        rest = {name: value for name, value in run.settings.items() if name != parameter}
        return run.trial.rival, *sorted(rest.items())

    for run in runs:
        values.setdefault(others(run), set()).add(run.settings[parameter])
    return [run for run in runs if len(values[others(run)]) > 1]


def curve(runs: Iterable[Run], parameter: str, measure: str) -> list[Spread]:
    """Return the measure at each value of the parameter."""
    found: dict[float, list[float]] = {}
    for run in runs:
        value = getattr(run if measure in ("accuracy", "size") else run.outcome, measure)
        if value is not None:
            found.setdefault(run.settings[parameter], []).append(value)
    return [_spread(at, values) for at, values in sorted(found.items())]


def _spread(at: float, values: list[float]) -> Spread:
    if len(values) == 1:
        return Spread(at, values[0], values[0], values[0])
    low, _, high = quantiles(values, n=4, method="inclusive")
    return Spread(at, low, median(values), high)


def direction(found: list[Spread]) -> str:
    """Return where a curve goes.

    >>> direction([Spread(1, 0, 70, 0), Spread(2, 0, 75, 0), Spread(3, 0, 80, 0)])
    'up'
    """
    correlation = rank_correlation([(each.at, each.middle) for each in found]) if len(found) > 1 else None
    if correlation is None:
        return "level"
    return "up" if correlation >= _CLEAR else "down" if correlation <= -_CLEAR else "no clear direction"


def claims(results: Results, paper: Paper) -> str:
    """Return where the paper says that each curve goes, and the data sets on which it does here."""
    part = results.part("ablations")
    problems = in_order(part.problems)
    lines = []
    for claim in paper.claims:
        curves = {problem: curve(varied(part, problem, claim.parameter), claim.parameter, claim.measure)
                  for problem in problems}  # fmt: skip
        found = {problem: direction(points) for problem, points in curves.items() if points}
        if found:
            so = [problem for problem, way in found.items() if way == claim.direction]
            elsewhere = {way: [title_of_data(problem) for problem in found if found[problem] == way]
                         for way in found.values() if way != claim.direction}  # fmt: skip
            said = "; ".join(f"{way}: {listed(titles)}" for way, titles in elsewhere.items())
            lines.append([PARAMETERS[claim.parameter], MEASURES[claim.measure], claim.direction,
                          f"{claim.direction} on {len(so)} of {len(found)}", said])  # fmt: skip
    return table(["as it grows", "", "the paper", "here", "otherwise"], lines) if lines else NOTHING


_SOLVERS = {"imli exact": "RC2", "imli exact cpsat": "CP-SAT", "imli exact native": "our own search"}
_LEARNER = "imli incremental cnf"
_COMPARED = ("train_accuracy", "accuracy", "size")


def seconds_by_lam(results: Results) -> str:
    """Return what the best clause for one batch gets wrong at each λ, and how long solvers take for it."""
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
    """Return how long one batch of each size takes, at the λ that was tried with most of them."""
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
    """Return from which number of clauses on rules stay as they are, so that more cannot take longer."""
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
    """Return accuracy and size at the smallest and at the largest value of a parameter, on few rows and on more."""
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
    """Return the trials of one clause for one batch."""
    return [run for run in results.part("causes") if run.trial.rival in _SOLVERS]


def _grouped(runs: Iterable[Run], key: Callable[[Run], float]) -> dict[float, list[Run]]:
    found: dict[float, list[Run]] = {}
    for run in sorted(runs, key=key):
        found.setdefault(key(run), []).append(run)
    return found


def _on_the_same_folds(groups: dict[float, list[Run]]) -> dict[float, list[Run]]:
    """Return of each group the runs of the folds that every group has."""
    folds = [{run.trial.fold for run in runs} for runs in groups.values()]
    shared = set.intersection(*folds) if folds else set()
    return {key: [run for run in runs if run.trial.fold in shared] for key, runs in groups.items()}


def _n_wrong(run: Run) -> int:
    return round(run.outcome.n_train * (1 - (run.outcome.train_accuracy or 0.0) / 100))


def _of(runs: Sequence[Run], rival: str) -> list[Run]:
    return [run for run in runs if run.trial.rival == rival]


def _seconds(runs: Sequence[Run]) -> float | None:
    """Return the median of the seconds; a time-out counts as its limit."""
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


_PAIRS = (("imli incremental", "imli minibatch"), ("imli minibatch", "imli exact"))


def formulation_goals(results: Results) -> str:
    """Return a sentence for each data set, on the trials that both of two formulations made."""
    part = results.part("formulations")
    sentences = []
    for problem in in_order(part.problems):
        runs = {_key(run): run for run in part if run.trial.problem == problem}
        said = [sentence for pair in _PAIRS if (sentence := _compared(runs, *pair)) is not None]
        if said:
            sentences.append(f"{title_of_data(problem)}: {'; '.join(said)}.")
    return bullets(sentences) if sentences else NOTHING


def _compared(runs: dict[tuple[str, str, int], Run], first: str, second: str) -> str | None:
    pairs = []
    for (rival, settings, fold), run in runs.items():
        other = runs.get((second, settings, fold))
        if rival == first and other is not None and _seconds_of_run(run) and _seconds_of_run(other):
            pairs.append((run, other))
    if not pairs:
        return None
    ratio = mean_ratio([(_seconds_of_run(one) or 0.0, _seconds_of_run(other) or 0.0) for one, other in pairs])
    n_out = sum(other.outcome.status == "time limit" for _, other in pairs)
    at_least = f", {counted(n_out, 'time-out')} of the latter counted as the limit" if n_out else ""
    return f"{first} takes {ratio:.2g} times the seconds of {second} ({counted(len(pairs), 'trial')}{at_least})"


def _key(run: Run) -> tuple[str, str, int]:
    return run.trial.rival, run.trial.settings, run.trial.fold


def _seconds_of_run(run: Run) -> float | None:
    """Return the seconds until a run ended, by itself or at its limit."""
    return run.outcome.seconds if run.is_done or run.outcome.status == "time limit" else None
