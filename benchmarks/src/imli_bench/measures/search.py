"""The search and what it is made of: costs in so many seconds, proofs, the kernel's scan, MaxSAT, and strategies."""

import argparse
import math
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from imli import CNFClassifier, DNFClassifier, Exact, ExternalSolver, Iterative, Joint, MiniBatch, Native, Query
from pysat.solvers import Solver
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, train_test_split

from imli_bench.data_sets import Instance, read_instances
from imli_bench.internals import (
    CPSAT,
    RC2,
    Binning,
    Encoding,
    KernelPart,
    KernelRows,
    as_frame,
    lower,
    tabulate,
)
from imli_bench.measures import Measure
from imli_bench.results import Recorder

HELD_OUT_SEEDS = 3  # so many seeds are also run without a fifth of the rows


def _classifier(instance: Instance, limit: float | None, seed: int):
    kind = CNFClassifier if instance.kind == "cnf" else DNFClassifier
    stop = {"effort": math.inf, "time_limit": limit} if limit is not None else {}
    return kind(n_clauses=instance.n_clauses, lam=instance.lam, random_state=seed, **stop)


def _run_instance(instance: Instance, limit: float | None, seed: int) -> dict[str, float]:
    began = perf_counter()
    answer = _classifier(instance, limit, seed).fit(instance.X, instance.y).answer_
    seconds = perf_counter() - began
    excess = answer.cost - instance.best_known
    measures = {
        "cost": answer.cost,
        "excess": excess,
        "excess_percent": 100 * excess / instance.best_known,
        "bound": answer.bound,
        "seconds": seconds,
    }
    if seed >= HELD_OUT_SEEDS:
        return measures
    train, test = train_test_split(np.arange(len(instance.y)), test_size=0.2, stratify=instance.y, random_state=seed)
    held_out = _classifier(instance, limit, seed).fit(instance.X[train], instance.y[train])
    return measures | {"held_out_error_percent": 100 * (1 - held_out.score(instance.X[test], instance.y[test]))}


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """Add where search problems lie, how often each is run, and for how long."""
    parser.add_argument("--instances", type=Path, default=os.environ.get("IMLI_INSTANCES"), metavar="FOLDER",
                        help="search problems with best known costs (default: IMLI_INSTANCES)")  # fmt: skip
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--limits", type=float, nargs="*", default=[1.0, 3.0, 10.0], help="none: default effort only")


def measure_search(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure excess at 1, 3 and 10 s and at the default effort, and the error on rows held out.

    Each run is a whole ``fit`` from a table of truth values, with its time limit. The error is that on a fifth of the
    rows that a second fit with this limit did not see.
    """
    if options.instances is None:
        raise ValueError("Where are the search problems? Give --instances FOLDER, or set IMLI_INSTANCES.")
    for instance in read_instances(Path(options.instances)):
        for limit in (*options.limits, None):
            for seed in range(options.seeds):
                settings = "default" if limit is None else f"{limit:g} s"
                recorder.add(instance.name, "imli", _run_instance(instance, limit, seed), seed=seed, settings=settings)


def measure_proof(recorder: Recorder, options: argparse.Namespace) -> None:  # noqa: ARG001
    """Measure whole fits with a proof: ten folds of breast cancer data, one clause, closed bins, three values of λ."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    for fold, (train, _) in enumerate(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y)):
        for lam in (0.1, 1.0, 3.0):
            classifier = CNFClassifier(
                n_clauses=1, lam=lam, binning="uniform", intervals="closed", prove=True, time_limit=60
            )
            began = perf_counter()
            answer = classifier.fit(X.iloc[train], y.iloc[train]).answer_
            measures = {"seconds": perf_counter() - began, "cost": answer.cost, "bound": answer.bound}
            recorder.add("breast cancer", "imli", measures, seed=fold, settings=f"lam={lam:g}")


def _bandwidth(n_bytes: int, n_threads: int) -> float:
    """Return the bytes per second when threads sum up that much memory."""
    parts = np.array_split(np.ones(n_bytes // 8, dtype=np.int64), n_threads)
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(np.sum, parts))
        began = perf_counter()
        for _ in range(5):
            list(pool.map(np.sum, parts))
        return 5 * n_bytes / (perf_counter() - began)


def add_kernel_options(parser: argparse.ArgumentParser) -> None:
    """Add the size of the table that is scanned."""
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--literals", type=int, default=200)


def measure_kernel(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure a scan, which sums the weights of both classes for all literals, against the memory bandwidth.

    The bandwidth is that of a plain sum over as many bytes as the scan reads, by as many threads, before and after it.
    """
    rng = np.random.default_rng(0)
    words = rng.integers(0, 2**63, (options.literals, options.rows // 64), dtype=np.uint64)
    n_rows = words.shape[1] * 64
    labels = rng.integers(0, 2, n_rows, dtype=np.int32)
    n_cores = os.cpu_count() or 1
    rows = KernelRows(words, labels, np.ones(n_rows, dtype=np.int64), 2, False, None, n_cores)
    table = KernelPart(rows, 2, n_cores)
    for n_threads in sorted({1, n_cores}):
        limits = [_bandwidth(table.n_bytes, n_threads)]
        table.totals([], 1, n_threads)
        times = []
        for _ in range(9):
            began = perf_counter()
            table.totals([], 1, n_threads)
            times.append(perf_counter() - began)
        limits.append(_bandwidth(table.n_bytes, n_threads))
        scan, limit = table.n_bytes / float(np.median(times)), max(limits)
        measures = {"milliseconds": 1e3 * float(np.median(times)), "scan_gb_s": scan / 1e9, "memory_gb_s": limit / 1e9}
        measures["share_percent"] = 100 * scan / limit
        problem = f"{options.literals} x {options.rows}"
        recorder.add(problem, "scan", measures, settings=f"{n_threads} threads")


def _batch_query(n_rows: int = 400, n_clauses: int = 1) -> Query:
    data = load_breast_cancer(as_frame=True)
    frame = as_frame(data.data)
    literals = Binning(bins=10, binning="uniform", intervals="closed").literals(frame)
    rows = np.random.default_rng(0).permutation(frame.n_rows)[:n_rows]
    table = tabulate(frame.take(rows), literals)
    return Query.build("cnf", literals, table, np.array(data.target == 1)[rows], n_clauses=n_clauses, lam=0.1)


def _load(encoding: Encoding) -> None:
    with Solver("g3", bootstrap_with=encoding.hard):
        pass


def _median_seconds(work: Callable[[], object], repeats: int = 15) -> float:
    times = []
    for _ in range(repeats):
        began = perf_counter()
        work()
        times.append(perf_counter() - began)
    return median(times)


def measure_encoding(recorder: Recorder, options: argparse.Namespace) -> None:  # noqa: ARG001
    """Measure writing a query as MaxSAT, and loading its clauses into a SAT solver, which no encoding can do without.

    The query is a batch of 400 rows of breast cancer data with closed bins.
    """
    for n_clauses in (1, 2, 5):
        query = _batch_query(n_clauses=n_clauses)
        encoding = lower(query)
        encode, loading = (_median_seconds(work) for work in (partial(lower, query), partial(_load, encoding)))
        figures = {"literals": len(query.literals), "maxsat_clauses": encoding.n_clauses, "encode_ms": 1e3 * encode,
                   "load_ms": 1e3 * loading}  # fmt: skip
        recorder.add("breast cancer", "imli", figures, settings=f"k={n_clauses}")


LIMIT = 5.0


@dataclass
class Timed:
    """A backend whose time is measured."""

    inner: Any
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


def _forms():
    """Yield the name, strategy, backend and time limit of each line of the table."""
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


def add_strategies_options(parser: argparse.ArgumentParser) -> None:
    """Add how many folds are tried, and of which strategy."""
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--only", metavar="STRATEGY", help="only rows of this strategy, such as joint")


def measure_strategies(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure the paper's strategies, and ours, on breast cancer data with ten closed bins of equal width and λ = 0.1.

    Queries of one clause go to RC2; the others to anytime solvers, with a time limit of 5 s for the whole fit. The
    share of the time spent outside the solver is measured by timing every call of it.
    """
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    for fold, (train, test) in list(enumerate(folds.split(X, y)))[: options.folds]:
        for n_clauses in (2, 5):
            for name, strategy, backend, limit in _forms():
                if options.only is not None and name != options.only:
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


MEASURES = {
    "search": Measure(
        "how close the search comes to the best known costs, in so many seconds", measure_search, add_search_options
    ),
    "proof": Measure("proving one clause optimal", measure_proof),
    "kernel": Measure("a scan of all literals, against the memory bandwidth", measure_kernel, add_kernel_options),
    "encoding": Measure("writing a query as MaxSAT", measure_encoding),
    "strategies": Measure("the paper's strategies, and ours", measure_strategies, add_strategies_options),
}
