"""How rivals with default settings do over all data sets: ranks, means, and the goals of the comparison."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from statistics import fmean, median

import numpy as np
from scipy.stats import gmean, rankdata, spearmanr, studentized_range

from imli_bench.data_sets import REAL, in_order, title_of_data
from imli_bench.pages.marks import (
    NOTHING,
    OURS,
    bullets,
    counted,
    folded,
    is_ours,
    is_ripper,
    listed,
    table,
    title_of,
)
from imli_bench.pages.measured import FoldGroup, MeasuredPart, Results, Run


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean; what is below one counts as one, since a rule may have no conditions at all.

    >>> round(geometric_mean([1, 10, 100]), 6), geometric_mean([0, 1])
    (10.0, 1.0)
    """
    return float(gmean(np.maximum(values, 1.0)))


def ratio_of_sizes(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the geometric mean of how many times the second the first is, none counted as one."""
    return mean_ratio([(max(first, 1.0), max(second, 1.0)) for first, second in pairs])


def mean_ratio(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the geometric mean of how many times the second the first is.

    >>> mean_ratio([(1, 2), (8, 4)])
    1.0
    """
    return float(gmean([first / second for first, second in pairs]))


def ranks(values: Mapping[str, float]) -> dict[str, float]:
    """Return 1 for the highest; those that are equal share the mean of their ranks.

    >>> ranks({"a": 80.0, "b": 90.0, "c": 80.0})
    {'a': 2.5, 'b': 1.0, 'c': 2.5}
    """
    return dict(zip(values, rankdata([-value for value in values.values()]).tolist(), strict=True))


def critical_difference(n_methods: int, n_problems: int) -> float | None:
    """Return how far two mean ranks must be apart to tell methods apart at 5 % (Nemenyi's test); None for one."""
    if n_methods < 2:
        return None
    quantile = round(studentized_range.ppf(0.95, n_methods, np.inf) / sqrt(2), 3)  # the digits that tables print
    return float(quantile * sqrt(n_methods * (n_methods + 1) / (6 * n_problems)))


@dataclass(frozen=True)
class Point:
    """A model, by how much of it there is to read and how often it is right."""

    rival: str
    size: float
    accuracy: float
    settings: str = "{}"


def front(points: Sequence[Point]) -> list[Point]:
    """Return the points that no other beats in size and accuracy, from short to long."""
    best: list[Point] = []
    for point in sorted(points, key=lambda point: (point.size, -point.accuracy)):
        if not best or point.accuracy > best[-1].accuracy:
            best.append(point)
    return best


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return Spearman's correlation: 1 if the second always grows with the first; None if one does not change.

    >>> rank_correlation([(1, 5), (2, 7), (3, 9)]), rank_correlation([(1, 5), (2, 5)])
    (1.0, None)
    """
    if any(len(set(column)) < 2 for column in zip(*pairs, strict=True)):
        return None
    return round(float(spearmanr(pairs).statistic), 12)


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
        self.part: MeasuredPart = results.part("defaults").where(lambda run: run.trial.problem in REAL)
        self._readable = results.readable

    @cached_property
    def problems(self) -> list[str]:
        """Return the data sets where ours was measured, or, if it was nowhere, where anything was."""
        ours = {problem for problem in self.part.problems if self.part.group(problem, OURS)}
        return in_order(ours or self.part.problems)

    def group(self, problem: str, rival: str) -> FoldGroup | None:
        return self.part.group(problem, rival)

    @cached_property
    def _accuracies(self) -> dict[str, dict[str, float]]:
        """Return accuracies by rival and data set, rounded as on the page, so that ranks agree with it."""
        found: dict[str, dict[str, float]] = {rival: {} for rival in self.part.rivals}
        for rival, problem in ((rival, problem) for rival in found for problem in self.problems):
            group = self.group(problem, rival)
            if group is not None and (mean := group.mean("accuracy")) is not None:
                found[rival][problem] = round(mean, 2)
        return found

    @cached_property
    def ranked(self) -> list[Standing]:
        """Return the rivals that were tried everywhere, the best first."""
        complete = [rival for rival, found in self._accuracies.items() if found and len(found) == len(self.problems)]
        by_problem = [ranks({rival: self._accuracies[rival][problem] for rival in complete})
                      for problem in self.problems]  # fmt: skip
        found = [self._standing(rival, fmean(each[rival] for each in by_problem)) for rival in complete]
        return sorted(found, key=lambda standing: (standing.rank, standing.rival))

    @cached_property
    def left_out(self) -> dict[str, int]:
        """Return rivals that were not tried everywhere, and on how many data sets they were."""
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
        """Return a line for each rival."""
        if not self.ranked:
            return NOTHING
        header = ["", "", "mean rank", "mean accuracy", "size", "conditions", "seconds", "failed"]
        lines = ([bold_if_ours(standing.rival), "readable" if standing.is_readable else "black box",
                  f"{standing.rank:.2f}", f"{standing.accuracy:.2f}", _figure(standing.size),
                  _figure(standing.n_conditions), seconds_of(standing),
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
        """Return each rival on each data set."""
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


def remark(group: FoldGroup, n_folds: int) -> str:
    """Return what must be said of a figure: folds that are missing, and trials that ended with nothing."""
    said = []
    if len(group.runs) < n_folds:
        said.append(f"fold{'' if len(group.runs) == 1 else 's'} {', '.join(map(str, group.folds))}")
    if group.n_failed:
        statuses = dict.fromkeys(run.outcome.status for run in group.runs if run.has_failed)
        said.append(f"{' or '.join(statuses)} {group.n_failed}/{len(group.runs)}")
    return f", {'; '.join(said)}" if said else ""


def bold_if_ours(rival: str) -> str:
    return f"**{title_of(rival)}**" if is_ours(rival) else title_of(rival)


def seconds_of(standing: Standing) -> str:
    """Return the seconds to learn, with two digits."""
    return f"{standing.seconds:.2g}" if standing.seconds < 10 else f"{standing.seconds:.0f}"


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def goals(standings: Standings) -> str:
    """Return a sentence for each goal that can be told from what is there."""
    said = [sentence for goal in (_against_ripper, _against_cart, _lengths, _black_boxes)
            if (sentence := goal(standings)) is not None]  # fmt: skip
    return bullets(said) if said else NOTHING


def beside_ripper(standings: Standings) -> tuple[int, int, float] | None:
    """Return on how many data sets ours is at least as accurate as the best RIPPER, of how many, and how long it is.

    The length is the geometric mean of how many times the size of RIPPER's rule ours has.
    """
    rippers = _rippers(standings)
    wins, sizes = 0, []
    for problem in standings.problems:
        pairs = [pair for rival in rippers if (pair := _on_the_same_folds(standings, problem, rival)) is not None]
        if pairs:
            ours, theirs = max(pairs, key=lambda pair: _mean(pair[1], "accuracy"))
            wins += round(_mean(ours, "accuracy"), 2) >= round(_mean(theirs, "accuracy"), 2)
            sizes.append((_mean(ours, "size"), _mean(theirs, "size")))
    return (wins, len(sizes), ratio_of_sizes(sizes)) if sizes else None


def _rippers(standings: Standings) -> list[str]:
    return [rival for rival in standings.part.rivals if is_ripper(rival)]


def _against_ripper(standings: Standings) -> str | None:
    if (found := beside_ripper(standings)) is None:
        return None
    wins, n, ratio = found
    rippers = _rippers(standings)
    names = listed(title_of(rival) for rival in rippers)
    whom = f"the better of {names}" if len(rippers) > 1 else names
    return (
        f"At least as accurate as {whom} on {_of_all(wins, n)}; the size of our rule is "
        f"{_times(ratio)} that of its rule (geometric mean)."
    )


def beside_cart(standings: Standings) -> tuple[int, int, int] | None:
    """Return on how many data sets ours is more accurate than a tree of at most its length, as accurate, of how many.

    Each fold is compared with the largest tree that has no more conditions than our rule there.
    """
    higher, equal, n = 0, 0, 0
    for problem in standings.problems:
        pairs = list(_trees(standings, problem))
        if pairs:
            ours, tree = (round(fmean(each), 2) for each in zip(*pairs, strict=True))
            higher, equal, n = higher + (ours > tree), equal + (ours == tree), n + 1
    return (higher, equal, n) if n else None


def _against_cart(standings: Standings) -> str | None:
    if (found := beside_cart(standings)) is None:
        return None
    higher, equal, n = found
    even = f", as accurate on {equal}" if equal else ""
    return f"Against CART with no more conditions than our rule has: more accurate on {_of_all(higher, n)}{even}."


def _trees(standings: Standings, problem: str) -> Iterator[tuple[float, float]]:
    """Yield accuracies of ours and of the largest tree that is no longer than ours, on the same folds."""
    ours = standings.group(problem, OURS)
    trees: dict[int, list[Run]] = {}
    for group in standings.part.groups(problem, "cart").values():
        for run in group.runs:
            if "most_conditions" in run.settings:
                trees.setdefault(run.trial.fold, []).append(run)
    for run in ours.runs if ours else ():
        limit = run.n_conditions
        allowed = [tree for tree in trees.get(run.trial.fold, ())
                   if limit is not None and tree.settings["most_conditions"] <= limit]  # fmt: skip
        if allowed and run.accuracy is not None:
            tree = max(allowed, key=lambda tree: tree.settings["most_conditions"])
            if tree.accuracy is not None:
                yield run.accuracy, tree.accuracy


def _lengths(standings: Standings) -> str | None:
    ours = next((standing for standing in standings.ranked if standing.rival == OURS), None)
    others = [standing for standing in standings.ranked if standing.is_readable and not is_ours(standing.rival)]
    if ours is None or ours.size is None or not others:
        return None
    theirs = listed(f"{title_of(standing.rival)} {standing.size:.1f}" for standing in others)
    return f"Size of a rule, as the geometric mean over the data sets: ours {ours.size:.1f}, {theirs}."


def beside_black_boxes(standings: Standings) -> dict[str, float]:
    """Return how many points the best black box of each data set is ahead of ours."""
    boxes = [standing.rival for standing in standings.ranked if not standing.is_readable]
    gaps = {}
    for problem in standings.problems:
        ours = standings.group(problem, OURS)
        theirs = [_mean(group, "accuracy") for rival in boxes if (group := standings.group(problem, rival))]
        if ours is not None and theirs:
            gaps[problem] = max(theirs) - _mean(ours, "accuracy")
    return gaps


def _black_boxes(standings: Standings) -> str | None:
    gaps = beside_black_boxes(standings)
    if not gaps:
        return None
    near = [problem for problem, gap in gaps.items() if round(gap, 2) <= 1]
    widest = max(gaps, key=gaps.__getitem__)
    return (
        f"The best black box of each data set is {fmean(gaps.values()):.1f} points more accurate than ours on average, "
        f"at most {gaps[widest]:.1f} ({title_of_data(widest)}); on {_of_all(len(near), len(gaps))} at most one point."
    )


def failures(standings: Standings) -> str:
    """Return which rivals ended with nothing where, and why."""
    if not standings.part:
        return NOTHING
    found: dict[tuple[str, str], dict[str, int]] = {}
    for run in standings.part:
        if not run.is_done:
            of = found.setdefault((run.trial.rival, run.outcome.status), {})
            of[run.trial.problem] = of.get(run.trial.problem, 0) + 1
    if not found:
        return f"All {counted(len(standings.part.runs), 'trial')} came to an end."

    def places(where: dict[str, int]) -> str:
        return ", ".join(f"{title_of_data(problem)} ({counted(n, 'trial')})" for problem, n in where.items())

    return bullets(f"{title_of(rival)}, {status}: {places(where)}." for (rival, status), where in sorted(found.items()))


def _on_the_same_folds(standings: Standings, problem: str, rival: str) -> tuple[FoldGroup, FoldGroup] | None:
    ours, theirs = standings.group(problem, OURS), standings.group(problem, rival)
    if ours is None or theirs is None or not (folds := set(ours.folds) & set(theirs.folds)):
        return None
    pair = ours.on(folds), theirs.on(folds)
    return None if any(group.mean("accuracy") is None for group in pair) else pair


def _mean(group: FoldGroup, measure: str) -> float:
    return group.mean(measure) or 0.0


def _of_all(count: int, n: int) -> str:
    """Return a number of data sets in words; how many are missing is said as long as some are."""
    return f"{count} of {n}" if n == len(REAL) else f"{count} of {n} data sets so far"


def _times(ratio: float) -> str:
    return f"{ratio:.2f} times"
