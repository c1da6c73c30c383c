"""Groups of trials on the workers of a cluster that has the files of the runner.

Nothing can be told to a worker that has begun. It looks whether a file is still there, which goes when nobody waits
for it any more.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

from imli.bench.groups import Fold, Group, Session
from imli.bench.results import Origin, Outcome, Trial

_LOOK = 0.5  # seconds between two looks at whether somebody waits
_AWAITED = "awaited"


@dataclass(frozen=True)
class Errand:
    """A group, and all that its trials need elsewhere."""

    group: Group
    python: Path | None  # None is that of the worker
    folds: tuple[Fold, ...]  # of each trial
    spent: float  # seconds of the budget, by now
    folder: Path


@contextmanager
def errands_folder(shared: Path) -> Iterator[Path]:
    """A folder that all workers can see, for as long as somebody waits for them."""
    shared.mkdir(parents=True, exist_ok=True)
    # workers that are about to end may write a last word while it goes
    with TemporaryDirectory(prefix="errands-", dir=shared.resolve(), ignore_cleanup_errors=True) as name:
        awaited = Path(name) / _AWAITED
        awaited.touch()
        try:
            yield Path(name)
        finally:
            awaited.unlink()


def run_errand(errand: Errand) -> tuple[Origin, list[tuple[Trial, Outcome]]]:
    """On a worker: what came of each trial, and where. Those that nobody waits for are ended, or never begin."""
    session = Session(errand.group, lambda: errand.python or Path(sys.executable))
    find_fold = dict(zip(errand.group.trials, errand.folds, strict=True)).__getitem__
    found = list[tuple[Trial, Outcome]]()

    def spent() -> float:
        return errand.spent + sum(outcome.seconds or 0.0 for _, outcome in found)

    awaited = errand.folder / _AWAITED
    if awaited.exists():
        with _watched(session, awaited) as is_over:
            for trial, outcome in errand.group.outcomes(session, find_fold, spent):
                if is_over.is_set():
                    break
                found.append((trial, outcome))
    return Origin.here(), found


@contextmanager
def _watched(session: Session, awaited: Path) -> Iterator[Event]:
    """A session that ends, and says so, when the file is gone."""
    is_over, is_done = Event(), Event()

    def watch() -> None:
        while not is_done.wait(_LOOK):
            if not awaited.exists():
                is_over.set()
                session.kill()

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield is_over
    finally:
        is_done.set()
        watcher.join()
        session.close()
