"""Reports that several tests look at, made once."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from imli import DecisionListClassifier, DNFClassifier, FindingWarning, inspect, make_report


@pytest.fixture(scope="session")
def cancer():
    """Two classes."""
    data = load_breast_cancer(as_frame=True)
    return data.data, pd.Series(data.target_names[data.target], name="diagnosis")


@pytest.fixture(scope="session")
def wine():
    """Three classes."""
    data = load_wine(as_frame=True)
    return data.data, pd.Series(np.array(["Barolo", "Grignolino", "Barbera"])[data.target], name="wine")


@pytest.fixture(scope="session")
def cancer_classifier(cancer):
    return DNFClassifier(n_clauses=3, lam=3, effort=0.05, never=["worst area"]).fit(*cancer)


@pytest.fixture(scope="session")
def wine_classifier(wine):
    return DecisionListClassifier(n_clauses=3, lam=4, effort=0.05).fit(*wine)


@pytest.fixture(scope="session")
def cancer_report(cancer, cancer_classifier):
    return make_report(cancer_classifier, *cancer, path=False, columns=False)


@pytest.fixture(scope="session")
def look_report(cancer):
    X, y = cancer
    return inspect(X.assign(letter=y.str.upper(), **{"a very long name " * 5: "<b>" * 40}), y)


@pytest.fixture(scope="session")
def wine_report(wine, wine_classifier):
    return make_report(wine_classifier, *wine, path=False, columns=False)


HOSTILE = [
    "<script>alert(1)</script>",
    "\"quoted\" 'text' & <b>",
    "{{ 7 * 7 }} {% raw %}",
    "größe 体重 🫀",
    "עברית و العربية",
    "very long " * 30,
    "x" * 300,
    "</style></title><img src=https://example.org/x.png onerror=alert(1)>",
]


@pytest.fixture(scope="session")
def hostile_report():
    """Names, values and labels that would like to be something else, with some rows wrong."""
    rng = np.random.default_rng(0)
    names = [f"{name} {n}" for n, name in enumerate(HOSTILE)]
    X = {name: rng.choice([*HOSTILE, None], 300) for name in names}
    X[names[3]] = rng.normal(size=300)
    X[names[4]] = np.datetime64("2020-01-01") + rng.integers(0, 900, 300).astype("timedelta64[D]")
    first = np.array([cell == HOSTILE[0] or cell == HOSTILE[6] for cell in X[names[0]]])
    other = (X[names[3]] > 0.5) & (X[names[4]] > np.datetime64("2021-06-01"))
    y = np.where(first, HOSTILE[0], np.where(other, HOSTILE[6], HOSTILE[4]))
    swap = rng.random(300) < 0.1
    y[swap] = rng.choice([HOSTILE[2], HOSTILE[7]], swap.sum())
    frame = pd.DataFrame(X)
    with pytest.warns(FindingWarning, match="The rule never predicts"):
        clf = DecisionListClassifier(n_clauses=4, lam=2, effort=0.05).fit(frame, pd.Series(y, name=HOSTILE[7]))
    return make_report(clf, frame, pd.Series(y, name=HOSTILE[7]), path=False, columns=False)
