"""``imli predict``: decide the rows of a table, all at once or part by part."""

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from imli.cli.data import format_of, goes_in_parts, open_tables
from imli.cli.screen import readable, remark, require_writable, writing
from imli.errors import brief
from imli.files import new_file
from imli.logic.patterns import explain_rows
from imli.models import load
from imli.table.findings import in_order
from imli.table.frame import AnyArray, Frame

if TYPE_CHECKING:
    from imli.models import Model
    from imli.table.sample import Source


def run(options: argparse.Namespace) -> int:
    """Decide the rows of a table by a saved model, and return the exit status."""
    require_writable(options.output)
    model = load(options.model)
    rule = model.rule
    source = open_tables(options.data, format_of(options, model.readings))
    keep = _kept_columns(source, options.keep or [])
    name = _name_decisions(options.name, model, keep)
    source.require(rule.columns)
    target = _require_target(model, source) if options.score else None
    wanted = {*rule.columns, *([] if target is None else [target])}
    right, n_rows = 0.0, 0
    with writing(), _opened(options.output) as write:
        at_once = not goes_in_parts(options.data, source)
        for frame, kept in source.rows(wanted, keep, at_once):
            decisions, beside = _decide(model, frame, options, keep)
            write(kept, name, rule.classes, decisions, beside)
            if target is not None:
                more, rows = _count_right(model, frame, target)
                right, n_rows = right + more, n_rows + rows
        for finding in in_order(source.findings):
            if finding.grade == "serious":
                remark(str(finding))
        if target is not None:
            if not n_rows:
                raise ValueError("There are no rows to score the rule on.")
            remark(f"Correct on {100 * right / n_rows:.1f} % of {n_rows:,} rows.")
    return 0


def _kept_columns(source: "Source", asked: list[str]) -> list[str]:
    """Return the columns to write beside the decisions."""
    if asked == ["all"] and "all" not in source.columns:
        return list(source.columns)
    source.require(asked)
    return list(dict.fromkeys(asked))


def _name_decisions(asked: str | None, model: "Model", keep: Sequence[str]) -> str:
    """Return the name of the column of decisions."""
    usual = model.rule.target or "decision"
    name = asked or (f"{usual} (predicted)" if usual in keep else usual)
    if name in keep:
        raise ValueError(f"Column {brief(name)} is there already. Give the decisions another --name.")
    return name


def _decide(
    model: "Model", frame: Frame, options: argparse.Namespace, keep: Sequence[str]
) -> tuple[AnyArray, dict[str, Sequence[Any]]]:
    """Return for each row the position of its class, and columns of probabilities and reasons as far as asked for."""
    rule = model.rule
    decisions = rule.class_positions(rule.holds_in(frame), frame.n_rows)
    beside: dict[str, Sequence[Any]] = {}
    if options.probability:
        shares = model.predict_proba(frame).round(4)
        beside = {f"p({label})": shares[:, n].tolist() for n, label in enumerate(model.labels)}
    if options.reasons:
        regions, reasons = explain_rows(rule, frame)
        names = [rule.region_name(n).removeprefix("Clause ") for n in range(len(rule.region_classes))]
        names = ["default" if name == "Otherwise" else name for name in names]
        for word, cells in (("clause", [names[region] for region in regions.tolist()]), ("reason", reasons)):
            beside[f"{word} (predicted)" if word in keep else word] = cells
    return decisions, beside


def _require_target(model: "Model", source: "Source") -> str:
    """Return the name of the column that has the right decisions."""
    target = model.rule.target
    if target is None or target not in source.columns:
        raise ValueError(f"--score needs the target column, {brief(target)}, which {source.title} does not have.")
    return target


def _count_right(model: "Model", frame: Frame, target: str) -> tuple[float, int]:
    """Return how many rows are decided rightly, and how many have a label."""
    there = ~frame[target].missing
    n_rows = int(there.sum())
    if not n_rows:
        return 0.0, 0
    return model.rule.score(frame.take(there), frame[target].take(there)) * n_rows, n_rows


class _CsvWriter:
    """Writes decisions and what is kept beside them as lines of text."""

    def __init__(self, file: TextIO) -> None:
        self._writer = csv.writer(file, lineterminator="\n")
        self._is_read_by_people = file.isatty()
        self._is_first = True

    def __call__(
        self, kept: Any, name: str, labels: Sequence[Any], decisions: AnyArray, beside: Mapping[str, Any]
    ) -> None:
        words = [str(label).lower() if isinstance(label, bool) else str(label) for label in labels]
        columns: dict[str, Iterable[str | None]] = {each: _texts(each, kept.column(each)) for each in kept.column_names}
        columns[name] = map(words.__getitem__, decisions.tolist())
        columns |= {each: map(str, cells) for each, cells in beside.items()}
        if self._is_read_by_people:
            columns = {readable(each): [cell and readable(cell) for cell in cells] for each, cells in columns.items()}
        if self._is_first:
            self._writer.writerow(columns)
            self._is_first = False
        self._writer.writerows(zip(*columns.values(), strict=True))


def _texts(name: str, column: Any) -> list[str | None]:
    """Return the cells of a column of pyarrow as a CSV file has them."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_nested(kind):
        raise ValueError(
            f"Column {brief(name)} holds {kind}, which no CSV file can hold. Leave it out, or write Parquet."
        )
    cells: list[Any] = column.to_pylist()
    if pa.types.is_boolean(kind):
        return [None if cell is None else str(cell).lower() for cell in cells]
    return [cell if cell is None else repr(cell) if isinstance(cell, float) else str(cell) for cell in cells]


class _ParquetWriter:
    """Writes decisions and what is kept beside them as groups of rows of a Parquet file."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._writer: Any = None

    def __call__(
        self, kept: Any, name: str, labels: Sequence[Any], decisions: AnyArray, beside: Mapping[str, Any]
    ) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        columns = {each: kept.column(each) for each in kept.column_names}
        table = pa.table({**columns, name: pa.array(list(labels)).take(pa.array(decisions)), **beside})
        if self._writer is None:
            self._writer = parquet.ParquetWriter(self._path, table.schema, compression="zstd")
        self._writer.write_table(table)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


@contextmanager
def _opened(path: str | None) -> "Iterator[_CsvWriter | _ParquetWriter]":
    """Yield what writes to standard output, or to a file that appears when all is written."""
    if path is None:
        yield _CsvWriter(sys.stdout)
        return
    with new_file(path) as unfinished:
        if path.endswith(".parquet"):
            with closing(_ParquetWriter(str(unfinished))) as writer:
                yield writer
        else:
            with unfinished.open("w", encoding="utf-8", newline="") as file:
                yield _CsvWriter(file)
