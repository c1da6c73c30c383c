"""imli itself: its kinds of rules as by default, the kind chosen by inner cross-validation, and the paper's forms."""

from typing import Any

import numpy as np
import pandas as pd

from .forms import Adapter, BoolArray, Fitted, NotInstalledError, Settings

KINDS = ("dnf", "cnf", "list", "set")
INNER_EFFORT, INNER_ROWS = 0.05, 10_000  # enough to tell kinds apart
# The paper's one form of literal: ten closed intervals of equal width, and what they are not.
PAPER_BINS = {"bins": 10, "binning": "uniform", "intervals": "closed", "refine": False}
# For the paper's queries of one batch, which are small and many.
BATCH_EFFORT = 0.007


def fit_ours(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> Fitted:
    kind = settings["kind"] if settings["kind"] != "chosen" else _best_kind(X, y, settings, seed)
    try:
        classifier = _classifier(kind, settings, seed).fit(X, y)
    except ImportError as error:  # of a solver that not everyone has
        raise NotInstalledError(str(error)) from None
    rule = classifier.rule_
    return Fitted(classifier.predict, rule.n_conditions, rule.size, str(rule))


def _classifier(kind: str, settings: Settings, seed: int) -> Any:
    from imli import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier

    classes = {"dnf": DNFClassifier, "cnf": CNFClassifier, "list": DecisionListClassifier, "set": DecisionSetClassifier}
    parameters = {"random_state": seed, "n_jobs": settings.get("n_jobs", 1)}
    form = settings.get("form")
    if form is not None:
        parameters |= {"n_clauses": settings["k"], "lam": settings["lam"], "strategy": _strategy(form, settings)}
        parameters |= {"backend": settings.get("backend", "native"), "effort": BATCH_EFFORT, **PAPER_BINS}
    if "effort" in settings:
        parameters["effort"] = settings["effort"]
    return classes[kind](**parameters)


def _strategy(form: str, settings: Settings) -> Any:
    from imli import Exact, Iterative, MiniBatch

    if form == "exact":
        return Exact(paper=True)
    batches = MiniBatch(batch_size=settings["batch_size"], paper=True)
    return batches if form == "minibatch" else Iterative(batches, paper=True)


def _best_kind(X: pd.DataFrame, y: BoolArray, settings: Settings, seed: int) -> str:
    """Return the kind with the shortest rules within one standard error of the best accuracy on inner folds.

    Five of these where there are few rows, and otherwise three; of very many rows, a sample.
    """
    from sklearn.model_selection import StratifiedKFold, cross_validate, train_test_split

    if len(y) > INNER_ROWS:
        rows, _ = train_test_split(np.arange(len(y)), train_size=INNER_ROWS, stratify=y, random_state=seed)
        X, y = X.iloc[rows], y[rows]
    inner = StratifiedKFold(5 if len(y) < 2000 else 3, shuffle=True, random_state=seed)
    accuracy, error, size = {}, {}, {}
    for kind in KINDS:
        classifier = _classifier(kind, settings | {"effort": min(INNER_EFFORT, settings.get("effort", 1.0))}, seed)
        found = cross_validate(classifier, X, y, cv=inner, return_estimator=True)
        accuracy[kind] = float(found["test_score"].mean())
        error[kind] = float(found["test_score"].std(ddof=1)) / len(found["test_score"]) ** 0.5
        size[kind] = sum(each.rule_.size for each in found["estimator"])
    best = max(KINDS, key=accuracy.__getitem__)
    return min((kind for kind in KINDS if accuracy[kind] >= accuracy[best] - error[best]), key=size.__getitem__)


def _grid(n: int) -> list[Settings]:
    """Return the default: there is nothing to tune."""
    settings: list[Settings] = [{}]
    return settings[:n]


ADAPTERS = {"ours": Adapter("imli", fit_ours, _grid, is_readable=True)}
