import fcntl
import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# scikit-learn skips one of its checks unless this is set before SciPy is imported
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# where tests run in several processes, there is a core for each: n_jobs=None means 1, which changes no result
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")

# how fast examples are made and run says more about what else the machine does
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_collection_modifyitems(items):
    """Tests that must run alone come last, in one process, so that the others wait for them only once."""
    items.sort(key=lambda item: item.get_closest_marker("alone") is not None)
    for item in items:
        group = "alone" if item.get_closest_marker("alone") else item.nodeid.partition("::")[0]
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """While a test runs that must run alone, no other process of the tests runs one."""
    with open(item.config.inipath) as file:
        fcntl.flock(file, fcntl.LOCK_EX if item.get_closest_marker("alone") else fcntl.LOCK_SH)
        return (yield)


@pytest.fixture(autouse=True)
def ctrl_c_interrupts():
    """Ctrl-C raises KeyboardInterrupt, also where the tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
