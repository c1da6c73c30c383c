"""The paper: what it printed, its tables with figures from here below, and how far both are apart."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean

from imli_bench.data_sets import title_of_data
from imli_bench.pages.marks import NOTHING, OURS, STANDS_FOR, folded, is_ripper, listed, table, title_of
from imli_bench.pages.measured import PARTS, FoldGroup, MeasuredPart, Results, Run
from imli_bench.pages.standings import remark

PRINTED = Path(__file__).parents[1] / "paper"


@dataclass(frozen=True)
class Claim:
    """Where a measure goes, as the paper says, when a parameter grows."""

    parameter: str
    measure: str
    direction: str  # "up" or "down"


class Paper:
    """The files ``figures.csv``, ``rules.csv`` and ``claims.csv`` of a folder."""

    def __init__(self, folder: Path = PRINTED) -> None:
        self._folder = folder

    def _read(self, name: str) -> list[dict[str, str]]:
        with (self._folder / name).open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    @cached_property
    def _figures(self) -> dict[tuple[int, str, str, str], float]:
        return {
            (int(row["settings"].removeprefix("JAIR 2022, Table ")), row["problem"], row["method"], row["measure"]):
            float(row["value"])
            for row in self._read("figures.csv")
        }  # fmt: skip

    def figure(self, table: int, problem: str, method: str, measure: str = "accuracy_percent") -> float | None:
        """Return a printed figure; None is a dash, for a time-out."""
        return self._figures.get((table, problem, method, measure))

    def problems(self, table: int) -> list[str]:
        """Return the data sets of a table, in its order."""
        return list(dict.fromkeys(problem for number, problem, *_ in self._figures if number == table))

    def methods(self, table: int) -> list[str]:
        found = dict.fromkeys(method for number, _, method, _ in self._figures if number == table)
        return [method for method in found if method != "data"]

    @cached_property
    def rules(self) -> dict[str, str]:
        """Return the rule printed for each data set."""
        return {row["problem"]: row["rule"] for row in self._read("rules.csv")}

    @cached_property
    def claims(self) -> list[Claim]:
        return [Claim(**row) for row in self._read("claims.csv")]


# What methods of the paper are called here. RIPPER may be two programs, which are known by their names.
SAME = {
    "BRL": "brl",
    "CORELS": "corels",
    "BRS": "brs",
    "IMLI": "imli incremental cnf",
    "LR": "logistic_regression",
    "SVM": "linear_svm",
    "kNN": "knn",
    "RF": "random_forest",
    "IMLI CNF": "imli incremental cnf",
    "IMLI DNF": "imli incremental dnf",
    "IMLI decision set": "imli incremental set",
    "IMLI decision list": "imli incremental list",
}
# What the search of ours finds with default settings, of the same kind.
DEFAULT = {
    "IMLI CNF": "imli cnf",
    "IMLI DNF": "imli dnf",
    "IMLI decision set": "imli set",
    "IMLI decision list": "imli list",
}


@dataclass(frozen=True)
class TableCell:
    """A figure of a table, and what stands behind it."""

    accuracy: float | None = None
    size: float | None = None
    remark: str = ""

    def text(self, *, is_best: bool) -> str:
        if self.accuracy is None:
            return self.remark
        figure = f"**{self.accuracy:.2f}**" if is_best else f"{self.accuracy:.2f}"
        return figure + ("" if self.size is None else f" ({self.size:g})") + self.remark


def line(cells: Sequence[TableCell]) -> list[str]:
    """Return the texts of the cells of a line, the best in bold."""
    best = max((round(cell.accuracy, 2) for cell in cells if cell.accuracy is not None), default=None)
    return [cell.text(is_best=cell.accuracy is not None and round(cell.accuracy, 2) == best) for cell in cells]


def rivals_for(method: str, rivals: Iterable[str]) -> list[str]:
    """Return the rivals here that are a method of the paper; RIPPER may be two programs."""
    return [rival for rival in rivals if (is_ripper(rival) if method == "RIPPER" else rival == SAME.get(method))]


class PaperTables:
    """Tables 1, 2 and 3 of the paper."""

    def __init__(self, results: Results, paper: Paper) -> None:
        self._tuned, self._defaults = results.part("tables"), results.part("defaults")
        self._readable, self._paper = results.readable, paper

    def first(self) -> str:
        """Return the table of readable rivals."""
        return self._table(1, [OURS, "IMLI", *self._rippers(), "BRL", "CORELS", "BRS"], has_sizes=True)

    def second(self) -> str:
        """Return the table of black boxes."""
        return self._table(2, [OURS, "IMLI", "LR", "SVM", "kNN", "RF"], has_sizes=False)

    def third(self) -> str:
        """Return the table of the four kinds of rules."""
        return self._table(3, ["IMLI CNF", "IMLI DNF", "IMLI decision set", "IMLI decision list"], has_sizes=True)

    def tried(self) -> str:
        """Return how many settings of each rival were tried on a data set, and from how many rows they learned."""
        if not self._tuned:
            return NOTHING
        counts: dict[str, list[str]] = {}
        for rival in self._tuned.rivals:
            found = sorted(len(self._tuned.groups(problem, rival)) for problem in self._tuned.problems)
            said = str(found[0]) if found[0] == found[-1] else f"{found[0]} to {found[-1]}"
            counts.setdefault(said, []).append(title_of(rival))
        settings = "; ".join(f"{said}: {listed(rivals)}" for said, rivals in counts.items())
        limits = sorted({run.trial.most_rows for run in self._tuned})
        rows = f" Each learned from at most {limits[-1]:,} rows, which the paper does not limit." if limits[0] else ""
        return f"Settings that were tried on a data set: {settings}.{rows}"

    def _rippers(self) -> list[str]:
        return rivals_for("RIPPER", self._tuned.rivals) or ["RIPPER"]

    def _table(self, number: int, columns: list[str], *, has_sizes: bool) -> str:
        if not any(SAME.get(column, column) in self._tuned.rivals for column in columns):
            return NOTHING
        header = ["data", "", *(_title(column) for column in columns)]
        lines = []
        for problem in self._paper.problems(number):
            ours = STANDS_FOR.get(problem, problem)
            printed = [self._printed(number, problem, column, has_sizes) for column in columns]
            lines.append([title_of_paper(problem), "paper", *line(printed)])
            tuned = [self._best(ours, column, has_sizes) for column in columns]
            lines.append([_stand_in(ours, problem), "here", *line(tuned)])
            if number == 3:
                plain = [self._as_by_default(self._defaults, ours, DEFAULT[column], has_sizes) for column in columns]
                if any(cell.accuracy is not None for cell in plain):
                    lines.append(["", "default", *line(plain)])
        return table(header, lines)

    def _printed(self, number: int, problem: str, column: str, has_sizes: bool) -> TableCell:
        # the paper ran one RIPPER, whose figures stand above the first of ours
        method = "RIPPER" if is_ripper(column) and column == self._rippers()[0] else column
        if method not in self._paper.methods(number):
            return TableCell()
        accuracy = self._paper.figure(number, problem, method)
        if accuracy is None:
            return TableCell(remark="—")
        return TableCell(accuracy, self._paper.figure(number, problem, method, "size") if has_sizes else None)

    def _best(self, problem: str, column: str, has_sizes: bool) -> TableCell:
        if column == OURS:
            return self._as_by_default(self._defaults, problem, OURS, has_sizes)
        rival = SAME.get(column, column)
        group = self._tuned.best(problem, rival)
        if group is None:
            return TableCell(remark=", ".join(self._tuned.statuses(problem, rival)))
        return self._cell(group, rival, has_sizes, len(self._tuned.folds))

    def _as_by_default(self, part: MeasuredPart, problem: str, rival: str, has_sizes: bool) -> TableCell:
        group = part.group(problem, rival)
        return TableCell() if group is None else self._cell(group, rival, has_sizes, len(part.folds))

    def _cell(self, group: FoldGroup, rival: str, has_sizes: bool, n_folds: int) -> TableCell:
        size = group.median("size") if has_sizes and rival in self._readable else None
        return TableCell(group.median("accuracy"), size, remark(group, n_folds))


def _title(column: str) -> str:
    return column.removeprefix("IMLI ") if column in DEFAULT else column if column in SAME else title_of(column)


def title_of_paper(problem: str) -> str:
    names = {"bng_vote": "Vote", "bng_labor": "BNG(labor)", "bng_credit_g": "BNG(credit-g)"}
    return names.get(problem) or title_of_data(problem)


def _stand_in(ours: str, problem: str) -> str:
    return "" if ours == problem else "its look-alike"


def agreement(results: Results, paper: Paper) -> str:
    """Return accuracies here less those of the paper, where both have the method and the data set."""
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
    """Return how many rows and features the paper has, and how many rows were measured here."""
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
    """Return the methods of the paper that have no figure here."""
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


# the first that has a rule to show
_CHOICE = (OURS, "imli cnf", "imli dnf")


def appendix(results: Results, paper: Paper) -> str:
    """Return a fold for each data set, with the rule that the paper prints and ours."""
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
