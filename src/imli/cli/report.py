"""``imli report``: an HTML page about a model and some rows."""

import argparse
from pathlib import Path

from imli.cli.data import format_of, open_table
from imli.cli.problem import split
from imli.cli.screen import print_json, progress_of, remarks_of_warnings, require_writable, say, writing
from imli.models import load


def run(options: argparse.Namespace) -> int:
    """Write the page about a saved model and return the exit status."""
    output = options.output or str(Path(options.model).with_suffix(".html"))
    require_writable(output)
    model = load(options.model)
    table = open_table(options.data, format_of(options, model.readings))
    problem = split(table, options.target or model.rule.target, options.weight)
    from imli.report import make_report

    with remarks_of_warnings(), progress_of("Writing the report", options.time_limit) as watch:
        report = make_report(
            model,
            problem.X,
            problem.y,
            sample_weight=problem.weights,
            path=not options.no_path,
            columns=not options.no_columns,
            time_limit=options.time_limit,
            on_progress=lambda what, done, total: watch.now(f"{what}, {done} of {total}"),
        )
        with writing():
            report.save(output)
    if options.json:
        print_json(report.summary)
    else:
        say(f"Wrote {output}.")
    return 0
