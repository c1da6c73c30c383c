"""Default settings on the paper's twelve data sets, ten folds: each kind of rule, and the kind that inner
cross-validation chooses, beside rivals.

IMLI_DATA=folder python benchmarks/accuracy.py [--methods dnf cnf …] [--problems adult …] [--folds 0 1 2 …]
"""

import argparse
import multiprocessing
from collections.abc import Callable, Iterator
from time import perf_counter

import numpy as np
import pandas as pd
import rivals
from joblib import Parallel, delayed
from problems import add_options, data_set
from results import Recorder
from sklearn.model_selection import StratifiedKFold, cross_val_score

from imli import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier

# On the first six the default settings were chosen; the others were looked at once, when all was chosen.
CHOSEN_ON = ("parkinsons", "pima", "magic", "credit_default", "bank_marketing", "weather_aus")
UNTOUCHED = ("wdbc", "titanic", "tomshardware", "adult", "connect4", "skin")
KINDS = {"dnf": DNFClassifier, "cnf": CNFClassifier, "list": DecisionListClassifier, "set": DecisionSetClassifier}
N_FOLDS = 10
MOST_SECONDS = 900
INNER_EFFORT = 0.1

Fit = Callable[[pd.DataFrame, np.ndarray, int], rivals.Fitted]


def fit_kind(kind: str, n_jobs: int | None = None) -> Fit:
    def fit(X: pd.DataFrame, y: np.ndarray, seed: int) -> rivals.Fitted:
        classifier = KINDS[kind](random_state=seed, n_jobs=n_jobs).fit(X, y)
        return rivals.Fitted(classifier.predict, classifier.rule_.n_conditions, classifier.rule_.size)

    return fit


def fit_chosen(X: pd.DataFrame, y: np.ndarray, seed: int) -> rivals.Fitted:
    """The kind with the best accuracy on inner folds, ten of them where there are few rows; of equals the first."""
    inner = StratifiedKFold(10 if len(y) < 2000 else 3, shuffle=True, random_state=seed)
    scores = {
        kind: cross_val_score(estimator(random_state=seed, effort=INNER_EFFORT), X, y, cv=inner).mean()
        for kind, estimator in KINDS.items()
    }
    return fit_kind(max(scores, key=scores.get))(X, y, seed)


def find(method: str) -> Fit:
    if method == "chosen kind":
        return fit_chosen
    return fit_kind(method) if method in KINDS else rivals.find(method)


def measure(method: str, problem: str, fold: int, folder: str | None) -> dict[str, float]:
    X, y = data_set(problem, folder)
    labels = y.to_numpy().astype(bool)
    splits = list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(X, labels))
    train, test = splits[fold]
    began = perf_counter()
    fitted = find(method)(X.iloc[train], labels[train], fold)
    seconds = perf_counter() - began
    found = {"accuracy_percent": 100 * float(np.mean(fitted.predict(X.iloc[test]) == labels[test])), "seconds": seconds}
    if fitted.n_conditions is not None and fitted.size is not None:
        found |= {"size": fitted.size, "n_conditions": fitted.n_conditions}
    return found


def measured(
    method: str, problem: str, folds: list[int], folder: str | None
) -> Iterator[tuple[int, dict[str, float] | None]]:
    """The measures of each fold; with None the last, if that took too long."""
    if method in (*KINDS, "chosen kind"):
        found = Parallel(n_jobs=-1)(delayed(measure)(method, problem, fold, folder) for fold in folds)
        yield from zip(folds, found, strict=True)
        return
    for fold in folds:
        apart = measured_apart(method, problem, fold, folder)
        yield fold, apart
        if apart is None:
            return


def measured_apart(*task: object) -> dict[str, float] | None:
    """In a process of its own, so that a rival can be stopped; None if it took too long."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        try:
            return pool.apply_async(measure, task).get(MOST_SECONDS)
        except multiprocessing.TimeoutError:
            return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--methods", nargs="+", default=[*KINDS, "chosen kind", "cart", "random_forest", "ripper"])
    parser.add_argument("--problems", nargs="+", default=[*CHOSEN_ON, *UNTOUCHED])
    parser.add_argument("--folds", nargs="+", type=int, default=list(range(N_FOLDS)))
    options = parser.parse_args()
    for method in options.methods:
        for problem in options.problems:
            recorder = Recorder("accuracy")
            for fold, found in measured(method, problem, options.folds, options.data):
                recorder.add(problem, method, found or {"timed_out_seconds": MOST_SECONDS}, seed=fold)
            recorder.write()


if __name__ == "__main__":
    main()
