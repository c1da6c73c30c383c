"""Tables for tests of learning in parts."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

KINDS = ("cnf", "dnf", "list", "set")


def tumours() -> pd.DataFrame:
    data = load_breast_cancer(as_frame=True)
    return data.data.iloc[:, :12].assign(diagnosis=data.target_names[data.target])


def visits(n_rows: int = 3000, seed: int = 0) -> pd.DataFrame:
    """Numbers, whole ones, text, truth values and dates, most with gaps; the weights are exact."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({
        "age": rng.integers(18, 90, n_rows).astype(float),
        "score": rng.normal(size=n_rows),
        "city": rng.choice(["Bath", "Cork", "Rome", "York", "Ulm"], n_rows, p=[0.4, 0.3, 0.2, 0.09, 0.01]),
        "smoker": rng.random(n_rows) < 0.3,
        "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n_rows), unit="D"),
    })  # fmt: skip
    is_ill = (table.age > 60) & table.city.isin(["Cork", "Rome"]) | table.smoker & (table.score > 0.5)
    table["ill"] = np.where(is_ill ^ (rng.random(n_rows) < 0.05), "yes", "no")
    table["weight"] = rng.choice([0.0, 0.25, 0.5, 1.0, 2.5], n_rows)
    for name in ("age", "score", "city", "seen"):
        table.loc[rng.random(n_rows) < 0.03, name] = None
    return table


def measurements(n_rows: int = 150_000, seed: int = 0) -> pd.DataFrame:
    """So many rows, nearly all different, that a search looks at some of them only."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({f"m{j}": rng.normal(size=n_rows).round(3 + j) for j in range(5)})
    holds = (table.m0 > 0.3) & (table.m1 < 0.5) | (table.m2 > 1.1) & (table.m3 > -0.2)
    return table.assign(alarm=(holds ^ (rng.random(n_rows) < 0.1)).astype(int))


def write_parts(table: pd.DataFrame, folder: Path, n_files: int = 5) -> str:
    """The rows in several files, of which some have several groups; a pattern that names them all."""
    folder.mkdir(parents=True)
    ends = np.linspace(0, len(table), n_files + 1).astype(int)
    for number, (begin, end) in enumerate(pairwise(ends)):
        rows = table.iloc[begin:end]
        rows.to_parquet(folder / f"part-{number}.parquet", index=False, row_group_size=1 + len(rows) // (1 + number))
    return str(folder / "*.parquet")
