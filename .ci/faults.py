"""Ten deliberate faults, each of which the run of tests that the README names must notice.

    python .ci/faults.py                 the tests of the rooms concerned, some ten seconds for each fault
    python .ci/faults.py parts pricing   some of the faults
    python .ci/faults.py --whole         all that `pytest` runs by default, until the first failure

Each fault is a change of one line in a copy of the working tree. All are in Python, so nothing is compiled: the copy
gets the kernel that is installed. Not part of CI; run it after tests were cut or moved.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

PROJECT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Fault:
    """A line of a source file, what it becomes, and the tests that are nearest to it."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


FAULTS = [
    # rows that a formula must accept: a slot without a clause lifts no demand any more
    Fault(
        "encoding",
        "learning/backends/maxsat.py",
        "[[error, *satisfying[i], *encoding.unless_unused(i)] for i in range(n_slots)]",
        "[[error, *satisfying[i]] for i in range(n_slots)]",
        ("tests/contracts/test_backends.py", "tests/learning/backends"),
    ),
    # near a rule, a literal that goes costs as one that stays
    Fault(
        "pricing",
        "learning/objective.py",
        "return self.literal_costs if self.move_costs is None else self.move_costs",
        "return self.literal_costs",
        ("tests/estimators/test_streaming.py", "tests/learning/test_query.py"),
    ),
    # what stands under a missing cell is looked at, unless the literal accepts missing cells
    Fault(
        "missing values",
        "rules/literals/literal.py",
        "return np.where(column.missing, self.or_missing, self._accepts(column))",
        "return np.where(column.missing & self.or_missing, True, self._accepts(column))",
        ("tests/rules", "tests/table", "tests/kernel/test_columns.py"),
    ),
    # the complement of a formula forgets that missing cells change sides, too
    Fault(
        "De Morgan",
        "rules/formula.py",
        "tuple(~literal for literal in clause)",
        "tuple(literal.opposite() for literal in clause)",
        ("tests/rules", "tests/logic"),
    ),
    # a quote in a column's name ends the name
    Fault(
        "SQL quoting",
        "exports/dialects.py",
        "return self.quote + name.replace(self.quote, 2 * self.quote) + self.quote",
        "return self.quote + name + self.quote",
        ("tests/exports",),
    ),
    # a limit of one second holds after two and a half
    Fault(
        "time limit",
        "learning/deadline.py",
        "return cls() if seconds is None else cls(monotonic() + seconds)",
        "return cls() if seconds is None else cls(monotonic() + 2.5 * seconds)",
        ("tests/contracts/test_time_limits.py",),
    ),
    # a weight may be negative in a model file
    Fault(
        "model reader",
        "models/schema.py",
        'AMOUNT = _checked("a number of at least 0", lambda content: _is_number(content) and not content < 0, float)',
        'AMOUNT = _checked("a number of at least 0", lambda content: _is_number(content), float)',
        ("tests/models",),
    ),
    # a part that lacks a class takes the weights of its classes for those of the first ones
    Fault(
        "parts",
        "learning/rows/engine.py",
        "places = np.searchsorted(classes, self.classes)",
        "places = np.arange(len(self.classes))",
        ("tests/estimators/test_large.py", "tests/learning/rows", "tests/cli/test_parts.py"),
    ),
    # the last clause of a decision list that holds decides, not the first
    Fault(
        "list order",
        "rules/pairs.py",
        "left = left & ~satisfied",
        "left = left & (satisfied | ~satisfied)",
        ("tests/rules", "tests/logic"),
    ),
    # among as many votes, the class whose clause stands last
    Fault(
        "tie-break",
        "rules/pairs.py",
        "strength = votes * (n_pairs + 1) + (n_pairs - first)",
        "strength = votes * (n_pairs + 1) + first",
        ("tests/rules", "tests/logic", "tests/kernel"),
    ),
]

# An editable install has a finder that comes before the path, in each process that the tests start.
_SITECUSTOMIZE = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
"""


def copy_tree(folder: Path) -> Path:
    """Copy the files of the project, with their changes, and the compiled kernel beside them; return the copy."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=PROJECT, capture_output=True, text=True, check=True).stdout.split("\0")
    copy = folder / "project"
    for name in filter(None, names):
        if (PROJECT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, copy / name)
    kernel = find_spec("imli._kernel")
    if kernel is None or kernel.origin is None:
        sys.exit("imli is not installed in this environment. Install it with: pip install -e .")
    shutil.copy2(kernel.origin, copy / "src" / "imli")
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text(_SITECUSTOMIZE)
    return copy


def run_tests(copy: Path, tests: tuple[str, ...]) -> tuple[int, str]:
    """Run tests of a copy until one fails; return the exit status and what was printed."""
    path = os.pathsep.join([str(copy / "src"), str(copy.parent / "site")])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    check = "import imli, sys; sys.exit(not imli.__file__.startswith(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", check, str(copy)], env=environment, check=True)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "--tb=line",
        "-p",
        "no:cacheprovider",
        "-m",
        "not slow",
        *tests,
    ]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def inject(fault: Fault, copy: Path) -> str:
    """Write the fault into the copy; return the text that it replaced, or end with a sentence if it is not there."""
    file = copy / "src" / "imli" / fault.file
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    if text.count(fault.old) != 1:
        sys.exit(
            f"The fault {fault.name!r} changes a line that src/imli/{fault.file} has {text.count(fault.old)} times, "
            f"not once: {fault.old!r}. Write the line as it is now into .ci/faults.py."
        )
    file.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="faults to try; all if none is named")
    parser.add_argument("--whole", action="store_true", help="run all tests that `pytest` runs by default")
    options = parser.parse_args()
    known = {fault.name: fault for fault in FAULTS}
    if unknown := [name for name in options.names if name not in known]:
        sys.exit(f"There is no fault {unknown[0]!r}. The faults are {', '.join(known)}.")
    chosen = [known[name] for name in options.names] or FAULTS
    tests = {fault.name: () if options.whole else fault.tests for fault in chosen}
    with tempfile.TemporaryDirectory(prefix="imli-faults-") as name:
        copy = copy_tree(Path(name))
        for fault in chosen:  # all lines are there, before anything runs
            (copy / "src" / "imli" / fault.file).write_text(inject(fault, copy), encoding="utf-8")
        status, printed = run_tests(copy, tuple(dict.fromkeys(test for some in tests.values() for test in some)))
        if status:
            sys.exit(f"The tests fail without a fault.\n{printed}")
        print("| fault | noticed by | seconds |\n|---|---|---|")
        unnoticed = [fault.name for fault in chosen if not is_noticed(fault, copy, tests[fault.name])]
    if unnoticed:
        sys.exit(f"Not noticed: {', '.join(unnoticed)}.")


def is_noticed(fault: Fault, copy: Path, tests: tuple[str, ...]) -> bool:
    """Return True if a test fails with the fault, and print which."""
    began, before = monotonic(), inject(fault, copy)
    failed = re.findall(r"^FAILED (.+?)(?: - |$)", run_tests(copy, tests)[1], re.MULTILINE)
    # a test that fails by chance does not notice the fault
    noticed = bool(failed) and f"FAILED {failed[0]}" in run_tests(copy, (failed[0],))[1]
    (copy / "src" / "imli" / fault.file).write_text(before, encoding="utf-8")
    print(f"| {fault.name} | {failed[0] if noticed else '**nothing**'} | {monotonic() - began:.0f} |", flush=True)
    return noticed


if __name__ == "__main__":
    main()
