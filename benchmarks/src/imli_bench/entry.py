"""What can be typed after ``imli-bench``, which is the same as ``imli bench``: run, measure and render.

Without one of these words the comparison is run.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from imli_bench import adapters, measures, protocols
from imli_bench.data_sets import PROBLEMS
from imli_bench.internals import Parser, connected, imli_main, one_of, whole
from imli_bench.results import BenchTrial, Outcome, Recorder, checkout

_EPILOG = """\
examples:
  imli bench --data FOLDER                                     all of it, for about an hour on two cores
  imli bench defaults --problems titanic --rivals ripper cart
  imli bench --profile full --data FOLDER --jobs 8             for days; may be stopped and started again
  imli bench --scheduler tcp://host:8786 --cache FOLDER        on a cluster of Dask that shares these folders
  imli bench --list                                            what there is to compare
  imli bench measure --help                                    measure a part of imli beside the comparison
  imli bench render --check                                    are the pages of the project what its files say?
"""


def main() -> int:
    """Run what was typed after the program's name; return the exit status, with one sentence for what went wrong."""
    status: int = imli_main(["bench", *sys.argv[1:]])
    return status


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit status."""
    commands: dict[str, Callable[[Sequence[str]], int]] = {"run": _compare, "measure": _measure, "render": _render}
    if arguments and arguments[0] in commands:
        return commands[arguments[0]](arguments[1:])
    return _compare(arguments)


def _parse(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    """Return what was typed, or end with a sentence about the first word that is not known."""
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        known = [name for name in parser._option_string_actions if name.startswith("--")]
        first = next((word for word in unknown if word.startswith("-")), unknown[0])
        what = "option" if first.startswith("-") else "argument"
        parser.error(f"unknown {what} {first!r}.{_meant(first.split('=')[0], known)}")
    return options


def _meant(word: str, known: Sequence[str]) -> str:
    near = get_close_matches(word, known, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", metavar="FOLDER", default=os.environ.get("IMLI_DATA"), help="of the data sets as "
                        "Parquet files (default: the variable IMLI_DATA, else OpenML is asked)")  # fmt: skip


def _compare(arguments: Sequence[str]) -> int:
    """Run the comparison, or a part of it, and make its page."""
    parser = Parser(
        prog="imli bench",
        usage="imli bench [PART …] [options]\n       imli bench measure NAME [options]\n"
        "       imli bench render [--check]",
        description="Rerun the comparison with other learners on real data, and make its tables and plots. Each rival "
        "gets an environment of its own, each trial a process with limits of time and memory. A run that was stopped "
        "goes on where it was.",
        epilog=_EPILOG,
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help="of the comparison (default: all; see --list)")
    parser.add_argument("--list", action="store_true", help="only say what there is: parts, problems and rivals")
    parser.add_argument("--profile", type=one_of(*protocols.PROFILES), default="quick", metavar="NAME",
                        help=f"how much of it: {' or '.join(protocols.PROFILES)} (default: quick)")  # fmt: skip
    _add_data(parser)
    parser.add_argument("--results", default="bench-results", metavar="FOLDER", help="for result files and the page "
                        "(default: bench-results)")  # fmt: skip
    parser.add_argument("--cache", metavar="FOLDER", help="for the environments of rivals and for look-alikes "
                        "(default: imli in the user's cache)")  # fmt: skip
    parser.add_argument("--problems", nargs="+", default=[], metavar="NAME", help="only these")
    parser.add_argument("--rivals", nargs="+", default=[], metavar="NAME", help="only these; 'imli dnf' and the like "
                        "are ours")  # fmt: skip
    parser.add_argument("--jobs", type=whole, metavar="N", help="trials side by side (default: one for each core)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a cluster of Dask that runs the trials; its workers "
                        "must see the --cache folder under the same name")  # fmt: skip
    parser.add_argument("--again", action="store_true", help="try what could not be installed or crashed once more")
    parser.add_argument("--render", action="store_true", help="measure nothing, only make the page from the files")
    options = _parse(parser, arguments)
    if options.list:
        return _list()
    for name, words, known in (
        ("parts", options.parts, list(protocols.PARTS)),
        ("--problems", options.problems, list(PROBLEMS)),
        ("--rivals", options.rivals, [*protocols.OURS, *adapters.NAMES]),
    ):
        for word in words:
            if word not in known:
                raise ValueError(f"{name}: there is no {word!r}.{_meant(word, known)} See 'imli bench --list'.")
    if options.jobs is not None and options.jobs < 1:
        raise ValueError(f"--jobs must be at least 1. Got {options.jobs}.")
    if not options.render:
        _run_trials(options)
    from imli_bench.pages import render_new

    results = Path(options.results)
    page = results / "comparison.md"
    render_new(results, page)
    print(f"Results are in {results}, the page is {page}.", flush=True)
    return 0


def _run_trials(options: argparse.Namespace) -> None:
    from imli_bench.runner import Runner

    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    runner = Runner(
        protocols.PROFILES[options.profile],
        Path(options.results),
        Path(options.cache or Path(base) / "imli"),
        None if options.data is None else Path(options.data),
        options.jobs or os.cpu_count() or 1,
    )

    def is_wanted(trial: BenchTrial) -> bool:
        return (not options.problems or trial.problem in options.problems) and (
            not options.rivals or trial.rival in options.rivals
        )

    with _on_cluster(options.scheduler):
        for name in options.parts or protocols.PARTS:
            again = options.again
            while trials := runner.open_trials(protocols.PARTS[name], is_wanted, again):
                again = False  # once is enough
                with _progress(name, len(trials)) as listener:
                    runner.on_outcome = listener
                    runner.run(protocols.PARTS[name], trials)


@contextmanager
def _on_cluster(address: str | None) -> Iterator[None]:
    """Let trials run on the workers of a scheduler of Dask, if one is named."""
    if address is None:
        yield
        return
    from joblib import parallel_config

    with connected(address, None), parallel_config(backend="dask"):
        yield


def _list() -> int:
    print("parts:")
    for part in protocols.PARTS.values():
        print(f"  {part.name:22}{part.about}")
    print("\nproblems:")
    for problem in PROBLEMS.values():
        print(f"  {problem.name:22}{problem.title}")
    print("\nrivals:")
    for name in adapters.NAMES:
        print(f"  {name:22}{protocols.adapter(name).title}")
    print("\nours:")
    for name, settings in protocols.OURS.items():
        print(f"  {name:22}{', '.join(f'{key} {value}' for key, value in settings.items())}")
    return 0


@contextmanager
def _progress(part: str, n_trials: int) -> Iterator[Any]:
    """Show a bar in a terminal, and a line for each trial everywhere else."""
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

        counts = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
        with Progress("{task.description}", *counts, console=Console(stderr=True)) as bar:
            task = bar.add_task(part, total=n_trials)

            def step(trial: BenchTrial, outcome: Outcome) -> None:
                bar.update(task, advance=1, description=f"{part}: {trial.problem}, {trial.rival}")
                if outcome.status in ("crashed", "not installed"):
                    bar.console.print(f"{trial.problem}, {trial.rival}: {outcome.status}: {outcome.note}", markup=False)

            yield step
        return
    done = 0

    def line(trial: BenchTrial, outcome: Outcome) -> None:
        nonlocal done
        done += 1
        print(f"imli: {part} {done} of {n_trials}: {describe(trial, outcome)}", file=sys.stderr)

    yield line


def describe(trial: BenchTrial, outcome: Outcome) -> str:
    """Return a trial and what came of it in a line.

    >>> trial = BenchTrial("defaults", "titanic", "cart", "{}")
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


def _measure(arguments: Sequence[str]) -> int:
    """Measure a part of imli, and write its result file."""
    parser = Parser(prog="imli bench measure", description="Measure a part of imli, and write the figures to a file.")
    names = parser.add_subparsers(required=True, metavar="NAME", dest="name", parser_class=Parser)
    for name in measures.NAMES if not arguments or arguments[0] not in measures.NAMES else arguments[:1]:
        measure = measures.find_measure(name)
        own = names.add_parser(name, help=measure.about, description=f"Measure {measure.about}.")
        _add_data(own)
        own.add_argument("--results", type=Path, metavar="FOLDER", help="for the result file (default: that of the "
                         "checkout of imli's sources)")  # fmt: skip
        measure.add_options(own)
    options = _parse(parser, arguments)
    recorder = Recorder(options.name, options.results or checkout() / "benchmarks" / "results")
    measures.find_measure(options.name).run(recorder, options)
    recorder.write()
    return 0


def _render(arguments: Sequence[str]) -> int:
    """Make the tables, sentences and plots of the project's pages from its result files."""
    from imli_bench.pages import render_project

    parser = Parser(prog="imli bench render", description="Make the figures of the project's pages from result files.")
    parser.add_argument("--check", action="store_true", help="only say whether the pages are what the files say")
    options = _parse(parser, arguments)
    stale = render_project(checkout(), options.check)
    if options.check and stale:
        raise ValueError(f"Not what the result files say: {', '.join(path.name for path in stale)}.")
    return 0
