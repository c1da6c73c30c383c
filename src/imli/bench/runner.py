"""Runs trials, each in the environment of its rival, and writes down what came of them."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Lock

import numpy as np
from joblib import delayed

from imli.arrays import IntArray
from imli.bench import taskfile
from imli.bench.environments import NotInstalledError, environment
from imli.bench.errands import Errand, errands_folder, run_errand
from imli.bench.folds import folds, sub_sample
from imli.bench.groups import Fold, Group, Session, not_installed
from imli.bench.problems import load
from imli.bench.protocols import Part, Profile
from imli.bench.results import Origin, Outcome, ResultFile, Trial
from imli.bench.tables import Table
from imli.bench.workers import IdleWorkers
from imli.estimators.spreading import count_workers, is_here, spread

Listener = Callable[[Trial, Outcome], None]


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
    _sessions: set[Session] = field(default_factory=set)
    _idle: IdleWorkers = field(default_factory=IdleWorkers)
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
        """All of these, several side by side unless the part is alone. Ctrl-C ends it; what is done is written.

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

    def _groups(self, part: Part, trials: Iterable[Trial], folder: Path) -> list[Group]:
        groups: dict[tuple[str, str, int], list[Trial]] = {}
        for trial in trials:
            groups.setdefault((trial.problem, trial.rival, trial.most_rows), []).append(trial)
        self._n_groups = Counter(problem for problem, _, _ in groups)
        profile = self.profile
        return [
            Group(
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

    def _run_here(self, part: Part, groups: list[Group], file: ResultFile) -> None:
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

    def _run_group(self, part: Part, group: Group, file: ResultFile) -> None:
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

    def _run_elsewhere(self, part: Part, groups: list[Group], file: ResultFile, folder: Path) -> None:
        """On other machines. All that trials need is made before, since their workers cannot ask for more."""
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

    def _write(self, file: ResultFile, trial: Trial, outcome: Outcome, origin: Origin) -> None:
        with self._lock:
            self._spent[trial.part, trial.problem, trial.rival] += outcome.seconds or 0.0
            file.add(trial, outcome, origin)
            self.on_outcome(trial, outcome)

    def _leave(self, problem: str) -> None:
        """When nobody is left who learns from a problem, its files go."""
        with self._lock:
            self._n_groups[problem] -= 1
            if not self._n_groups[problem]:
                for key in [known for known in self._folds if known[0] == problem]:
                    self._folds.pop(key).path.unlink(missing_ok=True)

    def _python(self, group: Group) -> Path:
        return environment(group.requires, self.cache / "rivals")

    def _fold(self, part: Part, group: Group, trial: Trial) -> Fold:
        """The rows of a trial, in a file that all rivals read."""
        key = (trial.problem, trial.fold, trial.most_rows)
        table = self._table(trial.problem)
        with self._lock:
            if key not in self._folds:
                train, test = folds(table, group.n_folds, seed=0)[trial.fold]
                train = sub_sample(train, table.y, trial.most_rows, seed=0)
                test = sub_sample(test, table.y, self.profile.most_held_out.get(part.name, 0), seed=0)
                path = group.log.parent / "-".join(map(str, (*key, "rows.npz")))
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


def _only(table: Table, train: IntArray, test: IntArray) -> tuple[Table, IntArray, IntArray]:
    """The rows that are looked at, and where they are among themselves."""
    rows = np.union1d(train, test)
    some = replace(table, X=table.X.iloc[rows].reset_index(drop=True), y=table.y[rows])
    return some, np.searchsorted(rows, train), np.searchsorted(rows, test)


def _constant_accuracy(y: np.ndarray, train: IntArray, test: IntArray) -> float:
    larger = bool(y[train].mean() >= 0.5)
    return 100 * float((y[test] == larger).mean())
