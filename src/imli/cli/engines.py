"""Where a table is learned from: in memory, in parts, or by workers of Dask."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from imli.cli.parquet_files import describe_files, find_files, goes_in_parts, is_several
from imli.cli.problems import Problem, read_problem, split

if TYPE_CHECKING:
    from imli.cli.large_problems import LargeProblem


@contextmanager
def open_problem(options: argparse.Namespace) -> "Iterator[Problem | LargeProblem]":
    """The problem that was typed, as long as it is worked on."""
    engine = choose_engine(options)
    if engine != "memory":
        from imli.cli.large_problems import open_large_problem

        with open_large_problem(options, engine) as large:
            yield large
        return
    paths = options.data
    if len(paths) > 1 or (paths and is_several(paths[0])):
        from imli.cli.parquet_tables import ParquetTable

        files = find_files(paths)
        table = ParquetTable(describe_files(paths, files), [Path(file) for file in files])
        yield split(table, options.target, options.weight)
        return
    yield read_problem(options, paths[0] if paths else None)


def choose_engine(options: argparse.Namespace) -> str:
    """Which engine was asked for, or fits the data: memory, parts or dask."""
    asked = options.engine
    if options.scheduler is not None:
        if asked not in ("auto", "dask"):
            raise ValueError(f"--scheduler is for --engine dask. Got --engine {asked}.")
        asked = "dask"
    if not options.data and asked in ("parts", "dask"):
        raise ValueError(f"--engine {asked} reads Parquet files. Add the names of some, or of a folder.")
    if asked != "auto":
        return str(asked)
    return "parts" if goes_in_parts(options.data) else "memory"
