"""Work on several workers: threads of this process, or those of the back end that ``joblib.parallel_config`` names."""

import warnings
from collections import deque
from collections.abc import Generator, Iterable
from typing import Any

from joblib import Parallel
from joblib.parallel import get_active_backend


def is_here() -> bool:
    """Whether workers are threads of this process, as they are if nobody says anything else."""
    return _are_threads(get_active_backend(prefer="threads")[0])


def count_workers(n_pieces: int, n_threads: int) -> int:
    """How many pieces of work are done at a time: as many as threads, or as the back end elsewhere has workers."""
    backend, n_jobs = get_active_backend(prefer="threads")
    if not _are_threads(backend):
        # what parallel_config says of workers; 1 is what it says where nobody did
        n_threads = int(backend.effective_n_jobs(n_threads if n_jobs in (None, 1) else n_jobs))
    return max(1, min(n_threads, n_pieces))


def spread(work: Iterable[Any], n_workers: int, in_order: bool = True) -> Generator[Any]:
    """What comes of calls that joblib has delayed, one after the other.

    Who closes this has no use for the rest. Threads are waited for, so tell them first; others are left alone.
    """
    backend, _ = get_active_backend(prefer="threads")
    as_they_come = _are_threads(backend) or backend.supports_return_generator
    results = Parallel(
        n_jobs=n_workers,
        prefer="threads",
        return_as="list" if not as_they_come else "generator" if in_order else "generator_unordered",
        batch_size=1,
        pre_dispatch="n_jobs",  # what waits elsewhere cannot know how much of its time has passed
    )(work)
    try:
        for result in results:  # noqa: UP028 "yield from" would close them before we hear of it
            yield result
    except GeneratorExit:
        if _are_threads(backend):
            deque(results, maxlen=0)
        elif as_they_come:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # of joblib, about work that was given up
                results.close()
        raise


def _are_threads(backend: Any) -> bool:
    return bool(getattr(backend, "supports_sharedmem", False))
