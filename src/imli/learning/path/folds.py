"""Folds: which rows are held out, and the errors on them, on whichever workers joblib has."""

import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil
from threading import Condition, Event
from typing import Any

import numpy as np
from joblib import Parallel, cpu_count, delayed
from joblib.parallel import get_active_backend

from imli.errors import InfeasibleError
from imli.learning.backends import Native
from imli.learning.constraints import names
from imli.learning.deadline import Deadline, SearchSettings
from imli.learning.path.trace import Question, Tracer
from imli.learning.task import TaskInMemory
from imli.rules import Rule
from imli.rules.literals import Literal
from imli.table.frame import IntArray
from imli.table.sample import Sample, fingerprints

Part = tuple[IntArray, IntArray]  # rows to learn from, rows to try the rule on


def deal_folds(sample: Sample, n_folds: int, seed: int) -> IntArray:
    """Return the fold of each row: the rows of each class are dealt out in the order of a hash of their cells."""
    positions = sample.positions
    n_folds = max(2, min(n_folds, int(np.sort(np.bincount(positions))[-2])))
    order = np.lexsort((sample.weights, fingerprints(sample.frame, seed), positions))
    fold = np.empty(len(positions), dtype=np.int64)
    fold[order] = np.arange(len(positions)) % n_folds
    return fold


_SCOUTS = 4  # one question out of so many is asked before thresholds are looked for anew


@dataclass(frozen=True)
class Trial:
    """Questions about all rows, to be answered on the rows of each part."""

    task: TaskInMemory
    questions: tuple[Question, ...]
    literals: tuple[Literal, ...]  # of the rules that are the answers on all rows
    settings: SearchSettings
    preparation: float  # seconds that it took to make literals of all rows

    def __sizeof__(self) -> int:
        """Return the size of the rows: joblib sends large values to each worker of Dask only once."""
        sample = self.task.sample
        columns = sum(column.values.nbytes + column.missing.nbytes for column in sample.frame.columns.values())
        return columns + sample.positions.nbytes + sample.weights.nbytes


def fold_errors(trial: Trial, parts: list[Part], n_threads: int) -> Generator[tuple[float, ...] | None]:
    """Yield for each part the errors of the answers on the rows held out, or None if there was no time."""
    n_workers = count_workers(len(parts), n_threads)
    n_rounds = ceil(len(parts) / n_workers)
    n_cores = n_threads if is_here() else min(n_threads, cpu_count())  # there may be more workers than cores anywhere
    # each worker has its share of the threads, so that there are no more than cores
    task = replace(trial.task, n_threads=max(1, n_cores // n_workers))
    # the time left goes with each part, since all else may have been sent long before
    deadline = trial.settings.deadline
    trial = replace(trial, task=task, settings=replace(trial.settings, deadline=Deadline()))
    rounds_left = (n_rounds - number // n_workers for number in range(len(parts)))
    work = (delayed(_errors)(trial, part, deadline, left) for part, left in zip(parts, rounds_left, strict=True))
    yield from spread(work, n_workers, trial.settings.stop)


def _errors(trial: Trial, part: Part, deadline: Deadline, n_rounds: int) -> tuple[float, ...] | None:
    """Return the errors on one part; the time has to last for ``n_rounds`` rounds of parts, this one included."""
    remaining = deadline.remaining
    if trial.settings.stop.is_set() or (remaining is not None and remaining < trial.preparation):
        return None
    train, test = part
    task, held_out = trial.task.take(train), trial.task.take(test)
    share = float(task.sample.weights.sum() / trial.task.sample.weights.sum())
    deadline = Deadline() if remaining is None else Deadline.after(remaining / n_rounds)
    rules = _answers(trial, task, share, deadline)
    if rules is None:
        return None
    frame, positions, weights = held_out.frame, held_out.sample.positions, held_out.row_weights()
    total = float(weights.sum()) or 1.0
    decided = (rule.decisions(rule.holds_in(frame), frame.n_rows, held_out.classes) for rule in rules)
    return tuple(float(weights[each != positions].sum()) / total for each in decided)


def _answers(trial: Trial, task: TaskInMemory, share: float, deadline: Deadline) -> list[Rule] | None:
    """Return the answers on the rows of a part, whose λ is smaller by their share of all rows."""
    questions = [replace(question, lam=question.lam * share) for question in trial.questions]
    backend = trial.settings.backend
    if isinstance(backend, Native):
        backend = replace(backend, n_threads=task.n_threads)
    settings = replace(trial.settings, backend=backend, deadline=deadline)
    constraints = task.goal.constraints
    if constraints.min_rows is not None:
        task = task.within(min_rows=max(1, int(constraints.min_rows * share)))
    try:
        tracer = Tracer(task, task.query(), settings)
    except InfeasibleError:
        # Some of the rows may not allow what all rows do: a clause has too few rows, or a column one value. The
        # estimate needs some rule.
        needed = [each for each in trial.literals if any(names(word, each) for word in constraints.always)]
        task = replace(task.within(min_rows=None), named=(*task.named, *needed))
        tracer = Tracer(task, task.query(), settings)
    if task.can_refine(tracer.query):
        tracer.follow(questions[::_SCOUTS])
        tracer.refine()
    tracer.follow(questions)
    # without a single search, errors would be those of the starting rule
    return [tracer.answer(question) for question in questions] if tracer.n_searches else None


def is_here() -> bool:
    """Return True if workers are threads of this process, which is the default of joblib here."""
    return _are_threads(get_active_backend(prefer="threads")[0])


def count_workers(n_pieces: int, n_threads: int) -> int:
    """Return the number of pieces done at a time: as many as threads, or as workers of joblib's back end."""
    backend, n_jobs = get_active_backend(prefer="threads")
    if not _are_threads(backend):
        # what parallel_config says of workers; 1 is what it says where nobody did
        n_threads = int(backend.effective_n_jobs(n_threads if n_jobs in (None, 1) else n_jobs))
    return max(1, min(n_threads, n_pieces))


def spread(work: Iterable[Any], n_workers: int, stop: Event | None = None, in_order: bool = True) -> Generator[Any]:
    """Yield the results of calls that joblib has delayed, one after the other.

    Closing the generator drops the rest. Threads are waited for, so stop them first; other workers are left alone.
    After Ctrl-C, ``stop`` is set before the wait.
    """
    backend, _ = get_active_backend(prefer="threads")
    as_they_come = _are_threads(backend) or backend.supports_return_generator
    calls = _Calls()
    if _are_threads(backend):
        work = ((calls.run, each, {}) for each in work)
    results = Parallel(
        n_jobs=n_workers,
        prefer="threads",
        return_as="list" if not as_they_come else "generator" if in_order else "generator_unordered",
        batch_size=1,
        pre_dispatch="n_jobs",  # what waits elsewhere cannot know how much of its time has passed
    )(work)
    try:
        for result in results:  # noqa: UP028 "yield from" would close them before we hear of it
            yield result
    except GeneratorExit:
        if _are_threads(backend):
            deque(results, maxlen=0)
        elif as_they_come:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # of joblib, about work that was given up
                results.close()
        raise
    except BaseException:
        if stop is not None:
            stop.set()
        calls.wait()
        raise


class _Calls:
    """The calls at work in threads: Python aborts if compiled code in one returns to it while it shuts down."""

    def __init__(self) -> None:
        self._n, self._ended = 0, Condition()

    def run(self, function: Callable[..., Any], given: Iterable[Any], named: Mapping[str, Any]) -> Any:
        """Return the result of a call, which counts as at work meanwhile."""
        with self._ended:
            self._n += 1
        try:
            return function(*given, **named)
        finally:
            with self._ended:
                self._n -= 1
                self._ended.notify_all()

    def wait(self) -> None:
        """Wait until no call is at work, also where the user presses Ctrl-C again."""
        while True:
            with suppress(KeyboardInterrupt), self._ended:
                self._ended.wait_for(lambda: self._n == 0)
                return


def _are_threads(backend: Any) -> bool:
    return bool(getattr(backend, "supports_sharedmem", False))
