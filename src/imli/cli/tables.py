"""Tables from files or standard input, whatever their format.

Tables from CSV files.

Tables from Parquet files, read and written by polars.

Which Parquet files are meant, and whether they are read in parts. Nothing heavy is imported here.
"""

import argparse
import csv
import errno
import glob
import io
import os
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, TextIO

from imli.cli.options import LARGE
from imli.errors import UnknownColumnError
from imli.files import new_file, write_whole
from imli.table.dates import is_moment
from imli.table.frame import ColumnKind, Frame
from imli.table.read import as_frame

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


_MISSING = ("NA", "NaN", "nan", "null", "None")
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf", re.IGNORECASE)
_FLAGS = {"true": True, "false": False, "1": True, "0": False}
_DELIMITERS = ",;\t|"
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


class CsvTable(Table):
    """Text with a header; the delimiter and the types of the columns are found out, or given."""

    def __init__(self, source: str, content: bytes, reading: Reading) -> None:
        self.source = source
        self._content = content
        self._reading = reading

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._cells)

    @cached_property
    def _cells(self) -> dict[str, tuple[str, ...]]:
        """The text of all cells, by column."""
        header, *rows = self._rows()
        names = [name.strip() for name in header]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{self.source} has {names.count(name)} columns named {name!r}. Rename all but one.")
        for line, row in enumerate(rows, start=2):
            if len(row) != len(names):
                raise ValueError(f"{self.source} has {len(row)} cells in row {line}, but {len(names)} columns.")
        return dict(zip(names, zip(*rows, strict=True), strict=True))

    def _rows(self) -> list[list[str]]:
        text = self._text()
        delimiter = self._reading.delimiter or max(_DELIMITERS, key=text.partition("\n")[0].count)
        try:
            rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
        except csv.Error as error:
            raise ValueError(f"{self.source} is not a CSV file: {error}.") from None
        if not rows:
            raise ValueError(f"{self.source} is empty.")
        if len(rows) < 2:
            raise ValueError(f"{self.source} has no rows under its header.")
        return rows

    def _text(self) -> str:
        encoding = self._reading.encoding
        try:
            text = self._content.decode(encoding)
        except LookupError:
            raise ValueError(f"--encoding must be one that Python knows, such as latin-1. Got {encoding!r}.") from None
        except UnicodeDecodeError:
            wanted = "UTF-8" if encoding == "utf-8-sig" else encoding
            raise ValueError(
                f"{self.source} is not text in {wanted}. Save it as CSV in UTF-8, or name its --encoding."
            ) from None
        if _BINARY.search(text, 0, 4096):
            raise ValueError(f"{self.source} is not a table but binary data; imli reads CSV and Parquet files.")
        return text

    def frame(self, only: Collection[str] | None = None) -> Frame:
        for name in (*(only or ()), *self._given_kinds(only)):
            if name not in self._cells:
                raise UnknownColumnError.named(name, self.names)
        wanted = [name for name in self.names if only is None or name in only]
        return as_frame({name: self._typed(name) for name in wanted})

    def _given_kinds(self, only: Collection[str] | None) -> Mapping[str, ColumnKind]:
        """Those that are about the whole table; a model has kinds of columns that it does not need."""
        return self._reading.kinds if only is None else {}

    def _typed(self, name: str) -> list[Any]:
        """The cells of a column as integers, numbers, truth values, dates or text; missing ones are None."""
        missing = {"", *(_MISSING if self._reading.missing is None else self._reading.missing)}
        plain = [None if (cell := raw.strip()) in missing else cell for raw in self._cells[name]]
        kind = self._reading.kinds.get(name)
        return _found_out(plain) if kind is None else self._as_kind(name, kind, plain)

    def _as_kind(self, name: str, kind: ColumnKind, cells: list[str | None]) -> list[Any]:
        if kind == "text":
            return list(cells)
        tests: dict[str, Callable[[str], object]] = {
            "number": _NUMBER.fullmatch,
            "flag": lambda cell: cell.lower() in _FLAGS,
            "date": is_moment,
        }
        fits = tests[kind]
        for line, cell in enumerate(cells, start=2):
            if cell is not None and not fits(cell):
                raise ValueError(
                    f"Column {name!r} of {self.source} holds {cell!r} in row {line}, which is no {kind}. "
                    f"Correct it, or read the column as text with --type '{name}=text'."
                )
        if kind == "number":
            return _numbers(cells)
        if kind == "flag":
            return [None if cell is None else _FLAGS[cell.lower()] for cell in cells]
        return [None if cell is None else datetime.fromisoformat(cell) for cell in cells]

    def write(self, path: str | None, keep: Sequence[str], name: str, labels: Sequence[Any], decisions: Any,
              further: Mapping[str, Any]) -> None:  # fmt: skip
        texts = [_written(label) for label in labels]
        columns: dict[str, Iterable[str]] = {column: self._cells[column] for column in keep}
        columns[name] = map(texts.__getitem__, decisions.tolist())
        columns.update({column: map(repr, numbers.tolist()) for column, numbers in further.items()})
        if path is not None and path.endswith(".parquet"):
            write_frame(path, {column: list(cells) for column, cells in columns.items()})
        elif path is None:
            _write_csv(sys.stdout, columns)
        else:
            text = io.StringIO(newline="")
            _write_csv(text, columns)
            write_whole(path, text.getvalue())


def _write_csv(file: TextIO, columns: Mapping[str, Iterable[str]]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))


def _written(label: Any) -> str:
    return str(label).lower() if isinstance(label, bool) else str(label)


def _found_out(cells: list[str | None]) -> list[Any]:
    """Cells as whichever fits all that are not missing."""
    present = [cell for cell in cells if cell is not None]
    if all(map(_NUMBER.fullmatch, present)):
        return _numbers(cells)
    if all(cell.lower() in ("true", "false") for cell in present):
        return [None if cell is None else _FLAGS[cell.lower()] for cell in cells]
    if all(map(is_moment, present)):
        try:
            return [None if cell is None else datetime.fromisoformat(cell) for cell in cells]
        except ValueError:  # no such day: not dates, then
            return list(cells)
    return list(cells)


def _numbers(cells: list[str | None]) -> list[Any]:
    if all(_INTEGER.fullmatch(cell) for cell in cells if cell is not None):
        return [None if cell is None else int(cell) for cell in cells]
    return [None if cell is None else float(cell) for cell in cells]


class ParquetTable(Table):
    """A Parquet file, or several of the same columns; only those that are needed are read."""

    def __init__(self, source: str, content: bytes | Sequence[Path]) -> None:
        self.source = source
        self._content = content

    @cached_property
    def names(self) -> tuple[str, ...]:
        polars = require_polars()
        try:
            return tuple(polars.read_parquet_schema(self._file()))
        except polars.exceptions.PolarsError as error:
            raise self._unreadable(error) from None

    @property
    def n_cells(self) -> int:
        """Rows times columns, of which a Parquet file says how many there are."""
        return len(self.names) * self._n_rows()

    def _n_rows(self) -> int:
        polars = require_polars()
        return int(polars.scan_parquet(self._files()).select(polars.len()).collect().item())

    def frame(self, only: Collection[str] | None = None) -> Frame:
        for name in only or ():
            if name not in self.names:
                raise UnknownColumnError.named(name, self.names)
        return as_frame(self._read([name for name in self.names if only is None or name in only]))

    def _read(self, names: Sequence[str]) -> Any:
        polars = require_polars()
        if not names:  # polars takes none for all, and a rule may need none: then it is the rows that count
            return polars.DataFrame({"": polars.repeat(None, self._n_rows(), eager=True)})
        try:
            return polars.read_parquet(self._files(), columns=list(names))
        except polars.exceptions.PolarsError as error:
            raise self._unreadable(error) from None

    def _file(self) -> Any:
        """The first, which says what all are like."""
        return io.BytesIO(self._content) if isinstance(self._content, bytes) else self._content[0]

    def _files(self) -> Any:
        return self._file() if isinstance(self._content, bytes) or len(self._content) == 1 else list(self._content)

    def _unreadable(self, error: Exception) -> ValueError:
        return ValueError(f"{self.source} is not a Parquet file that can be read: {_first_line(error)}")

    def write(self, path: str | None, keep: Sequence[str], name: str, labels: Sequence[Any], decisions: Any,
              further: Mapping[str, Any]) -> None:  # fmt: skip
        polars = require_polars()
        kept = self._read(keep) if keep else polars.DataFrame()
        decided = polars.Series(name, list(labels), strict=False).gather(decisions)
        write_frame(path, {**{each: kept[each] for each in keep}, name: decided, **further})


def write_frame(path: str | None, columns: Mapping[str, Any]) -> None:
    """Write columns as CSV to standard output, or as what the ending of the path says."""
    frame = require_polars().DataFrame(columns)
    if path is None:
        frame.write_csv(sys.stdout)
        return
    with new_file(path) as unfinished:
        if path.endswith(".parquet"):
            frame.write_parquet(unfinished)
        else:
            frame.write_csv(unfinished)


def require_polars() -> Any:
    """polars, or what to install."""
    try:
        import polars
    except ImportError:
        raise ImportError('Parquet files need polars. Install it with: pip install "imli[parquet]".') from None
    return polars


def _first_line(error: Exception) -> str:
    return f"{str(error).partition(chr(10))[0].rstrip('.')}."


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

    return ParquetTable(repr(path), [Path(path)]).n_cells
