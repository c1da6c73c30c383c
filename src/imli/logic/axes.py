"""A column as a row sees it: which cell it has, which others it could have, and how far they are.

Looks for rows that a rule decides one way or another, among those that hold what they must.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from types import TracebackType
from typing import Any, Self

import numpy as np
from pysat.solvers import Solver

from imli.errors import brief
from imli.logic.circuit import Circuit, decisions
from imli.logic.domains import Cell, Domain, Region, key_of, near_moment, near_number, plain_cell
from imli.rules import Label, Rule
from imli.rules.cells import Cells, cells_by_column, plain_number
from imli.rules.literals import IsMissing, IsTrue
from imli.table.dates import time_of
from imli.table.frame import Column, Frame
from imli.table.read import as_frame

_UNNAMED = 1.001
_YEAR = 366 * 24 * 3600 * 10**6


@dataclass(frozen=True, eq=False)
class Axis:
    """The example cells of a column, and where the row is among them."""

    cells: Cells
    value: Cell
    domain: Domain
    held: Column  # the row's cell
    place: int  # of the column, in the order of reading

    @property
    def name(self) -> str:
        return self.cells.name

    @cached_property
    def signatures(self) -> list[tuple[bool, ...]]:
        """For each example cell, which literals accept it."""
        accepted = [self.cells.accepted(literal) for literal in self.cells.literals]
        return [tuple(bool(one >> n & 1) for one in accepted) for n in range(self.cells.n)]

    @cached_property
    def here(self) -> int:
        """The example cell that stands for the row's."""
        return self._positions(self.held)[0]

    @property
    def is_missing(self) -> bool:
        return self.value is None

    @property
    def is_ordered(self) -> bool:
        """Whether cells lie on a line, as numbers and dates do."""
        return self.cells.reads in ("number", "date")

    @property
    def is_free(self) -> bool:
        """Whether all that is asked is whether a cell is missing, so that it may be of any kind."""
        return all(isinstance(literal, IsMissing) for literal in self.cells.literals)

    @cached_property
    def n_present(self) -> int:
        """How many cells are stored like the missing one, and before it."""
        return len(self.cells.columns[0].missing) - 1

    @cached_property
    def regions(self) -> dict[int, Region]:
        """What each cell of numbers or dates stands for."""
        if self.cells.reads == "text":
            return {}
        cuts = sorted({_as_float(cut, self.cells.reads) for one in self.cells.literals for cut in one.cuts})
        line = self.cells.columns[0].values[: self.n_present].tolist()
        found = {n: Region.around(value, cuts) for n, value in enumerate(line)}
        large = [value for column in self.cells.columns[1:] for value in column.values.tolist()]
        for n, value in enumerate(large, start=self.n_present + 1):
            # whole numbers that as floats would be rounded: alone, where literals tell them from floats around them
            around = [region for other, region in found.items() if self.signatures[other] == self.signatures[n]]
            found[n] = next((region for region in around if region.has(value)), Region.point(value))
        return found

    @cached_property
    def possible(self) -> int:
        """The set of cells that the column can have; the row's own is one, whatever is said of the column."""
        found = 1 << self.here
        if self.domain.missing:
            found |= self.cells.missing
        if self.is_free:
            return found | self.cells.all & ~self.cells.missing
        if self.cells.reads == "text":
            return found | (sum(1 << n for n in set(self._known)) if self.domain.only is not None else self._present)
        return found | sum(1 << n for n, near in self._nearest.items() if near is not None)

    @property
    def _present(self) -> int:
        return self.cells.all & ~self.cells.missing

    @cached_property
    def _known(self) -> dict[int, str]:
        """Cells of the texts that are known to be possible, and the first text of each."""
        texts = [cell for cell in self.domain.only or () if isinstance(cell, str)]
        if not texts:
            return {}
        positions = self._positions(as_frame({self.name: texts})[self.name])
        found: dict[int, str] = {}
        for position, text in zip(positions, texts, strict=True):
            found.setdefault(position, text)
        return found

    @cached_property
    def _nearest(self) -> dict[int, float | None]:
        """Of each region the number nearest to the row's; None if none is possible."""
        return {n: self.domain.nearest(region, self._key) for n, region in self.regions.items()}

    @cached_property
    def _key(self) -> float | None:
        if self.value is None or self.is_free:
            return None
        return key_of(self.value)

    @cached_property
    def scale(self) -> float:
        """What a move along the column is measured by: its range.

        If the range is not known, that of the rule's own thresholds and the row's value, with 0 for numbers and at
        least a year for dates.
        """
        known = [key_of(end) for end in self.domain.only or (self.domain.least, self.domain.most) if end is not None]
        is_known, is_date = len(known) > 1, self.cells.reads == "date"
        ends = known if is_known else [end for region in self.regions.values() for end in (region.low, region.high)]
        if not is_known and not is_date:
            ends = [*ends, 0]
        finite = [end for end in (*ends, self._key) if end is not None and math.isfinite(end)]
        width = max(finite) - min(finite) if finite else 0
        return max(width, _YEAR) if is_date and not is_known else width or 1

    def distance(self, cell: int) -> float:
        """How far the row's cell is from another: a share of the range, and 1 if there is no telling.

        Some other text, of which no example is known, is a little further than one that the rule names.
        """
        if cell == self.here:
            return 0.0
        if self.cells.reads == "text" and not self._known and cell == self.n_present - 1:
            return _UNNAMED
        near = None if self.is_free else self._nearest.get(cell)
        if near is None or self._key is None or not math.isfinite(self._key):
            return 1.0
        # a number that is stored otherwise, or lies outside of the range, may be further than all of it
        return min(abs(near - self._key) / self.scale, 1.0)

    def alike(self, cell: int) -> int:
        """The set of cells in the region of this one."""
        if cell in self.regions:
            return sum(1 << n for n, region in self.regions.items() if region == self.regions[cell])
        return 1 << cell

    def example(self, accepted: int, cell: int) -> Cell:
        """A value to change to: one of these cells near to this one, and of those the one nearest to the row's."""
        if 1 << cell == self.cells.missing:
            return None
        if self.is_free:
            return self.domain.only[0] if self.domain.only else self.cells.cell(cell)
        if self.cells.reads == "text":
            return self._known[cell] if cell in self._known else self.cells.cell(cell)
        run = self._run(accepted, cell)
        if self.cells.reads == "date":
            return time_of(int(near_moment(self.domain, run, self._key)))
        found = near_number(self.domain, run, self._key, prefers_whole=self.held.values.dtype.kind == "i")
        is_truth = self.held.kind == "flag" or (self.is_missing and _are_flags(self.domain.only))
        return bool(found) if is_truth else plain_number(found)

    def run(self, accepted: int, cell: int) -> int:
        """The set of cells between which and this one there is none that is not accepted."""
        twins = [n for n in range(self.n_present) if self.regions[n] == self.regions[cell]]
        if not twins:
            return 1 << cell
        first = last = twins[0]
        while first > 0 and accepted >> first - 1 & 1:
            first -= 1
        while last + 1 < self.n_present and accepted >> last + 1 & 1:
            last += 1
        within = [self.regions[n] for n in range(first, last + 1)]
        return sum(1 << n for n, region in self.regions.items() if region in within and accepted >> n & 1)

    def _run(self, accepted: int, cell: int) -> Region:
        """The same as numbers, of those that are possible."""
        run = self.run(accepted & self.possible, cell)
        regions = [region for n, region in self.regions.items() if run >> n & 1]
        first = min(regions, key=lambda region: (region.low, region.high))
        last = max(regions, key=lambda region: (region.high, region.low))
        return Region(first.low, last.high, (first.closed[0], last.closed[1]))

    def _positions(self, column: Column) -> list[int]:
        """For each cell of a column the example cell that stands for it."""
        answers = np.array([literal.holds(column) for literal in self.cells.literals]).T.tolist()
        return [self._position(plain_cell(column, row), tuple(answers[row])) for row in range(len(column.missing))]

    def _position(self, value: Cell, answers: tuple[bool, ...]) -> int:
        if value is None:
            return self.n_present
        fitting = self._fitting[answers]
        if isinstance(value, str):
            unseen = self.n_present - 1
            return self._named.get(value, unseen if unseen in fitting else fitting[0])
        inside = [] if self.is_free else [n for n in fitting if self.regions[n].has(key_of(value))]
        return (inside or fitting)[0]

    @cached_property
    def _fitting(self) -> dict[tuple[bool, ...], list[int]]:
        """The cells that are not missing, by which literals accept them."""
        found: dict[tuple[bool, ...], list[int]] = {}
        for n, answers in enumerate(self.signatures):
            if n != self.n_present:
                found.setdefault(answers, []).append(n)
        return found

    @cached_property
    def _named(self) -> dict[str, int]:
        """The cells of texts that the rule names."""
        return {text: n for n, text in enumerate(self.cells.columns[0].categories[:-1])}


def read_axes(rule: Rule, frame: Frame, domains: dict[str, Domain]) -> dict[str, Axis]:
    """The columns of a rule, in the order of reading, as the one row of the frame sees them."""
    axes: dict[str, Axis] = {}
    for place, (name, cells) in enumerate(cells_by_column(rule.literals).items()):
        held = frame[name]
        _check_domain(cells, domains.get(name))
        axes[name] = Axis(cells, plain_cell(held), domains.get(name) or _usual(cells, held), held, place)
    return axes


def _check_domain(cells: Cells, domain: Domain | None) -> None:
    fits = {"text": str, "date": date, "number": int | float}[cells.reads]
    if domain is None or all(literal.reads is None for literal in cells.literals):
        return
    for cell in (domain.least, domain.most, *(domain.only or ())):
        if cell is not None and not isinstance(cell, fits):
            words = {"text": "text", "date": "dates", "number": "numbers"}[cells.reads]
            raise TypeError(
                f"The rule compares column {cells.name!r} with {words}, but values says that it can hold {brief(cell)}."
            )


def _usual(cells: Cells, held: Column) -> Domain:
    """Any value of the column's kind, and missing."""
    asked = [literal for literal in cells.literals if not isinstance(literal, IsMissing)]
    asks_for_truth = bool(asked) and all(isinstance(literal, IsTrue) for literal in asked)
    is_truth = held.kind == "flag" or (asks_for_truth and plain_cell(held) in (None, 0, 1))
    return Domain(only=(False, True)) if is_truth and cells.reads == "number" else Domain()


def _are_flags(cells: Iterable[Cell] | None) -> bool:
    return cells is not None and all(isinstance(cell, bool) for cell in cells)


def _as_float(cut: float, reads: str) -> float:
    return float(cut) if reads == "number" else cut


# For some columns, the set of cells that a row may have.
Held = Mapping[str, int]


class Oracle:
    """A solver that knows what the rule decides on any possible row. Close it after use."""

    def __init__(self, rule: Rule, axes: Mapping[str, Axis]) -> None:
        self.axes = axes
        self.circuit = Circuit({name: axis.cells for name, axis in axes.items()})
        self._decided = decisions(self.circuit, rule)
        self.circuit.clauses += [[self.circuit.within(name, axis.possible)] for name, axis in axes.items()]
        self._solver: Any = Solver("g4")
        self._n_told = 0  # of the circuit's clauses, to the solver

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._solver.delete()

    def decides(self, label: Label) -> int:
        """True if the rule decides for the class."""
        return self._decided[label]

    def within(self, name: str, accepted: int) -> int:
        """True if the cell of the column is in the set."""
        return self.circuit.within(name, accepted)

    def row(self, assumed: Iterable[int]) -> dict[str, int] | None:
        """The cells of a row for which all of this is true; None if there is none."""
        assumptions = list(assumed)
        self._tell()
        if not self._solver.solve(assumptions=assumptions):
            return None
        return self.circuit.positions(self._solver.get_model())

    def conflict(self) -> set[int]:
        """Of what was assumed when no row was found, a part for which there is none either."""
        return set(self._solver.get_core() or ())

    def held(self, held: Held) -> list[int]:
        """What is true of rows with these cells."""
        return [self.within(name, accepted) for name, accepted in held.items()]

    def bad(self, wanted: int, held: Held, name: str) -> int:
        """The cells of a column, of those held, with which, beside what is held in others, ``wanted`` can fail."""
        axis, bad = self.axes[name], 0
        others = [-wanted, *self.held({other: accepted for other, accepted in held.items() if other != name})]
        left = axis.possible & held.get(name, axis.possible)
        while left:
            row = self.row((*others, self.within(name, left)))
            if row is None:
                break
            same = axis.signatures[row[name]]  # the rule cannot tell these apart
            found = sum(1 << n for n, other in enumerate(axis.signatures) if other == same and left >> n & 1)
            bad |= found
            left &= ~found
        return bad

    def _tell(self) -> None:
        self._solver.append_formula(self.circuit.clauses[self._n_told :])
        self._n_told = len(self.circuit.clauses)
