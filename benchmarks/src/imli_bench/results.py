"""Result files: one line per trial, with all that it takes to know where it came from.

All files have the same form, CSV: first what was tried (``part`` to ``seed``) and how that ended (``status``), then the
figures of that part under names of their own, and last ``note``, ``text`` and the origin. The comparison writes a line
when its trial ends, so a run that is stopped goes on where it was. Measurements write their file in one piece.
"""

import csv
import os
import platform
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from imli_bench.internals import new_file

_Fields = TypeVar("_Fields", "BenchTrial", "Outcome", "Origin")
Line = dict[str, str]

STATUSES = ("done", "time limit", "memory limit", "crashed", "not installed", "out of budget")
SPARED = "spared: "  # how the note of a trial begins that had fewer rounds than by default
_MEANT = {"\\": "\\", "n": "\n", "r": "\r"}
_ESCAPED = str.maketrans({meant: f"\\{name}" for name, meant in _MEANT.items()})


@dataclass(frozen=True)
class BenchTrial:
    """One thing that is tried: these fields together name it."""

    part: str  # of the comparison, such as "defaults" or "tables", or a measurement, such as "search"
    problem: str
    rival: str  # what is tried: a learner, or a way to do it
    settings: str  # in the comparison JSON with sorted keys, of which "{}" is as by default; else words
    fold: int = 0
    most_rows: int = 0  # of the training part, if it has more; 0 is all
    seed: int = 0


@dataclass(frozen=True)
class Outcome:
    """What came of a trial of the comparison. Without the status "done", only ``note`` and ``seconds`` have a value."""

    status: str
    n_train: int = 0
    n_test: int = 0
    accuracy: float | None = None  # in per cent, of rows held out
    train_accuracy: float | None = None  # where curves show it
    constant_accuracy: float | None = None  # of the larger class of the training part, which a time-out counts as
    n_conditions: int | None = None
    size: int | None = None
    seconds: float | None = None  # to learn
    megabytes: float | None = None  # at most, of all processes of the trial
    limit: float | None = None  # seconds that it had
    note: str = ""  # why it has no result, or what was spared to get one
    text: str = ""  # the rule, where it is kept
    versions: str = ""  # of what learned it


@dataclass(frozen=True)
class Origin:
    """Where and when a line was measured."""

    commit: str
    machine: str
    date: str

    @classmethod
    def here(cls) -> "Origin":
        """Return the commit of the sources, or else the version of imli; this machine; and today."""
        folder = Path(__file__).parent
        said = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=folder, capture_output=True, text=True)
        machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        return cls(said.stdout.strip() or f"imli {version('imli')}", machine, date.today().isoformat())


_HEAD = (*(each.name for each in fields(BenchTrial)), "status")
_TAIL = ("note", "text", "versions", *(each.name for each in fields(Origin)))
COLUMNS = tuple(each.name for kind in (BenchTrial, Outcome, Origin) for each in fields(kind))


def checkout() -> Path:
    """Return the folder of imli's sources that this package or else the current folder belongs to."""
    for folder in (*Path(__file__).parents, *(here := Path.cwd()).parents, here):
        if (folder / "benchmarks" / "results").is_dir() and (folder / "docs").is_dir():
            return folder
    raise ValueError("There are no sources of imli here. Run this in a checkout of them, which has the pages.")


class ResultFile:
    """The trials of one part in a folder."""

    def __init__(self, folder: Path, part: str) -> None:
        self.path = folder / f"{part}.csv"

    def lines(self) -> list[Line]:
        """Return all whole lines by column, of a trial that was measured again the last."""
        return list({tuple(line[name] for name in _HEAD[:-1]): line for line in self._all_lines()}.values())

    def read(self) -> Iterator[tuple[BenchTrial, Outcome]]:
        """Yield the trials of the comparison with their outcomes."""
        yield from {_read(BenchTrial, line): _read(Outcome, line) for line in self._all_lines()}.items()

    def origins(self) -> list[Origin]:
        """Return where and when its lines were measured, each once, in their order."""
        return list(dict.fromkeys(_read(Origin, line) for line in self._all_lines()))

    def add(self, trial: BenchTrial, outcome: Outcome, origin: Origin) -> None:
        """Append a line of the comparison."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._drop_what_was_cut_off()
        with self.path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            if file.tell() == 0:
                writer.writeheader()
            line = asdict(trial) | asdict(outcome) | asdict(origin)
            writer.writerow({name: _to_text(value) for name, value in line.items()})

    def replace(self, new: Iterable[Line]) -> None:
        """Write measured lines in the places of those with the same trials, new ones last; all others stay."""
        both = [*self._all_lines(), *new]
        lines = {tuple(line[name] for name in _HEAD[:-1]): line for line in both}
        figures = dict.fromkeys(name for line in both for name in line if name not in (*_HEAD, *_TAIL))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with new_file(self.path) as unfinished, unfinished.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [*_HEAD, *figures, *_TAIL], restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines.values())

    def _drop_what_was_cut_off(self) -> None:
        """Drop the last line if it has no end: a run was stopped while it wrote."""
        content = self.path.read_bytes() if self.path.exists() else b""
        if content and not content.endswith(b"\n"):
            self.path.write_bytes(content[: content.rfind(b"\n") + 1])

    def _all_lines(self) -> Iterator[Line]:
        if not self.path.exists():
            return
        text = self.path.read_bytes().decode()
        yield from csv.DictReader(text[: text.rfind("\n")].split("\n"))


@dataclass
class Recorder:
    """Collects the figures of one measurement, prints them, and writes them to its file."""

    part: str
    folder: Path
    _lines: list[Line] = field(default_factory=list)
    _origin: Origin = field(default_factory=Origin.here)

    def add(self, problem: str, rival: str, figures: Mapping[str, float], *, seed: int = 0, settings: str = "") -> None:
        """Print a line and keep it until it is written."""
        print(f"{problem:28} {rival:28} {settings:12} seed {seed}: "
              + ", ".join(f"{name} {value:.6g}" for name, value in figures.items()), flush=True)  # fmt: skip
        trial = BenchTrial(self.part, problem, rival, settings, seed=seed)
        packages = ("imli", "numpy", "scikit-learn", "python-sat")
        about = {"note": "", "text": "", "versions": " ".join(f"{name} {version(name)}" for name in packages)}
        line = asdict(trial) | {"status": "done", **about} | asdict(self._origin)
        self._lines.append(
            {name: _to_text(value) for name, value in line.items()}
            | {name: f"{value:.8g}" for name, value in figures.items()}
        )

    def write(self) -> None:
        """Write the lines kept so far, if there are any, to the file of the measurement, and say so."""
        if not self._lines:
            return
        file = ResultFile(self.folder, self.part)
        file.replace(self._lines)
        print(f"Wrote {file.path.name}.")


def _to_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value).translate(_ESCAPED)  # a trial is a line, whatever its texts are


def _from_text(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _MEANT[match[1]], text)


def _read(kind: type[_Fields], line: Line) -> _Fields:
    found: dict[str, Any] = {}
    for each in fields(kind):
        text = line[each.name]
        if each.type is str:
            found[each.name] = _from_text(text)
        elif text == "":
            found[each.name] = None
        else:
            found[each.name] = int(text) if each.type in (int, int | None) else float(text)
    return kind(**found)
