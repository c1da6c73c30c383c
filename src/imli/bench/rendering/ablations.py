"""What each parameter does: curves, and where they go beside where the paper says."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median, quantiles

from imli.bench.rendering.marks import listed, table
from imli.bench.rendering.measured import Part, Results, Run
from imli.bench.rendering.names import in_order, title_of_data
from imli.bench.rendering.paper import Paper
from imli.bench.rendering.standings import NOTHING
from imli.bench.rendering.sums import rank_correlation

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


def varied(part: Part, problem: str, parameter: str) -> list[Run]:
    """The trials that tell what a parameter does: those whose other settings were tried with several values of it."""
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
    """The measure at each value of the parameter."""
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
    """Where a curve goes.

    >>> direction([Spread(1, 0, 70, 0), Spread(2, 0, 75, 0), Spread(3, 0, 80, 0)])
    'up'
    """
    correlation = rank_correlation([(each.at, each.middle) for each in found]) if len(found) > 1 else None
    if correlation is None:
        return "level"
    return "up" if correlation >= _CLEAR else "down" if correlation <= -_CLEAR else "no clear direction"


def claims(results: Results, paper: Paper) -> str:
    """The paper's word on each curve, and the data sets on which it is so here."""
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
