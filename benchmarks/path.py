"""The path from short to long rules: how long it takes beside one fit, and what λ by cross-validation buys.

IMLI_DATA=folder python benchmarks/path.py [--parts time choice] [--repeats 3] [--problems adult …] [--folds 0 1 2]
"""

import argparse
from time import perf_counter

import numpy as np
from problems import add_options, data_set
from results import Recorder
from sklearn.model_selection import StratifiedKFold

from imli import DNFClassifier, rule_path

PROBLEMS = ("parkinsons", "pima", "wdbc", "titanic", "magic", "adult")


def measure_time(recorder: Recorder, options: argparse.Namespace) -> None:
    """Twenty rules with five-fold errors on all of Adult, and one fit by default before each path."""
    X, y = data_set("adult", options.data)
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


def measure_choice(recorder: Recorder, options: argparse.Namespace) -> None:
    """Accuracy and length on held-out tenths, with λ by the number of rows and by cross-validation."""
    for problem in options.problems:
        X, y = data_set(problem, options.data)
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


PARTS = {"time": measure_time, "choice": measure_choice}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS))
    parser.add_argument("--folds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    options = parser.parse_args()
    for part in options.parts:
        recorder = Recorder("path")
        PARTS[part](recorder, options)
        recorder.write()


if __name__ == "__main__":
    main()
