"""``imli export``: the rule in other notations."""

import argparse
import sys

from imli.cli.screen import readable, require_writable, writing
from imli.models import load


def run(options: argparse.Namespace) -> int:
    """Write the rule of a saved model in another notation and return the exit status."""
    require_writable(options.output)
    from imli.exports import export
    from imli.files import write_whole

    for name, form in (("dialect", "sql"), ("name", "python")):
        if getattr(options, name) is not None and options.to != form:
            raise ValueError(f"--{name} is for --to {form}. Got --to {options.to}.")
    given = {name: value for name in ("dialect", "name") if (value := getattr(options, name)) is not None}
    text = export(load(options.model).rule, options.to, **given).rstrip("\n") + "\n"
    with writing():
        if options.output is None:
            sys.stdout.write(readable(text) if sys.stdout.isatty() else text)
        else:
            write_whole(options.output, text)
    return 0
