"""``imli check``: how new rows, and the decisions on them, differ from those in training."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from imli.cli import DIFFERS, DONE
from imli.cli.data import format_of, goes_in_parts, open_tables
from imli.cli.problem import as_known, read_weights
from imli.cli.screen import print_json, require_writable, say, show_findings, writing
from imli.models import load
from imli.models.comparison import Part, compare

if TYPE_CHECKING:
    from imli.models import Model
    from imli.table.sample import Source


def run(options: argparse.Namespace) -> int:
    """Compare the rows and return the exit status."""
    require_writable(options.html)
    model = load(options.model)
    source = open_tables(options.data, format_of(options, model.readings))
    found = compare(model, _parts(options, model, source), options.level, options.ignore or ())
    if options.html is not None:
        with writing():
            found.save(options.html)
    if options.json:
        print_json(dict(found.summary))
    else:
        show_findings(source.findings)
        say(str(found))
        say("" if options.html is None else f"\nWrote {options.html}.")
    return DIFFERS if found.differs else DONE


def _parts(options: argparse.Namespace, model: "Model", source: "Source") -> Iterator[Part]:
    """Yield the new rows part by part, with labels and weights if there are some."""
    target = options.target or model.rule.target
    if options.target is None and target not in source.columns:
        target = None
    beside = [name for name in (target, options.weight) if name is not None]
    source.require([*model.rule.columns, *beside])
    wanted = {*model.columns, *model.rule.columns, *beside}
    names = [name for name in source.columns if name in wanted]
    for frame, _ in source.rows(names, (), not goes_in_parts(options.data, source)):
        labels = None if target is None else as_known(frame[target], model.labels)
        yield frame, labels, None if options.weight is None else read_weights(frame[options.weight])
