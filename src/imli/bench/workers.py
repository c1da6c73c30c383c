"""A process that learns for us, and that is ended when it has had its time or its memory."""

import json
import os
import select
import signal
import subprocess
from collections import defaultdict
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

_ADAPTERS = Path(__file__).parent / "rivals"
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
                [python, _ADAPTERS / "__main__.py", adapter],
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
        """What the adapter answers, with the memory that it took; or an EndedError.

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
        """What it has in memory now."""
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
        """One that waits, or a new one."""
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
    """What all processes of a session have in memory now. Only Linux tells; elsewhere it is 0, and limits nothing."""
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
