"""From data frame to model, against rivals in the same run: Adult, a million rows, growth with the rows, many texts.

Each fit runs in a process of its own, which also measures how much its resident memory grows at most.

    python benchmarks/fits.py --data FOLDER [--rows 10000 100000 1000000 5000000]
"""

import argparse
import resource
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, sleep

import numpy as np
import pandas as pd
from problems import add_options, data_set, mixed_frame
from results import Recorder
from sklearn.model_selection import train_test_split

from imli import DNFClassifier
from imli.bench.rivals.fitted import Fitted

# λ for generated tables of any size: a literal must save this share of the rows
LAM_SHARE = 1 / 5000

PARTS = ("adult", "mixed", "growth", "strings")


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
    """Ours: a DNF of at most five clauses. Rivals as in imli bench."""
    if name != "imli":
        adapter = import_module(f"imli.bench.rivals.{name}")
        return lambda X, y, seed: adapter.fit(X, y, {}, seed)

    def fit(X: pd.DataFrame, y: np.ndarray, seed: int, **parameters: object) -> Fitted:
        classifier = DNFClassifier(random_state=seed, **({"n_clauses": 5} | parameters)).fit(X, y)
        return Fitted(classifier.predict, classifier.rule_.n_conditions, classifier.rule_.size)

    return fit


def timed_fit(name: str, X, y, seed: int, **parameters: object) -> tuple[Fitted, float, int]:
    fit = fit_with(name)
    warm_X, warm_y = X.iloc[:500], y[:500]
    if len(np.unique(warm_y)) == 2 and name != "ripper":
        fit(warm_X, warm_y, seed)  # imports and first calls are not what is measured
    with PeakMemory() as memory:
        began = perf_counter()
        fitted = fit(X, y, seed, **parameters)
        seconds = perf_counter() - began
    return fitted, seconds, memory.growth


def adult(name: str, folder: Path | None, seed: int, parameters: dict[str, object]) -> dict[str, float]:
    X, target = data_set("adult", folder)
    if folder is None:  # which has rows to test on
        X, test_X, target, test_target = train_test_split(X, target, test_size=1 / 3, random_state=0)
    else:
        test_X, test_target = data_set("adult_test", folder)
    y, test_y = ((part == sorted(target.unique())[1]).to_numpy() for part in (target, test_target))
    fitted, seconds, _ = timed_fit(name, X, y, seed, **parameters)
    accuracy = float(np.mean(fitted.predict(test_X) == test_y))
    measures = {"seconds": seconds, "held_out_accuracy_percent": 100 * accuracy}
    return measures if fitted.n_conditions is None else measures | {"n_conditions": fitted.n_conditions}


def generated(name: str, n_rows: int, seed: int) -> dict[str, float]:
    X, y = mixed_frame(n_rows, seed)
    n_bytes = int(X.memory_usage(index=False, deep=True).sum())
    parameters = {"lam": n_rows * LAM_SHARE} if name == "imli" else {}
    fitted, seconds, growth = timed_fit(name, X, y, seed, **parameters)
    test_X, test_y = mixed_frame(50_000, seed + 1)
    accuracy = float(np.mean(fitted.predict(test_X) == test_y))
    return {
        "seconds": seconds,
        "microseconds_per_row": 1e6 * seconds / n_rows,
        "memory_growth_over_frame": growth / n_bytes,
        "held_out_accuracy_percent": 100 * accuracy,
    }


def strings(n_rows: int, seed: int) -> dict[str, float]:
    """Forty columns of text, half of them different in nearly every row."""
    rng = np.random.default_rng(seed)
    columns = {}
    for j in range(40):
        codes = rng.zipf(1.3, n_rows) % 9000 if j % 2 else rng.integers(0, n_rows, n_rows)
        columns[f"text {j}"] = [f"value {code}" for code in codes]
    X = pd.DataFrame(columns)
    y = (X["text 1"].isin(["value 1", "value 3", "value 5"]) ^ (rng.random(n_rows) < 0.1)).to_numpy()
    fitted, seconds, growth = timed_fit("imli", X, y, seed)
    accuracy = float(np.mean(fitted.predict(X) == y))
    return {"seconds": seconds, "memory_growth_mb": growth / 2**20, "resident_mb": (resident_bytes()) / 2**20,
            "training_accuracy_percent": 100 * accuracy, "n_conditions": fitted.n_conditions}  # fmt: skip


def alone(work, *arguments: object) -> dict[str, float]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=PARTS)
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000, 1_000_000, 5_000_000])
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    recorder = Recorder("fits")
    for seed in range(options.seeds if "adult" in options.parts else 0):
        for name, parameters in (("imli", {}), ("imli", {"lam": 5}), ("ripper", {})):
            settings = " ".join(f"{key}={value}" for key, value in parameters.items())
            measures = alone(adult, name, options.data, seed, parameters)
            recorder.add("adult", name, measures, seed=seed, settings=settings)
    for seed in range(options.seeds if "mixed" in options.parts else 0):
        for name in ("imli", "gradient_boosting", "logistic_regression"):
            recorder.add("mixed 1000000", name, alone(generated, name, 1_000_000, seed), seed=seed)
    for n_rows in options.rows if "growth" in options.parts else ():
        recorder.add(f"growth {n_rows}", "imli", alone(generated, "imli", n_rows, 0))
    if "strings" in options.parts:
        recorder.add("strings 18000 x 40", "imli", alone(strings, 18_000, 0))
    recorder.write()


if __name__ == "__main__":
    main()
