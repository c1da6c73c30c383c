"""How long it takes to write a query as MaxSAT: one 400-row batch of breast cancer data, one clause, closed bins.

Beside it, in the same run, the time to load the clauses into a SAT solver, which no encoding can do without.

    python benchmarks/encoding.py
"""

from statistics import median
from time import perf_counter

import numpy as np
from pysat.solvers import Solver
from sklearn.datasets import load_breast_cancer

from imli.learning.backends.maxsat import Encoding, lower
from imli.learning.bits import tabulate
from imli.learning.query import Query
from imli.learning.vocabulary import Binning
from imli.table.read import as_frame


def batch_query(n_rows: int = 400, n_clauses: int = 1) -> Query:
    data = load_breast_cancer(as_frame=True)
    frame = as_frame(data.data)
    literals = Binning(bins=10, binning="uniform", intervals="closed").literals(frame)
    rows = np.random.default_rng(0).permutation(frame.n_rows)[:n_rows]
    table = tabulate(frame.take(rows), literals)
    return Query.build("cnf", literals, table, np.array(data.target == 1)[rows], n_clauses=n_clauses, lam=0.1)


def load(encoding: Encoding) -> None:
    with Solver("g3", bootstrap_with=encoding.hard):
        pass


def seconds(work: object, repeats: int = 15) -> float:
    times = []
    for _ in range(repeats):
        began = perf_counter()
        work()  # type: ignore[operator]
        times.append(perf_counter() - began)
    return median(times)


def main() -> None:
    print("| clauses | literals | MaxSAT clauses | encode | load into Glucose | encode / load |")
    print("|---|---|---|---|---|---|")
    for n_clauses in (1, 2, 5):
        query = batch_query(n_clauses=n_clauses)
        encoding = lower(query)
        encode, loading = seconds(lambda q=query: lower(q)), seconds(lambda e=encoding: load(e))
        print(
            f"| {n_clauses} | {len(query.literals)} | {encoding.n_clauses:,} | {encode * 1e3:.0f} ms "
            f"| {loading * 1e3:.0f} ms | {encode / loading:.1f} |"
        )


if __name__ == "__main__":
    main()
