"""What is to be decided from what, of a table that is read in parts."""

import argparse
import errno
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from tempfile import gettempdir
from typing import Any

import numpy as np

from imli.cli.parquet_files import describe_files, find_files
from imli.cli.problems import refuse_odd_classes, require_columns
from imli.frames import ColumnKind, Frame, as_frame
from imli.parts.sources import ArrowSource, open_files

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
