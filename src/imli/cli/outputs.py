"""Where results go."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from imli.cli.screen import say
from imli.files import new_file


@contextmanager
def writing() -> Iterator[None]:
    """Troubles with files in this block are about writing."""
    try:
        yield
    except OSError as error:
        error.is_about_writing = True  # type: ignore[attr-defined]
        raise


def require_writable(*paths: str | None) -> None:
    """Refuse places that cannot be written before anyone waits for what goes there."""
    for path in paths:
        if path is not None:
            with writing():
                _try_to_write(Path(path))


def _try_to_write(path: Path) -> None:
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder. Add the name of a file.")
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(13, "Permission denied", str(path))
    with suppress(_NotYetError), new_file(path):
        raise _NotYetError


class _NotYetError(Exception):
    """Ends a trial, so that nothing is written."""


def print_json(content: Any) -> None:
    say(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))
