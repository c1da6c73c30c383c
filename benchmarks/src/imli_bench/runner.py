"""Trials run here or on the workers of a cluster that has the files of the runner, and written down as they end."""

import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Lock, Thread
from typing import Any

import numpy as np
from joblib import delayed

from imli_bench.adapters.forms import NotInstalledError
from imli_bench.data_sets import IntArray, LabelledTable, folds, load, sub_sample
from imli_bench.internals import count_workers, is_here, spread
from imli_bench.protocols import OURS, ComparisonPart, Profile, adapter, as_text
from imli_bench.results import SPARED, BenchTrial, Origin, Outcome, ResultFile
from imli_bench.workers import EndedError, IdleWorkers, Worker, environment, write_task


@dataclass(frozen=True)
class Fold:
    """A file of rows to learn from and to decide, and how many these are."""

    path: Path
    n_train: int
    n_test: int
    constant_accuracy: float


@dataclass(frozen=True)
class TrialGroup:
    """Trials of one rival on one problem with as many rows, and what they may take. It can be sent elsewhere."""

    problem: str
    rival: str
    trials: tuple[BenchTrial, ...]
    log: Path
    seconds: float  # of a trial
    megabytes: float
    n_threads: int
    budget: float  # seconds for all trials of the rival on the problem,
    n_folds: int  # of which each fold has its share
    spared: Mapping[str, Any]

    @property
    def requires(self) -> tuple[str, ...]:
        found: tuple[str, ...] = adapter(self.rival).requires
        return found

    def outcomes(
        self, session: "Session", find_fold: Callable[[BenchTrial], Fold], spent: Callable[[], float]
    ) -> Iterator[tuple[BenchTrial, Outcome]]:
        """Yield what comes of each trial; ``spent`` says how many seconds of the budget are gone by now."""
        for trial in self.trials:
            # An earlier fold leaves to the later ones what is theirs.
            if spent() >= self.budget * (trial.fold + 1) / self.n_folds:
                note = f"{self.budget:g} s for all its trials on this problem are over"
                yield trial, Outcome("out of budget", note=note)
                continue
            try:
                outcome = session.learn(trial, find_fold, full_settings(trial, self.spared))
            except NotInstalledError as error:
                outcome = not_installed(error)
            if self.spared and outcome.status == "done":
                outcome = replace(outcome, note=SPARED + as_text(self.spared))
            yield trial, outcome


@dataclass(eq=False)
class Session:
    """A worker for one group, one that has served another if there is one, and a new one when it was ended."""

    group: TrialGroup
    find_python: Callable[[], Path]
    idle: IdleWorkers = field(default_factory=IdleWorkers)
    worker: Worker | None = None

    @cached_property
    def python(self) -> Path:
        return self.find_python()

    def learn(self, trial: BenchTrial, find_fold: Callable[[BenchTrial], Fold], settings: Mapping[str, Any]) -> Outcome:
        python, seconds = self.python, self.group.seconds  # without the first, nobody needs the rows
        fold = find_fold(trial)
        about = Outcome("done", fold.n_train, fold.n_test, constant_accuracy=fold.constant_accuracy, limit=seconds)
        try:
            if self.worker is None:
                group, name = self.group, "ours" if self.group.rival in OURS else self.group.rival
                self.worker = self.idle.take(python, name, group.log, group.megabytes, group.n_threads)
            self.worker.read(fold.path)
            about = replace(about, versions=self.worker.versions)
            answer = self.worker.ask(settings, trial.seed, seconds, also_told(trial))
        except EndedError as error:
            if self.worker is not None and not self.worker.is_running:
                self.close()
            took = seconds if error.status == "time limit" else None
            return replace(about, status=error.status, note=error.note, seconds=took, megabytes=error.megabytes)
        return replace(about, **answer)

    def kill(self) -> None:
        """End the worker from another thread; who waits for it gets an EndedError."""
        if (worker := self.worker) is not None:
            worker.kill()

    def leave(self) -> None:
        """Let the worker serve another group."""
        if self.worker is not None:
            self.idle.leave(self.worker)
            self.worker = None

    def close(self) -> None:
        if self.worker is not None:
            self.worker.close()
            self.worker = None


def not_installed(error: NotInstalledError) -> Outcome:
    return Outcome("not installed", note=str(error)[:300])


def full_settings(trial: BenchTrial, spared: Mapping[str, Any]) -> dict[str, Any]:
    """Return the trial's settings with those of one of our own methods, and those that spare a slow rival."""
    own: Mapping[str, Any] = OURS.get(trial.rival, {})
    return {**own, **json.loads(trial.settings), **spared}


def also_told(trial: BenchTrial) -> tuple[str, ...]:
    """Return what only some trials tell: rules of the first fold, and for curves the accuracy in training."""
    if trial.part in ("ablations", "causes"):
        return ("train_accuracy",)
    return ("text",) if trial.part == "defaults" and trial.fold == 0 else ()


_LOOK = 0.5  # seconds between two looks at whether somebody waits
_AWAITED = "awaited"


@dataclass(frozen=True)
class Errand:
    """A group, and all that its trials need elsewhere."""

    group: TrialGroup
    python: Path | None  # None is that of the worker
    folds: tuple[Fold, ...]  # of each trial
    spent: float  # seconds of the budget, by now
    folder: Path


@contextmanager
def errands_folder(shared: Path) -> Iterator[Path]:
    """Make a folder that all workers can see, for as long as somebody waits for them."""
    shared.mkdir(parents=True, exist_ok=True)
    # workers that are about to end may write a last word while it goes
    with TemporaryDirectory(prefix="errands-", dir=shared.resolve(), ignore_cleanup_errors=True) as name:
        awaited = Path(name) / _AWAITED
        awaited.touch()
        try:
            yield Path(name)
        finally:
            awaited.unlink()


def run_errand(errand: Errand) -> tuple[Origin, list[tuple[BenchTrial, Outcome]]]:
    """Return where a worker ran and what came of each trial. Those that nobody waits for are ended, or never begin."""
    session = Session(errand.group, lambda: errand.python or Path(sys.executable))
    find_fold = dict(zip(errand.group.trials, errand.folds, strict=True)).__getitem__
    found = list[tuple[BenchTrial, Outcome]]()

    def spent() -> float:
        return errand.spent + sum(outcome.seconds or 0.0 for _, outcome in found)

    awaited = errand.folder / _AWAITED
    if awaited.exists():
        with _watched(session, awaited) as is_over:
            for trial, outcome in errand.group.outcomes(session, find_fold, spent):
                if is_over.is_set():
                    break
                found.append((trial, outcome))
    return Origin.here(), found


@contextmanager
def _watched(session: Session, awaited: Path) -> Iterator[Event]:
    """End a session, and set the event, when the file is gone."""
    is_over, is_done = Event(), Event()

    def watch() -> None:
        while not is_done.wait(_LOOK):
            if not awaited.exists():
                is_over.set()
                session.kill()

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield is_over
    finally:
        is_done.set()
        watcher.join()
        session.close()


Listener = Callable[[BenchTrial, Outcome], None]


@dataclass
class Runner:
    """A comparison into a folder of result files."""

    profile: Profile
    results: Path
    cache: Path  # for the environments of rivals and for look-alikes, which other runs can use, too
    data: Path | None = None
    n_jobs: int = 1
    on_outcome: Listener = lambda _trial, _outcome: None
    _tables: dict[str, LabelledTable] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    _folds: dict[tuple[str, int, int], Fold] = field(default_factory=dict)  # by problem, fold and most rows
    _n_groups: Counter[str] = field(default_factory=Counter)  # that are not done, by problem
    _spent: dict[tuple[str, str, str], float] = field(default_factory=lambda: defaultdict(float))
    _sessions: set[Session] = field(default_factory=set)
    _idle: IdleWorkers = field(default_factory=IdleWorkers)
    _stop: Event = field(default_factory=Event)
    _origin: Origin = field(default_factory=Origin.here)

    def open_trials(
        self, part: ComparisonPart, is_wanted: Callable[[BenchTrial], bool], again: bool = False
    ) -> list[BenchTrial]:
        """Return trials without a result, or, ``again``, whose rival failed; without a budget, also what it cut off."""
        found = dict(ResultFile(self.results, part.name).read())
        wanted = [*part.trials(self.profile), *part.then(self.profile, found)]
        return [trial for trial in wanted if is_wanted(trial) and self._is_open(trial, found.get(trial), again)]

    def _is_open(self, trial: BenchTrial, outcome: Outcome | None, again: bool) -> bool:
        if outcome is None:
            return True
        if outcome.status == "out of budget":
            return math.isinf(self.profile.budget(trial.part, trial.rival))
        return again and outcome.status in ("crashed", "not installed")

    def run(self, part: ComparisonPart, trials: Iterable[BenchTrial]) -> None:
        """Run trials, several side by side unless the part is alone. Ctrl-C ends it; what is done is written.

        They run on this machine, or, unless the part is alone, wherever ``joblib.parallel_config`` says.
        """
        file = ResultFile(self.results, part.name)
        self._spent.clear()
        self._folds.clear()
        for trial, outcome in file.read():
            self._spent[part.name, trial.problem, trial.rival] += outcome.seconds or 0.0
        if part.is_alone or is_here():
            with TemporaryDirectory(prefix="imli-bench-") as name, closing(self._idle):
                self._run_here(part, self._groups(part, trials, Path(name)), file)
        else:
            with errands_folder(self.cache) as folder:
                self._run_elsewhere(part, self._groups(part, trials, folder), file, folder)

    def _groups(self, part: ComparisonPart, trials: Iterable[BenchTrial], folder: Path) -> list[TrialGroup]:
        groups: dict[tuple[str, str, int], list[BenchTrial]] = {}
        for trial in trials:
            groups.setdefault((trial.problem, trial.rival, trial.most_rows), []).append(trial)
        self._n_groups = Counter(problem for problem, _, _ in groups)
        profile = self.profile
        return [
            TrialGroup(
                problem,
                rival,
                tuple(own),
                folder / f"{problem}-{rival}-{most_rows}.log".replace(" ", "-"),
                profile.scale_seconds if part.is_alone else profile.seconds,
                profile.megabytes,
                max(1, self.n_jobs) if part.is_alone else 1,
                profile.budget(part.name, rival),
                part.n_folds or profile.n_folds,
                profile.spared(rival),
            )
            for (problem, rival, most_rows), own in groups.items()
        ]

    def _run_here(self, part: ComparisonPart, groups: list[TrialGroup], file: ResultFile) -> None:
        with ThreadPoolExecutor(1 if part.is_alone else self.n_jobs) as pool:
            waiting = [pool.submit(self._run_group, part, group, file) for group in groups]
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

    def _run_group(self, part: ComparisonPart, group: TrialGroup, file: ResultFile) -> None:
        if self._stop.is_set():
            return
        session = Session(group, lambda: self._python(group), self._idle)
        self._sessions.add(session)
        try:
            spent = partial(self._spent.__getitem__, (part.name, group.problem, group.rival))
            for trial, outcome in group.outcomes(session, partial(self._fold, part, group), spent):
                if not self._stop.is_set():
                    self._write(file, trial, outcome, self._origin)
                if self._stop.is_set():
                    return
        finally:
            self._sessions.discard(session)
            if part.is_alone:  # what its trials have in memory is their own
                session.close()
            session.leave()
            self._leave(group.problem)

    def _run_elsewhere(self, part: ComparisonPart, groups: list[TrialGroup], file: ResultFile, folder: Path) -> None:
        """Run groups on other machines. All that trials need is made before, since workers cannot ask for more."""
        errands = list[Errand]()
        for group in groups:
            try:
                python = self._python(group) if group.requires else None
            except NotInstalledError as error:
                for trial in group.trials:
                    self._write(file, trial, not_installed(error), self._origin)
                continue
            folds = tuple(self._fold(part, group, trial) for trial in group.trials)
            spent = self._spent[part.name, group.problem, group.rival]
            errands.append(Errand(group, python, folds, spent, folder))
        work = (delayed(run_errand)(errand) for errand in errands)
        with closing(spread(work, count_workers(len(errands), self.n_jobs), in_order=False)) as results:
            for origin, found in results:
                for trial, outcome in found:
                    self._write(file, trial, outcome, origin)

    def _write(self, file: ResultFile, trial: BenchTrial, outcome: Outcome, origin: Origin) -> None:
        with self._lock:
            self._spent[trial.part, trial.problem, trial.rival] += outcome.seconds or 0.0
            file.add(trial, outcome, origin)
            self.on_outcome(trial, outcome)

    def _leave(self, problem: str) -> None:
        """Delete the files of a problem when no group is left that learns from it."""
        with self._lock:
            self._n_groups[problem] -= 1
            if not self._n_groups[problem]:
                for key in [known for known in self._folds if known[0] == problem]:
                    self._folds.pop(key).path.unlink(missing_ok=True)

    def _python(self, group: TrialGroup) -> Path:
        return environment(group.requires, self.cache / "rivals")

    def _fold(self, part: ComparisonPart, group: TrialGroup, trial: BenchTrial) -> Fold:
        """Return the rows of a trial, in a file that all rivals read."""
        key = (trial.problem, trial.fold, trial.most_rows)
        table = self._table(trial.problem)
        with self._lock:
            if key not in self._folds:
                train, test = folds(table, group.n_folds, seed=0)[trial.fold]
                train = sub_sample(train, table.y, trial.most_rows, seed=0)
                test = sub_sample(test, table.y, self.profile.most_held_out.get(part.name, 0), seed=0)
                path = group.log.parent / "-".join(map(str, (*key, "rows.npz")))
                constant = _constant_accuracy(table.y, train, test)
                write_task(path, *_only(table, train, test))
                self._folds[key] = Fold(path, len(train), len(test), constant)
            return self._folds[key]

    def _table(self, problem: str) -> LabelledTable:
        with self._lock:
            if problem not in self._tables:
                while len(self._tables) >= 2:  # they may have a million rows
                    del self._tables[next(iter(self._tables))]
                self._tables[problem] = load(problem, self.data, self.cache / "lookalikes")
            return self._tables[problem]


def _only(table: LabelledTable, train: IntArray, test: IntArray) -> tuple[LabelledTable, IntArray, IntArray]:
    """Return the rows that are looked at, and where they are among themselves."""
    rows = np.union1d(train, test)
    some = replace(table, X=table.X.iloc[rows].reset_index(drop=True), y=table.y[rows])
    return some, np.searchsorted(rows, train), np.searchsorted(rows, test)


def _constant_accuracy(y: np.ndarray, train: IntArray, test: IntArray) -> float:
    larger = bool(y[train].mean() >= 0.5)
    return 100 * float((y[test] == larger).mean())
