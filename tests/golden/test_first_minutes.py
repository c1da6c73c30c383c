"""A new user's first five minutes: ``python tests/golden/test_first_minutes.py`` writes their transcript anew.

The commands run in a folder of their own with two files that the test makes. With --all they run in a new
environment, into which the project is installed as the README says; else in this one.
"""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from support.passengers import COLUMNS, write_passengers

TRANSCRIPT = Path(__file__).parent / "first_minutes.txt"
PROJECT = Path(__file__).parents[2]


def commands(transcript: str) -> list[str]:
    return [line.removeprefix("$ ") for line in transcript.splitlines() if line.startswith("$ ")]


def run(command: str, folder: Path, programs: Path) -> str:
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return f"$ {command}\n{done.stdout}{done.stderr}"


def session(folder: Path, programs: Path) -> str:
    write_passengers(folder / "passengers.csv")
    write_passengers(folder / "new.csv", n_rows=5, seed=3, columns=COLUMNS[:-1])
    return "\n".join(run(command, folder, programs) for command in commands(TRANSCRIPT.read_text()))


@pytest.fixture
def programs(tmp_path: Path, pytestconfig: pytest.Config) -> Path:
    """The folder of the commands of an environment that has imli."""
    if not pytestconfig.option.all:
        return Path(sys.executable).parent
    if installed := os.environ.get("IMLI_TEST_INSTALLED"):  # made before, from a wheel
        return Path(installed) / "bin"
    venv.create(tmp_path / "venv", with_pip=True)
    install = [tmp_path / "venv" / "bin" / "pip", "install", "--quiet", f"{PROJECT}[cli]"]
    subprocess.run(install, check=True)
    return tmp_path / "venv" / "bin"


def test_the_first_five_minutes(tmp_path: Path, programs: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    assert session(folder, programs) == TRANSCRIPT.read_text()
    page = (folder / "model.html").read_text()
    assert "<title>" in page
    assert "survived is yes" in page


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        TRANSCRIPT.write_text(session(Path(name), Path(sys.executable).parent))
