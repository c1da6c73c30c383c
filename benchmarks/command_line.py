"""How long commands take, as whole processes: deciding a million rows beside reading them, and help.

python benchmarks/command_line.py [--rows 1000000] [--repeats 5]
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from results import Recorder

import imli

N_NUMBERS = 14


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    recorder = Recorder("command_line")
    with tempfile.TemporaryDirectory() as folder:
        commands = made_commands(Path(folder), options.rows)
        for seed in range(options.repeats):  # in turn, so that what else goes on meets all alike
            for problem, name, command in commands:
                recorder.add(problem, name, {"seconds": seconds_of(command)}, seed=seed)
    recorder.write()


def made_commands(folder: Path, n_rows: int) -> list[tuple[str, str, list[str]]]:
    """Problem, name and command; of each problem the first is what the others are compared with."""
    table, learned, wide = (str(folder / name) for name in ("table.parquet", "learned.json", "wide.json"))
    frame = made_table(n_rows)
    frame.write_parquet(table)
    sample = frame.head(20_000)
    imli.save(imli.DNFClassifier(effort=0.2).fit(sample.drop("outcome"), sample["outcome"]), learned)
    imli.save(imli.parse_rule(f"IF {' OR '.join(made_clauses())} THEN outcome is yes ELSE outcome is no"), wide)
    python, decide = [sys.executable, "-c"], [sys.executable, "-m", "imli", "predict"]
    reading = f"{n_rows:,} rows, {frame.width} columns"
    return [
        (reading, "polars reads it", [*python, f"import polars; polars.read_parquet({table!r})"]),
        (reading, "pandas reads it", [*python, f"import pandas; pandas.read_parquet({table!r})"]),
        (reading, "imli predict, to Parquet", [*decide, learned, table, "-o", str(folder / "decided.parquet")]),
        (reading, "imli predict, to CSV", [*decide, learned, table, "-o", str(folder / "decided.csv")]),
        (reading, "imli predict, by all columns", [*decide, wide, table, "-o", str(folder / "decided.parquet")]),
        ("start-up", "python", [*python, "pass"]),
        ("start-up", "imli --help", [sys.executable, "-m", "imli", "--help"]),
    ]


def made_clauses() -> list[str]:
    numbers = [f"x{number} > {1 + number / 10:g}" for number in range(N_NUMBERS)]
    return [*numbers, "age > 90", "income > 100000", "city is Cork or Pisa", "member", "joined >= 2024-01-01"]


def made_table(n_rows: int) -> pl.DataFrame:
    """Numbers, text, flags and dates, with gaps, and an outcome that depends on a few of them."""
    rng = np.random.default_rng(1)
    columns: dict[str, pl.Series] = {}
    for number in range(N_NUMBERS):
        columns[f"x{number}"] = pl.Series(rng.normal(size=n_rows).round(4))
    columns["age"] = pl.Series(rng.integers(18, 95, n_rows))
    columns["income"] = pl.Series(np.where(rng.random(n_rows) < 0.1, np.nan, rng.lognormal(10, 1, n_rows).round()))
    columns["city"] = pl.Series(np.array(["Bath", "Cork", "Lyon", "Pisa", "York"]))[rng.integers(0, 5, n_rows)]
    columns["member"] = pl.Series(rng.random(n_rows) < 0.4)
    columns["joined"] = pl.Series(np.datetime64("2015-01-01") + rng.integers(0, 3650, n_rows))
    risky = (columns["age"].to_numpy() > 60) & (columns["x0"].to_numpy() > 0) | (columns["city"] == "Cork").to_numpy()
    columns["outcome"] = pl.Series(np.where(risky ^ (rng.random(n_rows) < 0.1), "yes", "no"))
    return pl.DataFrame(columns)


def seconds_of(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
