"""Ranking: area under the curve, log-loss and accuracy of our kinds beside models that are no rules."""

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from imli import (
    ChecklistClassifier,
    CNFClassifier,
    DecisionListClassifier,
    DecisionSetClassifier,
    DNFClassifier,
    ScoreClassifier,
)
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from imli_bench.data_sets import load_frame
from imli_bench.measures import Measure
from imli_bench.results import Recorder

PROBLEMS = ("parkinsons", "pima", "wdbc", "titanic", "credit_g", "vote", "adult", "magic", "connect4")
RIVALS: dict[str, Callable[[], Any]] = {
    "score": lambda: ScoreClassifier(n_jobs=1),
    "score, two conditions an item": lambda: ScoreClassifier(n_jobs=1, item_literals=2),
    "checklist": lambda: ChecklistClassifier(n_jobs=1),
    "dnf": lambda: DNFClassifier(n_jobs=1),
    "cnf": lambda: CNFClassifier(n_jobs=1),
    "list": lambda: DecisionListClassifier(n_jobs=1),
    "set": lambda: DecisionSetClassifier(n_jobs=1),
    "logistic regression": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
    "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
}
_NO_RULES = ("logistic regression", "boosting")
_MANY_ROWS, _MOST_HELD_OUT = 8000, 10_000


def _as_numbers(X: pd.DataFrame) -> pd.DataFrame:
    """Return the columns as numbers, with a column for each category and medians for missing cells."""
    numbers = pd.get_dummies(X).astype(float)
    return numbers.fillna(numbers.median())


def measure_ranking(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure all rivals on the same rows held out: five folds, or one quarter of a large table."""
    for problem in options.problems:
        X, y = load_frame(problem, Path(options.data))
        labels, numbers = y.to_numpy(), _as_numbers(X)
        splitter: Any = StratifiedKFold(5, shuffle=True, random_state=0)
        if len(y) > _MANY_ROWS:
            splitter = ShuffleSplit(1, test_size=min(len(y) // 4, _MOST_HELD_OUT), random_state=0)
        for name in options.rivals:
            table = numbers if name in _NO_RULES else X
            found = list[dict[str, float]]()
            for train, test in splitter.split(X, labels):
                model, began = RIVALS[name](), perf_counter()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # constant rules are part of what is compared
                    model.fit(table.iloc[train], labels[train])
                seconds = perf_counter() - began
                sure = model.predict_proba(table.iloc[test])[:, 1]
                figures = {
                    "accuracy_percent": 100 * float(np.mean(model.predict(table.iloc[test]) == labels[test])),
                    "area_under_curve": float(roc_auc_score(labels[test], sure)),
                    "log_loss": float(log_loss(labels[test], np.clip(sure, 1e-6, 1 - 1e-6))),
                    "seconds": seconds,
                }
                if name not in _NO_RULES:
                    figures["n_conditions"] = model.rule_.n_conditions
                found.append(figures)
            recorder.add(problem, name, {each: float(np.mean([one[each] for one in found])) for each in found[0]})


def add_ranking_options(parser: argparse.ArgumentParser) -> None:
    """Add which data sets and rivals are measured."""
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS))
    parser.add_argument("--rivals", nargs="+", choices=RIVALS, default=list(RIVALS))


MEASURES = {
    "ranking": Measure(
        "how well scores, checklists and the other kinds rank rows held out, beside logistic regression and boosting",
        measure_ranking,
        add_ranking_options,
    ),
}
