"""CSV files as a source: how each column is read is found out by all of its cells, or given."""

import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np

from imli.errors import brief, first_line
from imli.table.csv_cells import MisfitError, read_cells
from imli.table.csv_file import Blocks, CsvFile, open_binary, open_text, read_header, refusing_text
from imli.table.decision import Decision, Wanted
from imli.table.evidence import Evidence
from imli.table.findings import Finding
from imli.table.frame import Column, ColumnKind, Frame
from imli.table.readings import MISSING, PLAIN_MISSING, Reading, has_digits
from imli.table.sample import Source

_BLOCK = 2**20  # bytes that pyarrow reads at a time, of which it reads some thirty ahead
_PART = 2**24  # bytes of the cells of a part
_LARGEST_BLOCK = 2**31 - 1  # that pyarrow takes
_MOST_ODD = 0.05  # of the rows may have more or fewer cells than the header
_N_THREADS = 4  # at most as many as pyarrow has to parse with, which let go of Python's lock
_WORTH_THREADS = 2**21  # bytes of the cells of a part
_SAMPLE = 2**20  # bytes by which the number of cells is estimated


@dataclass(frozen=True)
class CsvFormat:
    """The ways in which files of text and spreadsheets differ. What is not given is found out.

    ``kinds`` have been said, and refuse cells that do not fit. ``remembered`` are the readings of the columns from
    which a model has learned. ``date_formats`` are by column, "" for all of them.
    """

    delimiter: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] | None = None
    kinds: Mapping[str, ColumnKind] = field(default_factory=dict)
    decimal: str | None = None
    thousands: str | None = None
    date_formats: Mapping[str, str] = field(default_factory=dict)
    sheet: str | None = None
    is_lenient: bool = False  # rows that have more or fewer cells than the header are left out if they are few
    remembered: Mapping[str, Reading] = field(default_factory=dict)


@dataclass(frozen=True)
class CsvPart:
    """Rows of a CSV file as text."""

    file: CsvFile
    n_before: int  # rows of the file
    cells: Any  # a batch of records of pyarrow


class CsvSource(Source):
    """CSV files with the same columns, or the content of one; all cells of a column tell how it is read."""

    def __init__(self, title: str, contents: Sequence[Path | bytes], form: CsvFormat | None = None) -> None:
        self.title, self._form = title, form or CsvFormat()
        said = self._form.missing
        self._missing = {"", *((*PLAIN_MISSING, *MISSING) if said is None else said)}
        for reading in self._form.remembered.values():
            self._missing |= {text for text in reading.missing if has_digits(text)}  # which else were numbers
        self._n_rows: int | None = None
        self._known: dict[str, Reading] = {}  # of columns whose cells have types
        self._readings: dict[str, Reading] = {}  # that a look at all rows has found
        self._notes: tuple[Finding, ...] = ()
        self._skipped: dict[str, tuple[Finding, ...]] = {}  # about rows that were left out, by file
        self._files = self._open(contents)
        self._readings |= self._known
        first, *others = self._files
        for file in others:
            if set(file.columns) != set(first.columns):
                raise ValueError(
                    f"{file.title} has other columns than {first.title}. Name files with the same columns."
                )

    def _open(self, contents: Sequence[Path | bytes]) -> list[CsvFile]:
        titles = [self.title if len(contents) == 1 else repr(str(each)) for each in contents]
        form = self._form
        found = [read_header(*each, form.delimiter, form.encoding) for each in zip(titles, contents, strict=True)]
        if len(found) == 1 and not found[0].has_rows:
            raise ValueError(f"{self.title} has no rows under its header.")
        return found

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of all columns, in the order of the first file."""
        return self._files[0].columns

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return what is to be known about the files, and about how the columns that were read have been read."""
        about_files = (each for file in self._files for each in (*file.findings, *self._skipped.get(file.title, ())))
        return (*super().findings, *about_files, *self._notes)

    @property
    def readings(self) -> dict[str, Reading]:
        """Return how the columns that were read have been read."""
        return dict(self._readings)

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
        with open_binary(first.content) as stream:
            start = stream.read(_SAMPLE)
        n_cells = start.count(b"\n") + start.count(first.delimiter.encode())
        return n_cells * sum(file.size for file in self._files) // max(1, len(start))

    def labelled(self, target: str, weight: str | None = None) -> Self:
        """Return this source with a column of labels, whose words are kept, and maybe one of weights."""
        found = super().labelled(target, weight)
        found._readings, found._notes = dict(self._known), ()
        return found

    def frame(self, columns: Collection[str] | None = None) -> Frame:
        """Return all rows, with all columns or with these."""
        if columns is None:
            self.require(self._form.kinds)
            self.require(filter(None, self._form.date_formats))
        return super().frame(columns)

    def rows(
        self, columns: Collection[str], keep: Sequence[str] = (), at_once: bool = False
    ) -> Iterator[tuple[Frame, Any]]:
        """Yield part by part, or all at once, a frame of some columns, and a table of the text of those to keep."""
        import pyarrow as pa

        parts = self._parts({*columns, *keep}, as_they_are=bool(keep))
        if at_once:
            every: list[CsvPart] = []
            found = self._find_readings(columns, parts, every)
            every += parts  # where there was nothing to find
            yield (
                self._typed(every, columns, found),
                pa.Table.from_batches([part.cells for part in every]).select(list(keep)),
            )
            return
        self._find_readings(columns)
        for part in parts:
            yield self._typed([part], columns), pa.Table.from_batches([part.cells]).select(list(keep))

    def _labelled_frames(self, columns: Collection[str]) -> Iterator[tuple[Frame, Any]]:
        beside = [] if self.target is None else [self.target]
        for frame, _ in self.rows([*columns, *beside]):
            yield frame, np.zeros(frame.n_rows, dtype=bool) if self.target is None else frame[self.target]

    def _find_readings(
        self, columns: Collection[str], parts: Iterable[CsvPart] | None = None, kept: list[CsvPart] | None = None
    ) -> dict[str, Evidence]:
        """Find out how columns are read, by all of their cells, where that is not known yet, and return what tells.

        Parts are kept where there is a list for them. Columns of a part are looked at while the next one is read.
        """
        form = self._form
        found = {
            name: Evidence(self._missing, form.date_formats.get(name, form.date_formats.get("", "")))
            for name in self.columns
            if name in columns and name not in self._readings
        }
        if not found:
            return found
        pending: list[Future[None]] = []
        with ThreadPoolExecutor(_N_THREADS) as pool:
            for part in self._parts(found) if parts is None else parts:
                for done in pending:
                    done.result()
                if kept is not None:
                    kept.append(part)
                looks = [
                    partial(evidence.add, part.cells.column(name), kept is not None) for name, evidence in found.items()
                ]
                pending = [pool.submit(look) for look in looks] if part.cells.nbytes > _WORTH_THREADS else []
                for look in looks if not pending else ():
                    look()
            for done in pending:
                done.result()
        wanted = Wanted(
            form.decimal, form.thousands, form.date_formats, form.kinds, form.remembered, form.missing, self.target,
        )  # fmt: skip
        decision = Decision(found, wanted, self._files[0].delimiter)
        self._readings |= decision.readings
        self._notes += decision.findings
        return found

    def _typed(
        self, parts: Sequence[CsvPart], columns: Collection[str], found: Mapping[str, Evidence] | None = None
    ) -> Frame:
        """Return the cells of these columns as they are to be read."""
        wanted = [name for name in self.columns if name in columns]
        known = {name: evidence.known for name, evidence in (found or {}).items()}
        n_rows = sum(part.cells.num_rows for part in parts)
        read = [partial(self._column, name, parts, known.get(name, ())) for name in wanted]
        if sum(part.cells.nbytes for part in parts) > _WORTH_THREADS:
            with ThreadPoolExecutor(_N_THREADS) as pool:
                columns_read = [each.result() for each in [pool.submit(one) for one in read]]
        else:
            columns_read = [one() for one in read]
        return Frame(dict(zip(wanted, columns_read, strict=True)), n_rows)

    def _column(self, name: str, parts: Sequence[CsvPart], known: Sequence[Any]) -> Column:
        reading = self._readings[name]
        try:
            return read_cells(name, [part.cells.column(name) for part in parts], reading, self._missing, known)
        except MisfitError as odd:
            position = odd.position
            for part in parts:
                if position < part.cells.num_rows:
                    break
                position -= part.cells.num_rows
            raise ValueError(
                f"Column {brief(name)} of {part.file.title} holds {odd.text!r} in row {part.n_before + position + 2}, "
                f"which is no {reading.kind}. Correct it, or read the column as text with --type '{name}=text'."
            ) from None

    def _parts(self, columns: Collection[str], as_they_are: bool = False) -> Iterator[CsvPart]:
        """Yield the text of these columns, or of the first if there are none; cells that are missing are null."""
        from pyarrow import system_memory_pool

        wanted = [name for name in self.columns if name in columns]
        n_rows = 0
        for number, file in enumerate(self._files, start=1):
            self.place = place_among(number, len(self._files))
            if not file.has_rows:
                continue
            n_before = 0
            for table in gather_batches(self._batches(file, wanted, as_they_are), _PART, lambda batch: batch.nbytes):
                for batch in table.combine_chunks(memory_pool=system_memory_pool()).to_batches():
                    yield CsvPart(file, n_before, batch)
                    n_before += batch.num_rows
            n_rows += n_before
        if not n_rows:
            raise ValueError(f"{self.title} has no rows under its header.")
        self._n_rows = n_rows

    def _batches(self, file: CsvFile, columns: Sequence[str], as_they_are: bool) -> Iterator[Any]:
        import pyarrow as pa

        size, n_read = _BLOCK, 0
        hive = {name: value for name, value in file.hive.items() if name in columns}
        columns = [name for name in columns if name not in hive] or file.names[:1]
        while True:
            n_seen, odd = 0, list[str]()
            try:
                with closing(Blocks(file)) as blocks:
                    for batch in self._open_csv(file, blocks, columns, as_they_are, size, odd):
                        n_new = n_seen + batch.num_rows - n_read
                        n_seen += batch.num_rows
                        if n_new > 0:
                            n_read = n_seen
                            batch = batch.slice(batch.num_rows - n_new)
                            for name, value in hive.items():
                                batch = batch.append_column(name, pa.repeat(value, n_new))
                            yield batch
                self._note_skipped(file, odd, n_seen)
                return
            except (pa.ArrowException, UnicodeError, OSError) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise
                largest = min(4 * file.size, _LARGEST_BLOCK)  # no encoding takes more bytes in UTF-8
                if "straddling" not in str(error) or size >= largest:  # else a row is larger than the block
                    self._refuse(file, error)
                size = min(16 * size, largest)

    def _open_csv(
        self, file: CsvFile, blocks: Blocks, columns: Sequence[str], as_they_are: bool, block_size: int, odd: list[str]
    ) -> Any:
        import pyarrow as pa
        from pyarrow import csv as arrow

        def handle(row: Any) -> str:
            odd.append(row.text)
            return "skip" if self._form.is_lenient or not row.text.strip() else "error"

        return arrow.open_csv(
            pa.PythonFile(blocks, mode="r"),
            arrow.ReadOptions(column_names=file.names, skip_rows=file.n_lines, block_size=block_size),
            arrow.ParseOptions(
                delimiter=file.delimiter, quote_char=file.quote, newlines_in_values=True, invalid_row_handler=handle
            ),
            arrow.ConvertOptions(
                include_columns=columns,
                column_types=dict.fromkeys(columns, pa.string()),
                null_values=sorted({*PLAIN_MISSING} & self._missing),
                strings_can_be_null=not as_they_are,
            ),
            memory_pool=pa.system_memory_pool(),  # of new pages, the usual one makes twice the work
        )

    def _note_skipped(self, file: CsvFile, rows: Sequence[str], n_kept: int) -> None:
        """Note the rows of a file that were left out, or refuse the file if they are many."""
        odd = [row for row in map(str.strip, rows) if row]
        if len(odd) > _MOST_ODD * (n_kept + len(odd)):
            self._refuse(file, ValueError(f"{len(odd):,} rows have other numbers of cells than the header."))
        if odd:
            what = "1 row is left out, since it has not" if len(odd) == 1 else f"{len(odd):,} rows are left out, since "
            what += "" if len(odd) == 1 else "they have not"
            text = f"In {file.title}, {what} {len(file.names)} cells as the header has: {brief(odd[0])}."
            self._skipped[file.title] = (Finding("reading", (), text, "Correct what is wrong.", "notable"),)

    def _refuse(self, file: CsvFile, error: Exception) -> NoReturn:
        """Raise the sentence about a file that pyarrow cannot read, with the row, which pyarrow does not know."""
        with refusing_text(file.title, file.encoding), open_text(file.content, file.encoding) as text:
            while text.read(_SAMPLE):  # the encoding comes first
                pass
        with refusing_text(file.title, file.encoding), open_text(file.content, file.encoding) as text:
            reader = csv.reader(text, delimiter=file.delimiter, quotechar=file.quote, skipinitialspace=file.is_spaced)
            for number, row in enumerate(filter(None, reader), start=1):
                if len(row) != len(file.names) and reader.line_num > file.n_lines and "".join(row).strip():
                    raise ValueError(
                        f"{file.title} has {len(row)} cells in row {number}, but {len(file.names)} columns."
                    )
        raise ValueError(f"{file.title} is not a CSV file: {first_line(error)}") from None


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
