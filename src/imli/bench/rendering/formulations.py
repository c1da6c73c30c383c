"""How much sooner one formulation of the paper's question is answered than another."""

from imli.bench.rendering.marks import bullets, counted
from imli.bench.rendering.measured import Results, Run
from imli.bench.rendering.names import in_order, title_of_data
from imli.bench.rendering.standings import NOTHING
from imli.bench.rendering.sums import mean_ratio

_PAIRS = (("imli incremental", "imli minibatch"), ("imli minibatch", "imli exact"))


def formulation_goals(results: Results) -> str:
    """A sentence for each data set, on the trials that both of two formulations made."""
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
        if rival == first and other is not None and _seconds(run) and _seconds(other):
            pairs.append((run, other))
    if not pairs:
        return None
    ratio = mean_ratio([(_seconds(one) or 0.0, _seconds(other) or 0.0) for one, other in pairs])
    n_out = sum(other.outcome.status == "time limit" for _, other in pairs)
    at_least = f", {counted(n_out, 'time-out')} of the latter counted as the limit" if n_out else ""
    return f"{first} takes {ratio:.2g} times the seconds of {second} ({counted(len(pairs), 'trial')}{at_least})"


def _key(run: Run) -> tuple[str, str, int]:
    return run.trial.rival, run.trial.settings, run.trial.fold


def _seconds(run: Run) -> float | None:
    """Until it ended, by itself or at its limit."""
    return run.outcome.seconds if run.is_done or run.outcome.status == "time limit" else None
