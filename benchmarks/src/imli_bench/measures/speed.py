"""Seconds and memory of whole fits, of commands as processes, and of tables larger than memory."""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time, sleep
from typing import Any
from zlib import crc32

import imli
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split

from imli_bench.adapters import find_adapter
from imli_bench.adapters.forms import Fitted
from imli_bench.data_sets import load_frame, mixed_frame
from imli_bench.internals import PackedFile, PackedOnCluster
from imli_bench.measures import Measure
from imli_bench.results import Recorder

# λ for generated tables of any size: a literal must save this share of the rows
LAM_SHARE = 1 / 5000

OF_FITS = ("adult", "mixed", "gaps", "numbers", "growth", "strings")


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


class PeakMemory:
    """The most that resident memory grows while this is open."""

    def __enter__(self) -> "PeakMemory":
        self.before = self.peak = resident_bytes()
        self._open = True
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        return self

    def _watch(self) -> None:
        while self._open:
            self.peak = max(self.peak, resident_bytes())
            sleep(0.002)

    def __exit__(self, *error: object) -> None:
        self._open = False
        self._watcher.join()

    @property
    def growth(self) -> int:
        return self.peak - self.before


def fit_with(name: str) -> Callable[..., Fitted]:
    """Return what learns: a DNF for imli, else the rival as in the comparison."""
    if name == "boosting by default":
        return fit_boosting
    if name != "imli":
        return lambda X, y, seed: find_adapter(name).fit(X, y, {}, seed)

    def fit(X: pd.DataFrame, y: np.ndarray, seed: int, **parameters: object) -> Fitted:
        classifier = imli.DNFClassifier(random_state=seed, **parameters).fit(X, y)
        return Fitted(classifier.predict, classifier.rule_.n_conditions, classifier.rule_.size)

    return fit


def fit_boosting(X: pd.DataFrame, y: np.ndarray, seed: int) -> Fitted:
    """Learn with scikit-learn's histogram boosting as it comes, straight from the frame and on all cores."""
    model = HistGradientBoostingClassifier(random_state=seed).fit(X, y)
    return Fitted(model.predict)


class ProcessorTime:
    """What learns, and the time of all processors that it took the last time."""

    def __init__(self, fit: Callable[..., Fitted]) -> None:
        self.fit, self.last = fit, 0.0

    def __call__(self, *arguments: Any) -> Fitted:
        before = process_time()
        fitted = self.fit(*arguments)
        self.last = process_time() - before
        return fitted


def timed_fit(
    name: str, X, y, seed: int, fit: Callable[..., Fitted] | None = None, **parameters: object
) -> tuple[Fitted, float, int]:
    fit = fit or fit_with(name)
    warm_X, warm_y = X.iloc[:500], y[:500]
    if len(np.unique(warm_y)) == 2 and name != "ripper":
        fit(warm_X, warm_y, seed)  # imports and first calls are not what is measured
    with PeakMemory() as memory:
        began = perf_counter()
        fitted = fit(X, y, seed, **parameters)
        seconds = perf_counter() - began
    return fitted, seconds, memory.growth


def adult(name: str, folder: Path | None, seed: int, parameters: dict[str, object]) -> dict[str, float]:
    X, target = load_frame("adult", folder)
    if folder is None:  # which has rows to test on
        X, test_X, target, test_target = train_test_split(X, target, test_size=1 / 3, random_state=0)
    else:
        test_X, test_target = load_frame("adult_test", folder)
    y, test_y = ((part == sorted(target.unique())[1]).to_numpy() for part in (target, test_target))
    clauses = {"n_clauses": 5} if name == "imli" else {}
    fitted, seconds, _ = timed_fit(name, X, y, seed, **clauses, **parameters)
    accuracy = float(np.mean(fitted.predict(test_X) == test_y))
    measures = {"seconds": seconds, "held_out_accuracy_percent": 100 * accuracy}
    return measures if fitted.n_conditions is None else measures | {"n_conditions": fitted.n_conditions}


def generated(name: str, n_rows: int, seed: int) -> dict[str, float]:
    X, y = mixed_frame(n_rows, seed)
    n_bytes = int(X.memory_usage(index=False, deep=True).sum())
    parameters = {"n_clauses": 5, "lam": n_rows * LAM_SHARE} if name == "imli" else {}
    fitted, seconds, growth = timed_fit(name, X, y, seed, **parameters)
    test_X, test_y = mixed_frame(50_000, seed + 1)
    accuracy = float(np.mean(fitted.predict(test_X) == test_y))
    return {
        "seconds": seconds,
        "microseconds_per_row": 1e6 * seconds / n_rows,
        "memory_growth_over_frame": growth / n_bytes,
        "held_out_accuracy_percent": 100 * accuracy,
    }


def by_default(problem: str, name: str, n_rows: int, seed: int) -> dict[str, float]:
    """Measure a fit with all settings as they come, and the time of processors, which other work disturbs less."""
    if problem == "gaps":
        X, y = mixed_frame(n_rows, seed)
        chance = np.random.default_rng([seed, 1])
        for column in ("number 2", "number 5", "category 3"):
            X[column] = X[column].mask(chance.random(n_rows) < 0.1)
    else:
        X, y = numbers_frame(n_rows, seed)
    n_bytes = int(X.memory_usage(index=False, deep=True).sum())
    processors = ProcessorTime(fit_with(name))
    fitted, seconds, growth = timed_fit(name, X, y, seed, fit=processors)
    accuracy = float(np.mean(fitted.predict(X.iloc[:50_000]) == y[:50_000]))
    return {
        "seconds": seconds,
        "processor_seconds": processors.last,
        "microseconds_per_row": 1e6 * seconds / n_rows,
        "memory_growth_over_frame": growth / n_bytes,
        "training_accuracy_percent": 100 * accuracy,
    }


def numbers_frame(n_rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return 54 columns of numbers, and labels by a rule of four of them with a tenth of noise."""
    chance = np.random.default_rng(seed)
    X = pd.DataFrame(chance.normal(size=(n_rows, 54)), columns=[f"x{j}" for j in range(54)])
    truth = (X["x0"] > 0.5) & (X["x1"] < 0.3) | (X["x2"] > 1) & (X["x3"] < 0.1)
    return X, truth.to_numpy() ^ (chance.random(n_rows) < 0.1)


def beside_boosting(recorder: Recorder, problem: str, n_rows: int, seed: int) -> None:
    """Measure imli and boosting one after the other, and what share of boosting's time imli takes."""
    boosting = alone(by_default, problem, "boosting by default", n_rows, seed)
    own = alone(by_default, problem, "imli", n_rows, seed)
    own["share_of_boosting"] = own["seconds"] / boosting["seconds"]
    name = f"{'mixed with gaps' if problem == 'gaps' else '54 numbers'} {n_rows}"
    recorder.add(name, "boosting by default", boosting, seed=seed)
    recorder.add(name, "imli", own, seed=seed)


def strings(n_rows: int, seed: int) -> dict[str, float]:
    """Measure a fit on forty columns of text, half of them different in nearly every row."""
    rng = np.random.default_rng(seed)
    columns = {}
    for j in range(40):
        codes = rng.zipf(1.3, n_rows) % 9000 if j % 2 else rng.integers(0, n_rows, n_rows)
        columns[f"text {j}"] = [f"value {code}" for code in codes]
    X = pd.DataFrame(columns)
    y = (X["text 1"].isin(["value 1", "value 3", "value 5"]) ^ (rng.random(n_rows) < 0.1)).to_numpy()
    fitted, seconds, growth = timed_fit("imli", X, y, seed, n_clauses=5)
    accuracy = float(np.mean(fitted.predict(X) == y))
    return {"seconds": seconds, "memory_growth_mb": growth / 2**20, "resident_mb": (resident_bytes()) / 2**20,
            "training_accuracy_percent": 100 * accuracy, "n_conditions": fitted.n_conditions}  # fmt: skip


def alone(work, *arguments: object) -> dict[str, float]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def add_fits_options(parser: argparse.ArgumentParser) -> None:
    """Add which fits are measured, and of how many rows."""
    parser.add_argument("--parts", nargs="*", choices=OF_FITS, default=OF_FITS)
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000, 1_000_000, 5_000_000])
    parser.add_argument("--seeds", type=int, default=3)


def measure_fits(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure fits from data frame to model against rivals: Adult, a million rows, growth with the rows, many texts.

    Each fit runs in a process of its own, which also measures how much its resident memory grows at most.
    """
    for seed in range(options.seeds if "adult" in options.parts else 0):
        for name, parameters in (("imli", {}), ("imli", {"lam": 5}), ("ripper", {})):
            settings = " ".join(f"{key}={value}" for key, value in parameters.items())
            figures = alone(adult, name, options.data, seed, parameters)
            recorder.add("adult", name, figures, seed=seed, settings=settings)
    for seed in range(options.seeds if "mixed" in options.parts else 0):
        for name in ("imli", "gradient_boosting", "logistic_regression"):
            recorder.add("mixed 1000000", name, alone(generated, name, 1_000_000, seed), seed=seed)
    for seed in range(options.seeds):
        for problem, n_rows in (("gaps", 1_000_000), ("numbers", 50_000), ("numbers", 500_000)):
            if problem in options.parts:
                beside_boosting(recorder, problem, n_rows, seed)
    for n_rows in options.rows if "growth" in options.parts else ():
        recorder.add(f"growth {n_rows}", "imli", alone(generated, "imli", n_rows, 0))
    if "strings" in options.parts:
        recorder.add("strings 18000 x 40", "imli", alone(strings, 18_000, 0))


N_NUMBERS = 14


def add_command_line_options(parser: argparse.ArgumentParser) -> None:
    """Add how many rows are decided, and how often."""
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)


def measure_command_line(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure commands as whole processes: deciding a million rows beside reading them, and help."""
    with tempfile.TemporaryDirectory() as folder:
        commands = made_commands(Path(folder), options.rows)
        for seed in range(options.repeats):  # in turn, so that what else goes on meets all alike
            for problem, name, command in commands:
                recorder.add(problem, name, {"seconds": seconds_of(command)}, seed=seed)


def made_commands(folder: Path, n_rows: int) -> list[tuple[str, str, list[str]]]:
    """Return problem, name and command; of each problem the first is what the others are compared with."""
    table, learned, wide = (str(folder / name) for name in ("table.parquet", "learned.json", "wide.json"))
    frame = made_table(n_rows)
    frame.to_parquet(table)
    sample = frame.head(20_000)
    imli.save(imli.DNFClassifier(effort=0.2).fit(sample.drop(columns="outcome"), sample["outcome"]), learned)
    imli.save(imli.parse_rule(f"IF {' OR '.join(made_clauses())} THEN outcome is yes ELSE outcome is no"), wide)
    python, decide = [sys.executable, "-c"], [sys.executable, "-m", "imli", "predict"]
    reading = f"{n_rows:,} rows, {frame.shape[1]} columns"
    return [
        (reading, "polars reads it", [*python, f"import polars; polars.read_parquet({table!r})"]),
        (reading, "pandas reads it", [*python, f"import pandas; pandas.read_parquet({table!r})"]),
        (reading, "imli predict, to Parquet", [*decide, learned, table, "-o", str(folder / "decided.parquet")]),
        (reading, "imli predict, to CSV", [*decide, learned, table, "-o", str(folder / "decided.csv")]),
        (reading, "imli predict, by all columns", [*decide, wide, table, "-o", str(folder / "decided.parquet")]),
        ("start-up", "python", [*python, "pass"]),
        ("start-up", "imli --help", [sys.executable, "-m", "imli", "--help"]),
    ]


def made_clauses() -> list[str]:
    numbers = [f"x{number} > {1 + number / 10:g}" for number in range(N_NUMBERS)]
    return [*numbers, "age > 90", "income > 100000", "city is Cork or Pisa", "member", "joined >= 2024-01-01"]


def made_table(n_rows: int) -> pd.DataFrame:
    """Return numbers, text, flags and dates, with gaps, and an outcome that depends on a few of them."""
    rng = np.random.default_rng(1)
    columns: dict[str, Any] = {f"x{number}": rng.normal(size=n_rows).round(4) for number in range(N_NUMBERS)}
    columns["age"] = rng.integers(18, 95, n_rows)
    columns["income"] = np.where(rng.random(n_rows) < 0.1, np.nan, rng.lognormal(10, 1, n_rows).round())
    columns["city"] = np.array(["Bath", "Cork", "Lyon", "Pisa", "York"])[rng.integers(0, 5, n_rows)]
    columns["member"] = rng.random(n_rows) < 0.4
    columns["joined"] = np.datetime64("2015-01-01", "s") + rng.integers(0, 3650, n_rows) * np.timedelta64(1, "D")
    risky = (columns["age"] > 60) & (columns["x0"] > 0) | (columns["city"] == "Cork")
    columns["outcome"] = np.where(risky ^ (rng.random(n_rows) < 0.1), "yes", "no")
    return pd.DataFrame(columns)


def seconds_of(command: list[str]) -> float:
    began = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - began


MILLION = 1_000_000
N_REALS, N_WHOLE, N_TEXTS = 12, 4, 4  # columns


def make_rows(number: int) -> pa.Table:
    """Return a million rows of twenty columns, made by a rule of five conditions, with one label in ten turned."""
    rng = np.random.default_rng([7, number])
    columns = {f"x{j}": rng.normal(size=MILLION).round(4) for j in range(N_REALS)}
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
    stages = {"bits_mb": 0.0, "rounds": 0.0, "round_seconds": 0.0}
    total, add = PackedFile.total, PackedFile.add

    def counted(self, sums):
        began = perf_counter()
        found = total(self, sums)
        stages["rounds"] += 1
        stages["round_seconds"] += perf_counter() - began
        return found

    def weighed(self, part, core):
        stages["bits_mb"] += part.bits.nbytes / 1e6
        add(self, part, core)

    PackedFile.total, PackedFile.add = counted, weighed
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
    """Return what client, scheduler and workers have sent since they began, messages and the answers beside them."""
    scheduler = client.cluster.scheduler
    streams = [client.scheduler_comm, *scheduler.stream_comms.values(), *scheduler.client_comms.values()]
    by_workers = client.run(lambda dask_worker: dask_worker.batched_stream.byte_count
                            + dask_worker.transfer_outgoing_bytes_total)  # fmt: skip
    return sum(stream.byte_count for stream in streams) + sum(by_workers.values())


def on_cluster(paths: list[Path]) -> dict[str, float]:
    import dask.dataframe as dd

    with two_processes() as client:
        frame = dd.read_parquet(paths)
        sent, total = [], PackedOnCluster.total

        def measured(self, sums):
            before = bytes_sent(client)
            found = total(self, sums)
            if sums.with_places:
                sent.append((bytes_sent(client) - before, found.nbytes))
            return found

        PackedOnCluster.total = measured
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
    """Measure the command as a user runs it, and its memory."""
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


def add_large_options(parser: argparse.ArgumentParser) -> None:
    """Add how many rows, who reads them, and where they are kept."""
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 5, 20], help="millions")
    parser.add_argument("--engines", nargs="+", choices=FITS, default=list(FITS))
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "imli-large")
    parser.add_argument("--one", help=argparse.SUPPRESS)


def measure_large(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure tables in memory, in parts on disk, and on a cluster of two processes: seconds, memory, what is sent.

    All learn from the same rows, in files of a million that are made once. Each fit is a process of its own. `predict`
    is the command line from Parquet to Parquet. Beside seconds and memory stands which rule came out, as a number that
    is the same for the same text, so that a difference would show.
    """
    options.folder.mkdir(exist_ok=True)
    paths = make_files(options.folder, max(options.rows))
    if options.one is not None:
        print(json.dumps(FITS[options.one](paths)))
        return
    for n_millions in options.rows:
        for engine in options.engines:
            if engine == "memory" and n_millions > 5:
                continue  # 20 million rows of this table do not fit beside their bits into some machines' memory
            command = [sys.executable, "-m", "imli_bench", "measure", "large", "--one", engine]
            command += ["--rows", str(n_millions), "--folder", str(options.folder)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            figures = json.loads(done.stdout.splitlines()[-1])
            per_million = {"seconds_a_million": figures["seconds"] / n_millions}
            recorder.add(f"{n_millions} million rows", engine, figures | per_million)
            recorder.write()


MEASURES = {
    "fits": Measure(
        "from data frame to model, against rivals; growth with the number of rows; memory",
        measure_fits,
        add_fits_options,
    ),
    "command_line": Measure(
        "commands as whole processes, beside the time it takes to read their data",
        measure_command_line,
        add_command_line_options,
    ),
    "large": Measure(
        "the same rows in memory, in parts on disk, and on a cluster of two processes", measure_large, add_large_options
    ),
}
