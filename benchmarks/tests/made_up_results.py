"""Results that nobody measured, of all parts, rivals and statuses, to see what a page makes of them."""

import json
import random
from pathlib import Path

from imli_bench.data_sets import LOOKALIKES, REAL
from imli_bench.results import BenchTrial, Origin, Outcome, ResultFile

ORIGIN = Origin("abc1234", "made up, 2 cores, Python 3.12.1", "2026-01-02")
OURS = ("imli dnf", "imli cnf", "imli list", "imli set", "imli chosen")
READABLE = ("ripper", "jrip", "cart", "brl", "corels", "brs", "figs")
BLACK_BOXES = ("logistic_regression", "linear_svm", "knn", "random_forest", "gradient_boosting")
INCREMENTAL = tuple(f"imli incremental {kind}" for kind in ("cnf", "dnf", "list", "set"))
N_ROWS = {"parkinsons": 195, "wdbc": 569, "pima": 768, "titanic": 1043, "magic": 19020, "tomshardware": 28170,
          "credit_default": 30000, "adult": 32561, "bank_marketing": 45211, "connect4": 67557, "weather_aus": 107868,
          "skin": 245057, "lookalike-vote": 131072, "lookalike-labor": 1000000,
          "lookalike-credit_g": 1000000}  # fmt: skip


def add(folder: Path, part: str, problem: str, rival: str, fold: int = 0, settings=None, most_rows: int = 0, **outcome):
    """One line of a result file. It is done, and of size n_conditions, unless told otherwise."""
    trial = BenchTrial(part, problem, rival, json.dumps(settings or {}, sort_keys=True), fold, most_rows)
    if "size" in outcome:
        outcome.setdefault("n_conditions", outcome["size"])
    ResultFile(folder, part).add(trial, Outcome(**{"status": "done", **outcome}), ORIGIN)


def write(folder: Path, *, problems=None, n_folds: int = 3, n_settings: int = 4, seed: int = 0) -> None:
    """All parts, on all data sets or on these."""
    draw = random.Random(seed)
    for part, trials in (
        ("defaults", _defaults(n_folds)),
        ("tables", _tables(n_folds, n_settings)),
        ("formulations", _formulations(n_folds)),
        ("ablations", _ablations(n_folds)),
        ("causes", _causes(n_folds)),
        ("scale", _scale()),
        ("growth", _growth()),
    ):
        file = ResultFile(folder, part)
        for problem, rival, settings, fold, most_rows in trials:
            if problems is not None and problem not in problems:
                continue
            trial = BenchTrial(part, problem, rival, json.dumps(settings, sort_keys=True), fold, most_rows)
            file.add(trial, _outcome(trial, settings, draw), ORIGIN)


def _defaults(n_folds):
    for problem in REAL:
        for fold in range(n_folds if problem != "skin" else 1):
            for rival in (*OURS, *READABLE, *BLACK_BOXES):
                yield problem, rival, {}, fold, 2000 if rival in ("brl", "brs") else 0
            yield problem, "cart", {"most_conditions": 12 + fold}, fold, 0


def _tables(n_folds, n_settings):
    for problem in (*REAL, *LOOKALIKES):
        for rival in (*INCREMENTAL, *READABLE[:2], *READABLE[3:6], *BLACK_BOXES[:4]):
            for place in range(n_settings):
                for fold in range(n_folds):
                    settings = {"k": 1 + place, "lam": 0.1} if rival in INCREMENTAL else {"place": place}
                    yield problem, rival, settings, fold, 0


def _formulations(n_folds):
    for problem in ("wdbc", "credit_default", "adult"):
        for rival in ("imli incremental", "imli minibatch", "imli exact"):
            for k in range(1, 6):
                for fold in range(n_folds):
                    yield problem, rival, {"k": k, "lam": 0.01}, fold, 0


def _ablations(n_folds):
    base = {"batch_size": 100, "k": 2, "lam": 0.1}
    ranges = {"k": range(1, 6), "lam": (0.0001, 0.00177828, 0.0316228, 0.562341, 10), "batch_size": (50, 100, 200, 400)}
    for problem in ("pima", "credit_default", "adult"):
        settings = [base, *({**base, name: value} for name, values in ranges.items() for value in values)]
        for each in {json.dumps(one, sort_keys=True): one for one in settings}.values():
            for fold in range(n_folds):
                yield problem, "imli incremental", each, fold, 0


def _causes(n_folds):
    for problem in ("wdbc", "credit_default", "adult"):
        for solver in ("imli exact", "imli exact cpsat", "imli exact native"):
            for lam in (0.0001, 0.01, 10):
                yield problem, solver, {"k": 1, "lam": lam}, 0, 400
        for rows in (50, 100, 200):
            yield problem, "imli exact", {"k": 1, "lam": 0.01}, 0, rows
        for k in (1, 2, 3):
            for fold in range(n_folds):
                yield problem, "imli incremental cnf", {"k": k}, fold, 0


def _scale():
    for problem in LOOKALIKES:
        for rival in (*OURS[:4], "ripper", "cart", "logistic_regression", "random_forest"):
            yield problem, rival, {"n_jobs": -1}, 0, 0


def _growth():
    for rival in (*OURS[:4], "ripper", "cart", "logistic_regression", "random_forest"):
        for rows in (1000, 10_000, 100_000, 900_000):
            yield "lookalike-labor", rival, {}, 0, rows


def _outcome(trial, settings, draw):
    n_rows = N_ROWS[trial.problem]
    n_train = min(trial.most_rows or n_rows, n_rows * 2 // 3)
    level = 72 + sum(map(ord, trial.problem)) % 24
    common = {"limit": 60.0, "constant_accuracy": float(level - 15 + trial.fold % 2)}
    strength = 0.5 * (sum(map(ord, trial.rival)) % 7 - 4) + (3 if trial.rival in BLACK_BOXES else 0)
    strength = 2.0 if trial.rival == "imli chosen" else 1.5 if trial.rival in OURS else strength
    speed = 10.0 ** (sum(map(ord, trial.rival)) % 5 - 3) if trial.rival not in OURS else 0.3
    seconds = n_train * 1e-4 * speed * draw.uniform(0.7, 1.5) + 0.05
    if trial.rival == "brs" and trial.problem == "adult":
        return Outcome("not installed", note="no such program")
    if trial.rival == "figs" and trial.problem == "connect4":
        return Outcome("crashed", note="IndexError", seconds=1.0)
    if trial.rival == "linear_svm" and trial.problem == "weather_aus":
        return Outcome("memory limit", seconds=3.0, **common)
    if trial.rival == "knn" and trial.fold == 2 and trial.problem == "skin":
        return Outcome("out of budget")
    if seconds > 60 or (trial.rival == "imli exact" and trial.problem != "wdbc"):
        return Outcome("time limit", seconds=60.0, note="60 s", n_train=n_train, **common)
    accuracy = min(99.9, level + strength + draw.gauss(0, 1) + 0.5 * settings.get("k", 0))
    readable = trial.rival not in BLACK_BOXES
    size = (
        max(1, round(2 ** (2 + sum(map(ord, trial.problem + trial.rival)) % 7) * draw.uniform(0.6, 1.6)))
        if readable
        else None
    )
    if "most_conditions" in settings:
        size = settings["most_conditions"]
    rule = "IF    age <= 30 AND fare > 20\n   OR sex is female\nTHEN  survived\nELSE  died"
    return Outcome("done", n_train, n_rows - n_rows * 2 // 3, accuracy, min(100.0, accuracy + 1),
                   n_conditions=size, size=size and size + settings.get("k", 0), seconds=seconds, megabytes=200.0,
                   text=rule if trial.rival in OURS and trial.fold == 0 else "", versions="numpy 2.3.4",
                   **common)  # fmt: skip
