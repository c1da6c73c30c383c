import shutil
from pathlib import Path

import pytest
from support.passengers import write_passengers

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


@pytest.fixture(scope="session")
def _saved_model(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    table = write_passengers(folder / "passengers.csv")
    arguments = ["fit", table, "--target", "survived", "--effort", "0.1", "--no-check", "--save", folder / "model.json"]
    assert main([str(argument) for argument in arguments]) == 0
    return folder / "model.json"


@pytest.fixture
def model(_saved_model: Path, tmp_path: Path) -> Path:
    """A model that was learned from the passengers; a copy for each test."""
    return Path(shutil.copy(_saved_model, tmp_path / "model.json"))
