"""``imli bench`` where imli-bench is not installed. Where it is, its own tests in benchmarks/ run the command."""

import os
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import imli


def test_what_to_install(tmp_path):
    """All that is installed here but imli-bench is linked into a folder, which is all that Python gets to see."""
    installed = Path(str(distribution("imli").locate_file("")))
    for path in installed.iterdir():
        if not path.name.startswith(("imli_bench", "_editable")) and path.name != "imli" and path.suffix != ".pth":
            (tmp_path / path.name).symlink_to(path)
    (tmp_path / "imli").symlink_to(Path(imli.__file__).parent)
    for arguments in ([], ["--list"], ["--help"], ["defaults", "--jobs", "2"]):
        result = subprocess.run(
            [sys.executable, "-S", "-m", "imli", "bench", *arguments],
            env=os.environ | {"PYTHONPATH": str(tmp_path)}, cwd=tmp_path, capture_output=True, text=True,
        )  # fmt: skip
        assert (result.returncode, result.stdout, result.stderr) == (
            2, "", "imli: 'imli bench' needs imli-bench. Install it from a checkout of imli's sources: pip install "
            "./benchmarks.\n",
        )  # fmt: skip
