"""Runs trials, each in the environment of its rival, and writes down what came of them."""

import json
import math
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Lock
from typing import Any

import numpy as np

from imli.arrays import IntArray
from imli.bench import taskfile
from imli.bench.environments import NotInstalledError, environment
from imli.bench.folds import folds, sub_sample
from imli.bench.problems import load
from imli.bench.protocols import OURS, Part, Profile, adapter, as_text
from imli.bench.results import SPARED, Origin, Outcome, ResultFile, Trial
from imli.bench.tables import Table
from imli.bench.workers import EndedError, Worker

Listener = Callable[[Trial, Outcome], None]
Group = tuple[str, str, int, int]  # problem, rival, fold, most rows: what one process does


@dataclass
class Runner:
    """A comparison into a folder of result files."""

    profile: Profile
    results: Path
    cache: Path  # for the environments of rivals and for look-alikes, which other runs can use, too
    data: Path | None = None
    n_jobs: int = 1
    on_outcome: Listener = lambda _trial, _outcome: None
    _tables: dict[str, Table] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    _spent: dict[tuple[str, str, str], float] = field(default_factory=lambda: defaultdict(float))
    _sessions: set["_Session"] = field(default_factory=set)
    _stop: Event = field(default_factory=Event)
    _origin: Origin = field(default_factory=Origin.here)

    def open_trials(self, part: Part, is_wanted: Callable[[Trial], bool], again: bool = False) -> list[Trial]:
        """Those that have no result yet, or, ``again``, whose rival failed. Without a budget, also what one cut off."""
        found = dict(ResultFile(self.results, part.name).read())
        wanted = [*part.trials(self.profile), *part.then(self.profile, found)]
        return [trial for trial in wanted if is_wanted(trial) and self._is_open(trial, found.get(trial), again)]

    def _is_open(self, trial: Trial, outcome: Outcome | None, again: bool) -> bool:
        if outcome is None:
            return True
        if outcome.status == "out of budget":
            return math.isinf(self.profile.budget(trial.part, trial.rival))
        return again and outcome.status in ("crashed", "not installed")

    def run(self, part: Part, trials: Iterable[Trial]) -> None:
        """All of these, several side by side unless the part is alone. Ctrl-C ends it; what is done is written."""
        file = ResultFile(self.results, part.name)
        self._spent.clear()
        for trial, outcome in file.read():
            self._spent[part.name, trial.problem, trial.rival] += outcome.seconds or 0.0
        groups: dict[Group, list[Trial]] = {}
        for trial in trials:
            groups.setdefault((trial.problem, trial.rival, trial.fold, trial.most_rows), []).append(trial)
        n_folds = part.n_folds or self.profile.n_folds
        with (
            TemporaryDirectory(prefix="imli-bench-") as name,
            ThreadPoolExecutor(1 if part.is_alone else self.n_jobs) as pool,
        ):
            waiting = [pool.submit(self._run_group, part, group, own, file, Path(name), n_folds)
                       for group, own in groups.items()]  # fmt: skip
            try:
                for each in as_completed(waiting):
                    each.result()
            except BaseException:
                self._stop.set()
                for each in waiting:
                    each.cancel()
                for session in tuple(self._sessions):
                    session.kill()  # nobody waits for what it learns
                raise

    def _run_group(
        self, part: Part, group: Group, trials: list[Trial], file: ResultFile, folder: Path, n_folds: int
    ) -> None:
        problem, rival, fold, most_rows = group
        budget = self.profile.budget(part.name, rival)
        # An earlier fold leaves to the later ones what is theirs.
        share = budget * (fold + 1) / n_folds
        desk = folder / f"{problem}-{rival}-{fold}-{most_rows}".replace(" ", "-")
        desk.mkdir()
        session: _Session | None = None
        try:
            for trial in trials:
                if self._stop.is_set():
                    return
                if self._spent[part.name, problem, rival] >= share:
                    outcome = Outcome("out of budget", note=f"{budget:g} s for all its trials on this problem are over")
                else:
                    try:
                        session = session or self._session(part, group, desk, n_folds)
                        self._sessions.add(session)
                        spared = self.profile.spared(rival)
                        outcome = session.learn(trial, full_settings(trial, spared), self._seconds(part))
                        if spared and outcome.status == "done":
                            outcome = replace(outcome, note=SPARED + as_text(spared))
                    except NotInstalledError as error:
                        outcome = Outcome("not installed", note=str(error)[:300])
                if self._stop.is_set():
                    return
                with self._lock:
                    self._spent[part.name, problem, rival] += outcome.seconds or 0.0
                    file.add(trial, outcome, self._origin)
                    self.on_outcome(trial, outcome)
        finally:
            if session is not None:
                self._sessions.discard(session)
                session.close()
            shutil.rmtree(desk, ignore_errors=True)

    def _seconds(self, part: Part) -> float:
        return self.profile.scale_seconds if part.is_alone else self.profile.seconds

    def _session(self, part: Part, group: Group, desk: Path, n_folds: int) -> "_Session":
        problem, rival, fold, most_rows = group
        module = adapter(rival)
        python = environment(module.REQUIRES, self.cache / "rivals")
        table = self._table(problem)
        train, test = folds(table, n_folds, seed=0)[fold]
        train = sub_sample(train, table.y, most_rows, seed=0)
        test = sub_sample(test, table.y, self.profile.most_held_out.get(part.name, 0), seed=0)
        taskfile.write(desk / "data.npz", table, train, test)
        name = module.__name__.rpartition(".")[2]
        n_threads = 1 if not part.is_alone else max(1, self.n_jobs)
        constant = _constant_accuracy(table.y, train, test)
        return _Session(python, name, desk, self.profile.megabytes, n_threads, len(train), len(test), constant)

    def _table(self, problem: str) -> Table:
        with self._lock:
            if problem not in self._tables:
                while len(self._tables) >= 2:  # they may have a million rows
                    del self._tables[next(iter(self._tables))]
                self._tables[problem] = load(problem, self.data, self.cache / "lookalikes")
            return self._tables[problem]


@dataclass(eq=False)
class _Session:
    """A worker for one group, made anew when it was ended."""

    python: Path
    name: str
    desk: Path
    megabytes: float
    n_threads: int
    n_train: int
    n_test: int
    constant_accuracy: float
    worker: Worker | None = None

    def learn(self, trial: Trial, settings: Mapping[str, Any], seconds: float) -> Outcome:
        about = Outcome("done", self.n_train, self.n_test, constant_accuracy=self.constant_accuracy, limit=seconds)
        try:
            if self.worker is None:
                self.worker = Worker(
                    self.python, self.name, self.desk / "data.npz", self.desk / "log", self.megabytes, self.n_threads
                )
            about = replace(about, versions=self.worker.versions)
            answer = self.worker.ask(settings, trial.seed, seconds, keeps_text(trial))
        except EndedError as error:
            if self.worker is not None and not self.worker.is_running:
                self.close()
            took = seconds if error.status == "time limit" else None
            return replace(about, status=error.status, note=error.note, seconds=took, megabytes=error.megabytes)
        return replace(about, **answer)

    def kill(self) -> None:
        """From another thread: whoever waits for the worker learns that it has ended."""
        if (worker := self.worker) is not None:
            worker.kill()

    def close(self) -> None:
        if self.worker is not None:
            self.worker.close()
            self.worker = None


def full_settings(trial: Trial, spared: Mapping[str, Any]) -> dict[str, Any]:
    """With those that make one of our own methods what it is, and those that spare a slow rival."""
    own: Mapping[str, Any] = OURS.get(trial.rival, {})
    return {**own, **json.loads(trial.settings), **spared}


def keeps_text(trial: Trial) -> bool:
    """Rules to show are those of the first fold."""
    return trial.part == "defaults" and trial.fold == 0


def _constant_accuracy(y: np.ndarray, train: IntArray, test: IntArray) -> float:
    larger = bool(y[train].mean() >= 0.5)
    return 100 * float((y[test] == larger).mean())
