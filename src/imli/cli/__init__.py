"""The command line: a module with a function ``run`` for each command, which is imported when the command is typed."""

import atexit
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from threading import current_thread, main_thread
from typing import NoReturn

DONE, DIFFERS, REFUSED, NO_FILE, STOPPED, NOBODY_READS = 0, 1, 2, 3, 130, 141


def script() -> NoReturn:
    """Run the command that was typed, and end the process.

    The process ends at once: while Python is taken apart, a thread of Arrow that still holds an object aborts it.
    """
    try:
        status = main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else REFUSED
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


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
    except Exception as error:
        if _lacks_memory(error):
            return _fail(_write_lack(error), REFUSED)
        if isinstance(error, OSError):
            return _fail(_sentence(error), NO_FILE)
        if isinstance(error, ValueError | TypeError | ImportError):
            from imli.cli.screen import as_typed  # help and completions need no screen

            return _fail(as_typed(str(error)), REFUSED)
        raise
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


# Words of libraries that stand for MemoryError.
_LACKS = ("can't start new thread", "failed to map segment", "annot allocate memory", "malloc of size", "bad_alloc")


def _lacks_memory(error: BaseException | None) -> bool:
    """Return True if there was not enough memory for something, also if another error came of that."""
    while error is not None:
        if isinstance(error, MemoryError) or any(words in str(error) for words in _LACKS):
            return True
        error = error.__cause__ or error.__context__
    return False


def _write_lack(error: BaseException) -> str:
    """Return a sentence about how much memory is in use, and how much more a step needs if that is known."""
    import re

    found = re.search(r"Unable to allocate ([0-9.]+ \w+)|malloc of size ([0-9]+)", str(error))
    more = None if found is None else found[1] or f"{int(found[2]) / 2**20:,.1f} MiB"
    used = "what is in use"
    if sys.platform != "win32":
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
        used = f"the {most:,.0f} MiB in use"
    needed = f"more is needed than {used}" if more is None else f"a step needs {more} besides {used}"
    return (
        f"There is not enough memory: {needed}. Give it more, leave out columns that are not needed, or read files in "
        "parts with 'imli fit --engine parts'."
    )


def _sentence(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.filename is None:
        return f"Cannot write the output: {reason}."
    verb = "write" if getattr(error, "is_about_writing", False) else "read"
    return f"Cannot {verb} {str(error.filename)!r}: {reason}."
