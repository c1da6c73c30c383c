"""Deciding the rows of Parquet files part by part, however many there are."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from imli.cli.decisions import count_right, decide, kept_columns, name_decisions, require_target, write_score
from imli.cli.large_problems import reading_parts
from imli.cli.outputs import writing
from imli.cli.parquet_files import describe_files, find_files
from imli.cli.parquet_tables import require_polars
from imli.cli.screen import remark
from imli.files import new_file
from imli.frames import Frame, UnknownColumnError, as_frame
from imli.parts.sources import ArrowSource, open_files

if TYPE_CHECKING:
    from imli.models import Model

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
