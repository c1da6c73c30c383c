"""Virtual environments for rivals, one for each set of packages that one of them requires.

A rival's requirements are those that ``pip`` takes, with two words more: ``python==3.10`` asks for another Python than
ours, and what follows ``--no-build-isolation`` is built with the packages that come before it, as old sources may need.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from imli.bench.rivals.not_installed import NotInstalledError

__all__ = ["NotInstalledError", "environment"]

ALWAYS = ("numpy", "pandas")  # what all adapters import
_SPLIT = "--no-build-isolation"


def environment(requires: tuple[str, ...], folder: Path, always: tuple[str, ...] = ALWAYS) -> Path:
    """The Python of an environment in the folder that has numpy, pandas and what is required, made if it is not there.

    Without requirements it is our own Python. Where ``pip`` cannot install them, NotInstalledError says what it said.
    """
    if not requires:
        return Path(sys.executable)
    base = _find_python(requires)
    packages = [name for name in requires if not name.startswith("python==")]
    home = folder.resolve() / _name(base, always, packages)
    python = home / "bin" / "python"
    with _locked(home.with_suffix(".lock")):
        if not (home / "ready").exists():  # made now, or left unfinished by a run that was stopped
            shutil.rmtree(home, ignore_errors=True)
            try:
                _run([str(base), "-m", "venv", str(home)], "Python cannot make a virtual environment")
                for part in _in_order(always, packages):
                    _run([str(python), "-m", "pip", "install", *part], f"pip cannot install {' '.join(packages)}")
            except BaseException:
                shutil.rmtree(home, ignore_errors=True)
                raise
            (home / "ready").write_text("\n".join(packages) + "\n")
    return python


def _in_order(always: Sequence[str], packages: Sequence[str]) -> list[list[str]]:
    """What is installed at a time."""
    if _SPLIT not in packages:
        return [[*always, *packages]]
    place = packages.index(_SPLIT)
    return [[*always, *packages[:place]], [*packages[place:]]]


def _name(python: Path, always: Sequence[str], packages: Sequence[str]) -> str:
    """Another one for other packages or another Python; the first package, for people who look into the folder."""
    digest = sha256("\n".join([_version(python), *always, *packages]).encode()).hexdigest()[:12]
    first = next((name for name in reversed(packages) if not name.startswith("-")), "python")
    return "".join(sign if sign.isalnum() else "-" for sign in Path(first).name.split("=")[0]) + f"-{digest}"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One run at a time; the system takes the lock from a run that dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _run(command: Sequence[str], failure: str) -> None:
    apart = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    apart["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    result = subprocess.run(command, capture_output=True, text=True, env=apart)
    if result.returncode != 0:
        raise NotInstalledError(f"{failure}. It says: {_telling(result.stdout + result.stderr)}")


def _telling(said: str) -> str:
    """The line that says what went wrong: the last error, or else the last line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return (errors or lines or ["nothing"])[-1]


def _find_python(requires: Sequence[str]) -> Path:
    """Our own Python, or one of the version that is asked for, on the path or among pyenv's."""
    wanted = next((name.removeprefix("python==") for name in requires if name.startswith("python==")), None)
    if wanted is None or wanted == _version(Path(sys.executable)):
        return Path(sys.executable)
    on_path = shutil.which(f"python{wanted}")
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = ([Path(on_path)] if on_path else []) + sorted(pyenv.glob(f"{wanted}.*/bin/python"))
    for candidate in candidates:
        if _version(candidate) == wanted:  # which a shim on the path may not be
            return candidate
    raise NotInstalledError(f"It needs Python {wanted}, which is neither on the path nor among those of pyenv.")


def _version(python: Path) -> str:
    code = "import sys; print('{}.{}'.format(*sys.version_info))"
    result = subprocess.run([str(python), "-c", code], capture_output=True, text=True)
    return result.stdout.strip()
