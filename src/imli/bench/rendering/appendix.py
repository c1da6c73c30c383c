"""Rules to read: the one that the paper prints and ours, for each data set."""

from imli.bench.rendering.marks import folded
from imli.bench.rendering.measured import Results, Run
from imli.bench.rendering.names import OURS, STANDS_FOR
from imli.bench.rendering.paper import Paper
from imli.bench.rendering.tables import title_of_paper

# the first that has a rule to show
_CHOICE = (OURS, "imli cnf", "imli dnf")


def appendix(results: Results, paper: Paper) -> str:
    """A fold for each data set."""
    return "\n\n".join(
        folded(title_of_paper(problem), _pair(results, problem, rule)) for problem, rule in paper.rules.items()
    )


def _pair(results: Results, problem: str, rule: str) -> str:
    ours = _rule(results, problem)
    size = rule.count(" OR ") + rule.count("\nAND ") + 1
    printed = f"The paper's, of size {size}:\n\n```text\n{rule}\n```"
    if ours is None:
        is_kept = problem not in STANDS_FOR  # files have the rules of real data sets only
        return f"{printed}\n\nOurs: not measured yet." if is_kept else printed
    sizes = f"of size {ours.outcome.size}, " if ours.outcome.size is not None else ""
    accuracy = f"{ours.outcome.accuracy:.2f} % right on the rows held out" if ours.outcome.accuracy is not None else ""
    return f"{printed}\n\nOurs, {sizes}{accuracy} ({ours.trial.rival}, fold 0):\n\n```text\n{ours.outcome.text}\n```"


def _rule(results: Results, problem: str) -> Run | None:
    runs = {run.trial.rival: run for run in results.part("defaults")
            if run.trial.problem == problem and run.trial.fold == 0 and run.trial.settings == "{}"
            and run.is_done and run.outcome.text}  # fmt: skip
    return next((runs[rival] for rival in _CHOICE if rival in runs), None)
