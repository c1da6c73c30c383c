"""Processes that learn for the comparison, each in the environment of its rival, with limits of time and memory.

A rival's requirements are those that ``pip`` takes, with two words more: ``python==3.10`` asks for another Python than
ours, and what follows ``--no-build-isolation`` is built with the packages that come before it, as old sources may need.
The environment is made by ``uv`` where it is on the path, and else by ``venv`` and ``pip``.
"""

import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from imli_bench.adapters import MODULES
from imli_bench.adapters.forms import NotInstalledError
from imli_bench.data_sets import IntArray, LabelledTable
from imli_bench.internals import new_file

AnyArray = npt.NDArray[Any]
ALWAYS = ("numpy", "pandas")  # what all adapters import
_SPLIT = "--no-build-isolation"


def environment(requires: tuple[str, ...], folder: Path, always: tuple[str, ...] = ALWAYS) -> Path:
    """Return the Python of an environment in the folder that has what is required, made if it is not there.

    Without requirements it is our own Python. What cannot be installed raises a NotInstalledError that says why.
    """
    if not requires:
        return Path(sys.executable)
    wanted = next((name.removeprefix("python==") for name in requires if name.startswith("python==")), None)
    packages = [name for name in requires if not name.startswith("python==")]
    uv = shutil.which("uv")
    base = _find_python(wanted) or (wanted if uv else None)  # which uv may know where to get
    if base is None:
        raise NotInstalledError(f"It needs Python {wanted}, which is neither on the path nor among those of pyenv.")
    home = folder.resolve() / _name(wanted or _version(sys.executable), always, packages)
    python = home / "bin" / "python"
    make = [uv, "venv", "--quiet", "--python", base, str(home)] if uv else [base, "-m", "venv", str(home)]
    install = [uv, "pip", "install", "--python", str(python)] if uv else [str(python), "-m", "pip", "install"]
    with _locked(home.with_suffix(".lock")):
        if not (home / "ready").exists():  # made now, or left unfinished by a run that was stopped
            shutil.rmtree(home, ignore_errors=True)
            try:
                _run(make, "Python cannot make a virtual environment")
                for some in _in_order(always, packages):
                    _run([*install, *some], f"{'uv' if uv else 'pip'} cannot install {' '.join(packages)}")
            except BaseException:
                shutil.rmtree(home, ignore_errors=True)
                raise
            (home / "ready").write_text("\n".join(packages) + "\n")
    return python


def _in_order(always: Sequence[str], packages: Sequence[str]) -> list[list[str]]:
    """Return the packages in the groups in which they are installed."""
    if _SPLIT not in packages:
        return [[*always, *packages]]
    place = packages.index(_SPLIT)
    return [[*always, *packages[:place]], [*packages[place:]]]


def _name(version: str, always: Sequence[str], packages: Sequence[str]) -> str:
    """Return another name for other packages or another Python, with the last package, for people who look."""
    digest = sha256("\n".join([version, *always, *packages]).encode()).hexdigest()[:12]
    first = next((name for name in reversed(packages) if not name.startswith("-")), "python")
    return "".join(sign if sign.isalnum() else "-" for sign in Path(first).name.split("=")[0]) + f"-{digest}"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one run at a time into the block; the system takes the lock from a run that dies."""
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
    """Return the line that says what went wrong: the last error, or else the last line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line[7:] for line in lines if line.lower().startswith("error: ")]
    return (errors or lines or ["nothing"])[-1]


def _find_python(wanted: str | None) -> str | None:
    """Return our own Python, or one of the version that is wanted, on the path or among pyenv's; None if none is."""
    if wanted is None or wanted == _version(sys.executable):
        return sys.executable
    on_path = shutil.which(f"python{wanted}")
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = ([on_path] if on_path else []) + sorted(map(str, pyenv.glob(f"{wanted}.*/bin/python")))
    # a shim on the path may be of another version
    return next((candidate for candidate in candidates if _version(candidate) == wanted), None)


def _version(python: str) -> str:
    code = "import sys; print('{}.{}'.format(*sys.version_info))"
    result = subprocess.run([python, "-c", code], capture_output=True, text=True)
    return result.stdout.strip()


def write_task(path: str | Path, table: LabelledTable, train: IntArray, test: IntArray) -> None:
    """Write all rows of a table, the positions to learn from and those held out, to a file that adapters read.

    It holds plain arrays only, for other versions of NumPy and pandas: a column of texts is these texts as UTF-8, one
    after the other, and for each row which of them it has.
    """
    arrays: dict[str, AnyArray] = {"y": table.y, "train": train, "test": test}
    arrays |= _texts("names", [str(name) for name in table.X.columns])
    for j in range(table.X.shape[1]):
        arrays |= _column(str(j), table.X.iloc[:, j])
    with new_file(path) as unfinished, unfinished.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type] # which takes the names for its own parameters


def _column(key: str, column: pd.Series) -> dict[str, AnyArray]:
    if column.dtype != object:
        return {key: column.to_numpy()}
    codes, values = pd.factorize(column)
    for value in values:
        if not isinstance(value, str):
            raise TypeError(
                f"The column {column.name!r} holds {value!r} among texts. A task file takes texts, numbers and truth "
                "values, each in columns of their own."
            )
    return {key: codes.astype(np.min_scalar_type(-len(values) - 1)), **_texts(f"{key}.texts", values)}


def _texts(key: str, values: Any) -> dict[str, AnyArray]:
    as_bytes = [value.encode("utf-8", "surrogatepass") for value in values]
    ends = np.cumsum([len(value) for value in as_bytes], dtype=np.int64)
    return {key: np.frombuffer(b"".join(as_bytes), dtype=np.uint8), f"{key}.ends": ends}


_ADAPTERS = Path(__file__).parent / "adapters"
_START_SECONDS = 300.0  # to import what it needs, and to read rows, which is no part of learning
_LOOK = 0.2  # seconds between two looks at its memory
_MOST_IDLE = 1_000.0  # megabytes: one that has more when its trials are done is not kept for others

Key = tuple[Path, str, float, int]


class EndedError(Exception):
    """A trial has no result, and maybe the process is gone. ``status`` is how a result file calls that."""

    def __init__(self, status: str, note: str = "", megabytes: float | None = None) -> None:
        super().__init__(note or status)
        self.status, self.note, self.megabytes = status, note, megabytes


class Worker:
    """One adapter in a process of its own, with the rows that it has read last.

    It and all that it starts are one session, which ends as one. All have one thread for each library that asks the
    usual variables, so that rivals can be compared while others learn beside them.
    """

    def __init__(self, python: Path, adapter: str, log: Path, megabytes: float, n_threads: int = 1) -> None:
        self.key: Key = (python, adapter, megabytes, n_threads)  # those of one key can stand in for each other
        self._limit, self._peak, self._log = megabytes, 0.0, log
        threads = {f"{name}_NUM_THREADS": str(n_threads) for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
        with log.open("w") as said:
            self._process = subprocess.Popen(
                [python, _ADAPTERS / "__main__.py", MODULES.get(adapter, adapter), adapter],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                start_new_session=True,
                env=os.environ | threads | {"PYTHONHASHSEED": "0"},  # some rivals go through sets
            )
        self._unread = b""
        self._data: Path | None = None
        self.versions = str(self._answer(_START_SECONDS)["versions"])

    def read(self, data: Path) -> None:
        """Let it learn from the rows of this file, unless they are those that it has."""
        if data != self._data:
            self._tell({"data": str(data)})
            self._answer(_START_SECONDS)
            self._data = data

    def ask(self, settings: Mapping[str, Any], seed: int, seconds: float, also: Collection[str] = ()) -> dict[str, Any]:
        """Return what the adapter answers, with the memory that it took; or raise an EndedError.

        ``also`` names what it tells only if it is asked to: "text", and "train_accuracy", for which all rows that it
        learned from are decided.
        """
        self._peak = 0.0
        self._tell({"settings": settings, "seed": seed, "also": list(also)})
        answer = self._answer(seconds)
        for word, status in (("failed", "crashed"), ("not_installed", "not installed")):
            if word in answer:
                raise EndedError(status, str(answer[word]), self._peak)
        return answer | {"megabytes": self._peak}

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def megabytes(self) -> float:
        """Return what it has in memory now."""
        return _megabytes(self._process.pid)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        self.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _tell(self, message: dict[str, Any]) -> None:
        try:
            os.write(self._stdin, (json.dumps(message) + "\n").encode())
        except BrokenPipeError:
            self._end("crashed", _last_line(self._log))

    @property
    def _stdin(self) -> int:
        assert self._process.stdin is not None
        return self._process.stdin.fileno()

    def _answer(self, seconds: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        end, out = monotonic() + seconds, self._process.stdout.fileno()
        while b"\n" not in self._unread:
            ready, _, _ = select.select([out], [], [], max(0.0, min(_LOOK, end - monotonic())))
            if ready:
                more = os.read(out, 1 << 16)
                if not more:
                    self._end("crashed", _last_line(self._log))
                self._unread += more
                continue
            self._peak = max(self._peak, _megabytes(self._process.pid))
            if self._peak > self._limit:
                self._end("memory limit", f"more than {self._limit:,.0f} MB")
            if monotonic() >= end:
                self._end("time limit", f"more than {seconds:g} s")
        self._peak = max(self._peak, _megabytes(self._process.pid))
        line, self._unread = self._unread.split(b"\n", 1)
        found: dict[str, Any] = json.loads(line)
        return found

    def _end(self, status: str, note: str) -> None:
        self.close()
        raise EndedError(status, note, self._peak)


class IdleWorkers:
    """Workers that have done their trials and wait for more of the same rival: starting one takes seconds."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: dict[Key, list[Worker]] = defaultdict(list)

    def take(self, python: Path, adapter: str, log: Path, megabytes: float, n_threads: int) -> Worker:
        """Return a worker that waits, or a new one."""
        while True:
            with self._lock:
                waiting = self._waiting[python, adapter, megabytes, n_threads]
                found = waiting.pop() if waiting else None
            if found is None:
                return Worker(python, adapter, log, megabytes, n_threads)
            if found.is_running:
                return found
            found.close()

    def leave(self, worker: Worker) -> None:
        if not worker.is_running or worker.megabytes > _MOST_IDLE:
            worker.close()
            return
        with self._lock:
            self._waiting[worker.key].append(worker)

    def close(self) -> None:
        with self._lock:
            for worker in (each for waiting in self._waiting.values() for each in waiting):
                worker.close()
            self._waiting.clear()


def _megabytes(session: int) -> float:
    """Return the memory of all processes of a session. Only Linux tells; elsewhere it is 0, and limits nothing."""
    pages = 0
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdecimal():
            with suppress(OSError, IndexError, ValueError), open(f"/proc/{name}/stat", "rb") as file:
                after_name = file.read().rpartition(b")")[2].split()  # nothing, if it has ended meanwhile
                if int(after_name[3]) == session:
                    pages += int(after_name[21])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _last_line(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it said nothing"
