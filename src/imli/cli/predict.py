"""What ``imli predict`` says of rows, whoever reads and writes them.

Deciding the rows of Parquet files part by part, however many there are.

``imli predict``: decide the rows of a table.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from imli.cli.problem import reading_parts
from imli.cli.screen import remark, require_writable, writing
from imli.cli.tables import describe_files, find_files, goes_in_parts, open_table, reading_of, require_polars
from imli.errors import UnknownColumnError
from imli.files import new_file
from imli.models import load
from imli.table.frame import AnyArray, Frame
from imli.table.read import as_frame
from imli.table.sources import ArrowSource, open_files

if TYPE_CHECKING:
    from imli.models import Model


def kept_columns(names: Sequence[str], asked: list[str]) -> list[str]:
    """The columns to write beside the decisions."""
    if asked == ["all"] and "all" not in names:
        return list(names)
    for name in asked:
        if name not in names:
            raise UnknownColumnError.named(name, names)
    return asked


def name_decisions(asked: str | None, model: "Model", keep: Sequence[str]) -> str:
    """What the column of decisions is called."""
    usual = model.rule.target or "decision"
    name = asked or (f"{usual} (decided)" if usual in keep else usual)
    if name in keep:
        raise ValueError(f"Column {name!r} is there already. Give the decisions another --name.")
    return name


def decide(model: "Model", frame: Frame, with_probability: bool) -> tuple[AnyArray, dict[str, Any]]:
    """For each row the position of its class, and columns of how probable each class is."""
    decisions = model.rule.class_positions(model.rule.holds_in(frame), frame.n_rows)
    if not with_probability:
        return decisions, {}
    shares = model.predict_proba(frame).round(4)
    return decisions, {f"p({label})": shares[:, n] for n, label in enumerate(model.labels)}


def require_target(model: "Model", names: Sequence[str], source: str) -> str:
    """The column that says what is right."""
    target = model.rule.target
    if target is None or target not in names:
        raise ValueError(f"--score needs the column that is decided, {target!r}, which {source} does not have.")
    return target


def count_right(model: "Model", frame: Frame, target: str) -> tuple[float, int]:
    """How many rows are decided rightly, of how many that say what is right."""
    there = ~frame[target].missing
    n_rows = int(there.sum())
    if not n_rows:
        return 0.0, 0
    return model.rule.score(frame.take(there), frame[target].take(there)) * n_rows, n_rows


def write_score(right: float, n_rows: int) -> str:
    if not n_rows:
        raise ValueError("There are no rows to score the rule on.")
    return f"Right on {100 * right / n_rows:.1f} % of {n_rows:,} rows."


Write = Callable[[Any], None]


def predict_in_parts(options: argparse.Namespace, model: "Model") -> None:
    """Read, decide and write some rows at a time."""
    files = find_files(options.data)
    source = describe_files(options.data, files)
    dataset = open_files(files)
    names = dataset.schema.names
    keep = list(dict.fromkeys(kept_columns(names, options.keep or [])))
    deciding = _Deciding(model, keep, name_decisions(options.name, model, keep), options.probability)
    for name in model.rule.columns:
        if name not in names:
            raise UnknownColumnError.named(name, names)
    target = require_target(model, names, source) if options.score else None
    wanted = {*model.rule.columns, *keep, *([] if target is None else [target])}
    right, n_rows = 0.0, 0
    no_rows = deciding(dataset.schema.empty_table())
    with writing(), _opened(options.output, no_rows) as write:
        for table in _tables(dataset, [name for name in names if name in wanted] or names[:1], source):
            write(deciding(table))
            if target is not None:
                more, rows = count_right(model, as_frame(table, only={*model.rule.columns, target}), target)
                right, n_rows = right + more, n_rows + rows
        if target is not None:
            remark(write_score(right, n_rows))


def _tables(dataset: Any, names: Sequence[str], source: str) -> Iterator[Any]:
    with reading_parts(source):
        yield from ArrowSource(dataset, target=None).tables(names)


class _Deciding:
    """Makes the columns to write of those that were read."""

    def __init__(self, model: "Model", keep: Sequence[str], name: str, with_probability: bool) -> None:
        import pyarrow as pa

        self._model, self._keep, self._name, self._with_probability = model, keep, name, with_probability
        self._labels = pa.array(list(model.rule.classes))

    def __call__(self, table: Any) -> Any:
        import pyarrow as pa

        columns = self._model.rule.columns
        frame = as_frame(table.select(list(columns))) if columns else Frame({}, table.num_rows)
        decisions, further = decide(self._model, frame, self._with_probability)
        kept = {name: table.column(name) for name in self._keep}
        return pa.table({**kept, self._name: self._labels.take(pa.array(decisions)), **further})


@contextmanager
def _opened(path: str | None, no_rows: Any) -> Iterator[Write]:
    """Somewhere to write tables to, one below the other: standard output, or a file that is there when all is."""
    if path is None:
        write = _csv_writer(sys.stdout.write)
        write(no_rows)
        yield write
        return
    with new_file(path) as unfinished:
        if path.endswith(".parquet"):
            with _parquet_writer(str(unfinished), no_rows.schema) as write:
                yield write
        else:
            with unfinished.open("w", encoding="utf-8", newline="") as file:
                write = _csv_writer(file.write)
                write(no_rows)
                yield write


def _csv_writer(put: Callable[[str], object]) -> Write:
    polars = require_polars()
    is_first = True

    def write(table: Any) -> None:
        nonlocal is_first
        put(polars.from_arrow(table).write_csv(include_header=is_first))
        is_first = False

    return write


@contextmanager
def _parquet_writer(path: str, schema: Any) -> Iterator[Write]:
    import pyarrow.parquet as parquet

    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        yield writer.write_table


def run(options: argparse.Namespace) -> int:
    require_writable(options.output)
    model = load(options.model)
    if goes_in_parts(options.data):
        predict_in_parts(options, model)
        return 0
    table = open_table(options.data[0], reading_of(options, model.kinds))
    keep = kept_columns(table.names, options.keep or [])
    name = name_decisions(options.name, model, keep)
    decisions, further = decide(model, table.frame(model.rule.columns), options.probability)
    if options.score:
        target = require_target(model, table.names, table.source)
        remark(write_score(*count_right(model, table.frame({*model.rule.columns, target}), target)))
    with writing():
        table.write(options.output, keep, name, model.rule.classes, decisions, further)
    return 0
