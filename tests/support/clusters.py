"""A cluster of Dask for tests: two processes, as on two machines."""

from collections.abc import Iterator
from contextlib import contextmanager

from distributed import Client, LocalCluster


@contextmanager
def two_workers() -> Iterator[Client]:
    # a port of its own for the dashboard, since another test may run a cluster, too
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        yield client
