"""Programs that some tests need, and that a machine may not have."""

import os
import shutil

import pytest


def needs_clasp() -> None:
    """Skip the test where clasp is missing, unless all tests are asked for: then let it fail."""
    if shutil.which("clasp") is None and not os.environ.get("IMLI_TEST_ALL"):
        pytest.skip("clasp is not installed")
