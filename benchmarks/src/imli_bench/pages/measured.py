"""What was measured, ready to be summed up: trials with what counts of their outcomes."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean, median
from typing import Any

from imli_bench.pages.marks import is_readable
from imli_bench.results import BenchTrial, Origin, Outcome, ResultFile

PARTS = ("defaults", "tables", "formulations", "ablations", "causes", "scale", "growth")
# A trial that ended so has learned nothing; a user would be left with the larger class.
FAILED = ("time limit", "memory limit", "crashed")


@dataclass(frozen=True)
class Run:
    """A trial and its outcome. ``constant`` is the accuracy of the larger class, if any trial of the fold says it."""

    trial: BenchTrial
    outcome: Outcome
    constant: float | None = None

    @cached_property
    def settings(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.trial.settings)
        return found

    @property
    def is_done(self) -> bool:
        return self.outcome.status == "done"

    @property
    def has_failed(self) -> bool:
        return self.outcome.status in FAILED

    @property
    def accuracy(self) -> float | None:
        """Return the per cent of the rows held out; that of the larger class if it failed; None if it was not tried."""
        return self.outcome.accuracy if self.is_done else self.constant if self.has_failed else None

    @property
    def size(self) -> int | None:
        """Return the size of the rule, 0 for the larger class; None if it was not tried."""
        return self.outcome.size if self.is_done else 0 if self.has_failed else None

    @property
    def n_conditions(self) -> int | None:
        return self.outcome.n_conditions if self.is_done else 0 if self.has_failed else None

    @property
    def is_sample(self) -> bool:
        """Return True if it learned from fewer rows than there were."""
        return 0 < self.trial.most_rows == self.outcome.n_train


@dataclass(frozen=True)
class FoldGroup:
    """Trials that differ in their fold only. Those that were not tried are left out."""

    runs: tuple[Run, ...]

    @property
    def folds(self) -> list[int]:
        return sorted(run.trial.fold for run in self.runs)

    @property
    def n_failed(self) -> int:
        return sum(run.has_failed for run in self.runs)

    def values(self, measure: str) -> list[float]:
        """Return that measure of each run that has it."""
        found = (getattr(run, measure, None) if measure in _OF_RUNS else getattr(run.outcome, measure)
                 for run in self.runs)  # fmt: skip
        return [value for value in found if value is not None]

    def median(self, measure: str) -> float | None:
        return median(found) if (found := self.values(measure)) else None

    def mean(self, measure: str) -> float | None:
        return fmean(found) if (found := self.values(measure)) else None

    def on(self, folds: Iterable[int]) -> "FoldGroup":
        wanted = set(folds)
        return FoldGroup(tuple(run for run in self.runs if run.trial.fold in wanted))


_OF_RUNS = ("accuracy", "size", "n_conditions")


class Results:
    """The result files of a folder. A part that was not measured is empty."""

    def __init__(self, folder: Path) -> None:
        self._files = {part: ResultFile(folder, part) for part in PARTS}
        lines = {part: list(file.read()) for part, file in self._files.items()}
        constants: dict[tuple[str, int], float] = {}
        for found in lines.values():
            for trial, outcome in found:
                if outcome.constant_accuracy is not None:
                    constants.setdefault((trial.problem, trial.fold), outcome.constant_accuracy)
        self._runs = {
            part: [
                Run(trial, outcome,
                    constants.get((trial.problem, trial.fold))
                    if outcome.constant_accuracy is None else outcome.constant_accuracy)
                for trial, outcome in found
            ]
            for part, found in lines.items()
        }  # fmt: skip
        # by what was read of them, or, for those that never came to an end, by what their adapters say
        self.readable = {run.trial.rival for runs in self._runs.values() for run in runs
                         if run.outcome.n_conditions is not None or is_readable(run.trial.rival)}  # fmt: skip

    @cached_property
    def _parts(self) -> dict[str, "MeasuredPart"]:
        return {name: MeasuredPart(runs) for name, runs in self._runs.items()}

    def part(self, name: str) -> "MeasuredPart":
        return self._parts[name]

    def origins(self, part: str) -> list[Origin]:
        return self._files[part].origins()


class MeasuredPart:
    """Trials of one part of the comparison."""

    def __init__(self, runs: list[Run]) -> None:
        self.runs = runs

    def __bool__(self) -> bool:
        return bool(self.runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def where(self, keep: Callable[[Run], bool]) -> "MeasuredPart":
        return MeasuredPart([run for run in self.runs if keep(run)])

    @cached_property
    def problems(self) -> set[str]:
        return {run.trial.problem for run in self.runs}

    @cached_property
    def rivals(self) -> list[str]:
        """Return the rivals tried, in the order of the file."""
        return list(dict.fromkeys(run.trial.rival for run in self.runs))

    @cached_property
    def folds(self) -> list[int]:
        return sorted({run.trial.fold for run in self.runs})

    @cached_property
    def _groups(self) -> dict[tuple[str, str, str], FoldGroup]:
        """Return folds by data set, rival and settings; of samples of several sizes, the largest."""
        found: dict[tuple[str, str, str], dict[int, list[Run]]] = {}
        for run in self.runs:
            if run.is_done or run.has_failed:
                trial = run.trial
                by_rows = found.setdefault((trial.problem, trial.rival, trial.settings), {})
                by_rows.setdefault(trial.most_rows, []).append(run)
        most = {key: by_rows[0 if 0 in by_rows else max(by_rows)] for key, by_rows in found.items()}
        return {key: FoldGroup(tuple(sorted(runs, key=lambda run: run.trial.fold))) for key, runs in most.items()}

    def group(self, problem: str, rival: str, settings: str = "{}") -> FoldGroup | None:
        """Return the folds of one rival on one data set, as by default."""
        return self._groups.get((problem, rival, settings))

    def only(self, problem: str, rival: str) -> FoldGroup | None:
        """Return the folds of a rival that was tried with one setting on a data set, whichever that is."""
        return next(iter(self.groups(problem, rival).values()), None)

    @cached_property
    def _by_problem(self) -> dict[str, dict[tuple[str, str], FoldGroup]]:
        found: dict[str, dict[tuple[str, str], FoldGroup]] = {}
        for (problem, rival, settings), group in self._groups.items():
            found.setdefault(problem, {})[rival, settings] = group
        return found

    def groups(self, problem: str, rival: str | None = None) -> dict[tuple[str, str], FoldGroup]:
        """Return folds by rival and settings, on one data set."""
        found = self._by_problem.get(problem, {})
        return {key: group for key, group in found.items() if rival in (None, key[0])}

    def best(self, problem: str, rival: str) -> FoldGroup | None:
        """Return the settings with the highest median accuracy, as the paper chooses them; of equals the shortest.

        Settings that some folds are still missing of do not compete with those that have all.
        """
        groups = list(self.groups(problem, rival).values())
        most = max((len(group.runs) for group in groups), default=0)
        whole = [group for group in groups if len(group.runs) == most and group.median("accuracy") is not None]
        return max(whole, key=lambda group: (group.median("accuracy"), -(group.median("size") or 0)), default=None)

    @cached_property
    def _statuses(self) -> dict[tuple[str, str], Counter[str]]:
        found: dict[tuple[str, str], Counter[str]] = {}
        for run in self.runs:
            found.setdefault((run.trial.problem, run.trial.rival), Counter())[run.outcome.status] += 1
        return found

    def statuses(self, problem: str, rival: str) -> Counter[str]:
        """Return how the trials of a rival on a data set ended."""
        return self._statuses.get((problem, rival), Counter())
