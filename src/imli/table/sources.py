"""Tables in files, read whole or in parts by pyarrow: CSV and Parquet files, Arrow datasets, and frames in turn."""

import glob
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

import numpy as np

from imli.errors import brief, first_line
from imli.files import ScratchFolder
from imli.table.csv_file import hive_columns
from imli.table.csv_source import CsvFormat, CsvSource, gather_batches, place_among
from imli.table.excel import ExcelSource
from imli.table.frame import Frame
from imli.table.read import as_frame, is_dataset
from imli.table.sample import Source

ROWS_AT_A_TIME = 2**18

# First bytes of files, and what those are; those of CSV files are none of these.
_FORMS = {
    b"PAR1": "Parquet", b"ARROW1": "Arrow", b"\xff\xff\xff\xff": "an Arrow stream", b"PK": "Excel",
    b"\xd0\xcf\x11\xe0": "Excel",
}  # fmt: skip
_BY_NAME = {".parquet": "Parquet", ".feather": "Arrow", ".arrow": "Arrow", ".ipc": "Arrow"}
_TABLES = ("*.parquet", "*.feather", "*.arrow", "*.csv", "*.csv.gz", "*.csv.zst", "*.csv.bz2")  # in folders
_OTHERS = {
    b"SQLite": "a SQLite database. Export the table as CSV",
    b"%PDF": "a PDF file. Find the table it was made from",
}


def _frame_of(table: Any, columns: Collection[str]) -> Frame:
    """Return these columns of a table of pyarrow, in its order; of no columns the rows still count."""
    wanted = [name for name in table.column_names if name in columns]
    return as_frame(table.select(wanted)) if wanted else Frame({}, table.num_rows)


class ArrowSource(Source):
    """A dataset of pyarrow, which may be one file or very many."""

    def __init__(self, dataset: Any, title: str = "The dataset", folder: ScratchFolder | None = None) -> None:
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
        wanted = [name for name in self.columns if name in columns] or list(self.columns[:1])
        with _refusing_damage(self.title):
            if at_once:
                yield self.dataset.to_table(columns=wanted)
            else:  # many small files give small batches
                yield from gather_batches(self._batches(wanted), ROWS_AT_A_TIME, lambda batch: batch.num_rows)

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        wanted = {"columns": columns, "batch_size": ROWS_AT_A_TIME}
        try:
            fragments = list(self.dataset.get_fragments())
        except ValueError:  # it is filtered, and can only be read as a whole
            yield from (batch for batch in self.dataset.to_batches(**wanted) if batch.num_rows)
            return
        for number, fragment in enumerate(fragments, start=1):
            self.place = place_among(number, len(fragments))
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
            yield _frame_of(table, columns), self._labels_in(table)

    def _labels_in(self, table: Any) -> Any:
        import pyarrow as pa

        if self.target is None:
            return np.zeros(table.num_rows, dtype=bool)
        labels = table.column(self.target)
        # categories keep their type: numbers stay numbers
        return labels if pa.types.is_dictionary(labels.type) else _frame_of(table, [self.target])[self.target]

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


def open_source(X: Any, target: Any, weight: Any = None) -> Source:
    """Return a table that is read in parts, with a column of labels and maybe one of weights."""
    for what, name in (("y", target), ("sample_weight", weight)):
        if not isinstance(name, str) and not (what == "sample_weight" and name is None):
            raise TypeError(f"Of a table that is read in parts, {what} is the name of a column. Got {brief(name)}.")
    source = _write_frames(X) if isinstance(X, Iterator) else as_source(X, CsvFormat(is_lenient=True))
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
    source = as_source(X)
    source.require(columns)
    yield from (frame for frame, _ in source.rows(columns) if frame.n_rows)


def as_source(X: Any, form: CsvFormat | None = None) -> Source:
    """Return a source, a dataset of pyarrow, or the files that paths name, as a source."""
    if isinstance(X, Source):
        return X
    return ArrowSource(X) if is_dataset(X) else open_files(find_files(X), form=form)


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
    """Return the files that a path names: itself, the files of one form in a folder, or all that match a pattern."""
    if Path(path).is_dir():
        found = (sorted(str(file) for file in Path(path).rglob(name)) for name in _TABLES)
        return next(filter(None, found), [])
    if Path(path).exists():
        return [path]
    among = sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else []
    return [file for each in among for file in (files_of(each) if Path(each).is_dir() else [each])]


def open_files(
    files: Sequence[str | Path],
    title: str | None = None,
    form: CsvFormat | None = None,
    unreadable: str = "cannot be read as Parquet",
) -> Source:
    """Return the table in files of one form; ``title`` and ``unreadable`` are words for messages."""
    require_pyarrow()
    first, *others = map(str, files)
    title = title or (f"These {len(files):,} files, from {first!r} on," if others else repr(first))
    forms = [form_of(str(file)) for file in files]
    if len(set(forms)) > 1:
        odd = str(files[next(place for place, each in enumerate(forms) if each != forms[0])])
        raise ValueError(
            f"CSV and Parquet files are not read as one table, but {first!r} and {odd!r} differ. "
            "Name files of one kind."
        )
    if forms[0] in ("Parquet", "Arrow"):
        return _open_dataset(list(map(str, files)), title, unreadable.replace("Parquet", forms[0]), forms[0])
    # a pipe can be read only once
    contents = [path if path.is_file() or not path.exists() else path.read_bytes() for path in map(Path, files)]
    if forms[0] == "CSV":
        return CsvSource(title, contents, form)
    if others:
        raise ValueError(
            f"{title} are {forms[0]} files, of which one is read at a time. Name one, or save them as CSV."
        )
    return _open_whole(contents[0], title, form, forms[0])


def open_content(content: bytes, title: str, form: CsvFormat | None = None) -> Source:
    """Return the table in the content of a file."""
    require_pyarrow()
    found = _form_by(content[:64], title)
    return CsvSource(title, [content], form) if found == "CSV" else _open_whole(content, title, form, found)


def _open_whole(content: Path | bytes, title: str, form: CsvFormat | None, what: str) -> Source:
    """Return the table in a file that is read at once."""
    import pyarrow as pa
    from pyarrow import dataset, ipc, parquet

    if what == "Excel":
        packed = _only_packed(content)
        return ExcelSource(title, [content], form) if packed is None else CsvSource(title, [packed], form)
    with _refusing_damage(title):
        stream = pa.BufferReader(content if isinstance(content, bytes) else content.read_bytes())
        if what == "Parquet":
            table = parquet.read_table(stream)
        else:
            table = (ipc.open_file if what == "Arrow" else ipc.open_stream)(stream).read_all()
        return ArrowSource(dataset.dataset(table), title)


def _only_packed(content: Path | bytes) -> bytes | None:
    """Return the only file in a zip file that is no spreadsheet."""
    stream = BytesIO(content) if isinstance(content, bytes) else content
    if not is_zipfile(stream):
        return None
    with ZipFile(stream) as packed:
        names = [name for name in packed.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")]
        return packed.read(names[0]) if len(names) == 1 else None


def form_of(path: str) -> str:
    """Return whether a file is of CSV, Parquet, Arrow or Excel, by its name or its first bytes; refuse others."""
    named = _BY_NAME.get(Path(path).suffix)
    if named or not Path(path).is_file():  # a pipe can be read only once
        return named or "CSV"
    with Path(path).open("rb") as file:
        return _form_by(file.read(64), repr(path))


def _form_by(start: bytes, title: str) -> str:
    for sign, what in _OTHERS.items():
        if start.startswith(sign):
            raise ValueError(f"{title} is {what}; imli reads CSV and Parquet files.")
    return next((form for sign, form in _FORMS.items() if start.startswith(sign)), "CSV")


def _open_dataset(files: list[str], title: str, unreadable: str, form: str) -> ArrowSource:
    import pyarrow as pa
    from pyarrow import dataset

    how: dict[str, Any] = {"format": {"Parquet": "parquet", "Arrow": "feather"}[form]}
    if any(hive_columns(Path(file)) for file in files):
        how |= {"partitioning": "hive", "partition_base_dir": "."}
    try:
        found = dataset.dataset(files, **how)
        # columns that fit all files: one may have whole numbers where another has fractions
        schemas = [found.schema, *(fragment.physical_schema for fragment in found.get_fragments())]
        schema = pa.unify_schemas(schemas, promote_options="permissive")
        return ArrowSource(dataset.dataset(files, schema=schema, **how), title)
    except Exception as error:
        raise ValueError(f"{title} {unreadable}: {first_line(error)}") from None


def _write_frames(frames: Iterator[Any]) -> ArrowSource:
    """Write frames, which come only once, to a temporary folder and return them as a source."""
    import narwhals as nw

    require_pyarrow()
    import pyarrow.parquet as parquet

    folder = ScratchFolder()
    try:
        paths = []
        for number, frame in enumerate(frames):
            paths.append(Path(folder.name) / f"{number:09}.parquet")
            parquet.write_table(nw.from_native(frame, eager_only=True).to_arrow(), paths[-1])
        if not paths:
            raise ValueError("The data has no rows.")
        found = open_files(paths)
        assert isinstance(found, ArrowSource)
        return ArrowSource(found.dataset, folder=folder)
    except BaseException:
        folder.cleanup()
        raise


def require_pyarrow() -> None:
    """Raise an error that says what to install if there is no pyarrow."""
    if find_spec("pyarrow") is None:
        raise ImportError('CSV and Parquet files need pyarrow. Install it with: pip install "imli[cli]".')
