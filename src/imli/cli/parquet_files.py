"""Which Parquet files are meant, and whether they are read in parts. Nothing heavy is imported here."""

import errno
import glob
import os
from collections.abc import Sequence
from pathlib import Path

from imli.cli.arguments import LARGE
from imli.cli.tables import STDIN

_MAGIC = b"PAR1"


def goes_in_parts(paths: Sequence[str]) -> bool:
    """Whether a table is read in parts if nobody says: several files, a folder, a pattern, or a large file."""
    if len(paths) != 1:
        return bool(paths)
    (path,) = paths
    if is_several(path):
        return True
    return path != STDIN and is_parquet(path) and _n_cells(path) > LARGE


def is_several(path: str) -> bool:
    """Whether this names files by a folder or a pattern."""
    return Path(path).is_dir() or (glob.has_magic(path) and not Path(path).exists())


def is_parquet(path: str) -> bool:
    with Path(path).open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def find_files(paths: Sequence[str]) -> list[str]:
    """The Parquet files that paths, folders and patterns name."""
    files = [file for path in paths for file in _named(path)]
    for file in files:
        if not is_parquet(file):
            raise ValueError(
                f"Only Parquet files are read in parts or several at once, and {file!r} is none. Convert it to "
                "Parquet, or name one CSV file alone."
            )
    return files


def describe_files(paths: Sequence[str], files: Sequence[str]) -> str:
    """What messages call them."""
    return repr(paths[0]) if len(paths) == 1 else f"The table in {len(files):,} files"


def _named(path: str) -> list[str]:
    if path == STDIN:
        raise ValueError("Standard input is one table, which is read at once. Write it to a Parquet file first.")
    if Path(path).is_dir():
        return _inside(path)
    if Path(path).exists():
        return [path]
    if not glob.has_magic(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        raise ValueError(f"No file matches the pattern {path!r}.")
    return [file for each in found for file in (_inside(each) if Path(each).is_dir() else [each])]


def _inside(folder: str) -> list[str]:
    found = sorted(str(file) for file in Path(folder).rglob("*.parquet"))
    if not found:
        raise ValueError(f"{folder!r} is a folder without Parquet files. Name a CSV or Parquet file.")
    return found


def _n_cells(path: str) -> int:
    from imli.cli.parquet_tables import ParquetTable

    return ParquetTable(repr(path), [Path(path)]).n_cells
