"""The columns of a rule from the position of one row, and a solver that finds rows with a given decision.

An axis has the row's cell in a column, the other possible cells and their distances.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Self

import numpy as np

from imli.errors import brief
from imli.logic.circuit import Circuit, Glucose, decisions
from imli.logic.domains import Domain, Region, key_of, near_value
from imli.rules import Clause, Rule
from imli.rules.cells import Cell, Cells, cells_by_column, plain_cell, plain_number
from imli.rules.literals import CompareDate, IsIn, IsMissing, IsTrue
from imli.table.dates import moment_of, time_of, write_moment
from imli.table.frame import Column, Frame
from imli.table.read import as_frame

_UNNAMED = 1.001  # the distance of a text without a known example
_YEAR = 366 * 24 * 3600 * 10**6  # microseconds

# For some columns, the set of cells that a row may have.
Held = Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Axis:
    """The example cells of a column, and the position of the row among them."""

    cells: Cells
    value: Cell
    domain: Domain
    held: Column  # a column of the row's cell alone
    place: int  # the number of the column in reading order

    @property
    def name(self) -> str:
        """Return the name of the column."""
        return self.cells.name

    @cached_property
    def signatures(self) -> list[tuple[bool, ...]]:
        """Return for each example cell which literals accept it."""
        accepted = [self.cells.accepted(literal) for literal in self.cells.literals]
        return [tuple(bool(one >> n & 1) for one in accepted) for n in range(self.cells.n)]

    @cached_property
    def here(self) -> int:
        """Return the position of the example cell that represents the row's cell."""
        return self._positions(self.held)[0]

    @property
    def is_ordered(self) -> bool:
        """Return True for numbers and dates, which lie on a line."""
        return self.cells.reads in ("number", "date")

    @property
    def is_free(self) -> bool:
        """Return True if the rule only tests whether cells are missing, so that they may be of any kind."""
        return all(isinstance(literal, IsMissing) for literal in self.cells.literals)

    @cached_property
    def n_present(self) -> int:
        """Return the position of the missing cell, which is the number of cells before it."""
        return len(self.cells.columns[0].missing) - 1

    @cached_property
    def regions(self) -> dict[int, Region]:
        """Return the range of values that each cell of numbers or dates represents."""
        if self.cells.reads == "text":
            return {}
        all_cuts = {cut for one in self.cells.literals for cut in one.cuts}
        cuts = sorted({float(cut) for cut in all_cuts} if self.cells.reads == "number" else all_cuts)
        line = self.cells.columns[0].values[: self.n_present].tolist()
        found = {n: Region.around(value, cuts) for n, value in enumerate(line)}
        large = [value for column in self.cells.columns[1:] for value in column.values.tolist()]
        for n, value in enumerate(large, start=self.n_present + 1):
            # a whole number that would be rounded as a float is a region of its own where literals distinguish the two
            around = [region for other, region in found.items() if self.signatures[other] == self.signatures[n]]
            found[n] = next((region for region in around if region.has(value)), Region.point(value))
        return found

    @cached_property
    def possible(self) -> int:
        """Return the set of possible cells, always with the row's own."""
        found = 1 << self.here
        if self.domain.missing:
            found |= self.cells.missing
        if self.is_free:
            return found | self._present
        if self.cells.reads == "text":
            return found | (sum(1 << n for n in set(self._known)) if self.domain.only is not None else self._present)
        return found | sum(1 << n for n, near in self._nearest.items() if near is not None)

    @property
    def _present(self) -> int:
        return self.cells.all & ~self.cells.missing

    @cached_property
    def _known(self) -> dict[int, str]:
        """Return the cells of texts that the domain lists, with the first text of each cell."""
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
        """Return for each region the possible number nearest to the row's; None if there is none."""
        return {n: self.domain.nearest(region, self._key) for n, region in self.regions.items()}

    @cached_property
    def _key(self) -> float | None:
        if self.value is None or self.is_free:
            return None
        return key_of(self.value)

    @cached_property
    def scale(self) -> float:
        """Return the range of the column, the unit of distances, as documented for ``Rule.what_if``."""
        known = [key_of(end) for end in self.domain.only or (self.domain.least, self.domain.most) if end is not None]
        is_known, is_date = len(known) > 1, self.cells.reads == "date"
        ends = known if is_known else [end for region in self.regions.values() for end in (region.low, region.high)]
        if not is_known and not is_date:
            ends = [*ends, 0]
        finite = [end for end in (*ends, self._key) if end is not None and math.isfinite(end)]
        width = max(finite) - min(finite) if finite else 0
        return max(width, _YEAR) if is_date and not is_known else width or 1

    def distance(self, cell: int) -> float:
        """Return the distance from the row's cell to another: a share of the range, or 1 if there is no order.

        A text without a known example is a little further away than one that the rule names.
        """
        if cell == self.here:
            return 0.0
        if self.cells.reads == "text" and not self._known and cell == self.n_present - 1:
            return _UNNAMED
        near = None if self.is_free else self._nearest.get(cell)
        if near is None or self._key is None or not math.isfinite(self._key):
            return 1.0
        # a number outside of the range may be further away
        return min(abs(near - self._key) / self.scale, 1.0)

    def alike(self, cell: int) -> int:
        """Return the set of cells in the same region as a cell."""
        if cell in self.regions:
            return sum(1 << n for n, region in self.regions.items() if region == self.regions[cell])
        return 1 << cell

    def example(self, accepted: int, cell: int) -> Cell:
        """Return a value to change to: among accepted cells around a cell, without a gap, the nearest to the row's."""
        if 1 << cell == self.cells.missing:
            return None
        if self.is_free:
            return self.domain.only[0] if self.domain.only else self.cells.cell(cell)
        if self.cells.reads == "text":
            return self._known[cell] if cell in self._known else self.cells.cell(cell)
        run = self._run_region(accepted, cell)
        if self.cells.reads == "date":
            return time_of(int(near_value(self.domain, run, self._key, is_date=True)))
        found = near_value(self.domain, run, self._key, prefers_whole=self.held.values.dtype.kind == "i")
        only = self.domain.only
        are_truths = only is not None and all(isinstance(value, bool) for value in only)
        is_truth = self.held.kind == "flag" or (self.value is None and are_truths)
        return bool(found) if is_truth else plain_number(found)

    def only_value(self, literals: Clause) -> Clause | None:
        """Return literals of the one possible value for which literals hold; None if there are several or no list."""
        only = [cell for cell in self.domain.only or () if not isinstance(cell, bool)]
        if not only or self.is_free:
            return None
        column = as_frame({self.name: only})[self.name]
        fitting = np.flatnonzero(np.logical_and.reduce([literal.holds(column) for literal in literals]))
        if len(fitting) != 1:
            return None
        value = only[fitting[0]]
        if isinstance(value, date):
            moment = write_moment(moment_of(value))
            return CompareDate(self.name, ">=", moment), CompareDate(self.name, "<=", moment)
        is_infinite = isinstance(value, float) and math.isinf(value)
        return None if value is None or is_infinite else (IsIn(self.name, (value,)),)

    def run(self, accepted: int, cell: int) -> int:
        """Return the set of accepted cells around a cell, without a gap."""
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

    def _run_region(self, accepted: int, cell: int) -> Region:
        """Return the range of the possible accepted cells around a cell, without a gap."""
        run = self.run(accepted & self.possible, cell)
        regions = [region for n, region in self.regions.items() if run >> n & 1]
        first = min(regions, key=lambda region: (region.low, region.high))
        last = max(regions, key=lambda region: (region.high, region.low))
        return Region(first.low, last.high, (first.closed[0], last.closed[1]))

    def _positions(self, column: Column) -> list[int]:
        """Return for each cell of a column the example cell that represents it."""
        answers = np.array([literal.holds(column) for literal in self.cells.literals]).T.tolist()
        return [self._position(plain_cell(column, row), tuple(answers[row])) for row in range(len(column.missing))]

    def _position(self, value: Cell, answers: tuple[bool, ...]) -> int:
        if value is None:
            return self.n_present
        if isinstance(value, str):
            named, unseen = self.cells.columns[0].categories[:-1], self.n_present - 1
            if value in named:
                return named.index(value)
            if self.signatures[unseen] == answers:
                return unseen
        fitting = [n for n, other in enumerate(self.signatures) if other == answers and n != self.n_present]
        if isinstance(value, str) or self.is_free:
            return fitting[0]
        return next((n for n in fitting if self.regions[n].has(key_of(value))), fitting[0])


def read_axes(rule: Rule, frame: Frame, domains: dict[str, Domain]) -> dict[str, Axis]:
    """Return an axis for each column of a rule, in reading order, from a frame of one row."""
    axes: dict[str, Axis] = {}
    for place, (name, cells) in enumerate(cells_by_column(rule.literals).items()):
        held = frame[name]
        _check_domain(cells, domains.get(name))
        axes[name] = Axis(cells, plain_cell(held), domains.get(name) or _default_domain(cells, held), held, place)
    return axes


def _check_domain(cells: Cells, domain: Domain | None) -> None:
    if domain is None or all(literal.reads is None for literal in cells.literals):
        return
    fits = {"text": str, "date": date, "number": int | float}[cells.reads]
    for cell in (domain.least, domain.most, *(domain.only or ())):
        if cell is not None and not isinstance(cell, fits):
            words = cells.columns[0].kind_in_words
            raise TypeError(
                f"The rule compares column {brief(cells.name)} with {words}, but values says that it can hold "
                f"{brief(cell)}."
            )


def _default_domain(cells: Cells, held: Column) -> Domain:
    """Return the domain of any value of the column's kind, and missing."""
    tests = [literal for literal in cells.literals if not isinstance(literal, IsMissing)]
    tests_truth = bool(tests) and all(isinstance(literal, IsTrue) for literal in tests)
    is_truth = held.kind == "flag" or (tests_truth and plain_cell(held) in (None, 0, 1))
    return Domain(only=(False, True)) if is_truth and cells.reads == "number" else Domain()


class Oracle(Circuit):
    """A circuit and a solver of the decisions of a rule on all possible rows. Close it after use."""

    def __init__(self, rule: Rule, axes: Mapping[str, Axis]) -> None:
        super().__init__({name: axis.cells for name, axis in axes.items()})
        self.axes = axes
        self.decided = decisions(self, rule)  # for each class, the gate that is true if it is decided
        self.clauses += [[self.within(name, axis.possible)] for name, axis in axes.items()]
        self._solver = Glucose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._solver.delete()

    def row(self, assumed: Iterable[int]) -> dict[str, int] | None:
        """Return the cells of a row for which all assumed gates are true; None if there is none."""
        assumptions = list(assumed)  # which may add clauses
        self.feed(self._solver)
        return self.positions(self._solver.get_model()) if self._solver.solve(assumptions=assumptions) else None

    def conflict(self) -> set[int]:
        """Return a part of the last assumptions for which there is no row."""
        return set(self._solver.get_core() or ())

    def bad(self, wanted: int, held: Held, name: str) -> int:
        """Return the cells of a column, among those held, with which ``wanted`` can fail for rows in ``held``."""
        axis, bad = self.axes[name], 0
        others = [-wanted, *(self.within(other, accepted) for other, accepted in held.items() if other != name)]
        left = axis.possible & held.get(name, axis.possible)
        while left:
            row = self.row((*others, self.within(name, left)))
            if row is None:
                break
            same = axis.signatures[row[name]]  # the rule does not distinguish these
            found = sum(1 << n for n, other in enumerate(axis.signatures) if other == same and left >> n & 1)
            bad |= found
            left &= ~found
        return bad
