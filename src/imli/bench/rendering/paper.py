"""What the paper printed: committed files that were checked against it."""

import csv
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PRINTED = Path(__file__).parents[1] / "paper"


@dataclass(frozen=True)
class Claim:
    """Where a measure goes, as the paper says, when a parameter grows."""

    parameter: str
    measure: str
    direction: str  # "up" or "down"


class Paper:
    """The files ``figures.csv``, ``rules.csv`` and ``claims.csv`` of a folder."""

    def __init__(self, folder: Path = PRINTED) -> None:
        self._folder = folder

    def _read(self, name: str) -> list[dict[str, str]]:
        with (self._folder / name).open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    @cached_property
    def _figures(self) -> dict[tuple[int, str, str, str], float]:
        return {
            (int(row["settings"].removeprefix("JAIR 2022, Table ")), row["problem"], row["method"], row["measure"]):
            float(row["value"])
            for row in self._read("figures.csv")
        }  # fmt: skip

    def figure(self, table: int, problem: str, method: str, measure: str = "accuracy_percent") -> float | None:
        """A printed figure; None is a dash, for a time-out."""
        return self._figures.get((table, problem, method, measure))

    def problems(self, table: int) -> list[str]:
        """The data sets of a table, in its order."""
        return list(dict.fromkeys(problem for number, problem, *_ in self._figures if number == table))

    def methods(self, table: int) -> list[str]:
        found = dict.fromkeys(method for number, _, method, _ in self._figures if number == table)
        return [method for method in found if method != "data"]

    @cached_property
    def rules(self) -> dict[str, str]:
        """The rule printed for each data set."""
        return {row["problem"]: row["rule"] for row in self._read("rules.csv")}

    @cached_property
    def claims(self) -> list[Claim]:
        return [Claim(**row) for row in self._read("claims.csv")]
