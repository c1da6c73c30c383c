"""Throughput of the kernel's scan against the memory bandwidth, measured side by side.

One scan sums, for 200 literals, the weights of both classes over 10,000,000 rows. The bandwidth is that of a plain
sum over as many bytes as the scan reads, by the same number of threads, right before and after it.

    python benchmarks/kernel.py [--rows 10000000] [--literals 200]
"""

import argparse
import os
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import numpy as np
from results import Recorder

from imli import _kernel


def bandwidth(n_bytes: int, n_threads: int) -> float:
    """Bytes per second when threads sum up that much memory."""
    parts = np.array_split(np.ones(n_bytes // 8, dtype=np.int64), n_threads)
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(np.sum, parts))
        began = perf_counter()
        for _ in range(5):
            list(pool.map(np.sum, parts))
        return 5 * n_bytes / (perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--literals", type=int, default=200)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    words = rng.integers(0, 2**63, (options.literals, options.rows // 64), dtype=np.uint64)
    n_rows = words.shape[1] * 64
    labels = rng.integers(0, 2, n_rows, dtype=np.int32)
    n_cores = os.cpu_count() or 1
    rows = _kernel.Rows(words, labels, np.ones(n_rows, dtype=np.int64), 2, False, None, n_cores)
    table = _kernel.Part(rows, 2, n_cores)
    recorder = Recorder("kernel")
    for n_threads in sorted({1, n_cores}):
        limits = [bandwidth(table.n_bytes, n_threads)]
        table.totals([], 1, n_threads)
        times = []
        for _ in range(9):
            began = perf_counter()
            table.totals([], 1, n_threads)
            times.append(perf_counter() - began)
        limits.append(bandwidth(table.n_bytes, n_threads))
        scan, limit = table.n_bytes / float(np.median(times)), max(limits)
        measures = {"milliseconds": 1e3 * float(np.median(times)), "scan_gb_s": scan / 1e9, "memory_gb_s": limit / 1e9}
        measures["share_percent"] = 100 * scan / limit
        problem = f"{options.literals} x {options.rows}"
        recorder.add(problem, "scan", measures, settings=f"{n_threads} threads")
    recorder.write()


if __name__ == "__main__":
    main()
