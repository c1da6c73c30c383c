"""The paper's four strategies on WDBC: training cost, size, test accuracy, seconds and status.

Breast cancer data that scikit-learn ships, ten equal-width closed bins, λ = 0.1, ten stratified folds with seed 0.
Queries of one clause go to RC2; the others to anytime solvers, with a time limit of 5 s for the whole fit. The share
of the time spent outside the solver is measured by timing every call of it.

    python benchmarks/strategies.py [--folds 10] [--csv benchmarks/results/strategies.csv]
"""

import argparse
import csv
import platform
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

import imli
from imli import CNFClassifier, Exact, ExternalSolver, Iterative, MiniBatch
from imli.backends import CPSAT, RC2, Backend

LIMIT = 5.0


@dataclass
class Timed:
    """A backend whose time is measured."""

    inner: Backend
    seconds: float = field(default=0.0)

    @property
    def name(self) -> str:
        return self.inner.name

    def check(self, query, deadline):
        self.inner.check(query, deadline)

    def answer(self, query, start, deadline):
        began = perf_counter()
        try:
            return self.inner.answer(query, start, deadline)
        finally:
            self.seconds += perf_counter() - began


def settings():
    """Name, strategy, backend and time limit of each row of the table."""
    anytime = [CPSAT()]
    if shutil.which("clasp"):
        anytime.append(ExternalSolver(["clasp", "--outf=1"]))
    yield "iterative", Iterative(), RC2(), None
    yield "iterative, paper", Iterative(Exact(paper=True), paper=True), RC2(), None
    yield "incremental", Iterative(MiniBatch(batch_size=400)), RC2(), None
    yield "incremental, paper", Iterative(MiniBatch(batch_size=400, paper=True), paper=True), RC2(), None
    for backend in anytime:
        yield "exact", Exact(), backend, LIMIT
        yield "minibatch", MiniBatch(batch_size=400), backend, LIMIT


def run(n_folds: int):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    for fold, (train, test) in list(enumerate(folds.split(X, y)))[:n_folds]:
        for n_clauses in (2, 5):
            for name, strategy, backend, limit in settings():
                timed = Timed(backend)
                classifier = CNFClassifier(
                    n_clauses=n_clauses, lam=0.1, bins=10, binning="uniform", intervals="closed",
                    strategy=strategy, backend=timed, time_limit=limit, random_state=0,
                )  # fmt: skip
                began = perf_counter()
                classifier.fit(X.iloc[train], y.iloc[train])
                seconds = perf_counter() - began
                yield {
                    "fold": fold,
                    "n_clauses": n_clauses,
                    "strategy": name,
                    "backend": backend.name,
                    "cost": round(classifier.answer_.cost, 6),
                    "literals": classifier.rule_.n_conditions,
                    "size": classifier.rule_.size,
                    "test_accuracy": round(classifier.score(X.iloc[test], y.iloc[test]), 6),
                    "seconds": round(seconds, 3),
                    "solver_seconds": round(timed.seconds, 3),
                    "status": classifier.answer_.status,
                    "imli": imli.__version__,
                    "machine": f"{platform.machine()}, Python {platform.python_version()}",
                }


def render(rows: list[dict]) -> str:
    lines = [
        "| k | strategy | backend | training cost: median (folds 0, 1, 2) | literals | test accuracy | seconds "
        "| seconds / solver's | status |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    keys = list(dict.fromkeys((row["n_clauses"], row["strategy"], row["backend"]) for row in rows))
    for key in sorted(keys, key=lambda key: key[0]):
        own = [row for row in rows if (row["n_clauses"], row["strategy"], row["backend"]) == key]
        first = ", ".join(f"{float(row['cost']):g}" for row in own[:3])
        ratio = median(float(row["seconds"]) / max(1e-9, float(row["solver_seconds"])) for row in own)
        statuses = ", ".join(dict.fromkeys(row["status"] for row in own))
        lines.append(
            f"| {key[0]} | {key[1]} | {key[2]} | {middle(own, 'cost'):g} ({first}) | {middle(own, 'literals'):g} "
            f"| {middle(own, 'test_accuracy'):.1%} | {middle(own, 'seconds'):.2f} | {ratio:.2f} | {statuses} |"
        )
    return "\n".join(lines)


def middle(rows: list[dict], column: str) -> float:
    return median(float(row[column]) for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--csv", type=Path, help="where to keep the rows")
    parser.add_argument("--render", type=Path, help="only print the table of such a file")
    options = parser.parse_args()
    if options.render:
        print(render(list(csv.DictReader(options.render.open()))))
        return
    rows = list(run(options.folds))
    if options.csv:
        options.csv.parent.mkdir(parents=True, exist_ok=True)
        with options.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    print(render(rows))


if __name__ == "__main__":
    main()
