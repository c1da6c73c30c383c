"""Tables from Parquet files, read and written by polars."""

import io
import sys
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from imli.cli.tables import Table
from imli.files import new_file
from imli.frames import Frame, UnknownColumnError, as_frame


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
