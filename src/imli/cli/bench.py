"""``imli bench``: the comparison with other learners."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from imli.cli.screen import remark, say
from imli.errors import suggest

if TYPE_CHECKING:
    from imli.bench.results import Outcome, Trial


def run(options: argparse.Namespace) -> int:
    for package in ("pandas", "pyarrow", "matplotlib"):
        if find_spec(package) is None:
            raise ImportError(f"The comparison needs {package}. Install it with pip install 'imli[bench]'.")
    from imli.bench import protocols, rivals
    from imli.bench.problems import PROBLEMS

    if options.list:
        return _list()
    _check("parts", options.parts, list(protocols.PARTS))
    _check("--problems", options.problems, list(PROBLEMS))
    _check("--rivals", options.rivals, [*protocols.OURS, *rivals.NAMES])
    if options.jobs is not None and options.jobs < 1:
        raise ValueError(f"--jobs must be at least 1. Got {options.jobs}.")
    if not options.render:
        _measure(options)
    return _render(Path(options.results))


def _measure(options: argparse.Namespace) -> None:
    from imli.bench.protocols import PARTS, PROFILES
    from imli.bench.runner import Runner

    data = options.data or os.environ.get("IMLI_DATA")
    runner = Runner(
        PROFILES[options.profile],
        Path(options.results),
        Path(options.cache or _cache()),
        None if data is None else Path(data),
        options.jobs or os.cpu_count() or 1,
    )

    def is_wanted(trial: "Trial") -> bool:
        return (not options.problems or trial.problem in options.problems) and (
            not options.rivals or trial.rival in options.rivals
        )

    with _on_cluster(options.scheduler):
        for name in options.parts or PARTS:
            again = options.again
            while trials := runner.open_trials(PARTS[name], is_wanted, again):
                again = False  # once is enough
                with _progress(name, len(trials)) as listener:
                    runner.on_outcome = listener
                    runner.run(PARTS[name], trials)


@contextmanager
def _on_cluster(address: str | None) -> Iterator[None]:
    """Trials run on the workers of a scheduler of Dask, if one is named."""
    if address is None:
        yield
        return
    from joblib import parallel_config

    from imli.cli.clusters import connected

    with connected(address, None), parallel_config(backend="dask"):
        yield


def _render(results: Path) -> int:
    from imli.bench.rendering import render_new

    page = results / "comparison.md"
    render_new(results, page)
    say(f"Results are in {results}, the page is {page}.")
    return 0


def _list() -> int:
    from imli.bench import protocols, rivals
    from imli.bench.problems import PROBLEMS

    say("parts:")
    for part in protocols.PARTS.values():
        say(f"  {part.name:22}{_first_line(part.trials)}")
    say("\nproblems:")
    for problem in PROBLEMS.values():
        say(f"  {problem.name:22}{problem.title}")
    say("\nrivals:")
    for name in rivals.NAMES:
        say(f"  {name:22}{protocols.adapter(name).TITLE}")
    say("\nours:")
    for name, settings in protocols.OURS.items():
        say(f"  {name:22}{', '.join(f'{key} {value}' for key, value in settings.items())}")
    return 0


def _first_line(function: Any) -> str:
    return (function.__doc__ or "").strip().splitlines()[0]


def _check(name: str, words: Sequence[str], known: Sequence[str]) -> None:
    for word in words:
        if word not in known:
            raise ValueError(f"{name}: there is no {word!r}.{suggest(word, known)} See 'imli bench --list'.")


@contextmanager
def _progress(part: str, n_trials: int) -> Iterator[Any]:
    """A bar in a terminal; a line for each trial everywhere else."""
    if sys.stderr.isatty() and find_spec("rich") is not None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

        counts = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
        with Progress("{task.description}", *counts, console=Console(stderr=True)) as bar:
            task = bar.add_task(part, total=n_trials)

            def step(trial: "Trial", outcome: "Outcome") -> None:
                bar.update(task, advance=1, description=f"{part}: {trial.problem}, {trial.rival}")
                if outcome.status in ("crashed", "not installed"):
                    bar.console.print(f"{trial.problem}, {trial.rival}: {outcome.status}: {outcome.note}", markup=False)

            yield step
        return
    done = 0

    def line(trial: "Trial", outcome: "Outcome") -> None:
        nonlocal done
        done += 1
        remark(f"{part} {done} of {n_trials}: {describe(trial, outcome)}")

    yield line


def describe(trial: "Trial", outcome: "Outcome") -> str:
    """A trial in a line.

    >>> from imli.bench.results import Outcome, Trial
    >>> trial = Trial("defaults", "titanic", "cart", "{}", fold=0, most_rows=0)
    >>> describe(trial, Outcome("done", accuracy=81.25, n_conditions=7, seconds=0.5))
    'titanic, cart, fold 0: 81.2 %, 7 conditions, 0.50 s'
    >>> describe(trial, Outcome("time limit", note="more than 60 s"))
    'titanic, cart, fold 0: time limit: more than 60 s'
    """
    settings = "" if trial.settings == "{}" else f" {trial.settings}"
    subject = f"{trial.problem}, {trial.rival}{settings}, fold {trial.fold}"
    if outcome.status != "done":
        return f"{subject}: {outcome.status}: {outcome.note}"
    size = "" if outcome.n_conditions is None else f"{outcome.n_conditions} conditions, "
    return f"{subject}: {outcome.accuracy:.1f} %, {size}{outcome.seconds:.2f} s"


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "imli"
