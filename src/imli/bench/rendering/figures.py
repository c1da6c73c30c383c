"""Which plots a page has, and what they are drawn from."""

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from statistics import median
from typing import TYPE_CHECKING, Any

from imli.bench.rendering import ablations
from imli.bench.rendering.marks import listed
from imli.bench.rendering.measured import Group, Part, Results, Run
from imli.bench.rendering.names import OURS, in_order, is_ours, title_of, title_of_data
from imli.bench.rendering.plots.cactus import SECONDS, draw_cactus, draw_formulations
from imli.bench.rendering.plots.curves import draw_ablation, draw_growth
from imli.bench.rendering.plots.fronts import draw_fronts
from imli.bench.rendering.plots.ranks import draw_ranks
from imli.bench.rendering.standings import Standings
from imli.bench.rendering.sums import Point
from imli.bench.rendering.theme import Look, looks, themed, to_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CACTUS = ("wdbc", "adult", "weather_aus", "lookalike-labor")


@dataclass(frozen=True)
class Plot:
    """A plot of a page: what it shows, for those who do not see it, and the values that it is drawn from."""

    description: str
    values: tuple[Any, ...]
    draw: Callable[..., "Figure"]

    @property
    def digest(self) -> str:
        """Tells whether a file was drawn from the same values."""
        return sha256(repr((self.description, self.values)).encode()).hexdigest()[:16]

    def to_svg(self, name: str) -> str:
        with themed():
            return to_svg(self.draw(*self.values), name, self.description, self.digest)


def plots(results: Results, standings: Standings) -> dict[str, Plot | None]:
    """All plots by name; None where nothing was measured."""
    return {
        "ranks": _ranks(standings),
        "fronts": _fronts(results),
        "cactus": _cactus(results),
        "formulations": _formulations(results),
        **{f"ablation_{name}": _ablation(results, name) for name in ablations.PARAMETERS},
        "growth": _growth(results),
    }


def _ranks(standings: Standings) -> Plot | None:
    if len(standings.ranked) < 2:
        return None
    said = ", ".join(f"{title_of(standing.rival)} {standing.rank:.1f}" for standing in standings.ranked)
    return Plot(f"Mean ranks by accuracy: {said}", (standings.ranked, standings.critical_difference), draw_ranks)


def _style(part: Part, results: Results, shown: Container[str]) -> dict[str, Look]:
    """Ours first, since they are what readers look for."""
    rivals = sorted(
        (rival for rival in part.rivals if rival in shown), key=lambda rival: (not is_ours(rival), rival != OURS)
    )
    return looks(rivals, results.readable)


def _fronts(results: Results) -> Plot | None:
    part = results.part("defaults")
    panels: dict[str, list[Point]] = {}
    for problem in in_order(part.problems):
        for rival, settings, group in _models(part, problem):
            accuracy, size = group.mean("accuracy"), group.median("size")
            if rival in results.readable and accuracy is not None and size is not None:
                panels.setdefault(problem, []).append(Point(rival, size, accuracy, settings))
    if not panels:
        return None
    shown = {point.rival for points in panels.values() for point in points}
    style = _style(part, results, shown)
    description = f"Accuracy against the size of the rule on {listed(map(title_of_data, panels))}"
    return Plot(description, (panels, style), draw_fronts)


def _models(part: Part, problem: str) -> Iterator[tuple[str, str, Group]]:
    """By rival and settings. Trees as short as ours are one model, though their settings differ from fold to fold."""
    short: list[Run] = []
    for (rival, settings), group in part.groups(problem).items():
        if "most_conditions" in group.runs[0].settings:
            short += group.runs
        else:
            yield rival, settings, group
    if short:
        yield short[0].trial.rival, "most_conditions", Group(tuple(short))


def _cactus(results: Results) -> Plot | None:
    # of ours only the kind that the paper has there
    part = results.part("tables").where(
        lambda run: (
            run.trial.problem in CACTUS
            and run.is_done
            and (not is_ours(run.trial.rival) or run.trial.rival == "imli incremental cnf")
        )
    )
    panels: dict[str, dict[str, list[float]]] = {}
    for run in part:
        if run.trial.rival in results.readable and run.outcome.seconds is not None:
            curves = panels.setdefault(run.trial.problem, {})
            curves.setdefault(run.trial.rival, []).append(run.outcome.seconds)
    if not panels:
        return None
    ordered = {problem: panels[problem] for problem in CACTUS if problem in panels}
    style = _style(part, results, {rival for curves in panels.values() for rival in curves})
    description = f"Seconds of the trials that ended in time on {listed(map(title_of_data, ordered))}"
    return Plot(description, (ordered, style), draw_cactus)


def _formulations(results: Results) -> Plot | None:
    part = results.part("formulations").where(lambda run: run.accuracy is not None)
    panels: dict[str, dict[str, dict[str, list[float]]]] = {
        problem: {SECONDS: {}, "error in %": {}, "size of the rule": {}} for problem in in_order(part.problems)
    }
    for run in part:
        seconds, error, size = panels[run.trial.problem].values()
        rival = run.trial.rival
        if run.is_done:
            seconds.setdefault(rival, []).append(run.outcome.seconds or 0.0)
        error.setdefault(rival, []).append(100 - (run.accuracy or 0.0))
        size.setdefault(rival, []).append(run.size or 0)
    if not panels:
        return None
    order = list(
        dict.fromkeys(rival for rival in ("imli exact", "imli minibatch", *part.rivals) if rival in part.rivals)
    )
    # all are ours, so they need colours of their own
    style = dict(zip(order, looks(map(str, range(len(order))), set()).values(), strict=True))
    description = f"Seconds, error and size of three formulations on {listed(map(title_of_data, panels))}"
    return Plot(description, (panels, style), draw_formulations)


def _ablation(results: Results, parameter: str) -> Plot | None:
    part = results.part("ablations")
    panels = {}
    for problem in in_order(part.problems):
        runs = ablations.varied(part, problem, parameter)
        if runs:
            panels[problem] = {measure: ablations.curve(runs, parameter, measure) for measure in ablations.MEASURES}
    if not panels:
        return None
    description = (
        f"Accuracy, size and seconds against {ablations.PARAMETERS[parameter]} on {listed(map(title_of_data, panels))}"
    )
    return Plot(description, (panels,), partial(draw_ablation, parameter))


def _growth(results: Results) -> Plot | None:
    part = results.part("growth").where(lambda run: run.is_done and bool(run.outcome.seconds))
    found: dict[str, dict[int, list[float]]] = {}
    for run in part:
        found.setdefault(run.trial.rival, {}).setdefault(run.outcome.n_train, []).append(run.outcome.seconds or 0.0)
    if not found:
        return None
    curves = {rival: [(rows, median(seconds)) for rows, seconds in sorted(by_rows.items())]
              for rival, by_rows in found.items()}  # fmt: skip
    description = f"Seconds against rows on {listed(map(title_of_data, in_order(part.problems)))}"
    return Plot(description, (curves, _style(part, results, curves)), draw_growth)
