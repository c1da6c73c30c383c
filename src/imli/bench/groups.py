"""What one process does: the trials of a rival on a problem, one after the other, as long as its time lasts."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from imli.bench.environments import NotInstalledError
from imli.bench.protocols import OURS, adapter, as_text
from imli.bench.results import SPARED, Outcome, Trial
from imli.bench.workers import EndedError, IdleWorkers, Worker


@dataclass(frozen=True)
class Fold:
    """A file of rows to learn from and to decide, and how many these are."""

    path: Path
    n_train: int
    n_test: int
    constant_accuracy: float


@dataclass(frozen=True)
class Group:
    """Trials of one rival on one problem with as many rows, and what they may take. It can be sent elsewhere."""

    problem: str
    rival: str
    trials: tuple[Trial, ...]
    log: Path
    seconds: float  # of a trial
    megabytes: float
    n_threads: int
    budget: float  # seconds for all trials of the rival on the problem,
    n_folds: int  # of which each fold has its share
    spared: Mapping[str, Any]

    @property
    def requires(self) -> tuple[str, ...]:
        found: tuple[str, ...] = adapter(self.rival).REQUIRES
        return found

    def outcomes(
        self, session: "Session", find_fold: Callable[[Trial], Fold], spent: Callable[[], float]
    ) -> Iterator[tuple[Trial, Outcome]]:
        """What comes of each trial; ``spent`` says how many seconds of the budget are gone by now."""
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

    group: Group
    find_python: Callable[[], Path]
    idle: IdleWorkers = field(default_factory=IdleWorkers)
    worker: Worker | None = None

    @cached_property
    def python(self) -> Path:
        return self.find_python()

    def learn(self, trial: Trial, find_fold: Callable[[Trial], Fold], settings: Mapping[str, Any]) -> Outcome:
        python, seconds = self.python, self.group.seconds  # without the first, nobody needs the rows
        fold = find_fold(trial)
        about = Outcome("done", fold.n_train, fold.n_test, constant_accuracy=fold.constant_accuracy, limit=seconds)
        try:
            if self.worker is None:
                group, name = self.group, adapter(self.group.rival).__name__.rpartition(".")[2]
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
        """From another thread: whoever waits for the worker learns that it has ended."""
        if (worker := self.worker) is not None:
            worker.kill()

    def leave(self) -> None:
        """Its worker may serve another group."""
        if self.worker is not None:
            self.idle.leave(self.worker)
            self.worker = None

    def close(self) -> None:
        if self.worker is not None:
            self.worker.close()
            self.worker = None


def not_installed(error: NotInstalledError) -> Outcome:
    return Outcome("not installed", note=str(error)[:300])


def full_settings(trial: Trial, spared: Mapping[str, Any]) -> dict[str, Any]:
    """With those that make one of our own methods what it is, and those that spare a slow rival."""
    own: Mapping[str, Any] = OURS.get(trial.rival, {})
    return {**own, **json.loads(trial.settings), **spared}


def also_told(trial: Trial) -> tuple[str, ...]:
    """What only some trials tell: rules to show are those of the first fold, and curves show both accuracies."""
    if trial.part in ("ablations", "causes"):
        return ("train_accuracy",)
    return ("text",) if trial.part == "defaults" and trial.fold == 0 else ()
