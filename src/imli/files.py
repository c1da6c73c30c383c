"""Files that are written whole or not at all, and temporary folders that do not outlive their process for long."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory, gettempdir
from time import time

if sys.platform != "win32":  # where there are no such locks, and folders of processes that were killed stay
    import fcntl

_PREFIX, _LOCK = "imli-", ".in-use"
_NEW = 60.0  # seconds in which a folder may not have its lock yet


class ScratchFolder(TemporaryDirectory[str]):
    """A temporary folder, in use as long as its process lives; folders of processes that were killed are removed."""

    def __init__(self) -> None:
        remove_abandoned(Path(gettempdir()))
        super().__init__(prefix=_PREFIX)
        self._in_use = Path(self.name, _LOCK).open("w")  # noqa: SIM115  # open, and locked, as long as the folder
        if sys.platform != "win32":
            fcntl.flock(self._in_use, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def cleanup(self) -> None:
        """Remove the folder."""
        self._in_use.close()
        super().cleanup()


def remove_abandoned(parent: Path) -> None:
    """Remove the temporary folders of this user whose process has ended."""
    if sys.platform == "win32":
        return
    for folder in parent.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            status = folder.lstat()
            if status.st_uid != os.getuid() or time() - status.st_mtime < _NEW or not folder.is_dir():
                continue
            with Path(folder, _LOCK).open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while the process lives
                shutil.rmtree(folder, ignore_errors=True)


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a file, text as UTF-8, in one step: a reader sees either the old content or all of the new."""
    with new_file(path) as unfinished:
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def new_file(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path that becomes ``path`` when the block ends, and is removed if the block raises.

    A device or a pipe, such as /dev/stdout, is yielded itself.
    """
    final = Path(path).resolve()  # the file that a link points to
    try:
        if final.exists() and not final.is_file():  # a device or a pipe must not be replaced by a file
            yield final
            return
        # In the folder of the final file: a move is one step only within one file system.
        with NamedTemporaryFile(dir=final.parent, prefix=f".{final.name}.", delete=False) as handle:
            unfinished = Path(handle.name)
        try:
            yield unfinished
            with unfinished.open("rb") as written:
                os.fsync(written.fileno())
            unfinished.chmod(_mode(final))
            unfinished.replace(final)
        finally:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
    except OSError as error:  # named after the path that the caller gave
        raise type(error)(error.errno, error.strerror, str(path)) from None


def _mode(path: Path) -> int:
    """Return the permissions of the file, or those that a new file would get."""
    with suppress(OSError):
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
