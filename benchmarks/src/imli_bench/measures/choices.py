"""Choices that imli makes where a user makes none: the default settings, λ along a path, and what an estimator is."""

import argparse
import os
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from imli import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier, LiteralEncoder, rule_path
from joblib import Parallel, delayed
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from imli_bench.data_sets import load_frame
from imli_bench.measures import Measure
from imli_bench.results import Recorder

# The others were looked at once, when all was chosen.
CHOSEN_ON = ("parkinsons", "pima", "magic", "credit_default", "bank_marketing", "weather_aus")
KINDS = {"dnf": DNFClassifier, "cnf": CNFClassifier, "list": DecisionListClassifier, "set": DecisionSetClassifier}
SMALL = 2000  # tables of fewer rows are cut into folds twice, or, where it is about length,
ENOUGH, MOST_REPEATS = 1000, 6  # until so many rows were held out
EFFORT, EFFORT_ON_FEW = 0.3, 0.1
TRIED: dict[str, dict[str, dict[str, Any]]] = {
    "binning": {
        f"{bins} {binning} {intervals}": {"bins": bins, "binning": binning, "intervals": intervals}
        for intervals in ("open", "closed")
        for binning in ("quantile", "uniform", "supervised")
        for bins in (10, 20)
    },
    "lam": {f"λ = {lam}": {"lam": lam} for lam in (1, 2, 3, 4, 5, 6, 8, 12, 18, 27)} | {"λ auto": {"lam": "auto"}},
    # The first is measured with the imli of that commit, the last before λ was chosen on rows held out.
    "length": {"default at 2be8e4b": {"effort": 1.0}, "default": {"effort": 1.0}},
    "clauses": {f"{n} clauses": {"n_clauses": n} for n in (3, 5, 7, 10, 15)},
    "inner": {"λ auto": {"lam": "auto"}, "λ by inner cross-validation": {"lam": [1, 1.5, 2, 3, 4, 6]}},
}

Measured = tuple[float, float, float, bool]  # accuracy in per cent, size, conditions, worse than the larger class


def _cross_validate(
    problem: str, kind: str, settings: dict[str, Any], repeat: int, fold: int, folder: Path
) -> Measured:
    X, y = load_frame(problem, folder)
    labels = y.to_numpy().astype(bool)
    n_folds = 10 if len(y) < SMALL else 5
    # other folds than those of the comparison, on which the chosen settings are shown
    splits = StratifiedKFold(n_folds, shuffle=True, random_state=100 + repeat).split(X, labels)
    train, test = list(splits)[fold]
    effort = EFFORT_ON_FEW if len(y) < SMALL else EFFORT
    model = KINDS[kind](**({"n_jobs": 1, "effort": effort} | settings))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constant rules are part of what is compared
        if isinstance(settings.get("lam"), list):
            inner = StratifiedKFold(5, shuffle=True, random_state=0)
            model = GridSearchCV(KINDS[kind](n_jobs=1, effort=0.01), {"lam": settings["lam"]}, cv=inner)
            model = model.fit(X.iloc[train], labels[train]).best_estimator_.set_params(effort=effort)
        model.fit(X.iloc[train], labels[train])
    decisions, larger = model.predict(X.iloc[test]), np.mean(labels[train]) > 0.5
    more_errors = np.sum(decisions != labels[test]) - np.sum(labels[test] != larger)
    is_worse = bool(more_errors > np.sqrt(np.sum(decisions != larger)))  # by more than a standard error
    accuracy = 100 * float(np.mean(decisions == labels[test]))
    return accuracy, model.rule_.size, model.rule_.n_conditions, is_worse


def _runs(problem: str, part: str, folder: Path) -> list[tuple[int, int]]:
    n_rows = len(load_frame(problem, folder)[1])
    repeats = 1 if n_rows >= SMALL else 2 if part != "length" else min(MOST_REPEATS, max(2, -(-ENOUGH // n_rows)))
    return [(repeat, fold) for repeat in range(repeats) for fold in range(10 if n_rows < SMALL else 5)]


def add_defaults_options(parser: argparse.ArgumentParser) -> None:
    """Add which settings are tried, on which data sets, for which kinds of rules."""
    parser.add_argument("--parts", nargs="+", choices=TRIED, default=list(TRIED))
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=["dnf"])
    parser.add_argument("--problems", nargs="+", default=list(CHOSEN_ON))
    parser.add_argument("--settings", nargs="+", help="only these, by name")


def measure_defaults(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure cross-validated accuracy and size with each setting."""
    run: Callable[..., Measured] = delayed(_cross_validate)
    for part in options.parts:
        for kind in options.kinds:
            for problem in options.problems:
                if part == "inner" and problem not in ("parkinsons", "pima"):
                    continue
                runs = _runs(problem, part, options.data)
                for name, settings in TRIED[part].items():
                    if options.settings is not None and name not in options.settings:
                        continue
                    tasks = (run(problem, kind, settings, repeat, fold, options.data) for repeat, fold in runs)
                    found = np.array(Parallel(n_jobs=-1)(tasks))
                    accuracy, size, n_conditions, worse = found.mean(axis=0)
                    error = found[:, 0].std(ddof=1) / np.sqrt(len(found))
                    figures = {"accuracy_percent": accuracy, "standard_error": error, "size": size,
                               "n_conditions": n_conditions, "worse_percent": 100 * worse}  # fmt: skip
                    recorder.add(problem, f"{part}: {kind}", figures, settings=name)


NOISY, RARE = ("wdbc", "titanic", "credit_g"), ("adult", "weather_aus")
N_NOISE_COLUMNS, RARE_SHARE = 180, 0.01


def _noise_columns(problem: str, seed: int, folder: Path) -> dict[str, float]:
    """Return how many conditions a rule has, and how many are on random columns that were added to a table."""
    X, y = load_frame(problem, folder)
    drawn = np.random.default_rng(seed).normal(size=(len(X), N_NOISE_COLUMNS))
    X = pd.concat([X, pd.DataFrame(drawn, columns=[f"noise {place}" for place in range(N_NOISE_COLUMNS)])], axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constant rules count, too
        rule = DNFClassifier(n_jobs=1, random_state=seed).fit(X, y).rule_
    on_noise = sum(str(each.column).startswith("noise ") for clause in rule.clauses for each in clause)
    return {"n_conditions": rule.n_conditions, "n_on_noise": on_noise}


def _rare_class(problem: str, most: int | None, fold: int, folder: Path) -> dict[str, float]:
    """Return the balanced accuracy on a fifth of a table that lost positive rows until one in a hundred was left."""
    X, y = load_frame(problem, folder)
    positive, negative = (np.flatnonzero(y == label) for label in (1, 0))
    n_kept = round(len(negative) * RARE_SHARE / (1 - RARE_SHARE))
    rows = np.sort(np.append(negative, np.random.default_rng(0).permutation(positive)[:n_kept]))
    X, labels = X.iloc[rows], y.to_numpy()[rows].astype(bool)
    train, test = list(StratifiedKFold(5, shuffle=True, random_state=100).split(X, labels))[fold]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = DNFClassifier(n_jobs=1, class_weight="balanced", max_literals=most)
        model.fit(X.iloc[train], labels[train])
    found = model.predict(X.iloc[test]) == labels[test]
    balanced = np.mean([found[labels[test] == label].mean() for label in (False, True)])
    return {"balanced_accuracy_percent": 100 * float(balanced), "n_conditions": model.rule_.n_conditions}


def measure_noise(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure whether rules keep off random columns, and how right they are where one class is rare."""
    parallel, columns, rare = Parallel(n_jobs=-1), delayed(_noise_columns), delayed(_rare_class)
    for problem in NOISY:
        for seed, found in enumerate(parallel(columns(problem, seed, options.data) for seed in range(10))):
            recorder.add(problem, "random columns", found, seed=seed, settings="columns")
    for problem in RARE:
        for most in (None, 1, 2, 3, 4, 5):
            rival = "default" if most is None else f"max_literals={most}"
            for fold, found in enumerate(parallel(rare(problem, most, fold, options.data) for fold in range(5))):
                recorder.add(problem, rival, found, seed=fold, settings="rare")


ON_PATHS = ("parkinsons", "pima", "wdbc", "titanic", "magic", "adult")


def _time_of_path(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure twenty rules with five-fold errors on all of Adult, and one fit by default before each path."""
    X, y = load_frame("adult", options.data)
    DNFClassifier(effort=0.01).fit(X, y)  # what is loaded only once
    for seed in range(options.repeats):
        began = perf_counter()
        DNFClassifier(random_state=seed).fit(X, y)
        fit_seconds = perf_counter() - began
        began = perf_counter()
        path = rule_path(X, y, random_state=seed)
        seconds = perf_counter() - began
        found = {"seconds": seconds, "fit_seconds": fit_seconds, "ratio": seconds / fit_seconds, "rules": len(path)}
        recorder.add("adult", "path", found, seed=seed, settings="time")


def _choice_on_path(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure accuracy and length on held-out tenths, with λ by the number of rows and by cross-validation."""
    for problem in options.problems:
        X, y = load_frame(problem, options.data)
        labels = y.to_numpy().astype(bool)
        splits = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, labels))
        for fold in options.folds:
            train, test = splits[fold]
            for lam in ("auto", "cv"):
                began = perf_counter()
                classifier = DNFClassifier(lam=lam, random_state=fold).fit(X.iloc[train], labels[train])
                seconds = perf_counter() - began
                accuracy = 100 * float(np.mean(classifier.predict(X.iloc[test]) == labels[test]))
                rule = classifier.rule_
                found = {"accuracy_percent": accuracy, "size": rule.size, "n_conditions": rule.n_conditions}
                recorder.add(problem, f"lam={lam!r}", {**found, "seconds": seconds}, seed=fold, settings="choice")


_OF_PATHS = {"time": _time_of_path, "choice": _choice_on_path}


def add_path_options(parser: argparse.ArgumentParser) -> None:
    """Add what is measured of paths, on which data sets and folds."""
    parser.add_argument("--parts", nargs="+", choices=_OF_PATHS, default=list(_OF_PATHS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--problems", nargs="+", default=list(ON_PATHS))
    parser.add_argument("--folds", nargs="+", type=int, default=[0, 1, 2, 3, 4])


def measure_path(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure how long a path takes beside one fit, and what λ by cross-validation buys."""
    for part in options.parts:
        _OF_PATHS[part](recorder, options)


def measure_checks(recorder: Recorder, options: argparse.Namespace) -> None:  # noqa: ARG001
    """Measure how many of scikit-learn's own estimator checks each estimator passes."""
    os.environ["SCIPY_ARRAY_API"] = "1"  # else scikit-learn skips a check
    from sklearn.utils.estimator_checks import check_estimator

    for kind in (*KINDS.values(), LiteralEncoder):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = check_estimator(kind(), on_fail=None, on_skip=None)
        counts = Counter(each["status"] for each in found)
        figures = {status: counts[status] for status in ("passed", "failed", "xfail", "skipped")}
        recorder.add(kind.__name__, "check_estimator", figures)
        for each in found:
            if each["status"] != "passed":
                print(f"  {each['status']}: {each['check_name']}: {each['exception']}")


MEASURES = {
    "defaults": Measure("how the default settings were chosen", measure_defaults, add_defaults_options),
    "noise": Measure("rules with random columns, and where one class is rare", measure_noise),
    "path": Measure(
        "the path from short to long rules, and what λ by cross-validation buys", measure_path, add_path_options
    ),
    "checks": Measure("scikit-learn's own checks of each estimator", measure_checks),
}
