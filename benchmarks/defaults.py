"""Which binning, lam, n_clauses and bins to use where nobody says: cross-validated accuracy and size on six data sets.

IMLI_DATA=folder python benchmarks/defaults.py [--parts binning lam clauses inner] [--problems pima …]
"""

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from problems import add_options, data_set
from results import Recorder
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from imli import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier

# The others were looked at once, when all was chosen.
CHOSEN_ON = ("parkinsons", "pima", "magic", "credit_default", "bank_marketing", "weather_aus")
KINDS = {"dnf": DNFClassifier, "cnf": CNFClassifier, "list": DecisionListClassifier, "set": DecisionSetClassifier}
SMALL = 2000  # tables of fewer rows are cut into folds twice
EFFORT, EFFORT_ON_FEW = 0.3, 0.1
PARTS: dict[str, dict[str, dict[str, Any]]] = {
    "binning": {
        f"{bins} {binning} {intervals}": {"bins": bins, "binning": binning, "intervals": intervals}
        for intervals in ("open", "closed")
        for binning in ("quantile", "uniform", "supervised")
        for bins in (10, 20)
    },
    "lam": {f"λ = {lam}": {"lam": lam} for lam in (1, 2, 3, 4, 5, 6, 8, 12, 18, 27)} | {"λ auto": {"lam": "auto"}},
    "clauses": {f"{n} clauses": {"n_clauses": n} for n in (3, 5, 7, 10, 15)},
    "inner": {"λ auto": {"lam": "auto"}, "λ by inner cross-validation": {"lam": [1, 1.5, 2, 3, 4, 6]}},
}

Measured = tuple[float, float, float]  # accuracy in per cent, size, conditions


def measure(problem: str, kind: str, settings: dict[str, Any], repeat: int, fold: int, folder: Path) -> Measured:
    X, y = data_set(problem, folder)
    labels = y.to_numpy().astype(bool)
    n_folds = 10 if len(y) < SMALL else 5
    # other folds than those of imli bench, on which the chosen settings are shown
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
    accuracy = 100 * float(np.mean(model.predict(X.iloc[test]) == labels[test]))
    return accuracy, model.rule_.size, model.rule_.n_conditions


def n_runs(problem: str, folder: Path) -> list[tuple[int, int]]:
    small = len(data_set(problem, folder)[1]) < SMALL
    return [(repeat, fold) for repeat in range(2 if small else 1) for fold in range(10 if small else 5)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=["dnf"])
    parser.add_argument("--problems", nargs="+", default=list(CHOSEN_ON))
    parser.add_argument("--settings", nargs="+", help="only these, by name")
    options = parser.parse_args()
    run: Callable[..., Measured] = delayed(measure)
    for part in options.parts:
        recorder = Recorder("defaults")
        for kind in options.kinds:
            for problem in options.problems:
                if part == "inner" and problem not in ("parkinsons", "pima"):
                    continue
                runs = n_runs(problem, options.data)
                for name, settings in PARTS[part].items():
                    if options.settings is not None and name not in options.settings:
                        continue
                    tasks = (run(problem, kind, settings, repeat, fold, options.data) for repeat, fold in runs)
                    found = np.array(Parallel(n_jobs=-1)(tasks))
                    accuracy, size, n_conditions = found.mean(axis=0)
                    error = found[:, 0].std(ddof=1) / np.sqrt(len(found))
                    measures = {"accuracy_percent": accuracy, "standard_error": error, "size": size,
                                "n_conditions": n_conditions}  # fmt: skip
                    recorder.add(problem, f"{part}: {kind}", measures, settings=name)
        recorder.write()


if __name__ == "__main__":
    main()
