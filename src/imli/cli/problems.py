"""What is to be decided from what: the columns, the labels and the weights of a table."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from imli.arrays import AnyArray, FloatArray
from imli.cli.tables import open_table, reading_of
from imli.frames import Column, ColumnKind, Frame, UnknownColumnError, as_frame

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


def choose_kind(classes: list[Any], asked: str | None) -> str:
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
