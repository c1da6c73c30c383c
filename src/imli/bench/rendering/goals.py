"""What the comparison was made for, as sentences with their figures."""

from collections.abc import Iterator
from statistics import fmean

from imli.bench.rendering.marks import bullets, counted, listed
from imli.bench.rendering.measured import Group, Run
from imli.bench.rendering.names import OURS, REAL, is_ours, is_ripper, title_of, title_of_data
from imli.bench.rendering.standings import NOTHING, Standings
from imli.bench.rendering.sums import ratio_of_sizes


def goals(standings: Standings) -> str:
    """A sentence for each goal that can be told from what is there."""
    said = [sentence for goal in (_against_ripper, _against_cart, _lengths, _black_boxes)
            if (sentence := goal(standings)) is not None]  # fmt: skip
    return bullets(said) if said else NOTHING


def _against_ripper(standings: Standings) -> str | None:
    rippers = [rival for rival in standings.part.rivals if is_ripper(rival)]
    wins, sizes = 0, []
    for problem in standings.problems:
        pairs = [pair for rival in rippers if (pair := _on_the_same_folds(standings, problem, rival)) is not None]
        if pairs:
            ours, theirs = max(pairs, key=lambda pair: _mean(pair[1], "accuracy"))
            wins += round(_mean(ours, "accuracy"), 2) >= round(_mean(theirs, "accuracy"), 2)
            sizes.append((_mean(ours, "size"), _mean(theirs, "size")))
    if not sizes:
        return None
    names = listed(title_of(rival) for rival in rippers)
    whom = f"the better of {names}" if len(rippers) > 1 else names
    return (
        f"At least as accurate as {whom} on {_of_all(wins, len(sizes))}; the size of our rule is "
        f"{_times(ratio_of_sizes(sizes))} that of its rule (geometric mean)."
    )


def _against_cart(standings: Standings) -> str | None:
    """Ours beside a tree that may have as many conditions, fold by fold."""
    higher, equal, n = 0, 0, 0
    for problem in standings.problems:
        pairs = list(_trees(standings, problem))
        if pairs:
            ours, tree = (round(fmean(each), 2) for each in zip(*pairs, strict=True))
            higher, equal, n = higher + (ours > tree), equal + (ours == tree), n + 1
    if not n:
        return None
    even = f", as accurate on {equal}" if equal else ""
    return f"Against CART with no more conditions than our rule has: more accurate on {_of_all(higher, n)}{even}."


def _trees(standings: Standings, problem: str) -> Iterator[tuple[float, float]]:
    """Accuracies of ours, and of the largest tree that is no longer than ours, on the same folds."""
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


def _black_boxes(standings: Standings) -> str | None:
    """How many points the best black box is ahead."""
    boxes = [standing.rival for standing in standings.ranked if not standing.is_readable]
    gaps = {}
    for problem in standings.problems:
        ours = standings.group(problem, OURS)
        theirs = [_mean(group, "accuracy") for rival in boxes if (group := standings.group(problem, rival))]
        if ours is not None and theirs:
            gaps[problem] = max(theirs) - _mean(ours, "accuracy")
    if not gaps:
        return None
    near = [problem for problem, gap in gaps.items() if round(gap, 2) <= 1]
    widest = max(gaps, key=gaps.__getitem__)
    return (
        f"The best black box of each data set is {fmean(gaps.values()):.1f} points more accurate than ours on average, "
        f"at most {gaps[widest]:.1f} ({title_of_data(widest)}); on {_of_all(len(near), len(gaps))} at most one point."
    )


def failures(standings: Standings) -> str:
    """Which rivals ended with nothing where, and why."""
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


def _on_the_same_folds(standings: Standings, problem: str, rival: str) -> tuple[Group, Group] | None:
    ours, theirs = standings.group(problem, OURS), standings.group(problem, rival)
    if ours is None or theirs is None or not (folds := set(ours.folds) & set(theirs.folds)):
        return None
    pair = ours.on(folds), theirs.on(folds)
    return None if any(group.mean("accuracy") is None for group in pair) else pair


def _mean(group: Group, measure: str) -> float:
    return group.mean(measure) or 0.0


def _of_all(count: int, n: int) -> str:
    """So many of the data sets; how many are missing is said as long as some are."""
    return f"{count} of {n}" if n == len(REAL) else f"{count} of {n} data sets so far"


def _times(ratio: float) -> str:
    return f"{ratio:.2f} times"
