"""``imli predict``: decide the rows of a table."""

import argparse

from imli.cli.decisions import count_right, decide, kept_columns, name_decisions, require_target, write_score
from imli.cli.outputs import require_writable, writing
from imli.cli.parquet_files import goes_in_parts
from imli.cli.screen import remark
from imli.cli.tables import open_table, reading_of
from imli.models import load


def run(options: argparse.Namespace) -> int:
    require_writable(options.output)
    model = load(options.model)
    if goes_in_parts(options.data):
        from imli.cli.predicting import predict_in_parts

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
