"""Programs that some tests need, and that a machine may not have."""

import shutil
from pathlib import Path

import pytest

ARE_REQUIRED = False  # with --all a test fails, and does not skip, where its program is missing


def needs_clasp() -> None:
    """Skip the test where clasp is missing, unless all tests are asked for: then let it fail."""
    if shutil.which("clasp") is None and not ARE_REQUIRED:
        pytest.skip("clasp is not installed")


def find_postgres() -> Path:
    """The folder of PostgreSQL's programs. Where it is missing, skip the test, or let it fail if all are asked for."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not folders:
        if not ARE_REQUIRED:
            pytest.skip("PostgreSQL is not installed")
        pytest.fail("--all asks for all tests, but PostgreSQL is not installed.")
    return folders[-1]


def find_chromium() -> str:
    """The path of Chromium. Where it is missing, skip the test, or let it fail if all are asked for."""
    found = shutil.which("chromium")
    if found is None:
        if not ARE_REQUIRED:
            pytest.skip("Chromium is not installed")
        pytest.fail("--all asks for all tests, but Chromium is not installed.")
    return found
