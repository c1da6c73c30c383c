"""Result files: one line per trial, with all that it takes to know where it came from.

A line is written when its trial ends, so a run that is stopped goes on where it was.
"""

import csv
import os
import platform
import re
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

_Line = TypeVar("_Line", "Trial", "Outcome", "Origin")

_MEANT = {"\\": "\\", "n": "\n", "r": "\r"}
_ESCAPED = str.maketrans({meant: f"\\{name}" for name, meant in _MEANT.items()})

STATUSES = ("done", "time limit", "memory limit", "crashed", "not installed", "out of budget")


@dataclass(frozen=True)
class Trial:
    """One model learned on one fold: what was asked for. These fields together name it."""

    part: str  # of the comparison: "defaults", "tables", "formulations", "ablations", "causes", "scale", "growth"
    problem: str
    rival: str
    settings: str  # as JSON with sorted keys; "{}" is as by default
    fold: int
    most_rows: int  # of the training part, if it has more; 0 is all
    seed: int = 0


SPARED = "spared: "  # how the note of a trial begins that had fewer rounds than by default


@dataclass(frozen=True)
class Outcome:
    """And what came of it. Where the status is not "done", only ``note`` and ``seconds`` say something."""

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
        folder = Path(__file__).parent
        said = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=folder, capture_output=True, text=True)
        machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
        return cls(said.stdout.strip() or f"imli {version('imli')}", machine, date.today().isoformat())


COLUMNS = tuple(field.name for kind in (Trial, Outcome, Origin) for field in fields(kind))


class ResultFile:
    """The trials of one part in a folder."""

    def __init__(self, folder: Path, part: str) -> None:
        self.path = folder / f"{part}.csv"

    def read(self) -> Iterator[tuple[Trial, Outcome]]:
        """All lines; of a trial that was measured again the last."""
        found = {_read(Trial, line): _read(Outcome, line) for line in self._lines()}
        yield from found.items()

    def origins(self) -> list[Origin]:
        """Where and when its lines were measured, each once, in their order."""
        return list(dict.fromkeys(_read(Origin, line) for line in self._lines()))

    def add(self, trial: Trial, outcome: Outcome, origin: Origin) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._drop_what_was_cut_off()
        with self.path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            if file.tell() == 0:
                writer.writeheader()
            line = asdict(trial) | asdict(outcome) | asdict(origin)
            writer.writerow({name: _to_text(value) for name, value in line.items()})

    def _drop_what_was_cut_off(self) -> None:
        """The last line, if it has no end: a run was stopped while it wrote."""
        content = self.path.read_bytes() if self.path.exists() else b""
        if content and not content.endswith(b"\n"):
            self.path.write_bytes(content[: content.rfind(b"\n") + 1])

    def _lines(self) -> Iterator[dict[str, str]]:
        if not self.path.exists():
            return
        text = self.path.read_bytes().decode()
        yield from csv.DictReader(text[: text.rfind("\n")].split("\n"))


def _to_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value).translate(_ESCAPED)  # a trial is a line, whatever its texts are


def _from_text(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _MEANT[match[1]], text)


def _read(kind: type[_Line], line: dict[str, str]) -> _Line:
    values: dict[str, Any] = {}
    for field in fields(kind):
        text = line[field.name]
        if field.type is str:
            values[field.name] = _from_text(text)
        elif text == "":
            values[field.name] = None
        else:
            values[field.name] = int(text) if field.type in (int, int | None) else float(text)
    return kind(**values)
