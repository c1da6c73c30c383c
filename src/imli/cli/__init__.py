"""The command line: a module with a function ``run`` for each command, which is imported when the command is typed."""

import os
import sys
from importlib import import_module

from imli.cli.options import parse
from imli.errors import escaped

DONE, DIFFERS, REFUSED, NO_FILE, STOPPED, NOBODY_READS = 0, 1, 2, 3, 130, 141


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit status; an error is printed as one sentence."""
    try:
        options = parse(sys.argv[1:] if arguments is None else arguments)
        status = int(import_module(f"imli.cli.{options.command}").run(options))
        sys.stdout.flush()  # here, so that an error gets its sentence
    except KeyboardInterrupt:
        return _fail("Stopped.", STOPPED)
    except BrokenPipeError:  # the reader of the output has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOBODY_READS
    except OSError as error:
        return _fail(_sentence(error), NO_FILE)
    except (ValueError, TypeError, ImportError) as error:
        return _fail(str(error), REFUSED)
    return status


def _fail(sentence: str, status: int) -> int:
    print(f"imli: {escaped(sentence, kept=chr(10))}", file=sys.stderr)
    return status


def _sentence(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.filename is None:
        return f"Cannot write the output: {reason}."
    verb = "write" if getattr(error, "is_about_writing", False) else "read"
    return f"Cannot {verb} {str(error.filename)!r}: {reason}."
