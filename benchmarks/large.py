"""Tables in memory, in parts on disk, and on a cluster of two processes: seconds, memory, and what travels.

The same rows for all, in files of a million that are made once. Each fit is a process of its own. `predict` is the
command line from Parquet to Parquet. Beside seconds and memory stands which rule came out, as a number that is the same
for the same text, so that a difference would show.

    python benchmarks/large.py [--rows 1 5 20] [--engines memory parts dask predict] [--folder DIR]
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from zlib import crc32

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from results import Recorder

import imli

MILLION = 1_000_000
ENGINES = ("memory", "parts", "dask", "predict")
N_NUMBERS, N_WHOLE, N_TEXTS = 12, 4, 4  # columns


def make_rows(number: int) -> pa.Table:
    """A million rows of twenty columns, with a rule of five conditions in them and one label in ten turned."""
    rng = np.random.default_rng([7, number])
    columns = {f"x{j}": rng.normal(size=MILLION).round(4) for j in range(N_NUMBERS)}
    columns |= {f"n{j}": rng.integers(0, 10 ** (j + 1), MILLION) for j in range(N_WHOLE)}
    for j in range(N_TEXTS):
        names = np.array([f"{'abcd'[j]}{value}" for value in range(4 ** (j + 1))])
        columns[f"t{j}"] = names[rng.integers(0, len(names), MILLION)]
    holds = (columns["x0"] > 0.4) & (columns["n1"] < 70) | (columns["x1"] < -0.9) & np.isin(columns["t0"], ["a1", "a2"])
    columns["y"] = (holds ^ (rng.random(MILLION) < 0.1)).astype(np.int8)
    return pa.table(columns)


def make_files(folder: Path, n_millions: int) -> list[Path]:
    paths = [folder / f"rows-{number:03}.parquet" for number in range(n_millions)]
    for number, path in enumerate(paths):
        if not path.exists():
            part = path.with_suffix(".part")
            pq.write_table(make_rows(number), part, row_group_size=2**18)
            part.replace(path)
    return paths


def memory_peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def result(clf: "imli.DNFClassifier", seconds: float) -> dict[str, float]:
    counts = clf.rule_.counts
    right = counts.n_right(clf.rule_.region_classes) / counts.total
    return {
        "seconds": seconds,
        "literals": len(clf.literals_),
        "cost": clf.answer_.cost,
        "accuracy_percent": 100 * right,
        "rule": crc32(str(clf.rule_).encode()),
    }


def in_memory(paths: list[Path]) -> dict[str, float]:
    began = perf_counter()
    table = ds.dataset(paths).to_table()
    reading = perf_counter() - began
    X, y = table.drop_columns("y"), pd.Series(table.column("y").to_numpy(), name="y")
    began = perf_counter()
    clf = imli.DNFClassifier(random_state=0).fit(X, y)
    return result(clf, perf_counter() - began) | {"reading_seconds": reading, "peak_mb": memory_peak()}


def in_parts(paths: list[Path]) -> dict[str, float]:
    from imli.learning.rows import on_disk as local

    stages = {"bits_mb": 0.0, "rounds": 0.0, "round_seconds": 0.0}
    total, add = local.PackedFile.total, local.PackedFile.add

    def counted(self, sums):
        began = perf_counter()
        found = total(self, sums)
        stages["rounds"] += 1
        stages["round_seconds"] += perf_counter() - began
        return found

    def weighed(self, part, core):
        stages["bits_mb"] += part.bits.nbytes / 1e6
        add(self, part, core)

    local.PackedFile.total, local.PackedFile.add = counted, weighed
    began = perf_counter()
    clf = imli.DNFClassifier(random_state=0).fit(paths, "y")
    seconds = perf_counter() - began
    stages["round_seconds"] /= max(1.0, stages["rounds"])
    return result(clf, seconds) | stages | {"peak_mb": memory_peak()}


@contextmanager
def two_processes() -> Iterator[object]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


def bytes_sent(client) -> int:
    """By client, scheduler and workers, since they began: messages, and answers that travel beside them."""
    scheduler = client.cluster.scheduler
    streams = [client.scheduler_comm, *scheduler.stream_comms.values(), *scheduler.client_comms.values()]
    by_workers = client.run(lambda dask_worker: dask_worker.batched_stream.byte_count
                            + dask_worker.transfer_outgoing_bytes_total)  # fmt: skip
    return sum(stream.byte_count for stream in streams) + sum(by_workers.values())


def on_cluster(paths: list[Path]) -> dict[str, float]:
    import dask.dataframe as dd

    from imli.learning.rows import on_cluster as cluster

    with two_processes() as client:
        frame = dd.read_parquet(paths)
        sent, total = [], cluster.PackedOnCluster.total

        def measured(self, sums):
            before = bytes_sent(client)
            found = total(self, sums)
            if sums.with_places:
                sent.append((bytes_sent(client) - before, found.nbytes))
            return found

        cluster.PackedOnCluster.total = measured
        began = perf_counter()
        clf = imli.DNFClassifier(random_state=0).fit(frame, "y")
        seconds = perf_counter() - began
        peaks = client.run(memory_peak)
        travelled, sums = zip(*sent, strict=True) if sent else ((0,), (0,))
        return result(clf, seconds) | {
            "rounds": len(sent),
            "partitions": frame.npartitions,
            "kb_a_round": float(np.median(travelled)) / 1e3,
            "kb_of_sums": float(np.median(sums)) / 1e3,
            "peak_mb": memory_peak() + sum(peaks.values()),
            "peak_mb_worker": max(peaks.values()),
        }


def predicting(paths: list[Path]) -> dict[str, float]:
    """The command as a user runs it, and its memory."""
    with tempfile.TemporaryDirectory() as folder:
        model, out = Path(folder) / "model.json", Path(folder) / "decided.parquet"
        run = [sys.executable, "-m", "imli"]
        learn = ["fit", paths[0], "--target", "y", "--effort", "0.1", "--no-check", "--save", model]
        # by processes of their own, since one that is started counts the memory of who starts it as its own
        subprocess.run([*run, *learn], check=True, stdout=subprocess.DEVNULL)
        began = perf_counter()
        process = subprocess.Popen([*run, "predict", model, *paths, "--output", out, "--name", "decided"])
        _, status, usage = os.wait4(process.pid, 0)
        seconds = perf_counter() - began
        assert status == 0
        return {
            "seconds": seconds,
            "peak_mb": usage.ru_maxrss / 1024,
            "rows_written": float(pq.read_metadata(out).num_rows),
        }


FITS = {"memory": in_memory, "parts": in_parts, "dask": on_cluster, "predict": predicting}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 5, 20], help="millions")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "imli-large")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    paths = make_files(options.folder, max(options.rows))
    if options.one is not None:
        print(json.dumps(FITS[options.one](paths)))
        return
    recorder = Recorder("large")
    for n_millions in options.rows:
        for engine in options.engines:
            if engine == "memory" and n_millions > 5:
                continue  # 20 million rows of this table do not fit beside their bits into some machines' memory
            command = [sys.executable, __file__, "--one", engine, "--rows", str(n_millions), "--folder", options.folder]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            measures = json.loads(done.stdout.splitlines()[-1])
            per_million = {"seconds_a_million": measures["seconds"] / n_millions}
            recorder.add(f"{n_millions} million rows", engine, measures | per_million)
            recorder.write()


if __name__ == "__main__":
    main()
