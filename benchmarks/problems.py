"""Where benchmarks take their data from: a folder of Parquet files (``--data`` or IMLI_DATA), or OpenML."""

import argparse
import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

OPENML = {"adult": ("adult", 2), "magic": ("MagicTelescope", 1), "pima": ("diabetes", 1)}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        default=os.environ.get("IMLI_DATA"),
        metavar="FOLDER",
        help="a folder of data sets as Parquet files (default: IMLI_DATA, else OpenML is asked)",
    )


def data_set(name: str, folder: Path | None) -> tuple[pd.DataFrame, pd.Series]:
    """A table and its labels."""
    if folder is not None:
        frame = pd.read_parquet(Path(folder) / f"{name}.parquet")
        target = "target" if "target" in frame else frame.columns[-1]
        return frame.drop(columns=target), frame[target]
    from sklearn.datasets import fetch_openml

    named, number = OPENML[name]
    found = fetch_openml(named, version=number, as_frame=True)
    return found.data, found.target


@dataclass(frozen=True)
class Instance:
    """A search problem: truth values, labels, the kind of rule and its price; and the best cost known."""

    name: str
    X: np.ndarray
    y: np.ndarray
    kind: str
    n_clauses: int
    lam: float
    best_known: float


def instances(folder: Path) -> list[Instance]:
    """All search problems in a folder."""
    best = json.loads((folder / "best.json").read_text())
    found = []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as content:
            X = np.unpackbits(content["X"], axis=1)[:, : int(content["n_features"])].astype(bool)
            found.append(
                Instance(path.stem, X, content["y"].astype(bool), str(content["kind"]), int(content["k"]),
                         float(content["lam"]), best[path.stem]["cost"])
            )  # fmt: skip
    return found


def mixed_frame(n_rows: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Twenty columns of numbers, integers, categories and truth values, and labels by a rule with a tenth of noise."""
    rng = np.random.default_rng(seed)
    columns: dict[str, object] = {}
    for i in range(6):
        columns[f"number {i}"] = rng.normal(size=n_rows) if i % 2 else rng.gamma(2.0, size=n_rows)
    for i in range(4):
        columns[f"integer {i}"] = rng.integers(0, 8 + 20 * i, n_rows)
    for i in range(6):
        names = [f"value {code}" for code in range(4 + i)]
        columns[f"category {i}"] = pd.Categorical.from_codes(rng.integers(0, len(names), n_rows), names)
    for i in range(4):
        columns[f"flag {i}"] = rng.random(n_rows) < 0.3
    frame = pd.DataFrame(columns)
    first = (frame["number 0"] > 2) & (frame["integer 0"] < 4)
    second = (frame["number 1"] < -0.5) & (frame["category 0"] == "value 1")
    third = frame["flag 0"] & (frame["number 3"] > 1)
    return frame, ((first | second | third) ^ (rng.random(n_rows) < 0.1)).to_numpy()
