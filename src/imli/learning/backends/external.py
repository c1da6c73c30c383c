"""The backend that runs any MaxSAT program as a process, with the query as a weighted CNF (WCNF) file."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Literal

from imli.errors import SolverError
from imli.files import ScratchFolder
from imli.learning.answer import Answer
from imli.learning.backends.backend import Backend, conclude, watch
from imli.learning.backends.maxsat import Encoding, Stopped, check_encodable, lower
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.rules import Formula, Rule

WcnfFormat = Literal["classic", "2022"]


@dataclass(frozen=True)
class ExternalSolver(Backend):
    """Backend that runs a MaxSAT program, which reads a WCNF file and prints ``o``, ``s`` and ``v`` lines.

    The rule that the program prints is checked and priced again before it becomes an answer.

    Parameters
    ----------
    command
        The program, or a list of the program and its arguments. The name of the file is added at the end, or replaces
        ``{file}`` in an argument.
    form
        The form of the file: "classic" (with a ``p`` line) or "2022" (hard clauses begin with ``h``).
    grace
        Seconds before the time limit at which the program gets SIGTERM, on which many programs print the best rule
        they have. At the limit it is killed.

    Examples
    --------
    >>> from imli import DNFClassifier, ExternalSolver
    >>> clf = DNFClassifier(strategy="exact", backend=ExternalSolver("open-wbo"))
    >>> ExternalSolver(["clasp", "--outf=1"]).name
    'clasp'
    """

    command: str | Sequence[str]
    form: WcnfFormat = "classic"
    grace: float = 1.0

    def __post_init__(self) -> None:
        words = (self.command,) if isinstance(self.command, str) else tuple(self.command)
        if not words or not all(isinstance(word, str) and word for word in words):
            raise ValueError(
                f"ExternalSolver: command must be a program, or a list of it and its arguments. Got {self.command!r}."
            )
        if self.form not in ("classic", "2022"):
            raise ValueError(f"ExternalSolver: form must be one of 'classic', '2022'. Got {self.form!r}.")
        object.__setattr__(self, "command", words)

    @property
    def name(self) -> str:
        """Return the file name of the program."""
        return Path(self.command[0]).name

    def check(self, query: Query, deadline: Deadline) -> None:
        check_encodable(query, self.name)
        if shutil.which(self.command[0]) is None:
            raise SolverError(
                f"There is no program {self.command[0]!r} to start. Install it, or give the full path to it."
            )

    def answer(self, query: Query, start: Rule, deadline: Deadline) -> Answer:
        self.check(query, deadline)
        began = monotonic()
        remaining = deadline.remaining
        # the grace period takes at most a tenth of the limit
        grace = self.grace if remaining is None else min(self.grace, max(0.1, remaining / 10))
        with ScratchFolder() as folder:
            run = _ProcessRun(self, query, Path(folder), grace)
            early = Deadline.after(None if remaining is None else remaining - grace)
            interrupted = watch(run.run, run.terminate, early, patience=grace + 2.0)
        return conclude(query, start, run.found, run.bound, began, self.name, interrupted)


class _ProcessRun:
    """One run of the program with the rule and the bound that it printed."""

    def __init__(self, solver: ExternalSolver, query: Query, folder: Path, grace: float) -> None:
        self.solver, self.query, self.folder, self.grace = solver, query, folder, grace
        self.found: list[Formula] = []
        self.bound = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._signalled = 0.0  # when SIGTERM was sent

    def run(self, stop: Event) -> None:
        try:
            encoding = lower(self.query, stop.is_set)
            with (self.folder / "query.wcnf").open("w", encoding="ascii") as file:
                file.writelines(encoding.until_stopped(wcnf_lines(encoding, self.solver.form)))
        except Stopped:
            return
        output, errors = self.folder / "output", self.folder / "errors"
        with output.open("wb") as out, errors.open("wb") as err:
            # a session of its own: Ctrl-C does not reach it directly, and its child processes are killed with it
            self._process = subprocess.Popen(
                self._arguments(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=self.folder,
                start_new_session=True,
            )
            try:
                with _watched(self._process, self.folder):
                    status = self._process.wait()
            finally:
                _signal(self._process, signal.SIGKILL)
        printed, complaints = (path.read_text(encoding="utf-8", errors="replace") for path in (output, errors))
        self._read(encoding, printed, complaints, status, was_stopped=stop.is_set())

    def terminate(self) -> None:
        """Send SIGTERM to the program at the first call, and SIGKILL once the grace period is over."""
        process, now = self._process, monotonic()
        if process is None or process.poll() is not None:
            return
        if self._signalled == 0.0:
            self._signalled = now
            _signal(process, signal.SIGTERM)
        elif now - self._signalled > self.grace:
            _signal(process, signal.SIGKILL)

    def _arguments(self) -> list[str]:
        given = self.solver.command
        given = given if any("{file}" in word for word in given) else (*given, "{file}")
        program, *others = (word.replace("{file}", "query.wcnf") for word in given)
        return [shutil.which(program) or program, *others]

    def _read(self, encoding: Encoding, output: str, errors: str, status: int, was_stopped: bool) -> None:
        printed = read_solution(output)
        if printed.status == "UNSATISFIABLE":
            raise SolverError(f"{self.solver.name} says that no rule is allowed, though one is known. Do not trust it.")
        model = printed.model
        rule = None if model is None or len(model) < encoding.chosen.size else encoding.rule(model)
        if rule is not None and self.query.allows(rule):
            self.found.append(rule)
            units = self.query.units(rule)
            # a proof counts only if the program's own cost is right
            if printed.status == "OPTIMUM FOUND" and printed.cost in (None, units):
                self.bound = units
        elif not was_stopped:
            last = " ".join((errors.strip() or output.strip()).split()[-30:]) or "none"
            what = "no solution line" if model is None else "a solution that breaks the hard clauses"
            raise SolverError(
                f"{self.solver.name} stopped with exit status {status} and {what}. Its last words: {last}"
            )


def wcnf_lines(encoding: Encoding, form: WcnfFormat) -> Iterator[str]:
    """Yield the lines of the file. The classic form has a ``p`` line, that of 2022 marks hard clauses with ``h``."""
    hard = "h"
    if form == "classic":
        hard = str(sum(encoding.soft_weights) + 1)  # more than all soft clauses together
        yield f"p wcnf {encoding.n_variables} {encoding.n_clauses} {hard}\n"
    for clause in encoding.hard:
        yield f"{hard} {' '.join(map(str, clause))} 0\n"
    for clause, weight in zip(encoding.soft, encoding.soft_weights, strict=True):
        yield f"{weight} {' '.join(map(str, clause))} 0\n"


@dataclass(frozen=True)
class Solution:
    """The status, the last cost and the last model that a MaxSAT program printed."""

    status: str = "UNKNOWN"
    cost: int | None = None
    model: list[int] | None = None


def read_solution(output: str) -> Solution:
    """Read the ``o``, ``s`` and ``v`` lines; of several models the last counts.

    A model is signed literals or a string of 0 and 1, on one line or on many.

    >>> read_solution("o 7\\no 3\\ns OPTIMUM FOUND\\nv 1 -2\\nv 3 0")
    Solution(status='OPTIMUM FOUND', cost=3, model=[1, -2, 3])
    >>> read_solution("s SATISFIABLE\\nv 101").model
    [1, -2, 3]
    """
    status, cost = "UNKNOWN", None
    block: list[str] = []  # the v lines of the last model; some programs print thousands of models
    is_open = False
    for line in output.splitlines():
        letter, _, rest = line.strip().partition(" ")
        if letter == "v":
            block = [*block, rest] if is_open else [rest]
        elif letter == "s":
            status = rest.strip()
        elif letter == "o" and re.fullmatch(r"\s*[0-9]+\s*", rest):
            cost = int(rest)
        is_open = letter == "v" and rest != "0" and not rest.endswith(" 0")
    return Solution(status, cost, _model([value for part in block for value in part.split()]))


def _model(values: list[str]) -> list[int] | None:
    joined = "".join(values)
    # "1 -2 3 0" has signs or spaces; "101" over one line or several is one digit for each variable
    if joined != "" and set(joined) <= {"0", "1"} and any(len(value) > 1 for value in values):
        return [number if bit == "1" else -number for number, bit in enumerate(joined, start=1)]
    if not values or not all(re.fullmatch(r"-?[0-9]+", value) for value in values):
        return None
    return [int(value) for value in values if int(value) != 0]


@contextmanager
def _watched(process: "subprocess.Popen[bytes]", folder: Path) -> Iterator[None]:
    """Have the program killed and its folder removed if this process ends in the block, however it ends.

    The watchdog is a shell that waits for the end of a pipe, whose other end only this process has.
    """
    command = 'read -r _; kill -9 "-$1"; rm -rf -- "$2"'
    quiet = subprocess.DEVNULL
    watchdog = subprocess.Popen(
        ["/bin/sh", "-c", command, "imli-watchdog", str(process.pid), str(folder)],
        stdin=subprocess.PIPE,
        stdout=quiet,
        stderr=quiet,
        cwd="/",
        start_new_session=True,
    )
    try:
        yield
    finally:
        watchdog.kill()
        watchdog.communicate()


def _signal(process: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
