"""Runs trials, each in the environment of its rival, and writes down what came of them."""

import json
import math
from collections import Counter, defaultdict
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
Group = tuple[str, str, int]  # problem, rival, most rows: what one process does


@dataclass(frozen=True)
class Fold:
    """A file of rows to learn from and to decide, and how many these are."""

    path: Path
    n_train: int
    n_test: int
    constant_accuracy: float


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
    _folds: dict[tuple[str, int, int], Fold] = field(default_factory=dict)  # by problem, fold and most rows
    _n_groups: Counter[str] = field(default_factory=Counter)  # that are not done, by problem
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
        self._folds.clear()
        for trial, outcome in file.read():
            self._spent[part.name, trial.problem, trial.rival] += outcome.seconds or 0.0
        groups: dict[Group, list[Trial]] = {}
        for trial in trials:
            groups.setdefault((trial.problem, trial.rival, trial.most_rows), []).append(trial)
        self._n_groups = Counter(problem for problem, _, _ in groups)
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
        problem, rival, _ = group
        budget = self.profile.budget(part.name, rival)
        session: _Session | None = None
        try:
            for trial in trials:
                if self._stop.is_set():
                    return
                # An earlier fold leaves to the later ones what is theirs.
                if self._spent[part.name, problem, rival] >= budget * (trial.fold + 1) / n_folds:
                    outcome = Outcome("out of budget", note=f"{budget:g} s for all its trials on this problem are over")
                else:
                    try:
                        session = session or self._session(part, group, folder)
                        self._sessions.add(session)
                        fold = self._fold(part, trial, folder, n_folds)
                        spared = self.profile.spared(rival)
                        outcome = session.learn(trial, fold, full_settings(trial, spared), self._seconds(part))
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
            self._leave(problem)

    def _leave(self, problem: str) -> None:
        """When nobody is left who learns from a problem, its files go."""
        with self._lock:
            self._n_groups[problem] -= 1
            if not self._n_groups[problem]:
                for key in [known for known in self._folds if known[0] == problem]:
                    self._folds.pop(key).path.unlink(missing_ok=True)

    def _seconds(self, part: Part) -> float:
        return self.profile.scale_seconds if part.is_alone else self.profile.seconds

    def _session(self, part: Part, group: Group, folder: Path) -> "_Session":
        problem, rival, most_rows = group
        module = adapter(rival)
        python = environment(module.REQUIRES, self.cache / "rivals")
        name = module.__name__.rpartition(".")[2]
        log = folder / f"{problem}-{rival}-{most_rows}.log".replace(" ", "-")
        return _Session(python, name, log, self.profile.megabytes, max(1, self.n_jobs) if part.is_alone else 1)

    def _fold(self, part: Part, trial: Trial, folder: Path, n_folds: int) -> Fold:
        """The rows of a trial, in a file that all rivals read."""
        key = (trial.problem, trial.fold, trial.most_rows)
        table = self._table(trial.problem)
        with self._lock:
            if key not in self._folds:
                train, test = folds(table, n_folds, seed=0)[trial.fold]
                train = sub_sample(train, table.y, trial.most_rows, seed=0)
                test = sub_sample(test, table.y, self.profile.most_held_out.get(part.name, 0), seed=0)
                path = folder / "-".join(map(str, (*key, "rows.npz")))
                constant = _constant_accuracy(table.y, train, test)
                taskfile.write(path, *_only(table, train, test))
                self._folds[key] = Fold(path, len(train), len(test), constant)
            return self._folds[key]

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
    log: Path
    megabytes: float
    n_threads: int
    worker: Worker | None = None

    def learn(self, trial: Trial, fold: Fold, settings: Mapping[str, Any], seconds: float) -> Outcome:
        about = Outcome("done", fold.n_train, fold.n_test, constant_accuracy=fold.constant_accuracy, limit=seconds)
        try:
            if self.worker is None:
                self.worker = Worker(self.python, self.name, self.log, self.megabytes, self.n_threads)
            self.worker.read(fold.path)
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


def _only(table: Table, train: IntArray, test: IntArray) -> tuple[Table, IntArray, IntArray]:
    """The rows that are looked at, and where they are among themselves."""
    rows = np.union1d(train, test)
    some = replace(table, X=table.X.iloc[rows].reset_index(drop=True), y=table.y[rows])
    return some, np.searchsorted(rows, train), np.searchsorted(rows, test)


def _constant_accuracy(y: np.ndarray, train: IntArray, test: IntArray) -> float:
    larger = bool(y[train].mean() >= 0.5)
    return 100 * float((y[test] == larger).mean())
