"""Reading of CSV files as people have them: columns of the right type beside other readers, and seconds."""

import argparse
import tempfile
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import duckdb
import imli
import pandas as pd
import polars as pl

from imli_bench.internals import CsvFormat, as_frame, open_files
from imli_bench.measures import Measure
from imli_bench.measures.speed import alone, made_table
from imli_bench.results import Recorder, checkout

_TEXT = ("csv", "tsv", "csv.gz", "csv.bz2", "csv.zst", "zip")  # endings of files that all readers are for
_JUDGED = ("number", "date")

READERS: dict[str, Callable[[Path], Any]] = {
    "imli": lambda path: open_files([path], form=CsvFormat(is_lenient=True)).frame(),
    "pandas.read_csv": pd.read_csv,
    "pandas.read_csv, sep=None": lambda path: pd.read_csv(path, sep=None, engine="python"),
    "polars.read_csv": lambda path: pl.read_csv(path, try_parse_dates=True),
    "duckdb.read_csv": lambda path: duckdb.read_csv(str(path)).pl(),
}


def load_messy() -> Any:
    """Return the module of the tests that has the messy files."""
    path = checkout() / "tests" / "support" / "messy.py"
    spec = spec_from_file_location("imli_messy", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def judge(name: str, path: Path, messy: Any) -> dict[str, float]:
    """Return how many columns of a file a reader gets right, and how many are wrong without a word."""
    kinds = {**messy.KINDS, messy.TARGET: "text"}
    clean = messy.clean_table()
    try:
        frame = as_frame(READERS[name](path))
    except Exception:  # whatever it raises, it has read none of the columns
        return {"columns": len(kinds), "right_type": 0, "right_cells": 0, "silent": 0, "refused": 1}
    frame = frame.renamed(name.strip() for name in frame.names)
    there = frame.columns.get(messy.TARGET)
    frame = frame if there is None else frame.take(~there.missing)  # rows without a label are left out
    columns = {name: column for name, column in frame.columns.items() if name in kinds}
    typed = {name for name, column in columns.items() if column.kind == kinds[name]}
    right = {name for name in typed if columns[name].cells().tolist() == clean[name]}
    told: set[str] = set()
    if name == "imli":
        found = imli.inspect(path, messy.TARGET).findings
        told = {name for finding in found if finding.kind in ("misread", "reading") for name in finding.columns}
    silent = [name for name, kind in kinds.items() if kind in _JUDGED and name not in right and name not in told]
    return {"columns": len(kinds), "right_type": len(typed), "right_cells": len(right), "silent": len(silent),
            "refused": 0}  # fmt: skip


def seconds_to_read(name: str, path: Path, small: Path) -> dict[str, float]:
    """Return the seconds that a reader takes, and those of processors, once it has read a small file."""
    READERS[name](small)
    began, processors = perf_counter(), process_time()
    READERS[name](path)
    return {"seconds": perf_counter() - began, "processor_seconds": process_time() - processors}


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add what is measured, how many rows are read, and how often."""
    parser.add_argument("--parts", nargs="*", choices=("types", "speed"), default=("types", "speed"))
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)


def measure_reading(recorder: Recorder, options: argparse.Namespace) -> None:
    """Measure how many columns of the messy files of the tests each reader gets right, and how fast it reads rows."""
    messy = load_messy()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [each.write(folder) for each in messy.MESSY if each.ending in _TEXT]
        for reader in READERS if "types" in options.parts else ():
            found = [judge(reader, path, messy) for path in paths]
            total = {figure: sum(each[figure] for each in found) for figure in found[0]}
            recorder.add(f"{len(paths)} messy files", reader, total, settings="types")
        large, small = folder / "large.csv", folder / "small.csv"
        table = made_table(options.rows)
        table.to_csv(large, index=False)
        table.head(1000).to_csv(small, index=False)
        size = f"{options.rows:,} rows, {table.shape[1]} columns"
        for repeat in range(
            options.repeats if "speed" in options.parts else 0
        ):  # in turn, so that what else goes on meets all alike
            for reader in ("polars.read_csv", "imli", "duckdb.read_csv", "pandas.read_csv"):
                recorder.add(size, reader, alone(seconds_to_read, reader, large, small), seed=repeat, settings="speed")


MEASURES = {
    "reading": Measure(
        "CSV files as people have them: columns read right beside other readers, and seconds for a million rows",
        measure_reading,
        add_reading_options,
    ),
}
