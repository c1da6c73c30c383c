"""Printed rules of five data sets, kept as files to be read.

``python tests/golden/test_printed_rules.py`` writes the files anew.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from imli import CNFClassifier, DecisionListClassifier, DecisionSetClassifier, DNFClassifier

FOLDER = Path(__file__).parent


def tumours():
    data = load_breast_cancer(as_frame=True)
    return DNFClassifier(), data.data, pd.Series(data.target_names[data.target], name="diagnosis")


def flowers():
    data = load_iris(as_frame=True)
    X = data.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    return DecisionListClassifier(), X, pd.Series(data.target_names[data.target], name="species")


def wines():
    data = load_wine(as_frame=True)
    return DecisionSetClassifier(), data.data, pd.Series(data.target_names[data.target], name="cultivar")


def diabetes():
    data = load_diabetes(as_frame=True, scaled=False)
    X = data.data.rename(columns={"sex": "gender", "s5": "log triglycerides", "s6": "glucose", "bp": "blood pressure"})
    progress = np.where(data.target > data.target.median(), "fast", "slow")
    return CNFClassifier(never="gender"), X, pd.Series(progress, name="progress")


def passengers():
    """Made up: fares, ages with gaps, classes, ports and dates of booking."""
    rng = np.random.default_rng(1)
    n_rows = 1200
    sex, cabin = (
        rng.choice(["male", "female"], n_rows, p=[0.6, 0.4]),
        rng.choice([1, 2, 3], n_rows, p=[0.25, 0.2, 0.55]),
    )
    age = np.where(rng.random(n_rows) < 0.15, np.nan, np.clip(rng.normal(30, 14, n_rows), 0.5, 80).round())
    port = rng.choice(["Southampton", "Cherbourg", "Queenstown", "Belfast", "Cork", "Le Havre"], n_rows)
    booked = pd.Timestamp("1911-06-01") + pd.to_timedelta(rng.integers(0, 310, n_rows), unit="D")
    chance = 0.08 + 0.75 * ((sex == "female") & (cabin < 3)) + 0.6 * (np.nan_to_num(age, nan=30) < 10)
    chance += 0.55 * (np.isin(port, ["Cherbourg", "Le Havre"]) & (booked >= "1912-01-01"))
    X = pd.DataFrame({"sex": sex, "class": cabin, "age": age, "port": port, "booked": booked})
    return DNFClassifier(), X, pd.Series(np.where(rng.random(n_rows) < chance, "yes", "no"), name="survived")


SETS = [tumours, flowers, wines, diabetes, passengers]


def printed(data_set):
    classifier, X, y = data_set()
    rule = classifier.fit(X, y).rule_
    return f"{rule}\n\n{rule.to_text(clauses=True, width=100)}\n\n{classifier.answer_}\n"


@pytest.mark.parametrize("data_set", SETS, ids=lambda data_set: data_set.__name__)
def test_the_printed_rule(data_set):
    assert printed(data_set) == (FOLDER / f"{data_set.__name__}.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for data_set in SETS:
        (FOLDER / f"{data_set.__name__}.txt").write_text(printed(data_set), encoding="utf-8")
