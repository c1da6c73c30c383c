"""Tables to learn from, for tests of rivals."""

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer


def breast_cancer():
    """569 rows of 30 numbers; a positive row is a malignant one."""
    data = load_breast_cancer()
    return pd.DataFrame(data.data, columns=data.feature_names), data.target == 0


def passengers(n=400, seed=0):
    """Numbers, whole numbers, truth values and texts, the first and the last with missing cells, and odd names.

    A row is positive if it is of a woman, or of somebody young in a cabin; a twentieth of the labels is wrong.
    """
    random = np.random.default_rng(seed)
    age = random.uniform(1, 80, n).round(1)
    cabin = random.random(n) < 0.4
    sex = np.array(["female", "male, it's said"], dtype=object)[random.integers(0, 2, n)]
    y = (sex == "female") | (age < 20) & cabin
    y = y ^ (random.random(n) < 0.05)
    age[random.random(n) < 0.1] = np.nan
    port = np.array(["Cork", "Rome", None], dtype=object)[random.integers(0, 3, n)]
    frame = {"age in years": age, "n_siblings": random.integers(0, 5, n), "cabin?": cabin, "sex": sex, "port": port}
    return pd.DataFrame({name: pd.Series(cells, dtype=cells.dtype) for name, cells in frame.items()}), y
