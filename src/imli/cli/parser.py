"""What can be typed. Nothing heavy is imported here: help must appear at once."""

import argparse
import sys
from collections.abc import Sequence

from imli.cli.arguments import add_commands
from imli.cli.types import Parser, meant

_DESCRIPTION = "Learn classification rules that a person can read, check and sign off."
_EPILOG = """\
a first tour:
  imli fit                                        learn from data that scikit-learn brings along
  imli fit patients.csv --target outcome          learn from a file of yours
  imli fit patients.csv --target outcome --never gender --save model.json
  imli predict model.json new.csv -o decided.csv  decide new rows
  imli export model.json --to sql                 take the rule to a database
  imli report model.json patients.csv             a page to hand around
  imli explain forest.joblib patients.csv --trust what any other model decides, as rules
  imli bench --data FOLDER                        compare it with other learners

exit status:
  0    done
  2    the command or the data was refused; a sentence says why
  3    a file could not be read or written
  130  stopped with Ctrl-C; fit still gives the best rule that it has
"""


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """What was typed, or an end with one sentence and what was probably meant."""
    parser = Parser(prog="imli", description=_DESCRIPTION, epilog=_EPILOG)
    commands = _add_commands(parser)
    if not arguments:
        parser.print_help(sys.stderr)
        parser.exit(2)
    if not arguments[0].startswith("-") and arguments[0] not in commands:
        parser.error(f"unknown command {arguments[0]!r}.{meant(arguments[0], commands)}")
    if arguments[0] == "bench":  # another distribution reads the rest
        return argparse.Namespace(command="bench", arguments=arguments[1:])
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        known = [name for name in options.parser._option_string_actions if name.startswith("--")]
        first = next((word for word in unknown if word.startswith("-")), unknown[0])
        what = "option" if first.startswith("-") else "argument"
        options.parser.error(f"unknown {what} {first!r}.{meant(first.split('=')[0], known)}")
    return options


def _add_commands(parser: Parser) -> Sequence[str]:
    from imli import __version__

    parser.add_argument("--version", action="version", version=f"imli {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", parser_class=Parser)
    add_commands(commands)
    return list(commands.choices)
