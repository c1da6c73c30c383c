"""Large tables: what was learned, how well and how fast."""

from imli.bench.rendering.marks import bullets, counted, listed, table
from imli.bench.rendering.measured import Group, Part, Results
from imli.bench.rendering.names import KINDS, in_order, title_of, title_of_data
from imli.bench.rendering.standings import NOTHING, bold_if_ours

LOGISTIC, FOREST = "logistic_regression", "random_forest"


def scale_table(results: Results) -> str:
    """A line for each rival on each table."""
    part = results.part("scale")
    lines = []
    for problem in in_order(part.problems):
        for rival in part.rivals:
            statuses = part.statuses(problem, rival)
            if not statuses:
                continue
            group = part.only(problem, rival)
            done = Group(tuple(run for run in group.runs if run.is_done)) if group else Group(())
            rows = done.median("n_train")
            lines.append(
                [title_of_data(problem), bold_if_ours(rival), "" if rows is None else f"{rows:,.0f}",
                 _figure(done, "accuracy", ".2f"), _figure(done, "n_conditions", "g"), _figure(done, "seconds", ".1f"),
                 _figure(done, "megabytes", ",.0f"), _said(dict(statuses))]
            )  # fmt: skip
    header = ["data", "", "rows learned from", "accuracy", "conditions", "seconds", "megabytes", "status"]
    return table(header, lines) if lines else NOTHING


def _figure(group: Group, measure: str, form: str) -> str:
    found = group.median(measure)
    return "" if found is None else format(found, form)


def _said(statuses: dict[str, int]) -> str:
    if len(statuses) == 1:
        return next(iter(statuses))
    return ", ".join(f"{status} ({n})" for status, n in statuses.items())


def scale_goals(results: Results) -> str:
    """Whether each kind was learned, as accurate as logistic regression less a point, and faster than a forest."""
    part = results.part("scale")
    problems = in_order(part.problems)
    if not problems:
        return NOTHING
    learned = {(problem, kind): group for problem in problems for kind in KINDS
               if (group := part.only(problem, kind)) is not None and not group.n_failed}  # fmt: skip
    n_all = len(problems) * len(KINDS)
    missing = [f"{kind} on {title_of_data(problem)}" for problem in problems for kind in KINDS
               if (problem, kind) not in learned]  # fmt: skip
    said = [f"Learned: {len(learned)} of {n_all}, that is {counted(len(KINDS), 'kind')} of rules on "
            f"{listed(map(title_of_data, problems))}." + (f" Not: {listed(missing)}." if missing else "")]  # fmt: skip
    said += _compared(part, learned, LOGISTIC, "accuracy")
    said += _compared(part, learned, FOREST, "seconds")
    return bullets(said)


def _compared(part: Part, learned: dict[tuple[str, str], Group], rival: str, measure: str) -> list[str]:
    """How many of ours are at least as good as that; None of its own figures where it was not tried."""
    pairs = []
    for (problem, kind), ours in learned.items():
        theirs = part.only(problem, rival)
        values = ours.median(measure), theirs.median(measure) if theirs else None
        if values[0] is not None and values[1] is not None:
            pairs.append((problem, kind, values[0], values[1]))
    if not pairs:
        return []
    name = title_of(rival)
    if measure == "accuracy":
        behind = [f"{kind} on {title_of_data(problem)} ({ours - theirs:+.2f})" for problem, kind, ours, theirs in pairs
                  if round(ours, 2) < round(theirs - 1, 2)]  # fmt: skip
        sentence = f"As accurate as {name}, or less than one point below"
    else:
        behind = [f"{kind} on {title_of_data(problem)} ({ours:.1f} s, not {theirs:.1f} s)"
                  for problem, kind, ours, theirs in pairs if ours >= theirs]  # fmt: skip
        sentence = f"Faster than {name}"
    tail = f" Not: {listed(behind)}." if behind else ""
    return [f"{sentence}: {len(pairs) - len(behind)} of {len(pairs)}.{tail}"]
