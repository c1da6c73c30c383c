"""A table in pieces: where they come from, and what each of them is.

Tables that are read in parts: Parquet files, Arrow datasets, and frames one after the other.
"""

import glob
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import numpy as np

from imli.errors import UnknownColumnError
from imli.table.frame import AnyArray, FloatArray, Frame
from imli.table.read import as_frame, is_missing, read_labels


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows that weigh something, with a label and a weight for each."""

    frame: Frame
    labels: AnyArray
    weights: FloatArray


class Source(Protocol):
    """A table that is read piece by piece, and as often as need be: always the same rows in the same order."""

    names: tuple[str, ...]  # of the columns that rules may look at
    is_weighted: bool

    @property
    def target(self) -> str | None:
        """The column of the labels."""

    def pieces(self, columns: Collection[str] | None = None) -> Iterator[Piece]:
        """All rows, with all columns or with these."""

    def close(self) -> None:
        """Let go of what it holds."""


def make_piece(frame: Frame, labels: Any, weights: Any) -> Piece:
    """Check labels and weights; rows of weight 0 are as if absent."""
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


ROWS_AT_A_TIME = 2**18


@dataclass(eq=False)
class ArrowSource:
    """A dataset of pyarrow, which may be one file or very many."""

    dataset: Any
    target: str | None
    weight: str | None = None
    folder: "TemporaryDirectory[str] | None" = None  # which goes with it

    def __post_init__(self) -> None:
        known = self.dataset.schema.names
        for name in (self.target, self.weight):
            if name is not None and name not in known:
                raise UnknownColumnError.named(name, known)
        self.names = tuple(name for name in known if name not in (self.target, self.weight))
        self.is_weighted = self.weight is not None

    def pieces(self, columns: Collection[str] | None = None) -> Iterator[Piece]:
        wanted = [name for name in self.names if columns is None or name in columns]
        beside = [name for name in (self.target, self.weight) if name is not None]
        for table in self.tables([*wanted, *beside]):
            frame = as_frame(table.select(wanted)) if wanted else Frame({}, table.num_rows)
            labels = table.column(self.target) if self.target is not None else np.zeros(table.num_rows, dtype=bool)
            weights = None if self.weight is None else table.column(self.weight).to_numpy(zero_copy_only=False)
            yield make_piece(frame, labels, weights)

    def close(self) -> None:
        if self.folder is not None:
            self.folder.cleanup()

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """The same as tables of pyarrow, for whoever writes them again."""
        import pyarrow as pa

        waiting: list[Any] = []  # small batches, as many small files give them
        for batch in self._batches(columns):
            waiting.append(batch)
            if sum(each.num_rows for each in waiting) >= ROWS_AT_A_TIME:
                yield pa.Table.from_batches(waiting)
                waiting = []
        if waiting:
            yield pa.Table.from_batches(waiting)

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        wanted = {"columns": list(columns), "batch_size": ROWS_AT_A_TIME}
        try:
            fragments = list(self.dataset.get_fragments())
        except ValueError:  # it is filtered, and can only be read as a whole
            yield from (batch for batch in self.dataset.to_batches(**wanted) if batch.num_rows)
            return
        for fragment in fragments:
            # each group of rows by itself: a scan of all reads ahead of those who work, until all is in memory
            groups = fragment.split_by_row_group() if hasattr(fragment, "split_by_row_group") else [fragment]
            for group in groups:
                batches = group.to_batches(schema=self.dataset.schema, **wanted)
                yield from (batch for batch in batches if batch.num_rows)


def open_source(X: Any, target: Any, weight: Any = None) -> ArrowSource:
    """The table, with a column that is decided and maybe one of weights."""
    for what, name in (("y", target), ("sample_weight", weight)):
        if not isinstance(name, str) and not (what == "sample_weight" and name is None):
            raise TypeError(f"Of a table that is read in parts, {what} is the name of a column. Got {name!r}.")
    if is_dataset(X):
        return ArrowSource(X, target, weight)
    if isinstance(X, Iterator):
        return _written(X, target, weight)
    return ArrowSource(open_files(X), target, weight)


def open_rows(X: Any, columns: Collection[str]) -> Iterator[Frame]:
    """The rows of a table that is read in parts, with these columns; frames may come once only."""
    if isinstance(X, Iterator):
        for given in X:
            frame = as_frame(given, only=columns)
            if frame.n_rows:
                yield frame
        return
    source = ArrowSource(X if is_dataset(X) else open_files(X), target=None)
    for name in columns:
        if name not in source.names:
            raise UnknownColumnError.named(name, source.names)
    for piece in source.pieces(columns):
        yield piece.frame


def open_files(paths: Any) -> Any:
    """A dataset of the Parquet files that are named: files, folders, or patterns such as ``big/*.parquet``."""
    dataset = _pyarrow_dataset()
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    files: list[str] = []
    for path in map(str, given):
        if Path(path).is_dir():
            found = sorted(str(file) for file in Path(path).rglob("*.parquet"))
        else:
            found = [path] if Path(path).exists() else sorted(glob.glob(path, recursive=True))
        if not found:
            what = "no Parquet file in it" if Path(path).is_dir() else "no such file"
            raise FileNotFoundError(f"There is {what}: {path!r}.")
        files += found
    try:
        found = dataset.dataset(files, format="parquet")
        return dataset.dataset(files, format="parquet", schema=_fitting_all(found))
    except Exception as error:
        raise ValueError(f"{_listed(files)} cannot be read as Parquet: {_first_line(error)}") from None


def _listed(files: list[str]) -> str:
    return repr(files[0]) if len(files) == 1 else f"These {len(files):,} files, from {files[0]!r} on,"


def _fitting_all(found: Any) -> Any:
    """Columns that fit all files of a dataset: one may have whole numbers where another has fractions, or nothing."""
    import pyarrow as pa

    schemas = [fragment.physical_schema for fragment in found.get_fragments()]
    return pa.unify_schemas([found.schema, *schemas], promote_options="permissive")


def _written(frames: Iterator[Any], target: str, weight: str | None) -> ArrowSource:
    """Frames that come once only are written down, to be read again."""
    import narwhals as nw

    _pyarrow_dataset()
    import pyarrow.parquet as parquet

    folder = TemporaryDirectory(prefix="imli-")
    try:
        paths = []
        for number, frame in enumerate(frames):
            paths.append(Path(folder.name) / f"{number:09}.parquet")
            parquet.write_table(nw.from_native(frame, eager_only=True).to_arrow(), paths[-1])
        if not paths:
            raise ValueError("The data has no rows.")
        return ArrowSource(open_files(paths), target, weight, folder=folder)
    except BaseException:
        folder.cleanup()
        raise


def is_dataset(X: Any) -> bool:
    """Whether this is a dataset of pyarrow. A table, which is in memory, knows how many rows it has."""
    is_arrow = type(X).__module__.startswith("pyarrow") and hasattr(X, "to_batches") and hasattr(X, "schema")
    return is_arrow and not hasattr(X, "num_rows")


def _pyarrow_dataset() -> Any:
    try:
        import pyarrow.dataset
    except ImportError:
        raise ImportError(
            'Tables that are read in parts need pyarrow. Install it with: pip install "imli[large]".'
        ) from None
    return pyarrow.dataset


def _first_line(error: Exception) -> str:
    return f"{str(error).partition(chr(10))[0].rstrip('.')}."
