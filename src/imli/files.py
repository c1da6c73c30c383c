"""Files that are written whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a file, text as UTF-8, so that whoever looks sees the old content or all of the new one."""
    with new_file(path) as unfinished:
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def new_file(path: str | Path) -> Iterator[Path]:
    """A place to write a file that takes its name when the block ends well, and is gone when it does not.

    A device or a pipe, such as /dev/stdout, is written to as it is.
    """
    final = Path(path).resolve()  # through a link, to the file it names
    if final.exists() and not final.is_file():  # a device or a pipe, which nothing may take the place of
        try:
            yield final
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(path)) from None
        return
    try:
        # beside the final place: moving a file there is one step only within a file system
        with NamedTemporaryFile(dir=final.parent, prefix=f".{final.name}.", delete=False) as handle:
            unfinished = Path(handle.name)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        yield unfinished
        with unfinished.open("rb") as handle:
            os.fsync(handle.fileno())
        unfinished.chmod(_mode(final))
        unfinished.replace(final)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _mode(path: Path) -> int:
    """The permissions that the file has, or that a new one would get."""
    with suppress(OSError):
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
