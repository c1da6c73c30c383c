"""What is to be decided from what: the columns, the labels and the weights of a table.

What is to be decided from what, of a table that is read in parts.

Where a table is learned from: in memory, in parts, or by workers of Dask.
"""

import argparse
import errno
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

import numpy as np

from imli.cli.tables import describe_files, find_files, goes_in_parts, is_several, open_table, reading_of
from imli.errors import UnknownColumnError
from imli.rules import Kind
from imli.table.frame import AnyArray, Column, ColumnKind, FloatArray, Frame
from imli.table.read import as_frame
from imli.table.sources import ArrowSource, open_files

if TYPE_CHECKING:
    from imli.cli.tables import Table
    from imli.models import Model

_MOST_CLASSES = 50
_FEW_ROWS_EACH = 5  # of a class, on average: then they are no classes


@dataclass(frozen=True, eq=False)
class Problem:
    """Columns, the column to decide, and how much each row counts."""

    frame: Frame
    target: Column
    labels: AnyArray
    weights: FloatArray | None = None

    @property
    def classes(self) -> list[Any]:
        return list(np.unique(self.labels).tolist())

    @property
    def target_name(self) -> str:
        return self.target.name

    @property
    def n_rows(self) -> int:
        return self.frame.n_rows

    @property
    def n_columns(self) -> int:
        return len(self.frame.names)

    @property
    def training(self) -> tuple[Frame, Column, FloatArray | None]:
        """What a classifier is fitted with."""
        return self.frame, self.target, self.weights


def choose_kind(classes: list[Any], asked: Kind | None) -> Kind:
    """The kind of rule that was asked for, or that fits so many classes."""
    return asked or ("dnf" if len(classes) == 2 else "list")


def read_problem(options: argparse.Namespace, path: str | None) -> Problem:
    if path is None:
        for name in ("target", "weight"):
            if getattr(options, name) is not None:
                raise ValueError(f"--{name} names a column of DATA. Add the name of a CSV or Parquet file.")
        return _example()
    return split(open_table(path, reading_of(options)), options.target, options.weight)


def split(table: "Table", target: str | None, weight: str | None = None) -> Problem:
    """The columns of a table by what they are for."""
    names = require_columns(table.source, table.names, target, weight)
    assert target is not None
    frame = table.frame()
    weights = None if weight is None else _weights(frame[weight])
    return Problem(frame.select(names), frame[target], _labels(frame[target]), weights)


def require_columns(source: str, names: Sequence[str], target: str | None, weight: str | None) -> list[str]:
    """The columns that a rule may look at; those to decide and to weigh by must be there beside them."""
    if target is None:
        raise ValueError(f"Which column should the rule decide? Add --target and one of: {', '.join(names)}.")
    for name in (target, weight):
        if name is not None and name not in names:
            raise UnknownColumnError.named(name, names)
    others = [name for name in names if name not in (target, weight)]
    if not others:
        raise ValueError(f"{source} has no column besides {target!r} to decide it from.")
    return others


@dataclass(frozen=True, eq=False)
class Batch:
    """New rows for a model that is there: its columns in its order, and classes that it does not know yet."""

    frame: Frame
    target: AnyArray
    classes: list[Any] | None
    weights: FloatArray | None


def read_batch(options: argparse.Namespace, path: str, model: "Model", columns: tuple[str, ...]) -> Batch:
    """The rows that a model goes on with."""
    table = open_table(path, reading_of(options, model.kinds))
    target = options.target or model.rule.target
    if target is None:
        raise ValueError("The model does not say which column it decides. Add --target and the name of the column.")
    for name in (target, options.weight, *columns):
        if name is not None and name not in table.names:
            raise UnknownColumnError.named(name, table.names)
    frame = table.frame({*columns, target, *([] if options.weight is None else [options.weight])})
    _refuse_missing(frame[target])
    labels = _as_known(frame[target], model.labels)
    new = sorted(set(labels.tolist()) - set(model.labels))
    weights = None if options.weight is None else _weights(frame[options.weight])
    return Batch(Frame({name: frame[name] for name in columns}, frame.n_rows), labels, new or None, weights)


def _as_known(column: Column, known: tuple[Any, ...]) -> AnyArray:
    """The labels in the type of those known: a file tells truth values from text or numbers by its cells alone."""
    labels = column.cells()
    if column.kind == "text" and not any(isinstance(label, str) for label in known):
        raise ValueError(
            f"Column {column.name!r} holds text such as {labels.tolist()[0]!r}, but the model decides between "
            f"{', '.join(map(repr, known))}. Write the labels as they were."
        )
    if all(isinstance(label, str) for label in known) and labels.dtype.kind != "U":
        return np.array([str(label) for label in labels.tolist()])
    return labels


def _refuse_missing(column: Column) -> None:
    if column.missing.any():
        raise ValueError(
            f"Column {column.name!r} is missing in {int(column.missing.sum()):,} rows, the first of them row "
            f"{int(column.missing.argmax()) + 2}. Drop those rows: nothing can be learned from them."
        )


def _labels(column: Column) -> AnyArray:
    _refuse_missing(column)
    labels = column.cells()
    classes = np.unique(labels)
    refuse_odd_classes(column.name, column.kind, classes, len(labels), f"{len(classes):,}")
    return labels


def refuse_odd_classes(name: str, kind: ColumnKind, classes: AnyArray, n_rows: int, many: str) -> None:
    """Say why a rule cannot decide between these; ``many`` is how many they are, in words."""
    if kind == "date":
        raise ValueError(f"Column {name!r} holds dates, which are no classes. Decide another column.")
    n_classes = len(classes)
    if n_classes < 2:
        raise ValueError(f"Column {name!r} is {classes[0]} in all {n_rows:,} rows, so there is nothing to decide.")
    is_measured = kind == "number" and (classes % 1 != 0).any()
    if n_classes > _MOST_CLASSES or (n_classes > 2 and (is_measured or n_classes * _FEW_ROWS_EACH > n_rows)):
        raise ValueError(
            f"Column {name!r} has {many} different values in {n_rows:,} rows, but a rule decides between a few "
            f"classes, {_MOST_CLASSES} at most. Decide another column, or put its values into classes first."
        )


def _weights(column: Column) -> FloatArray:
    if column.kind not in ("number", "flag") or column.missing.any():
        raise ValueError(f"--weight needs a column of numbers without gaps. {column.name!r} is not.")
    return column.numbers().astype(np.float64)


def _example() -> Problem:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    frame = as_frame({str(name): data.data[:, j] for j, name in enumerate(data.feature_names)})
    target = as_frame({"diagnosis": data.target_names[data.target]})["diagnosis"]
    return Problem(frame, target, target.cells())


_UNCHECKED = "No rows are held out to check the rule."
_ENOUGH = 1000  # different labels, of which nobody wants to know more


@dataclass(frozen=True, eq=False)
class LargeProblem:
    """A table that is never all in memory, the names of the columns that matter, and what is said of it."""

    table: Any  # a dataset of pyarrow, or a data frame of Dask
    target_name: str
    weight: str | None
    classes: list[Any]
    n_rows: int
    n_columns: int
    how: str  # it is read, as sentences

    @property
    def training(self) -> tuple[Any, str, str | None]:
        return self.table, self.target_name, self.weight


@dataclass
class Seen:
    """What was seen of labels and weights; it adds up over the parts of a table."""

    n_labels: Counter[Any] = field(default_factory=Counter)
    kind: ColumnKind = "text"
    n_missing: int = 0
    has_odd_weights: bool = False

    @property
    def is_enough(self) -> bool:
        return len(self.n_labels) > _ENOUGH

    def add(self, other: "Seen") -> None:
        if other.n_labels:
            self.kind = other.kind
        self.n_labels += other.n_labels
        self.n_missing += other.n_missing
        self.has_odd_weights |= other.has_odd_weights


@contextmanager
def open_large_problem(options: argparse.Namespace, engine: str) -> Iterator[LargeProblem]:
    """The problem in Parquet files, as long as somebody reads them."""
    _refuse_checks(options)
    files = find_files(options.data)
    source = describe_files(options.data, files)
    dataset = open_files(files)
    names = require_columns(source, dataset.schema.names, options.target, options.weight)
    needed = [name for name in (options.target, options.weight) if name is not None]
    number = "one Parquet file" if len(files) == 1 else f"{len(files):,} Parquet files"
    how = f"They are read in parts from {number}"
    with reading_parts(source):
        n_rows = dataset.count_rows()
        sizes = n_rows, len(names)
        if engine == "parts":
            seen = _added(see(table, *needed) for table in ArrowSource(dataset, None).tables(needed))
            how += f", and their bits go to a temporary file. {_UNCHECKED}"
            yield LargeProblem(dataset, options.target, options.weight, _classes(options, seen, n_rows), *sizes, how)
            return
        from imli.cli.clusters import ask_partitions, connected, read_table

        with connected(options.scheduler, options.n_jobs) as workers:
            table = read_table(files)
            seen = _added(ask_partitions(see, table[needed], *needed))
            how += f" by {workers}, in whose memory their bits stay. {_UNCHECKED}"
            yield LargeProblem(table, options.target, options.weight, _classes(options, seen, n_rows), *sizes, how)


def see(table: Any, target: str, weight: str | None = None) -> Seen:
    """Look at the labels and weights of some rows."""
    frame = as_frame(table)
    if not frame.n_rows:
        return Seen()
    column = frame[target]
    values, counts = np.unique(column.values[~column.missing], return_counts=True)
    values, counts = values[: _ENOUGH + 1], counts[: _ENOUGH + 1]
    labels = [column.categories[code] for code in values] if column.kind == "text" else values.tolist()
    n_labels = Counter(dict(zip(labels, counts.tolist(), strict=True)))
    return Seen(n_labels, column.kind, int(column.missing.sum()), weight is not None and _is_odd(frame, weight))


def _is_odd(frame: Frame, weight: str) -> bool:
    return frame[weight].kind not in ("number", "flag") or bool(frame[weight].missing.any())


def _added(parts: Iterable[Seen]) -> Seen:
    total = Seen()
    for part in parts:
        total.add(part)
        if total.is_enough:
            break
    return total


def _classes(options: argparse.Namespace, seen: Seen, n_rows: int) -> list[Any]:
    """The labels in ascending order, if a rule can be learned for them."""
    target, weight = options.target, options.weight
    if seen.n_missing:
        raise ValueError(
            f"Column {target!r} is missing in {seen.n_missing:,} rows. Drop those rows: nothing can be learned from "
            "them."
        )
    if seen.has_odd_weights:
        raise ValueError(f"--weight needs a column of numbers without gaps. {weight!r} is not.")
    if not n_rows:
        raise ValueError("The data has no rows.")
    classes = sorted(seen.n_labels)
    many = f"more than {_ENOUGH:,}" if seen.is_enough else f"{len(classes):,}"
    refuse_odd_classes(target, seen.kind, np.array(classes), n_rows, many)
    return classes


def _refuse_checks(options: argparse.Namespace) -> None:
    for name in ("cv", "holdout"):
        if getattr(options, name) is not None:
            raise ValueError(
                f"--{name} needs all rows in memory, but this table is read in parts. Leave it out, or add --engine "
                "memory."
            )


@contextmanager
def reading_parts(source: str) -> Iterator[None]:
    """Troubles in this block are about reading, or about the room for bits."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise ValueError(
                f"There is no room for the bits of the rows in {gettempdir()!r}. Name a folder that has more in the "
                "variable TMPDIR."
            ) from None
        raise ValueError(f"{source} cannot be read: {_first_line(error)}") from None
    except Exception as error:
        package = type(error).__module__.partition(".")[0]
        if package == "pyarrow":
            raise ValueError(f"{source} cannot be read: {_first_line(error)}") from None
        if package == "distributed":
            raise ValueError(f"The workers of Dask gave up: {_first_line(error)}") from None
        raise


def _first_line(error: Exception) -> str:
    return f"{str(error).partition(chr(10))[0].rstrip('.')}."


@contextmanager
def open_problem(options: argparse.Namespace) -> "Iterator[Problem | LargeProblem]":
    """The problem that was typed, as long as it is worked on."""
    engine = choose_engine(options)
    if engine != "memory":
        with open_large_problem(options, engine) as large:
            yield large
        return
    paths = options.data
    if len(paths) > 1 or (paths and is_several(paths[0])):
        from imli.cli.tables import ParquetTable

        files = find_files(paths)
        table = ParquetTable(describe_files(paths, files), [Path(file) for file in files])
        yield split(table, options.target, options.weight)
        return
    yield read_problem(options, paths[0] if paths else None)


def choose_engine(options: argparse.Namespace) -> str:
    """Which engine was asked for, or fits the data: memory, parts or dask."""
    asked = options.engine
    if options.scheduler is not None:
        if asked not in ("auto", "dask"):
            raise ValueError(f"--scheduler is for --engine dask. Got --engine {asked}.")
        asked = "dask"
    if not options.data and asked in ("parts", "dask"):
        raise ValueError(f"--engine {asked} reads Parquet files. Add the names of some, or of a folder.")
    if asked != "auto":
        return str(asked)
    return "parts" if goes_in_parts(options.data) else "memory"
