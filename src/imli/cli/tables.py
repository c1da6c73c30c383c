"""CSV files as frames."""

import csv
import re
from datetime import datetime
from pathlib import Path
from typing import Any

from imli.frames import Frame, as_frame
from imli.moments import is_moment

_MISSING = {"", "NA", "NaN", "nan", "null", "None"}
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf", re.IGNORECASE)
_DELIMITERS = ",;\t|"


def read_csv(path: Path) -> Frame:
    """Read a CSV file with a header; the delimiter and the types of the columns are found out."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            header = file.readline()
            file.seek(0)
            delimiter = max(_DELIMITERS, key=header.count)
            rows = [row for row in csv.reader(file, delimiter=delimiter) if row]  # without blank lines
    except csv.Error as error:
        raise ValueError(f"{str(path)!r} is not a CSV file: {error}.") from None
    except UnicodeDecodeError:
        raise ValueError(f"{str(path)!r} is not a text file in UTF-8. Save it as CSV first.") from None
    if len(rows) < 2:
        raise ValueError(f"{str(path)!r} has no rows under its header.")
    names = [name.strip() for name in rows[0]]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{str(path)!r} has {names.count(name)} columns named {name!r}. Rename all but one.")
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(names):
            raise ValueError(f"{str(path)!r} has {len(row)} cells in row {line}, but {len(names)} columns.")
    return as_frame({name: _typed(column) for name, column in zip(names, zip(*rows[1:], strict=True), strict=True)})


def _typed(cells: tuple[str, ...]) -> list[Any]:
    """Cells as integers, numbers, truth values, dates or text, whichever fits all that are not missing."""
    plain = [None if (cell := raw.strip()) in _MISSING else cell for raw in cells]
    present = [cell for cell in plain if cell is not None]
    if all(_INTEGER.fullmatch(cell) for cell in present):
        return [None if cell is None else int(cell) for cell in plain]
    if all(cell.lower() in ("true", "false") for cell in present):
        return [None if cell is None else cell.lower() == "true" for cell in plain]
    if all(_NUMBER.fullmatch(cell) for cell in present):
        return [None if cell is None else float(cell) for cell in plain]
    if all(is_moment(cell) for cell in present):
        try:
            return [None if cell is None else datetime.fromisoformat(cell) for cell in plain]
        except ValueError:  # no such day: not dates, then
            return list(plain)
    return list(plain)
