"""Tables from files or standard input, whatever their format."""

import argparse
import sys
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from imli.frames import ColumnKind, Frame

STDIN = "-"

# How files begin that people take for tables.
_OTHERS = {
    b"PK": "an Excel or zip file. Save the sheet as CSV",
    b"\x1f\x8b": "a compressed file. Unpack it",
    b"\xd0\xcf\x11\xe0": "an old Excel file. Save the sheet as CSV",
    b"SQLite": "a SQLite database. Export the table as CSV",
    b"%PDF": "a PDF file. Find the table it was made from",
}


@dataclass(frozen=True)
class Reading:
    """How a file is to be read, where that is not left to be found out."""

    delimiter: str | None = None
    encoding: str = "utf-8-sig"
    missing: tuple[str, ...] | None = None
    kinds: Mapping[str, ColumnKind] = field(default_factory=dict)


class Table(ABC):
    """A table that was found, and that is read as far as it is needed."""

    source: str  # as it is called in messages

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]: ...

    @abstractmethod
    def frame(self, only: Collection[str] | None = None) -> Frame:
        """The columns, all or those of these names."""

    @abstractmethod
    def write(self, path: str | None, keep: Sequence[str], name: str, labels: Sequence[Any], decisions: Any,
              further: Mapping[str, Any]) -> None:  # fmt: skip
        """Write these columns as they are, a column of decisions (positions in labels), and further numbers."""


def reading_of(options: argparse.Namespace, kinds: Mapping[str, ColumnKind] | None = None) -> Reading:
    """What was typed about reading; types that were typed win over those that a model has."""
    delimiter = {"\\t": "\t", "tab": "\t"}.get(options.delimiter or "", options.delimiter)
    if delimiter is not None and len(delimiter) != 1:
        raise ValueError(f"--delimiter must be one sign, or 'tab'. Got {options.delimiter!r}.")
    return Reading(
        delimiter=delimiter,
        encoding=options.encoding or "utf-8-sig",
        missing=None if options.missing is None else tuple(options.missing),
        kinds={**(kinds or {}), **dict(options.types or ())},
    )


def open_table(path: str, reading: Reading) -> Table:
    """The table in a CSV or Parquet file; ``-`` is standard input."""
    from imli.cli.csv_tables import CsvTable
    from imli.cli.parquet_tables import ParquetTable

    if path == STDIN:
        content = sys.stdin.buffer.read()
        name = "standard input"
    elif Path(path).is_dir():
        raise ValueError(f"{path!r} is a folder. Name a CSV or Parquet file in it.")
    else:
        with Path(path).open("rb") as file:
            content = file.read(64)
        name = repr(path)
    if content[:4] == b"PAR1":
        return ParquetTable(name, content if path == STDIN else [Path(path)])
    for sign, what in _OTHERS.items():
        if content.startswith(sign):
            raise ValueError(f"{name} is {what}; imli reads CSV and Parquet files.")
    return CsvTable(name, content if path == STDIN else Path(path).read_bytes(), reading)
