"""Ours: a DNF of at most five clauses, all else by default."""

import numpy as np
import pandas as pd

from imli import DNFClassifier
from rivals import Fitted


def fit(X: pd.DataFrame, y: np.ndarray, seed: int, **parameters: object) -> Fitted:
    classifier = DNFClassifier(random_state=seed, **({"n_clauses": 5} | parameters)).fit(X, y)
    return Fitted(classifier.predict, classifier.rule_.n_conditions, classifier.rule_.size)
