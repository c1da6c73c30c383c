"""Random tables in which the share of yes in each region is known, so that fresh rows of them can be drawn."""

import numpy as np


def draw(kind, n_rows, rng):
    """Rows of a table of this kind, and whether each is yes."""
    n_columns = {"clean": 8, "noisy": 10, "wide": 40, "smooth": 6, "discrete": 8, "rare": 8, "pure": 10}[kind]
    X = rng.normal(size=(n_rows, n_columns))
    if kind == "clean":
        shares = np.where((X[:, 0] > 0.5) & (X[:, 1] > 0), 0.9, np.where(X[:, 2] > 1.2, 0.8, 0.15))
    elif kind == "noisy":
        shares = np.where(X[:, 0] > 0.3, 0.65, 0.4)
    elif kind == "wide":
        shares = np.where((X[:, 0] > 0) & (X[:, 1] < 0.8), 0.8, 0.2)
    elif kind == "smooth":
        shares = 1 / (1 + np.exp(-(1.5 * X[:, 0] + X[:, 1] - 0.7 * X[:, 2])))
    elif kind == "discrete":
        X = rng.integers(0, 5, size=X.shape).astype(float)
        shares = np.where((X[:, 0] >= 3) | ((X[:, 1] == 1) & (X[:, 2] > 2)), 0.85, 0.2)
    elif kind == "rare":
        shares = np.where((X[:, 0] > 1) & (X[:, 1] > 0), 0.6, 0.05)
    else:
        shares = np.full(n_rows, 0.5)
    return X, rng.random(n_rows) < shares
