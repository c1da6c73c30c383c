"""Result files for pages."""

from functools import partial

import made_up_results
import pytest

from imli.bench.rendering.measured import Results
from imli.bench.rendering.paper import Paper


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
