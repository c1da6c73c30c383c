"""Tables in files, read whole or in parts by pyarrow: CSV and Parquet files, Arrow datasets, and frames in turn."""

import codecs
import csv
import glob
import io
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, NoReturn, Self

import numpy as np

from imli.errors import UnknownColumnError
from imli.table.csv_cells import KINDS, MisfitError, fitting_kinds, read_cells
from imli.table.frame import AnyArray, Column, ColumnKind, FloatArray, Frame
from imli.table.read import as_frame, is_missing, read_labels

LARGE = 50_000_000  # cells, rows times columns: a file that has more of them is read in parts
ROWS_AT_A_TIME = 2**18

_MAGIC = b"PAR1"
# How files begin that people take for tables.
_OTHERS = {
    b"PK": "an Excel or zip file. Save the sheet as CSV",
    b"\x1f\x8b": "a compressed file. Unpack it",
    b"\xd0\xcf\x11\xe0": "an old Excel file. Save the sheet as CSV",
    b"SQLite": "a SQLite database. Export the table as CSV",
    b"%PDF": "a PDF file. Find the table it was made from",
}


@dataclass(frozen=True, eq=False)
class Piece:
    """Rows of positive weight, with a label and a weight for each."""

    frame: Frame
    labels: AnyArray
    weights: FloatArray


class Source(ABC):
    """A table in files that is read as often as needed, always with the same rows in the same order."""

    title: str  # as messages call it
    target: str | None = None  # the column of labels, and the one of weights
    weight: str | None = None

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Return the names of all columns."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Return the number of rows."""

    @property
    @abstractmethod
    def n_cells(self) -> int:
        """Return the number of rows times columns, or an estimate if only reading the table would tell."""

    @abstractmethod
    def rows(
        self, columns: Collection[str], keep: Sequence[str] = (), at_once: bool = False
    ) -> Iterator[tuple[Frame, Any]]:
        """Yield part by part, or all at once, a frame of some columns, and a table of those to keep as they are."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns that rules may use."""
        return tuple(name for name in self.columns if name not in (self.target, self.weight))

    @property
    def is_weighted(self) -> bool:
        """Return True if a column says what each row weighs."""
        return self.weight is not None

    def labelled(self, target: str, weight: str | None = None) -> Self:
        """Return this source with a column of labels, and maybe one of weights."""
        self.require([target, *([] if weight is None else [weight])])
        found = copy(self)
        found.target, found.weight = target, weight
        return found

    def require(self, columns: Iterable[str]) -> None:
        """Refuse columns that the table does not have."""
        for name in columns:
            if name not in self.columns:
                raise UnknownColumnError.named(name, self.columns)

    def frame(self, columns: Collection[str] | None = None) -> Frame:
        """Return all rows, with all columns or with these."""
        wanted = self.columns if columns is None else columns
        self.require(wanted)
        ((frame, _),) = self.rows(wanted, at_once=True)
        return frame

    def pieces(self, columns: Collection[str] | None = None) -> Iterator[Piece]:
        """Yield all rows part by part, with all columns that rules may use or with these."""
        wanted = [name for name in self.names if columns is None or name in columns]
        beside = [] if self.weight is None else [self.weight]
        for frame, labels in self._labelled_frames([*wanted, *beside]):
            yield make_piece(frame.select(wanted), labels, self._weights_in(frame))

    @abstractmethod
    def _labelled_frames(self, columns: Collection[str]) -> Iterator[tuple[Frame, Any]]:
        """Yield part by part a frame of some columns, and the labels beside it."""

    def _weights_in(self, frame: Frame) -> AnyArray | None:
        if self.weight is None:
            return None
        column = frame[self.weight]
        if column.kind not in ("number", "flag"):
            raise ValueError(f"Weights are numbers, but column {self.weight!r} holds {column.kind_in_words}.")
        return np.where(column.missing, np.nan, column.numbers())

    def close(self) -> None:
        """Remove what was written for this source."""


def _frame_of(table: Any, columns: Collection[str]) -> Frame:
    """Return these columns of a table of pyarrow, in its order; of no columns the rows still count."""
    wanted = [name for name in table.column_names if name in columns]
    return as_frame(table.select(wanted)) if wanted else Frame({}, table.num_rows)


def make_piece(frame: Frame, labels: Any, weights: Any) -> Piece:
    """Check labels and weights, and return the rows whose weight is not 0."""
    found = read_labels(labels)
    missing = _missing(found)
    if missing.any():
        raise ValueError(f"Input y contains NaN: {missing.sum()} labels are missing in one part. Drop those rows.")
    if weights is None:
        return Piece(frame, found, np.ones(frame.n_rows))
    numbers = np.asarray(weights, dtype=np.float64)
    if not np.isfinite(numbers).all() or (numbers < 0).any():
        raise ValueError("The weights must be finite and not negative.")
    in_use = numbers > 0
    if in_use.all():
        return Piece(frame, found, numbers)
    return Piece(frame.take(in_use), found[in_use], numbers[in_use])


def _missing(labels: AnyArray) -> AnyArray:
    if labels.dtype.kind == "f":
        return np.isnan(labels)
    if labels.dtype.kind == "O":
        return np.array([is_missing(label) for label in labels.tolist()], dtype=bool)
    return np.zeros(len(labels), dtype=bool)


class ArrowSource(Source):
    """A dataset of pyarrow, which may be one file or very many."""

    def __init__(
        self, dataset: Any, title: str = "The dataset", folder: "TemporaryDirectory[str] | None" = None
    ) -> None:
        self.title, self.dataset = title, dataset
        self._folder = folder  # that is removed with the source

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of all columns."""
        return tuple(self.dataset.schema.names)

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return int(self.dataset.count_rows())

    @property
    def n_cells(self) -> int:
        """Return the number of rows times columns."""
        return self.n_rows * len(self.columns)

    def _tables(self, columns: Collection[str], at_once: bool = False) -> Iterator[Any]:
        import pyarrow as pa

        wanted = [name for name in self.columns if name in columns] or list(self.columns[:1])
        if at_once:
            with _refusing_damage(self.title):
                table = self.dataset.to_table(columns=wanted)
            yield table
            return

        waiting: list[Any] = []  # small batches, as many small files give them
        with _refusing_damage(self.title):
            for batch in self._batches(wanted):
                waiting.append(batch)
                if sum(each.num_rows for each in waiting) >= ROWS_AT_A_TIME:
                    yield pa.Table.from_batches(waiting)
                    waiting = []
        if waiting:
            yield pa.Table.from_batches(waiting)

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        wanted = {"columns": columns, "batch_size": ROWS_AT_A_TIME}
        try:
            fragments = list(self.dataset.get_fragments())
        except ValueError:  # it is filtered, and can only be read as a whole
            yield from (batch for batch in self.dataset.to_batches(**wanted) if batch.num_rows)
            return
        for fragment in fragments:
            # each group of rows by itself: a scan of all reads ahead of the search, until all is in memory
            groups = fragment.split_by_row_group() if hasattr(fragment, "split_by_row_group") else [fragment]
            for group in groups:
                batches = group.to_batches(schema=self.dataset.schema, **wanted)
                yield from (batch for batch in batches if batch.num_rows)

    def rows(
        self, columns: Collection[str], keep: Sequence[str] = (), at_once: bool = False
    ) -> Iterator[tuple[Frame, Any]]:
        """Yield part by part, or all at once, a frame of some columns, and a table of those to keep."""
        tables = self._tables({*columns, *keep}, at_once)
        first = next(tables, self.dataset.schema.empty_table())
        for table in chain([first], tables):
            yield _frame_of(table, columns), table.select(list(keep))

    def _labelled_frames(self, columns: Collection[str]) -> Iterator[tuple[Frame, Any]]:
        for table in self._tables({*columns, *([] if self.target is None else [self.target])}):
            labels = np.zeros(table.num_rows, dtype=bool) if self.target is None else table.column(self.target)
            yield _frame_of(table, columns), labels

    def close(self) -> None:
        """Remove the folder that was written for this source."""
        if self._folder is not None:
            self._folder.cleanup()


@contextmanager
def _refusing_damage(title: str) -> Iterator[None]:
    """Turn errors of pyarrow in this block into a sentence."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{title} cannot be read: {first_line(error)}") from None


_MISSING = ("NA", "NaN", "nan", "null", "None")
_DELIMITERS = ",;\t|"
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_UTF_8 = "utf-8-sig"
_START = 2**16  # characters that tell the delimiter
_BLOCK = 2**24  # bytes of a part
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
        require_pyarrow()
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
        pa = require_pyarrow()
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
        for file in (each for each in self._files if each.has_rows):
            n_before = 0
            for batch in self._batches(file, wanted, as_they_are):
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
                for batch in self._open_csv(file, columns, as_they_are, size):
                    n_new = n_seen + batch.num_rows - n_read
                    n_seen += batch.num_rows
                    if n_new > 0:
                        n_read = n_seen
                        yield batch.slice(batch.num_rows - n_new)
                return
            except (pa.ArrowException, UnicodeDecodeError) as error:
                largest = min(file.size, _LARGEST_BLOCK)
                if "straddling" not in str(error) or size >= largest:  # else a row is larger than the block
                    self._refuse(file, error)
                size = min(16 * size, largest)

    def _open_csv(self, file: _CsvFile, columns: Sequence[str], as_they_are: bool, block_size: int) -> Any:
        import pyarrow as pa
        from pyarrow import csv as arrow

        encoding = codecs.lookup(self._form.encoding).name
        return arrow.open_csv(
            pa.BufferReader(file.content) if isinstance(file.content, bytes) else pa.OSFile(str(file.content)),
            arrow.ReadOptions(
                column_names=file.names,
                skip_rows=file.n_lines,
                block_size=block_size,
                encoding="utf8" if encoding in ("utf-8", _UTF_8) else encoding,
            ),
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


def _open_binary(content: Path | bytes) -> IO[bytes]:
    return io.BytesIO(content) if isinstance(content, bytes) else content.open("rb")


def _open_text(content: Path | bytes, encoding: str) -> IO[str]:
    try:
        return io.TextIOWrapper(_open_binary(content), encoding=encoding, newline="")
    except LookupError:
        raise ValueError(f"--encoding must be one that Python knows, such as latin-1. Got {encoding!r}.") from None


def open_source(X: Any, target: Any, weight: Any = None) -> Source:
    """Return a table that is read in parts, with a column of labels and maybe one of weights."""
    for what, name in (("y", target), ("sample_weight", weight)):
        if not isinstance(name, str) and not (what == "sample_weight" and name is None):
            raise TypeError(f"Of a table that is read in parts, {what} is the name of a column. Got {name!r}.")
    source = _write_frames(X) if isinstance(X, Iterator) else _opened(X)
    try:
        return source.labelled(target, weight)
    except BaseException:
        source.close()
        raise


def open_rows(X: Any, columns: Collection[str]) -> Iterator[Frame]:
    """Yield the rows of a table that is read in parts, with these columns; an iterator of frames is read once."""
    if isinstance(X, Iterator):
        for given in X:
            frame = as_frame(given, only=columns)
            if frame.n_rows:
                yield frame
        return
    source = _opened(X)
    source.require(columns)
    yield from (frame for frame, _ in source.rows(columns) if frame.n_rows)


def _opened(X: Any) -> Source:
    if isinstance(X, Source):
        return X
    return ArrowSource(X) if is_dataset(X) else open_files(find_files(X))


def find_files(paths: Any) -> list[str]:
    """Return the files that paths name: files, folders of Parquet files, or patterns such as ``big/*.csv``."""
    files: list[str] = []
    for path in map(str, [paths] if isinstance(paths, str | Path) else list(paths)):
        found = files_of(path)
        if not found:
            what = "no Parquet file in it" if Path(path).is_dir() else "no such file"
            raise FileNotFoundError(f"There is {what}: {path!r}.")
        files += found
    return files


def files_of(path: str) -> list[str]:
    """Return the files that a path names: itself, the Parquet files in a folder, or all that match a pattern."""
    if Path(path).is_dir():
        return sorted(str(file) for file in Path(path).rglob("*.parquet"))
    if Path(path).exists():
        return [path]
    found = sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else []
    return [file for each in found for file in (files_of(each) if Path(each).is_dir() else [each])]


def open_files(
    files: Sequence[str | Path],
    title: str | None = None,
    form: CsvFormat | None = None,
    unreadable: str = "cannot be read as Parquet",
) -> Source:
    """Return the table in CSV or in Parquet files; ``title`` and ``unreadable`` are words for messages."""
    require_pyarrow()
    first, *others = map(str, files)
    title = title or (f"These {len(files):,} files, from {first!r} on," if others else repr(first))
    are_parquet = [is_parquet(str(file)) for file in files]
    if all(are_parquet):
        return _open_parquet(list(map(str, files)), title, unreadable)
    if any(are_parquet):
        odd = str(files[are_parquet.index(not are_parquet[0])])
        raise ValueError(
            f"CSV and Parquet files are not read as one table, but {first!r} and {odd!r} differ. Name files of one kind."
        )
    return CsvSource(title, [_regular(Path(file)) for file in files], form)


def open_content(content: bytes, title: str, form: CsvFormat | None = None) -> Source:
    """Return the table in the content of a CSV or Parquet file."""
    require_pyarrow()
    if not content.startswith(_MAGIC):
        _refuse_others(content, title)
        return CsvSource(title, [content], form)
    import pyarrow as pa
    from pyarrow import dataset, parquet

    with _refusing_damage(title):
        return ArrowSource(dataset.dataset(parquet.read_table(pa.BufferReader(content))), title)


def is_parquet(path: str) -> bool:
    """Return True if a file is one of Parquet by its first bytes, or by its name; refuse files of other formats."""
    if path.endswith(".parquet"):
        return True
    if not Path(path).is_file():  # a pipe, which can be read only once
        return False
    with Path(path).open("rb") as file:
        start = file.read(64)
    if start.startswith(_MAGIC):
        return True
    _refuse_others(start, repr(path))
    return False


def _refuse_others(start: bytes, title: str) -> None:
    for sign, what in _OTHERS.items():
        if start.startswith(sign):
            raise ValueError(f"{title} is {what}; imli reads CSV and Parquet files.")


def _regular(path: Path) -> Path | bytes:
    """Return the path of a file that can be read again, else what is read from it."""
    return path if path.is_file() or not path.exists() else path.read_bytes()


def _open_parquet(files: list[str], title: str, unreadable: str) -> ArrowSource:
    from pyarrow import dataset

    try:
        found = dataset.dataset(files, format="parquet")
        return ArrowSource(dataset.dataset(files, format="parquet", schema=_fitting_all(found)), title)
    except Exception as error:
        raise ValueError(f"{title} {unreadable}: {first_line(error)}") from None


def _fitting_all(found: Any) -> Any:
    """Return columns that fit all files of a dataset: one may have whole numbers where another has fractions."""
    import pyarrow as pa

    schemas = [fragment.physical_schema for fragment in found.get_fragments()]
    return pa.unify_schemas([found.schema, *schemas], promote_options="permissive")


def _write_frames(frames: Iterator[Any]) -> ArrowSource:
    """Write frames, which come only once, to a temporary folder and return them as a source."""
    import narwhals as nw

    require_pyarrow()
    import pyarrow.parquet as parquet

    folder = TemporaryDirectory(prefix="imli-")
    try:
        paths = []
        for number, frame in enumerate(frames):
            paths.append(Path(folder.name) / f"{number:09}.parquet")
            parquet.write_table(nw.from_native(frame, eager_only=True).to_arrow(), paths[-1])
        if not paths:
            raise ValueError("The data has no rows.")
        title = f"These {len(paths):,} files, from {str(paths[0])!r} on,"
        found = _open_parquet(list(map(str, paths)), title, "cannot be read as Parquet")
        return ArrowSource(found.dataset, folder=folder)
    except BaseException:
        folder.cleanup()
        raise


def is_dataset(X: Any) -> bool:
    """Return True for a dataset of pyarrow. A table, which is in memory, knows how many rows it has."""
    is_arrow = type(X).__module__.startswith("pyarrow") and hasattr(X, "to_batches") and hasattr(X, "schema")
    return is_arrow and not hasattr(X, "num_rows")


def require_pyarrow() -> Any:
    """Import pyarrow and return it, or say what to install."""
    try:
        import pyarrow
    except ImportError:
        raise ImportError(
            'Tables that are read in parts need pyarrow. Install it with: pip install "imli[large]".'
        ) from None
    return pyarrow


def first_line(error: Exception) -> str:
    """Return the first line of a message, as a sentence."""
    return f"{str(error).partition(chr(10))[0].rstrip('.')}."
