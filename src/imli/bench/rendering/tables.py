"""The paper's tables, with its figures above ours."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from imli.bench.rendering.marks import listed, table
from imli.bench.rendering.measured import Group, Part, Results
from imli.bench.rendering.names import OURS, STANDS_FOR, is_ripper, title_of, title_of_data
from imli.bench.rendering.paper import Paper
from imli.bench.rendering.standings import NOTHING, remark

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
class Cell:
    """A figure of a table, and what stands behind it."""

    accuracy: float | None = None
    size: float | None = None
    remark: str = ""

    def text(self, *, is_best: bool) -> str:
        if self.accuracy is None:
            return self.remark
        figure = f"**{self.accuracy:.2f}**" if is_best else f"{self.accuracy:.2f}"
        return figure + ("" if self.size is None else f" ({self.size:g})") + self.remark


def line(cells: Sequence[Cell]) -> list[str]:
    """The cells of a line, the best in bold."""
    best = max((round(cell.accuracy, 2) for cell in cells if cell.accuracy is not None), default=None)
    return [cell.text(is_best=cell.accuracy is not None and round(cell.accuracy, 2) == best) for cell in cells]


def rivals_for(method: str, rivals: Iterable[str]) -> list[str]:
    """The rivals here that are a method of the paper; RIPPER may be two programs."""
    return [rival for rival in rivals if (is_ripper(rival) if method == "RIPPER" else rival == SAME.get(method))]


class PaperTables:
    """Tables 1, 2 and 3 of the paper."""

    def __init__(self, results: Results, paper: Paper) -> None:
        self._tuned, self._defaults = results.part("tables"), results.part("defaults")
        self._readable, self._paper = results.readable, paper

    def first(self) -> str:
        """Readable rivals."""
        return self._table(1, [OURS, "IMLI", *self._rippers(), "BRL", "CORELS", "BRS"], has_sizes=True)

    def second(self) -> str:
        """Black boxes."""
        return self._table(2, [OURS, "IMLI", "LR", "SVM", "kNN", "RF"], has_sizes=False)

    def third(self) -> str:
        """The four kinds of rules."""
        return self._table(3, ["IMLI CNF", "IMLI DNF", "IMLI decision set", "IMLI decision list"], has_sizes=True)

    def tried(self) -> str:
        """How many settings of each rival were tried on a data set, and from how many rows they learned."""
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

    def _printed(self, number: int, problem: str, column: str, has_sizes: bool) -> Cell:
        # the paper ran one RIPPER, whose figures stand above the first of ours
        method = "RIPPER" if is_ripper(column) and column == self._rippers()[0] else column
        if method not in self._paper.methods(number):
            return Cell()
        accuracy = self._paper.figure(number, problem, method)
        if accuracy is None:
            return Cell(remark="—")
        return Cell(accuracy, self._paper.figure(number, problem, method, "size") if has_sizes else None)

    def _best(self, problem: str, column: str, has_sizes: bool) -> Cell:
        if column == OURS:
            return self._as_by_default(self._defaults, problem, OURS, has_sizes)
        rival = SAME.get(column, column)
        group = self._tuned.best(problem, rival)
        if group is None:
            return Cell(remark=", ".join(self._tuned.statuses(problem, rival)))
        return self._cell(group, rival, has_sizes, len(self._tuned.folds))

    def _as_by_default(self, part: Part, problem: str, rival: str, has_sizes: bool) -> Cell:
        group = part.group(problem, rival)
        return Cell() if group is None else self._cell(group, rival, has_sizes, len(part.folds))

    def _cell(self, group: Group, rival: str, has_sizes: bool, n_folds: int) -> Cell:
        size = group.median("size") if has_sizes and rival in self._readable else None
        return Cell(group.median("accuracy"), size, remark(group, n_folds))


def _title(column: str) -> str:
    return column.removeprefix("IMLI ") if column in DEFAULT else column if column in SAME else title_of(column)


def title_of_paper(problem: str) -> str:
    names = {"bng_vote": "Vote", "bng_labor": "BNG(labor)", "bng_credit_g": "BNG(credit-g)"}
    return names.get(problem) or title_of_data(problem)


def _stand_in(ours: str, problem: str) -> str:
    return "" if ours == problem else "its look-alike"
