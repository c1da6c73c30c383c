"""Environments for rivals, with a package that is made here."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zipfile import ZipFile

import pytest

from imli_bench.adapters.forms import NotInstalledError
from imli_bench.workers import environment


def make_wheel(folder):
    """A package of one line, which pip installs without asking anybody."""
    path = folder / "tiny_rival-1.0-py3-none-any.whl"
    with ZipFile(path, "w") as wheel:
        wheel.writestr("tiny_rival.py", "WORD = 'here'\n")
        about = "tiny_rival-1.0.dist-info"
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tiny-rival\nVersion: 1.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    return str(path)


def test_without_requirements_it_is_our_own_python(tmp_path):
    assert environment((), tmp_path) == Path(sys.executable)
    assert list(tmp_path.iterdir()) == []


def test_environments_are_made_once_also_by_two_runs_at_the_same_time(tmp_path):
    requires = (make_wheel(tmp_path),)
    folder = tmp_path / "environments"

    def make(_):
        return environment(requires, folder, always=())

    with ThreadPoolExecutor(2) as both:
        first, second = both.map(make, range(2))
    assert first == second
    code = "import tiny_rival; print(tiny_rival.WORD)"
    assert subprocess.run([first, "-c", code], capture_output=True, text=True).stdout == "here\n"
    home = first.parent.parent
    made = (home / "ready").stat().st_mtime_ns
    assert environment(requires, folder, always=()) == first
    assert (home / "ready").stat().st_mtime_ns == made
    assert [path.name for path in folder.iterdir() if path.is_dir()] == [home.name]


def test_what_pip_cannot_install_is_said_and_leaves_nothing(tmp_path):
    missing = f"{tmp_path}/nothing-1.0-py3-none-any.whl"
    with pytest.raises(NotInstalledError) as error:
        environment((missing,), tmp_path / "environments", always=())
    expected = f"Could not install packages due to an OSError: [Errno 2] No such file or directory: '{missing}'"
    assert str(error.value) == f"pip cannot install {missing}. It says: {expected}"
    assert [path for path in (tmp_path / "environments").iterdir() if path.is_dir()] == []


def test_a_python_that_nobody_has_is_said(tmp_path):
    with pytest.raises(NotInstalledError) as error:
        environment(("python==2.0", "corels"), tmp_path)
    assert str(error.value) == "It needs Python 2.0, which is neither on the path nor among those of pyenv."
