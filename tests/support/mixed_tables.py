"""Random tables with columns of all sorts, of which fresh rows can be drawn: ties, gaps, rare and many categories."""

import numpy as np


def draw_mixed(n_rows, rng):
    """Rows with numbers, dates, flags and text, and their classes."""
    few = rng.choice(["red", "blue", "green"], n_rows, p=[0.5, 0.3, 0.2]).astype(object)
    few[rng.random(n_rows) < 0.1] = None
    rare = np.array([f"town {int(each)}" for each in np.minimum(rng.geometric(0.15, n_rows), 45)])
    many = np.array([f"name {int(each)}" for each in rng.zipf(1.3, n_rows) % 5000])
    columns = {
        "smooth": rng.normal(size=n_rows),
        "heavy": rng.standard_t(2, n_rows) ** 3,
        "rounded": rng.normal(50, 4, n_rows).round(),
        "gaps": np.where(rng.random(n_rows) < 0.3, np.nan, rng.exponential(10, n_rows)),
        "mostly zero": np.where(rng.random(n_rows) < 0.8, 0, rng.poisson(3, n_rows)),
        "two": rng.integers(0, 2, n_rows),
        "flag": rng.random(n_rows) < 0.07,
        "day": np.datetime64("2024-01-01") + rng.integers(0, 300, n_rows),
        "few": few,
        "rare": rare,
        "many": many,
        "constant": np.ones(n_rows),
    }
    score = columns["smooth"] + 0.4 * (columns["rounded"] > 52) + (few == "red") - 0.5 + rng.logistic(0, 0.7, n_rows)
    return columns, np.where(score > 0.5, "yes", "no")


def write_table(columns, path, labels=None):
    """Write the columns as a CSV file, and the labels as the column ``y``."""
    import pandas as pd

    table = pd.DataFrame(columns)
    if labels is not None:
        table["y"] = labels
    table.to_csv(path, index=False)
    return path
