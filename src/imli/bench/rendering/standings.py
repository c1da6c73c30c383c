"""How rivals with default settings do over all data sets."""

from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median

from imli.bench.rendering.marks import counted, folded, listed, table
from imli.bench.rendering.measured import Group, Part, Results
from imli.bench.rendering.names import OURS, REAL, in_order, is_ours, title_of, title_of_data
from imli.bench.rendering.sums import critical_difference, geometric_mean, ranks

NOTHING = "Not measured yet."


@dataclass(frozen=True)
class Standing:
    """One rival over all data sets."""

    rival: str
    is_readable: bool
    rank: float
    accuracy: float
    size: float | None
    n_conditions: float | None
    seconds: float
    n_failed: int
    n_trials: int


class Standings:
    """Mean accuracies over folds, and ranks by them, of the rivals that were tried on each real data set."""

    def __init__(self, results: Results) -> None:
        self.part: Part = results.part("defaults").where(lambda run: run.trial.problem in REAL)
        self._readable = results.readable

    @cached_property
    def problems(self) -> list[str]:
        """Where ours was measured, or, if it was nowhere, where anything was."""
        ours = {problem for problem in self.part.problems if self.part.group(problem, OURS)}
        return in_order(ours or self.part.problems)

    def group(self, problem: str, rival: str) -> Group | None:
        return self.part.group(problem, rival)

    @cached_property
    def _accuracies(self) -> dict[str, dict[str, float]]:
        """By rival and data set. Ranks do not tell hundredths of a per cent apart less than a page does."""
        found: dict[str, dict[str, float]] = {rival: {} for rival in self.part.rivals}
        for rival, problem in ((rival, problem) for rival in found for problem in self.problems):
            group = self.group(problem, rival)
            if group is not None and (mean := group.mean("accuracy")) is not None:
                found[rival][problem] = round(mean, 2)
        return found

    @cached_property
    def ranked(self) -> list[Standing]:
        """Rivals that were tried everywhere, the best first."""
        complete = [rival for rival, found in self._accuracies.items() if found and len(found) == len(self.problems)]
        by_problem = [ranks({rival: self._accuracies[rival][problem] for rival in complete})
                      for problem in self.problems]  # fmt: skip
        found = [self._standing(rival, fmean(each[rival] for each in by_problem)) for rival in complete]
        return sorted(found, key=lambda standing: (standing.rank, standing.rival))

    @cached_property
    def left_out(self) -> dict[str, int]:
        """Rivals that were not tried everywhere, and on how many data sets they were."""
        ranked = {standing.rival for standing in self.ranked}
        return {rival: len(found) for rival, found in self._accuracies.items() if rival not in ranked}

    @property
    def critical_difference(self) -> float | None:
        return critical_difference(len(self.ranked), len(self.problems)) if self.problems else None

    def _standing(self, rival: str, rank: float) -> Standing:
        groups = [group for problem in self.problems if (group := self.group(problem, rival)) is not None]
        is_readable = rival in self._readable
        sizes, n_conditions = (
            [value for group in groups if (value := group.median(measure)) is not None] if is_readable else []
            for measure in ("size", "n_conditions")
        )
        seconds = [value for group in groups for value in group.values("seconds")]
        return Standing(
            rival,
            is_readable,
            rank,
            fmean(self._accuracies[rival].values()),
            geometric_mean(sizes) if sizes else None,
            geometric_mean(n_conditions) if n_conditions else None,
            median(seconds) if seconds else 0.0,
            sum(group.n_failed for group in groups),
            sum(len(group.runs) for group in groups),
        )

    def table(self) -> str:
        """A line for each rival."""
        if not self.ranked:
            return NOTHING
        header = ["", "", "mean rank", "mean accuracy", "size", "conditions", "seconds", "failed"]
        lines = ([bold_if_ours(standing.rival), "readable" if standing.is_readable else "black box",
                  f"{standing.rank:.2f}", f"{standing.accuracy:.2f}", _figure(standing.size),
                  _figure(standing.n_conditions), f"{standing.seconds:.2g}" if standing.seconds < 10
                  else f"{standing.seconds:.0f}",
                  f"{standing.n_failed} of {standing.n_trials}" if standing.n_failed else ""]
                 for standing in self.ranked)  # fmt: skip
        return "\n\n".join([table(header, lines), *self._remarks()])

    def _remarks(self) -> list[str]:
        said = [f"{counted(len(self.problems), 'data set')} of {len(REAL)}: "
                f"{listed(map(title_of_data, self.problems))}."]  # fmt: skip
        if self.left_out:
            rivals = listed(f"{title_of(rival)} ({n} of {len(self.problems)})" for rival, n in self.left_out.items())
            said.append(f"Not ranked, since not tried on all of them: {rivals}.")
        return said

    def details(self) -> str:
        """Each rival on each data set."""
        if not self.part:
            return NOTHING
        rivals = [standing.rival for standing in self.ranked] + list(self.left_out)
        problems = in_order(self.part.problems)
        header = ["", *(title_of_data(problem) for problem in problems)]
        lines = ([bold_if_ours(rival), *(self._cell(problem, rival) for problem in problems)] for rival in rivals)
        return folded("Each rival on each data set", table(header, lines))

    def _cell(self, problem: str, rival: str) -> str:
        group = self.group(problem, rival)
        if group is None or (accuracy := group.mean("accuracy")) is None:
            return ", ".join(self.part.statuses(problem, rival))
        size = f" ({group.median('size'):g})" if rival in self._readable else ""
        return f"{accuracy:.1f}{size}{remark(group, len(self.part.folds))}"


def remark(group: Group, n_folds: int) -> str:
    """What must be said of a figure: folds that are missing, and trials that ended with nothing."""
    said = []
    if len(group.runs) < n_folds:
        said.append(f"fold{'' if len(group.runs) == 1 else 's'} {', '.join(map(str, group.folds))}")
    if group.n_failed:
        statuses = dict.fromkeys(run.outcome.status for run in group.runs if run.has_failed)
        said.append(f"{' or '.join(statuses)} {group.n_failed}/{len(group.runs)}")
    return f", {'; '.join(said)}" if said else ""


def bold_if_ours(rival: str) -> str:
    return f"**{title_of(rival)}**" if is_ours(rival) else title_of(rival)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"
