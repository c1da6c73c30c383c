"""Result files for pages."""

import signal
from functools import partial

import made_up_results
import pytest
from imli.cli import main

from imli_bench.pages.measured import Results
from imli_bench.pages.printed import Paper


@pytest.fixture
def add(tmp_path):
    """Write a line of a result file."""
    return partial(made_up_results.add, tmp_path)


@pytest.fixture
def results(tmp_path):
    """Read what was written so far."""
    return lambda: Results(tmp_path)


@pytest.fixture(scope="session")
def paper():
    return Paper()


@pytest.fixture
def run(capsys):
    """Runs a command in this process: its exit status, what it printed, and what it said beside that."""

    def run_command(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:  # of the parser
            status = int(end.code or 0)
        return status, *capsys.readouterr()

    return run_command


@pytest.fixture(autouse=True)
def _ctrl_c_interrupts():
    """Ctrl-C raises KeyboardInterrupt, also where the tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
