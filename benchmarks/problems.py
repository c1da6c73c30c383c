"""Where benchmarks take their data from: imli.bench, and a folder of search problems."""

import argparse
import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from imli import parse_rule
from imli.bench import planted
from imli.bench.problems import load, read_parquet


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        default=os.environ.get("IMLI_DATA"),
        metavar="FOLDER",
        help="a folder of data sets as Parquet files (default: IMLI_DATA, else OpenML is asked)",
    )


def data_set(name: str, folder: Path | None) -> tuple[pd.DataFrame, pd.Series]:
    """A table and its labels, 0 and 1. A folder may have more of them than there are problems of imli.bench."""
    if folder is not None:
        X, y = read_parquet(name, Path(folder))
    else:
        table = load(name)
        X, y = table.X, table.y
    return X, pd.Series(y.astype(np.int64), name="target")


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
    """The columns of planted problems, texts as categories, and the labels of their DNF with a tenth of noise."""
    rng = np.random.default_rng(seed)
    frame = planted.mixed_frame(n_rows, rng)
    frame = frame.astype({name: "category" for name in frame if name.startswith("category")})
    truth = parse_rule(planted.RULES["planted-noise"][0])
    return frame, truth.predict(frame) ^ (rng.random(n_rows) < 0.1)
