"""CSV files as a source: the delimiter, the header and the kinds of the columns are found out, or given."""

import codecs
import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np

from imli.errors import first_line
from imli.table.csv_cells import KINDS, MisfitError, fitting_kinds, read_cells
from imli.table.frame import Column, ColumnKind, Frame
from imli.table.sample import Source

_MISSING = ("NA", "NaN", "nan", "null", "None")
_DELIMITERS = ",;\t|"
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_UTF_8 = "utf-8-sig"
_START = 2**16  # characters that tell the delimiter
_BLOCK = 2**20  # bytes that pyarrow reads at a time, of which it reads some thirty ahead
_PART = 2**24  # bytes of the cells of a part
_LARGEST_BLOCK = 2**31 - 1  # that pyarrow takes
_SAMPLE = 2**20  # bytes by which the number of cells is estimated


@dataclass(frozen=True)
class CsvFormat:
    """The ways in which CSV files differ. A delimiter and kinds of columns that are not given are found out."""

    delimiter: str | None = None
    encoding: str = _UTF_8
    missing: tuple[str, ...] | None = None
    kinds: Mapping[str, ColumnKind] = field(default_factory=dict)


@dataclass(frozen=True)
class _CsvFile:
    """A CSV file, or the content of one, whose header was read."""

    title: str
    content: Path | bytes
    names: tuple[str, ...]
    delimiter: str
    n_lines: int  # of the header
    has_rows: bool

    @property
    def size(self) -> int:
        return len(self.content) if isinstance(self.content, bytes) else self.content.stat().st_size


@dataclass(frozen=True)
class _CsvPart:
    """Rows of a CSV file as text."""

    file: _CsvFile
    n_before: int  # rows of the file
    cells: Any  # a batch of records of pyarrow


class CsvSource(Source):
    """CSV files with the same columns, or the content of one; a column gets the kind that fits all of its cells."""

    def __init__(self, title: str, contents: Sequence[Path | bytes], form: CsvFormat | None = None) -> None:
        self.title, self._form = title, form or CsvFormat()
        self._missing = {"", *(_MISSING if self._form.missing is None else self._form.missing)}
        self._kinds: dict[str, str] = {}  # that a look at all rows has found
        self._n_rows: int | None = None
        self._files = [self._read_header(title if len(contents) == 1 else repr(str(each)), each) for each in contents]
        first, *others = self._files
        for file in others:
            if set(file.names) != set(first.names):
                raise ValueError(
                    f"{file.title} has other columns than {first.title}. Name files with the same columns."
                )

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of all columns, in the order of the first file."""
        return self._files[0].names

    @property
    def n_rows(self) -> int:
        """Return the number of rows, for which all of them are read once."""
        if self._n_rows is None:
            for _ in self._parts(()):
                pass
        assert self._n_rows is not None
        return self._n_rows

    @property
    def n_cells(self) -> int:
        """Return an estimate of the number of rows times columns, from the beginning of the first file."""
        first = self._files[0]
        with _open_binary(first.content) as stream:
            start = stream.read(_SAMPLE)
        n_cells = start.count(b"\n") + start.count(first.delimiter.encode())
        return n_cells * sum(file.size for file in self._files) // max(1, len(start))

    def frame(self, columns: Collection[str] | None = None) -> Frame:
        """Return all rows, with all columns or with these."""
        if columns is None:  # else kinds may come from a model that needs other columns
            self.require(self._form.kinds)
        return super().frame(columns)

    def rows(
        self, columns: Collection[str], keep: Sequence[str] = (), at_once: bool = False
    ) -> Iterator[tuple[Frame, Any]]:
        """Yield part by part, or all at once, a frame of some columns, and a table of the text of those to keep."""
        import pyarrow as pa

        parts = self._parts({*columns, *keep}, as_they_are=bool(keep))
        if at_once:
            every = list(parts)
            self._find_kinds(columns, every)
            yield self._typed(every, columns), pa.Table.from_batches([part.cells for part in every]).select(list(keep))
            return
        unknown = [name for name in columns if name not in self._form.kinds]
        self._find_kinds(unknown, self._parts(unknown))
        for part in parts:
            yield self._typed([part], columns), pa.Table.from_batches([part.cells]).select(list(keep))

    def _labelled_frames(self, columns: Collection[str]) -> Iterator[tuple[Frame, Any]]:
        beside = [] if self.target is None else [self.target]
        self._find_kinds([*columns, *beside], self._parts([*columns, *beside]))
        for frame, _ in self.rows([*columns, *beside]):
            yield frame, np.zeros(frame.n_rows, dtype=bool) if self.target is None else frame[self.target]

    def _find_kinds(self, columns: Collection[str], parts: Iterable[_CsvPart]) -> None:
        """Look for the kind that fits all cells of each column, where it was neither found nor given."""
        given = self._form.kinds
        self._kinds.update({name: given[name] for name in columns if given.get(name, "number") != "number"})
        # a column of given numbers may still be of whole numbers
        among = {name: frozenset(("whole",) if name in given else KINDS) for name in columns if name not in self._kinds}
        if not among:
            return
        for part in parts:
            for name, kinds in among.items():
                among[name] = fitting_kinds(part.cells.column(name), kinds, self._missing)
        for name, kinds in among.items():
            self._kinds[name] = next((kind for kind in KINDS if kind in kinds), given.get(name, "text"))

    def _typed(self, parts: Sequence[_CsvPart], columns: Collection[str]) -> Frame:
        """Return the cells of these columns by the kinds that were found, or given."""
        wanted = [name for name in self.columns if name in columns]
        return Frame({name: self._column(name, parts) for name in wanted}, sum(part.cells.num_rows for part in parts))

    def _column(self, name: str, parts: Sequence[_CsvPart]) -> Column:
        chunks = [part.cells.column(name) for part in parts]
        kind = self._kinds.get(name)
        if kind is None:  # of numbers in a part, it does not matter what the others are
            kind = self._form.kinds[name]
            if kind == "number" and fitting_kinds(chunks[0], frozenset(("whole",)), self._missing):
                kind = "whole"
        try:
            return read_cells(name, chunks, kind, self._missing)
        except MisfitError as odd:
            position = odd.position
            for part in parts:
                if position < part.cells.num_rows:
                    break
                position -= part.cells.num_rows
            raise ValueError(
                f"Column {name!r} of {part.file.title} holds {odd.text!r} in row {part.n_before + position + 2}, "
                f"which is no {kind}. Correct it, or read the column as text with --type '{name}=text'."
            ) from None

    def _parts(self, columns: Collection[str], as_they_are: bool = False) -> Iterator[_CsvPart]:
        """Yield the text of these columns, or of the first if there are none; cells that are missing are null."""
        wanted = [name for name in self.columns if name in columns] or self.columns[:1]
        n_rows = 0
        for number, file in enumerate(self._files, start=1):
            self.place = place_among(number, len(self._files))
            if not file.has_rows:
                continue
            n_before = 0
            for table in gather_batches(self._batches(file, wanted, as_they_are), _PART, lambda batch: batch.nbytes):
                for batch in table.combine_chunks().to_batches():
                    yield _CsvPart(file, n_before, batch)
                    n_before += batch.num_rows
            n_rows += n_before
        if not n_rows:
            raise ValueError(f"{self.title} has no rows under its header.")
        self._n_rows = n_rows

    def _batches(self, file: _CsvFile, columns: Sequence[str], as_they_are: bool) -> Iterator[Any]:
        import pyarrow as pa

        size, n_read = _BLOCK, 0
        while True:
            n_seen = 0
            try:
                with closing(_Blocks(file.content, self._form.encoding)) as blocks:
                    for batch in self._open_csv(file, blocks, columns, as_they_are, size):
                        n_new = n_seen + batch.num_rows - n_read
                        n_seen += batch.num_rows
                        if n_new > 0:
                            n_read = n_seen
                            yield batch.slice(batch.num_rows - n_new)
                return
            except (pa.ArrowException, UnicodeError) as error:
                largest = min(4 * file.size, _LARGEST_BLOCK)  # no encoding takes more bytes in UTF-8
                if "straddling" not in str(error) or size >= largest:  # else a row is larger than the block
                    self._refuse(file, error)
                size = min(16 * size, largest)

    def _open_csv(
        self, file: _CsvFile, blocks: "_Blocks", columns: Sequence[str], as_they_are: bool, block_size: int
    ) -> Any:
        import pyarrow as pa
        from pyarrow import csv as arrow

        return arrow.open_csv(
            pa.PythonFile(blocks, mode="r"),
            arrow.ReadOptions(column_names=file.names, skip_rows=file.n_lines, block_size=block_size),
            arrow.ParseOptions(delimiter=file.delimiter, newlines_in_values=True),
            arrow.ConvertOptions(
                include_columns=columns,
                column_types=dict.fromkeys(columns, pa.string()),
                null_values=sorted(text for text in self._missing if text == text.strip()),
                strings_can_be_null=not as_they_are,
            ),
        )

    def _read_header(self, title: str, content: Path | bytes) -> _CsvFile:
        with self._refusing_text(title), _open_text(content, self._form.encoding) as text:
            start = text.read(_START)
            if _BINARY.search(start, 0, 4096):
                raise ValueError(f"{title} is not a table but binary data; imli reads CSV and Parquet files.")
            delimiter = self._form.delimiter or max(_DELIMITERS, key=start.partition("\n")[0].count)
            text.seek(0)
            reader = csv.reader(text, delimiter=delimiter)
            rows = filter(None, reader)
            header, n_lines, has_rows = next(rows, None), reader.line_num, any(rows)
        if header is None:
            raise ValueError(f"{title} is empty.")
        if not has_rows and title == self.title:
            raise ValueError(f"{title} has no rows under its header.")
        names = tuple(name.strip() for name in header)
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{title} has {names.count(name)} columns named {name!r}. Rename all but one.")
        return _CsvFile(title, content, names, delimiter, n_lines, has_rows)

    def _refuse(self, file: _CsvFile, error: Exception) -> NoReturn:
        """Raise the sentence about a file that pyarrow cannot read, with the row, which pyarrow does not know."""
        with self._refusing_text(file.title), _open_text(file.content, self._form.encoding) as text:
            while text.read(_SAMPLE):  # the encoding comes first
                pass
            text.seek(0)
            rows = filter(None, csv.reader(text, delimiter=file.delimiter))
            for number, row in enumerate(rows, start=1):
                if len(row) != len(file.names):
                    raise ValueError(
                        f"{file.title} has {len(row)} cells in row {number}, but {len(file.names)} columns."
                    )
        raise ValueError(f"{file.title} is not a CSV file: {first_line(error)}") from None

    @contextmanager
    def _refusing_text(self, title: str) -> Iterator[None]:
        """Turn errors about text and cells in this block into sentences."""
        encoding = self._form.encoding
        try:
            yield
        except UnicodeError:
            wanted = "UTF-8" if encoding == _UTF_8 else encoding
            raise ValueError(
                f"{title} is not text in {wanted}. Save it as CSV in UTF-8, or name its --encoding."
            ) from None
        except csv.Error as error:
            raise ValueError(f"{title} is not a CSV file: {error}.") from None


def gather_batches(batches: Iterable[Any], enough: int, size: Callable[[Any], int]) -> Iterator[Any]:
    """Yield tables of batches of records, of which small ones are put together until they are large enough."""
    import pyarrow as pa

    waiting, total = [], 0
    for batch in batches:
        waiting.append(batch)
        total += size(batch)
        if total >= enough:
            yield pa.Table.from_batches(waiting)
            waiting, total = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def place_among(number: int, n_files: int) -> str:
    """Return the place of one of several files in words."""
    return f"file {number:,} of {n_files:,}" if n_files > 1 else ""


class _Blocks:
    """The content of a file in UTF-8, in blocks that never end between the two signs of a line end.

    pyarrow would drop the second sign, also inside quotation marks.
    """

    closed = False

    def __init__(self, content: Path | bytes, encoding: str) -> None:
        self._is_text = codecs.lookup(encoding).name not in ("utf-8", _UTF_8)
        self._stream: IO[Any] = _open_text(content, encoding) if self._is_text else _open_binary(content)
        self._kept = b""

    def read(self, size: int) -> bytes:
        """Return at most so many bytes, and none at the end of the file."""
        size -= len(self._kept)
        more: bytes = self._stream.read(size // 4).encode() if self._is_text else self._stream.read(size)
        block = self._kept + more
        self._kept = b"\r" if len(block) > 1 and block.endswith(b"\r") else b""
        return block[:-1] if self._kept else block

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def _open_binary(content: Path | bytes) -> IO[bytes]:
    return io.BytesIO(content) if isinstance(content, bytes) else content.open("rb")


def _open_text(content: Path | bytes, encoding: str) -> IO[str]:
    stream = _open_binary(content)
    try:
        return io.TextIOWrapper(stream, encoding=encoding, newline="")
    except LookupError:
        stream.close()
        raise ValueError(f"--encoding must be one that Python knows, such as latin-1. Got {encoding!r}.") from None
