"""The paper's four strategies on WDBC: training cost, size, test accuracy, seconds and status.

Breast cancer data that scikit-learn ships, ten equal-width closed bins, λ = 0.1, ten stratified folds with seed 0.
Queries of one clause go to RC2; the others to anytime solvers, with a time limit of 5 s for the whole fit. The share
of the time spent outside the solver is measured by timing every call of it.

    python benchmarks/strategies.py [--folds 10]
"""

import argparse
import shutil
from dataclasses import dataclass, field
from time import perf_counter

from results import Recorder
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

from imli import CNFClassifier, Exact, ExternalSolver, Iterative, Joint, MiniBatch
from imli.learning.backends import CPSAT, RC2, Backend, Native

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


def rows_of_the_table():
    """Name, strategy, backend and time limit of each row of the table."""
    anytime = [CPSAT()]
    if shutil.which("clasp"):
        anytime.append(ExternalSolver(["clasp", "--outf=1"]))
    yield "joint", Joint(), Native(), None
    yield "iterative", Iterative(), RC2(), None
    yield "iterative, paper", Iterative(Exact(paper=True), paper=True), RC2(), None
    yield "incremental", Iterative(MiniBatch(batch_size=400)), RC2(), None
    yield "incremental, paper", Iterative(MiniBatch(batch_size=400, paper=True), paper=True), RC2(), None
    for backend in anytime:
        yield "exact", Exact(), backend, LIMIT
        yield "minibatch", MiniBatch(batch_size=400), backend, LIMIT


def run(recorder: Recorder, n_folds: int, only: str | None) -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    for fold, (train, test) in list(enumerate(folds.split(X, y)))[:n_folds]:
        for n_clauses in (2, 5):
            for name, strategy, backend, limit in rows_of_the_table():
                if only is not None and name != only:
                    continue
                timed = Timed(backend)
                classifier = CNFClassifier(
                    n_clauses=n_clauses, lam=0.1, bins=10, binning="uniform", intervals="closed",
                    strategy=strategy, backend=timed, time_limit=limit, random_state=0,
                )  # fmt: skip
                began = perf_counter()
                classifier.fit(X.iloc[train], y.iloc[train])
                seconds = perf_counter() - began
                measures = {
                    "cost": classifier.answer_.cost,
                    "literals": classifier.rule_.n_conditions,
                    "test_accuracy_percent": 100 * classifier.score(X.iloc[test], y.iloc[test]),
                    "seconds": seconds,
                    "solver_seconds": timed.seconds,
                }
                settings = f"k={n_clauses}"
                recorder.add("breast cancer", f"{name} by {backend.name}", measures, seed=fold, settings=settings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--only", metavar="STRATEGY", help="only rows of this strategy, such as joint")
    options = parser.parse_args()
    recorder = Recorder("strategies")
    run(recorder, options.folds, options.only)
    recorder.write()


if __name__ == "__main__":
    main()
