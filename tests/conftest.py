import fcntl
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from support import programs

# scikit-learn skips one of its checks unless this is set before SciPy is imported
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# where tests run in several processes, there is a core for each: n_jobs=None means 1, which changes no result
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")

# how fast examples are made and run says more about what else the machine does
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


# fixtures that start processes of their own: clusters, and a browser
SLOW_FIXTURES = {"client", "scheduler", "browser"}


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="run slow tests too, and let none skip for a missing program")


def pytest_configure(config):
    programs.ARE_REQUIRED = config.option.all


def pytest_collection_modifyitems(config, items):
    """Leave slow tests out, unless all are wanted or their file is named, and let those that must run alone come last.

    Tests that must run alone are in one process, so that the others wait for them only once.
    """
    for item in items:
        if SLOW_FIXTURES.intersection(item.fixturenames):
            item.add_marker(pytest.mark.slow)
    named = {Path(argument.partition("::")[0]).resolve() for argument in config.args}
    if not config.option.all:
        slow = [item for item in items if item.get_closest_marker("slow") and item.path not in named]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in set(slow)]
    items.sort(key=lambda item: item.get_closest_marker("alone") is not None)
    for item in items:
        group = "alone" if item.get_closest_marker("alone") else item.nodeid.partition("::")[0]
        item.add_marker(pytest.mark.xdist_group(group))


def pytest_terminal_summary(terminalreporter, config):
    if not config.option.all:
        terminalreporter.write_line("Slow tests ran only where their file was named. To run all: pytest --all")


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


@pytest.fixture(scope="module")
def browser():
    """Chromium, for what only a browser shows."""
    path = programs.find_chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
