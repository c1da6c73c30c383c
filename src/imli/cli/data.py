"""The DATA of a command: the files or the standard input that were typed, opened as a source."""

import argparse
import errno
import glob
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from imli.cli.options import LARGE
from imli.table.csv_source import CsvFormat
from imli.table.readings import Reading
from imli.table.sample import Source
from imli.table.sources import files_of, open_content, open_files

STDIN = "-"
_LENIENT = ("check", "fit", "inspect", "path")  # commands that may leave rows out; others write a line for each
_UNREADABLE = "is not a Parquet file that can be read"


def format_of(options: argparse.Namespace, remembered: Mapping[str, Reading] | None = None) -> CsvFormat:
    """Return the format that was typed, which wins over the readings that a model remembers."""
    delimiter = {"\\t": "\t", "tab": "\t"}.get(options.delimiter or "", options.delimiter)
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n'):
        raise ValueError(f"--delimiter must be one sign, or 'tab'. Got {options.delimiter!r}.")
    return CsvFormat(
        delimiter=delimiter,
        encoding=options.encoding,
        missing=None
        if options.missing is None
        else tuple(word for text in options.missing for word in text.split(",")),
        kinds=dict(options.types or ()),
        decimal=options.decimal,
        thousands={"none": "", "space": " "}.get(options.thousands, options.thousands),
        date_formats=dict(options.date_formats or ()),
        sheet=options.sheet,
        is_lenient=options.command in _LENIENT,
        remembered=remembered or {},
    )


def open_table(path: str, form: CsvFormat) -> Source:
    """Return the table in one CSV or Parquet file; ``-`` is standard input."""
    if path == STDIN:
        return open_content(sys.stdin.buffer.read(), "standard input", form)
    if Path(path).is_dir():
        raise ValueError(f"{path!r} is a folder. Name a CSV or Parquet file in it.")
    return open_files([_existing(path)], repr(path), form, _UNREADABLE)


def open_tables(paths: Sequence[str], form: CsvFormat) -> Source:
    """Return the table in all files that paths, folders and patterns name."""
    if len(paths) == 1 and not is_several(paths[0]):
        return open_table(paths[0], form)
    files = find_files(paths)
    title = repr(paths[0]) if len(paths) == 1 else f"The table in {len(files):,} files"
    return open_files(files, title, form, _UNREADABLE)


def is_several(path: str) -> bool:
    """Return True if a path names files by a folder or a pattern."""
    return Path(path).is_dir() or (glob.has_magic(path) and not Path(path).exists())


def goes_in_parts(paths: Sequence[str], source: Source) -> bool:
    """Return True for several files, a folder, a pattern, or a large file."""
    is_one = len(paths) == 1 and not is_several(paths[0])
    return not is_one or (paths[0] != STDIN and source.n_cells > LARGE)


def find_files(paths: Sequence[str]) -> list[str]:
    """Return the files that paths, folders and patterns name."""
    return [file for path in paths for file in _named(path)]


def _named(path: str) -> list[str]:
    if path == STDIN:
        raise ValueError("Standard input is one table, which is read at once. Write it to a Parquet file first.")
    found = files_of(path)
    if not found and Path(path).is_dir():
        raise ValueError(f"{path!r} is a folder without CSV, Parquet or Arrow files. Name a file.")
    if not found and glob.has_magic(path):
        raise ValueError(f"No file matches the pattern {path!r}.")
    return found or [_existing(path)]


def _existing(path: str) -> str:
    if not Path(path).exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    return path
