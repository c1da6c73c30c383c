from pathlib import Path

import pytest
from passengers import write_passengers

from imli.cli import main


@pytest.fixture
def run(capsys):
    """Runs a command in this process: its exit status, what it printed, and what it said beside that."""

    def run_command(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:  # of the parser
            status = int(end.code or 0)
        out, err = capsys.readouterr()
        return status, out, err

    return run_command


@pytest.fixture
def passengers(tmp_path: Path) -> Path:
    return write_passengers(tmp_path / "passengers.csv")


@pytest.fixture
def model(run, passengers: Path, tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    status, _, err = run("fit", passengers, "--target", "survived", "--effort", "0.1", "--no-check", "--save", path)
    assert (status, err) == (0, "")
    return path
