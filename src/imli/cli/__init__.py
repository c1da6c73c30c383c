"""The command line: ``imli fit``. Each command is a file with its arguments and its run."""

import argparse
import sys

from imli import __version__
from imli.cli import fit


def main(arguments: list[str] | None = None) -> int:
    """Run a command; what went wrong is said in one sentence, with exit status 2."""
    parser = argparse.ArgumentParser(
        prog="imli",
        description="Learn classification rules that a person can read, check and sign off.",
        epilog="Try 'imli fit', which learns from data that scikit-learn brings along.",
    )
    parser.add_argument("--version", action="version", version=f"imli {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    fit.add_to(commands)
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except (ValueError, TypeError, OSError, ImportError) as error:
        print(f"imli: {_sentence(error)}", file=sys.stderr)
        return 2


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"Cannot read {str(error.filename)!r}: {error.strerror}."
    return str(error)
