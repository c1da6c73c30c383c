"""``imli predict``: decide the rows of a table."""

import argparse
from typing import TYPE_CHECKING, Any

from imli.cli.outputs import require_writable, writing
from imli.cli.screen import remark
from imli.cli.tables import open_table, reading_of
from imli.frames import UnknownColumnError
from imli.models import load

if TYPE_CHECKING:
    from imli.cli.tables import Table
    from imli.models import Model


def run(options: argparse.Namespace) -> int:
    require_writable(options.output)
    model = load(options.model)
    table = open_table(options.data, reading_of(options, model.kinds))
    keep = _kept(table, options.keep or [])
    name = options.name or _free_name(model.rule.target or "decision", keep)
    if name in keep:
        raise ValueError(f"Column {name!r} is there already. Give the decisions another --name.")
    rule = model.rule
    frame = table.frame(rule.columns)
    decisions = rule.class_positions(rule.holds_in(frame), frame.n_rows)
    further: dict[str, Any] = {}
    if options.probability:
        shares = model.predict_proba(frame).round(4)
        further = {f"p({label})": shares[:, n] for n, label in enumerate(model.labels)}
    if options.score:
        remark(_score(model, table))
    with writing():
        table.write(options.output, keep, name, rule.classes, decisions, further)
    return 0


def _kept(table: "Table", asked: list[str]) -> list[str]:
    if asked == ["all"] and "all" not in table.names:
        return list(table.names)
    for name in asked:
        if name not in table.names:
            raise UnknownColumnError.named(name, table.names)
    return asked


def _free_name(name: str, taken: list[str]) -> str:
    return f"{name} (decided)" if name in taken else name


def _score(model: "Model", table: "Table") -> str:
    target = model.rule.target
    if target is None or target not in table.names:
        raise ValueError(f"--score needs the column that is decided, {target!r}, which {table.source} does not have.")
    frame = table.frame({*model.rule.columns, target})
    there = ~frame[target].missing
    share = model.rule.score(frame.take(there), frame[target].take(there))
    return f"Right on {100 * share:.1f} % of {int(there.sum()):,} rows."
