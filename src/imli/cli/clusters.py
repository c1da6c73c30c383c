"""Workers of Dask: those of a running cluster, or processes that are started for one command."""

import logging
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_CERTIFICATE = "-----BEGIN CERTIFICATE-----"


@contextmanager
def connected(address: str | None, n_jobs: int | None) -> Iterator[str]:
    """Connect Dask with these workers while the block runs, and yield a description of them."""
    distributed = _distributed()
    if address is None:
        from imli.estimators.parameters import count_threads

        n_workers = count_threads(n_jobs)
        with _left_alone():
            cluster = distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                processes=True,
                # any port that is free, of this machine only, for what little is served without a dashboard
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                security=_secret(distributed),
                silence_logs=logging.ERROR,
            )
        with cluster, distributed.Client(cluster, security=cluster.security), _quiet_when_stopped():
            yield f"{n_workers} process{'' if n_workers == 1 else 'es'} of this machine"
        return
    try:
        client = distributed.Client(address)
    except (OSError, ValueError, TypeError):
        raise ValueError(
            f"No scheduler of Dask answers at {address!r}. Start one with 'dask scheduler', or leave --scheduler out."
        ) from None
    with client, _quiet_when_stopped():
        n_workers = len(client.nthreads())
        if not n_workers:
            raise ValueError(f"The scheduler at {address!r} has no workers. Start some with 'dask worker {address}'.")
        yield f"{n_workers} worker{'' if n_workers == 1 else 's'} of Dask"


def _secret(distributed: Any) -> Any:
    """Return a key and a certificate that only this process and its workers know, so that no other user can connect."""
    try:
        return distributed.Security.temporary()
    except ImportError:  # of cryptography
        pass
    if (program := shutil.which("openssl")) is None:
        raise ImportError(
            "The 'dask' engine needs cryptography, which keeps other users of this machine out of the cluster. "
            'Install it with: pip install "imli[dask]".'
        )
    asked = "req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=dask-internal -keyout /dev/stdout -out /dev/stdout"
    text = subprocess.run([program, *asked.split()], capture_output=True, text=True, check=True).stdout
    key, certificate = text[: text.index(_CERTIFICATE)], text[text.index(_CERTIFICATE) :]
    contents = {"tls_ca_file": certificate}
    for role in ("scheduler", "worker", "client"):
        contents |= {f"tls_{role}_cert": certificate, f"tls_{role}_key": key}
    return distributed.Security(require_encryption=True, **contents)


def read_table(files: Sequence[str]) -> Any:
    """Return Parquet files as a data frame of Dask, with their own types and columns."""
    import dask.dataframe

    return dask.dataframe.read_parquet(
        [str(Path(file).resolve()) for file in files],  # workers may run in other folders
        index=False,
        dtype_backend="pyarrow",
        dataset={"partitioning": None},
    )


def ask_partitions(ask: Callable[..., Any], table: Any, *arguments: Any) -> Sequence[Any]:
    """Return the result of a function for each partition."""
    import dask

    found: Sequence[Any] = dask.compute(*(dask.delayed(ask)(part, *arguments) for part in table.to_delayed()))
    return found


@contextmanager
def _left_alone() -> Iterator[None]:
    """Keep Ctrl-C from processes that are started in this block: they still count rows for the best rule after it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _quiet_when_stopped() -> Iterator[None]:
    """Silence the log of Dask about unfinished tasks after Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt:
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)
        raise


def _distributed() -> Any:
    try:
        import dask.dataframe  # noqa: F401 which needs more than Dask itself
        import distributed
    except ImportError:
        raise ImportError(
            "The 'dask' engine needs dask and distributed. Install it with: pip install \"imli[dask]\"."
        ) from None
    return distributed
