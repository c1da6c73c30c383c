"""A problem: the columns, the labels and the weights of a table, in memory, in parts or on a cluster."""

import argparse
import errno
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

import numpy as np

from imli.cli.data import find_files, format_of, goes_in_parts, open_table, open_tables
from imli.errors import brief, first_line
from imli.table.findings import Finding
from imli.table.frame import AnyArray, Column, FloatArray, Frame
from imli.table.labels import SeenLabels, are_odd_weights, refuse_odd_classes, see, see_all
from imli.table.read import as_frame
from imli.table.readings import Reading
from imli.table.sample import Source
from imli.table.sources import form_of

if TYPE_CHECKING:
    from imli.models import Model

_UNCHECKED = "No rows are held out to check the rule."


@dataclass(frozen=True, eq=False)
class Problem:
    """The arguments of a fit, and what messages say of them."""

    X: Any  # a frame; of a table that is not all in memory, a source or a data frame of Dask
    y: Any  # a column or labels; of such a table the name of the column
    weights: Any
    target: str
    classes: list[Any]
    n_rows: int
    n_columns: int
    how: str | None = None  # the rows are read, as sentences, if not all at once
    findings: tuple[Finding, ...] = ()  # about how the table was read
    readings: Mapping[str, Reading] = field(default_factory=dict)  # how its columns were read

    @property
    def is_in_memory(self) -> bool:
        """Return True if all rows are in memory."""
        return self.how is None


def choose_kind(classes: list[Any], asked: Any) -> Any:
    """Return the kind of rule that was asked for, which may be auto, or the kind that fits so many classes."""
    return asked or ("dnf" if len(classes) == 2 else "list")


@contextmanager
def open_problem(options: argparse.Namespace) -> Iterator[Problem]:
    """Yield the problem that was typed, with the workers of Dask as long as the block runs."""
    engine = options.engine
    if options.scheduler is not None:
        if engine not in ("auto", "dask"):
            raise ValueError(f"--scheduler is for --engine dask. Got --engine {engine}.")
        engine = "dask"
    if not options.data:
        if engine in ("parts", "dask"):
            raise ValueError(f"--engine {engine} reads Parquet files. Add the names of some, or of a folder.")
        yield read_problem(options, None)
        return
    if engine in ("parts", "dask"):
        find_files(options.data)  # refuses standard input
    source = open_tables(options.data, format_of(options))
    if engine == "auto":
        engine = "parts" if goes_in_parts(options.data, source) else "memory"
    if engine == "memory":
        yield split(source, options.target, options.weight)
        return
    _refuse_checks(options)
    with _refusing_trouble(source.title):
        if engine == "parts":
            yield _problem_in_parts(options, source)
            return
        with _problem_on_cluster(options, source) as problem:
            yield problem


def read_problem(options: argparse.Namespace, path: str | None) -> Problem:
    """Return the problem in one file, or the example."""
    if path is None:
        for name in ("target", "weight"):
            if getattr(options, name) is not None:
                raise ValueError(f"--{name} names a column of DATA. Add the name of a CSV or Parquet file.")
        return _example()
    return split(open_table(path, format_of(options)), options.target, options.weight)


def split(source: Source, target: str | None, weight: str | None = None) -> Problem:
    """Return all rows of a table, with its columns by what they are for."""
    names = _require_columns(source, target, weight)
    assert target is not None
    source = source.labelled(target, weight)
    frame = _with_labels(source, source.frame())
    y = frame[target]
    classes = np.unique(y.cells())
    refuse_odd_classes(target, y.kind, classes, frame.n_rows)
    weights = None if weight is None else read_weights(frame[weight])
    return Problem(
        frame.select(names), y, weights, target, classes.tolist(), frame.n_rows, len(names),
        findings=source.findings, readings=source.readings,
    )  # fmt: skip


def _require_columns(source: Source, target: str | None, weight: str | None) -> list[str]:
    """Return the columns that a rule may use; those of labels and weights must be there beside them."""
    if target is None:
        raise ValueError(f"Which column should the rule predict? Add --target and one of: {', '.join(source.columns)}.")
    source.require(name for name in (target, weight) if name is not None)
    others = [name for name in source.columns if name not in (target, weight)]
    if not others:
        raise ValueError(f"{source.title} has no column besides {brief(target)} to predict it from.")
    return others


def read_batch(options: argparse.Namespace, path: str, model: "Model", columns: tuple[str, ...]) -> Problem:
    """Return the rows that a model goes on with: its columns in its order, and classes that it does not know yet."""
    source = open_table(path, format_of(options, model.readings))
    target = options.target or model.rule.target
    if target is None:
        raise ValueError("The model does not say which column it predicts. Add --target and the name of the column.")
    beside = [] if options.weight is None else [options.weight]
    source.require([target, *beside, *columns])
    source = source.labelled(target, options.weight)
    frame = _with_labels(source, source.frame({*columns, target, *beside}))
    labels = as_known(frame[target], model.labels)
    new = sorted(set(labels.tolist()) - set(model.labels))
    weights = None if options.weight is None else read_weights(frame[options.weight])
    return Problem(
        frame.select(columns), labels, weights, target, new, frame.n_rows, len(columns), findings=source.findings
    )


def as_known(column: Column, known: tuple[Any, ...]) -> AnyArray:
    """Return the labels in the type of those known: a file has only cells to tell truth values from text or numbers."""
    labels = column.cells()
    if column.kind == "text" and not any(isinstance(label, str) for label in known):
        raise ValueError(
            f"Column {brief(column.name)} holds text such as {labels.tolist()[0]!r}, but the model decides between "
            f"{', '.join(map(repr, known))}. Write the labels as they were."
        )
    if all(isinstance(label, str) for label in known) and labels.dtype.kind != "U":
        return np.array([label if label is None else str(label) for label in labels.tolist()])
    return labels


def _with_labels(source: Source, frame: Frame) -> Frame:
    """Return the rows that have a label."""
    assert source.target is not None
    gone = frame[source.target].missing
    source.leave_out(int(gone.sum()), frame.n_rows)
    return frame.take(~gone) if gone.any() else frame


def read_weights(column: Column) -> FloatArray:
    """Return the numbers of a column of weights."""
    if are_odd_weights(column):
        raise ValueError(f"--weight needs a column of numbers without gaps. {brief(column.name)} is not.")
    return column.numbers().astype(np.float64)


def _example() -> Problem:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    frame = as_frame({str(name): data.data[:, j] for j, name in enumerate(data.feature_names)})
    y = as_frame({"diagnosis": data.target_names[data.target]})["diagnosis"]
    return Problem(frame, y, None, "diagnosis", list(y.categories), frame.n_rows, len(frame.names))


def _problem_in_parts(options: argparse.Namespace, source: Source) -> Problem:
    names = _require_columns(source, options.target, options.weight)
    source = source.labelled(options.target, options.weight)
    needed = [name for name in (options.target, options.weight) if name is not None]
    classes, n_missing = _classes(options, (see(frame, *needed) for frame, _ in source.rows(needed)), source)
    source.leave_out(n_missing, source.n_rows)
    n_rows = source.n_rows - n_missing
    how = f"They are read in parts from {_count_files(options)}, and their bits go to a temporary file. {_UNCHECKED}"
    return Problem(
        source, options.target, options.weight, options.target, classes, n_rows, len(names), how,
        source.findings, source.readings,
    )  # fmt: skip


@contextmanager
def _problem_on_cluster(options: argparse.Namespace, source: Source) -> Iterator[Problem]:
    from imli.cli.clusters import ask_partitions, connected, read_table

    files = find_files(options.data)
    for file in files:
        if form_of(file) != "Parquet":
            raise ValueError(
                f"--engine dask reads Parquet files, and {file!r} is none. Convert it to Parquet, or use --engine "
                "parts."
            )
    names = _require_columns(source, options.target, options.weight)
    needed = [name for name in (options.target, options.weight) if name is not None]
    with connected(options.scheduler, options.n_jobs) as workers:
        table = read_table(files)
        source = source.labelled(options.target, options.weight)
        classes, n_missing = _classes(options, ask_partitions(see, table[needed], *needed), source)
        source.leave_out(n_missing, source.n_rows)
        if n_missing:
            table = table.dropna(subset=[options.target])
        how = f"They are read in parts from {_count_files(options)} by {workers}, in whose memory their bits stay. "
        yield Problem(
            table, options.target, options.weight, options.target, classes, source.n_rows - n_missing, len(names),
            how + _UNCHECKED, source.findings,
        )  # fmt: skip


def _count_files(options: argparse.Namespace) -> str:
    files = find_files(options.data)
    form = form_of(files[0])
    return f"one {form} file" if len(files) == 1 else f"{len(files):,} {form} files"


def _classes(options: argparse.Namespace, parts: Iterable[SeenLabels], source: Source) -> tuple[list[Any], int]:
    """Return the labels in ascending order, if a rule can be learned for them, and how many rows have none."""
    seen = see_all(parts)
    target, weight, n_rows = options.target, options.weight, source.n_rows
    if seen.has_odd_weights:
        raise ValueError(f"--weight needs a column of numbers without gaps. {weight!r} is not.")
    if not n_rows:
        raise ValueError("The data has no rows.")
    classes = sorted(seen.n_labels)
    if not classes:
        source.leave_out(seen.n_missing, n_rows)
    n_rows -= seen.n_missing
    refuse_odd_classes(target, seen.kind, np.array(classes), n_rows, seen.many)
    return classes, seen.n_missing


def _refuse_checks(options: argparse.Namespace) -> None:
    for name in ("cv", "holdout"):
        if getattr(options, name) is not None:
            raise ValueError(
                f"--{name} needs all rows in memory, but this table is read in parts. Leave it out, or add --engine "
                "memory."
            )


@contextmanager
def _refusing_trouble(title: str) -> Iterator[None]:
    """Turn errors about files, about the room for bits and about workers of Dask into sentences."""
    try:
        yield
    except OSError as error:
        if getattr(error, "is_about_writing", False):
            raise
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise ValueError(f"{title} cannot be read: {first_line(error)}") from None
        raise ValueError(
            f"There is no room for the bits of the rows in {gettempdir()!r}. Name a folder that has more in the "
            "variable TMPDIR."
        ) from None
    except Exception as error:
        package = type(error).__module__.partition(".")[0]
        if package == "pyarrow":
            raise ValueError(f"{title} cannot be read: {first_line(error)}") from None
        if package == "distributed":
            raise ValueError(f"The workers of Dask gave up: {first_line(error)}") from None
        raise
