"""Tables from CSV files."""

import csv
import io
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, TextIO

from imli.cli.tables import Reading, Table
from imli.files import write_whole
from imli.frames import ColumnKind, Frame, UnknownColumnError, as_frame
from imli.moments import is_moment

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
            from imli.cli.parquet_tables import write_frame

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
