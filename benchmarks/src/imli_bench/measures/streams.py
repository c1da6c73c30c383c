"""Learning batch by batch: the cost at the end beside one fit on all rows, classes that flip, and one batch in time."""

import argparse
import pickle
import warnings
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from imli import DNFClassifier, MiniBatch

from imli_bench.data_sets import load_frame
from imli_bench.measures import Measure
from imli_bench.results import Recorder

PROBLEMS = ("magic", "adult", "credit_default")
BATCH = 400
FORMS: dict[str, dict[str, Any]] = {
    "memory=10000": {"memory": 10_000},
    "memory=0": {},
    "memory=2000": {"memory": 2_000},
    "as in the paper": {"strategy": MiniBatch(paper=True), "backend": "native"},
}
FEW_SEEDS = 1  # for what is measured on the side
RC2_SECONDS = 20.0


def _measure_final(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure the cost on all rows of the rule that a stream ends with, and of one learned from all of them."""
    for problem in options.problems:
        X, y = load_frame(problem, options.data)
        labels = y.to_numpy()
        for seed in range(options.seeds):
            order = np.random.default_rng(seed).permutation(len(labels))
            rows, classes = X.iloc[order], labels[order]
            whole = DNFClassifier(random_state=seed).fit(rows, classes)

            def cost(rule, lam=whole.lam_, rows=rows, classes=classes) -> float:
                return float((rule.predict(rows) != classes).sum() + lam * len(rule.literals))

            best = cost(whole.rule_)
            recorder.add(problem, "one fit", {"cost": best, "literals": len(whole.rule_.literals)}, seed=seed,
                         settings="final")  # fmt: skip
            for name, parameters in list(FORMS.items())[: None if seed < FEW_SEEDS else 2]:
                clf = DNFClassifier(random_state=seed, **parameters)
                began = perf_counter()
                _stream(clf, rows, classes)
                seconds = (perf_counter() - began) / len(clf.drift_)
                found = cost(clf.rule_)
                measures = {
                    "cost": found,
                    "excess_percent": 100 * (found / best - 1),
                    "literals": len(clf.rule_.literals),
                    "moved_per_batch": float(np.mean([batch.moved for batch in clf.drift_[1:]])),
                    "alarms": sum(batch.is_drift for batch in clf.drift_),
                    "seconds_per_batch": seconds,
                }
                recorder.add(problem, name, measures, seed=seed, settings="final")
            recorder.write()


def _stream(clf: DNFClassifier, rows: pd.DataFrame, classes: np.ndarray) -> None:
    for first in range(0, len(classes), BATCH):
        some = slice(first, first + BATCH)
        clf.partial_fit(rows.iloc[some], classes[some], np.unique(classes))


def _measure_flip(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure in how many batches a rule is as good as before, where classes change places halfway."""
    for problem in options.problems:
        X, y = load_frame(problem, options.data)
        labels = y.to_numpy().astype(bool)
        for seed in range(min(3, options.seeds)):
            order = np.random.default_rng(seed).permutation(len(labels))[: 40 * BATCH]
            rows, classes = X.iloc[order], labels[order]
            classes[len(classes) // 2 :] ^= True
            for name in ("memory=10000", "memory=0"):
                clf = DNFClassifier(random_state=seed, **FORMS[name])
                _stream(clf, rows, classes)
                errors = [batch.error_before for batch in clf.drift_]
                before = float(np.mean(errors[10:20]))
                follows = next((n for n, error in enumerate(errors[20:]) if error <= before + 0.03), len(errors))
                alarms = [batch.number for batch in clf.drift_ if batch.is_drift]
                measures = {
                    "error_before_flip_percent": 100 * before,
                    "error_at_flip_percent": 100 * errors[20],
                    "batches_to_follow": follows,
                    "error_at_end_percent": 100 * float(np.mean(errors[-10:])),
                    "found_at_once": float(21 in alarms),
                    "false_alarms": len(alarms) - (21 in alarms),
                }
                recorder.add(problem, name, measures, seed=seed, settings="flip")


def _numbers(seed: int, n_columns: int = 5) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({f"c{j}": rng.normal(size=BATCH).round(2) for j in range(n_columns)})
    truth = (X.c0 > 0.3) & (X.c1 < 0.5) | (X.c2 > 1)
    return X, truth.to_numpy() ^ (rng.random(BATCH) < 0.1)


def _measure_time(recorder: Recorder, options: argparse.Namespace) -> None:  # noqa: ARG001
    """Measure one batch of 400 rows with about 200 literals, with our search and with RC2 from the same rule.

    Now and then a batch learns the literals anew from all rows remembered and looks farther; those stand apart.
    """
    for n_clauses in (1, 5):
        clf = DNFClassifier(n_clauses=n_clauses, refine=False).partial_fit(*_numbers(0))
        finer = DNFClassifier(n_clauses=n_clauses).partial_fit(*_numbers(0))
        twins = []  # for later: a solver that did not end in time may go on for a while
        for seed in range(1, 61):
            batch = _numbers(seed)
            twin = pickle.loads(pickle.dumps(clf)).set_params(backend="rc2", time_limit=RC2_SECONDS)
            for method, each in (("native", clf), ("native, finer thresholds", finer)):
                learned_at = each._stream.learned_at
                began = perf_counter()
                each.partial_fit(*batch)
                measures = {"milliseconds": 1000 * (perf_counter() - began), "literals": len(each.literals_),
                            "cost": each.answer_.cost}  # fmt: skip
                is_due = each._stream.learned_at != learned_at
                recorder.add(f"k={n_clauses}", method + ", literals anew" * is_due, measures, seed=seed,
                             settings="time")  # fmt: skip
                if each is clf and not is_due and len(twins) < (10 if n_clauses == 1 else 3):
                    twins.append((seed, batch, twin))
        for seed, batch, twin in twins:
            began = perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                twin.partial_fit(*batch)
            measures = {"milliseconds": 1000 * (perf_counter() - began), "literals": len(twin.literals_)}
            measures |= {"cost": twin.answer_.cost, "is_optimal": float(twin.answer_.status == "optimal")}
            recorder.add(f"k={n_clauses}", "rc2", measures, seed=seed, settings="time")


PARTS = {"final": _measure_final, "flip": _measure_flip, "time": _measure_time}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what is measured of streams, on which data sets and how often."""
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS))


def measure_streams(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure all parts that are asked for."""
    for part in options.parts:
        PARTS[part](recorder, options)
        recorder.write()


MEASURES = {
    "streams": Measure(
        "learning batch by batch: beside one fit on all rows, where the classes change places, and one batch in time",
        measure_streams,
        add_options,
    )
}
