"""The command line: a module with a function ``run`` for each command, which is imported when the command is typed."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import current_thread, main_thread

DONE, DIFFERS, REFUSED, NO_FILE, STOPPED, NOBODY_READS = 0, 1, 2, 3, 130, 141


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit status; an error is printed as one sentence."""
    try:
        with _ended_like_ctrl_c():
            from imli.cli.options import parse  # here, so that Ctrl-C gets its sentence at any moment

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


@contextmanager
def _ended_like_ctrl_c() -> Iterator[None]:
    """Take SIGTERM for Ctrl-C in the block, so that it also ends with the best rule and with whole files."""
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _fail(sentence: str, status: int) -> int:
    from imli.errors import escaped

    print(f"imli: {escaped(sentence, kept=chr(10))}", file=sys.stderr)
    return status


def _sentence(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.filename is None:
        return f"Cannot write the output: {reason}."
    verb = "write" if getattr(error, "is_about_writing", False) else "read"
    return f"Cannot {verb} {str(error.filename)!r}: {reason}."
