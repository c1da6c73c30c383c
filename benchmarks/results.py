"""One form of result file: a CSV with one measured value in each row, and where, when and by what it was measured.

benchmark  problem  method  settings  seed  measure  value  | commit  machine  versions  date
"""

import csv
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import version
from pathlib import Path
from statistics import median

FOLDER = Path(__file__).parent / "results"
KEYS = ("benchmark", "problem", "method", "settings", "seed", "measure", "value")
ORIGIN = ("commit", "machine", "versions", "date")


@dataclass
class Recorder:
    """Collects measured values of one benchmark, prints them, and writes the file in one piece."""

    benchmark: str
    rows: list[dict[str, str]] = field(default_factory=list)

    def add(
        self, problem: str, method: str, measures: Mapping[str, float], *, seed: int = 0, settings: str = ""
    ) -> None:
        print(f"{problem:28} {method:28} {settings:12} seed {seed}: "
              + ", ".join(f"{name} {value:.6g}" for name, value in measures.items()), flush=True)  # fmt: skip
        for measure, value in measures.items():
            known = (self.benchmark, problem, method, settings, str(seed), measure, f"{value:.8g}")
            self.rows.append(dict(zip(KEYS, known, strict=True)) | _origin())

    def write(self) -> None:
        """Replace what was measured anew; the rest of the file stays, with its own origin in each row."""
        FOLDER.mkdir(exist_ok=True)
        known = {_subject(row) for row in self.rows}
        kept = [row for row in read(self.benchmark) if _subject(row) not in known]
        order = {subject: place for place, subject in enumerate(dict.fromkeys(map(_subject, read(self.benchmark))))}
        rows = sorted([*kept, *self.rows], key=lambda row: order.get(_subject(row), len(order)))
        path = FOLDER / f"{self.benchmark}.csv"
        part = path.with_suffix(".part")
        with part.open("w", newline="") as file:
            writer = csv.DictWriter(file, [*KEYS, *ORIGIN], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        part.replace(path)
        print(f"Wrote {path.name}.")


def _subject(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(row[key] for key in ("problem", "method", "settings", "seed"))


def read(benchmark: str) -> list[dict[str, str]]:
    """The rows of a result file; none if it was never measured."""
    path = FOLDER / f"{benchmark}.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def values(rows: Iterable[Mapping[str, str]], **wanted: str) -> list[float]:
    """The values of the rows that have these keys."""
    return [float(row["value"]) for row in rows if all(row[key] == value for key, value in wanted.items())]


def middle(rows: Iterable[Mapping[str, str]], **wanted: str) -> float:
    return median(values(rows, **wanted))


_KNOWN: dict[str, str] = {}


def _origin() -> dict[str, str]:
    if not _KNOWN:
        here = Path(__file__).parent
        commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=here, capture_output=True, text=True)
        packages = ("imli", "numpy", "scikit-learn", "python-sat")
        _KNOWN.update(
            commit=commit.stdout.strip(),
            machine=f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
            versions=" ".join(f"{name} {version(name)}" for name in packages),
            date=date.today().isoformat(),
        )
    return _KNOWN
