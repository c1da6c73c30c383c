"""How far figures here are from those of the paper."""

from statistics import fmean

from imli.bench.rendering.marks import table
from imli.bench.rendering.measured import PARTS, Results
from imli.bench.rendering.names import STANDS_FOR, title_of, title_of_data
from imli.bench.rendering.paper import Paper
from imli.bench.rendering.standings import NOTHING
from imli.bench.rendering.tables import rivals_for, title_of_paper


def agreement(results: Results, paper: Paper) -> str:
    """Accuracies here less those of the paper, for each method that both have, on the data sets that both have."""
    part = results.part("tables")
    lines = []
    for number in (1, 2, 3):
        for method in paper.methods(number):
            if number == 2 and method == "IMLI":
                continue  # as in Table 1
            for rival in rivals_for(method, part.rivals):
                differences = {}
                for problem in paper.problems(number):
                    printed, best = paper.figure(number, problem, method), part.best(problem, rival)
                    ours = best.median("accuracy") if best else None
                    if printed is not None and ours is not None and problem not in STANDS_FOR:
                        differences[problem] = ours - printed
                if differences:
                    lines.append([f"Table {number}", method, title_of(rival), *_summed(differences)])
    header = ["", "paper", "here", "data sets", "mean difference", "within one point", "farthest apart"]
    return table(header, lines) if lines else NOTHING


def _summed(differences: dict[str, float]) -> list[str]:
    farthest = max(differences, key=lambda problem: abs(differences[problem]))
    return [
        str(len(differences)),
        f"{fmean(differences.values()):+.2f}",
        str(sum(abs(round(value, 2)) <= 1 for value in differences.values())),
        f"{title_of_data(farthest)} ({differences[farthest]:+.1f})",
    ]


def rows(results: Results, paper: Paper) -> str:
    """How many rows and features the paper has, and how many rows were measured here."""
    here: dict[str, int] = {}
    for name in PARTS:
        for run in results.part(name):
            if run.outcome.n_train and not run.trial.most_rows:
                known = here.get(run.trial.problem, 0)
                here[run.trial.problem] = max(known, run.outcome.n_train + run.outcome.n_test)
    lines = []
    for problem in paper.problems(1):
        n_rows, n_features = (paper.figure(1, problem, "data", measure) or 0 for measure in ("rows", "features"))
        ours = here.get(STANDS_FOR.get(problem, problem))
        difference = f"{ours - n_rows:+,.0f}" if ours not in (None, n_rows) else ""
        found = ["not measured yet" if ours is None else f"{ours:,}", difference]
        lines.append([title_of_paper(problem), f"{n_features:,.0f}", f"{n_rows:,.0f}", *found])
    return table(["data", "binary features in the paper", "rows in the paper", "rows here", "difference"], lines)


def missing(results: Results, paper: Paper) -> str:
    """The methods of the paper that have no figure here."""
    known = set(results.part("tables").rivals)
    if not known:
        return NOTHING
    done = {run.trial.rival for run in results.part("tables") if run.is_done}
    absent = [
        method for number in (1, 2, 3) for method in paper.methods(number) if not done & set(rivals_for(method, known))
    ]
    if not absent:
        return "Every method of the paper's tables was run."
    return f"Methods of the paper's tables without a figure here: {', '.join(dict.fromkeys(absent))}."
