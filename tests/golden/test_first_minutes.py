"""A new user's first five minutes, and those with a messy file; run as a script, this writes their transcripts anew.

The commands run in a folder of their own with a few files that the test makes. With --all they run in a new
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

from support.messy import write_customers
from support.passengers import COLUMNS, write_passengers

FIRST, MESSY = (Path(__file__).parent / f"{name}_minutes.txt" for name in ("first", "messy"))
PROJECT = Path(__file__).parents[2]


def commands(transcript: str) -> list[str]:
    return [line.removeprefix("$ ") for line in transcript.splitlines() if line.startswith("$ ")]


def run(command: str, folder: Path, programs: Path) -> str:
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return f"$ {command}\n{done.stdout}{done.stderr}"


def session(transcript: Path, folder: Path, programs: Path) -> str:
    folder.mkdir(exist_ok=True)
    if transcript == FIRST:
        write_passengers(folder / "passengers.csv")
        write_passengers(folder / "new.csv", n_rows=5, seed=3, columns=COLUMNS[:-1])
    else:
        write_customers(folder / "customers.csv")
        write_customers(folder / "new.csv", n_rows=100, seed=2, is_new=True)
    return "\n".join(run(command, folder, programs) for command in commands(transcript.read_text()))


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    """The folder of the commands of an environment that has imli."""
    if not pytestconfig.option.all:
        return Path(sys.executable).parent
    if installed := os.environ.get("IMLI_TEST_INSTALLED"):  # made before, from a wheel
        return Path(installed) / "bin"
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "venv", with_pip=True)
    install = [folder / "venv" / "bin" / "pip", "install", "--quiet", f"{PROJECT}[cli]"]
    subprocess.run(install, check=True)
    return folder / "venv" / "bin"


def test_the_first_five_minutes(tmp_path: Path, programs: Path) -> None:
    assert session(FIRST, tmp_path / "first", programs) == FIRST.read_text()
    page = (tmp_path / "first" / "model.html").read_text()
    assert "<title>" in page
    assert "survived is yes" in page


@pytest.mark.slow
def test_the_first_five_minutes_with_a_messy_file(tmp_path: Path, programs: Path) -> None:
    assert session(MESSY, tmp_path / "messy", programs) == MESSY.read_text()
    assert "looks like free text" in (tmp_path / "messy" / "look.html").read_text()


if __name__ == "__main__":
    import tempfile

    for transcript in (FIRST, MESSY):
        with tempfile.TemporaryDirectory() as name:
            transcript.write_text(session(transcript, Path(name), Path(sys.executable).parent))
