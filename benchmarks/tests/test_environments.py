"""Environments for rivals, with a package that is made here."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zipfile import ZipFile

import pytest

from imli_bench.adapters.forms import NotInstalledError
from imli_bench.workers import environment


@pytest.fixture(autouse=True, params=["pip", "uv"])
def installer(request, monkeypatch):
    """What installs: uv where it is on the path, and pip where it is not."""
    if request.param == "uv" and shutil.which("uv") is None:
        pytest.skip("uv is not installed")
    if request.param == "pip":
        folders = os.environ["PATH"].split(os.pathsep)
        monkeypatch.setenv("PATH", os.pathsep.join(each for each in folders if not (Path(each) / "uv").exists()))
    return request.param


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


def test_what_cannot_be_installed_is_said_and_leaves_nothing(tmp_path, installer):
    missing = f"{tmp_path}/nothing-1.0-py3-none-any.whl"
    with pytest.raises(NotInstalledError) as error:
        environment((missing,), tmp_path / "environments", always=())
    expected = {
        "pip": f"Could not install packages due to an OSError: [Errno 2] No such file or directory: '{missing}'",
        "uv": f"Distribution not found at: file://{missing}",
    }
    assert str(error.value) == f"{installer} cannot install {missing}. It says: {expected[installer]}"
    assert [path for path in (tmp_path / "environments").iterdir() if path.is_dir()] == []


def test_a_python_that_nobody_has_is_said(tmp_path, installer):
    with pytest.raises(NotInstalledError) as error:
        environment(("python==2.0", "corels"), tmp_path)
    if installer == "pip":
        assert str(error.value) == "It needs Python 2.0, which is neither on the path nor among those of pyenv."
    else:
        assert str(error.value).startswith("Python cannot make a virtual environment. It says: Invalid version request")
