"""Anchors: conjunctions that hold for one row, cover many rows, and nearly always lead to the decision for the row.

For the rows of a table and for neighbours it is known whether the model decides them like the row. A conjunction of
literals that hold for the row has a precision, which must reach a target p, and a coverage, which is to be large:

    coverage  +  ν · [(1 − p) · covered and alike  −  p · covered and not alike]  −  λ · literals

is the objective of a query for one clause. The term in brackets is the amount by which the target is met, and ν its
weight, so several ν give conjunctions from wide to precise. Each is tested on neighbours drawn for it alone; of those
that reach the target the widest is taken. The neighbours drawn are evidence for the next search. In the end, literals
that the target does not need are removed one by one.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from math import sqrt

import numpy as np

from imli.errors import Interrupted
from imli.explain.neighbours import Neighbourhood
from imli.learning.backends import Native
from imli.learning.bits import BitTable, tabulate
from imli.learning.constraints import Constraints
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.learning.rows.in_memory import RowsInMemory
from imli.learning.vocabulary import Binning
from imli.rules import DNF, Clause
from imli.rules.literals import Literal
from imli.table.frame import BoolArray, Frame, IntArray

# Returns for each neighbour whether the model decides it like the row.
Alike = Callable[[IntArray], BoolArray]

_PRESSURES = (2.0, 32.0, 512.0)  # first values of ν
_ROUNDS = 10  # at most; one more once the target is reached
_WIDE_ROUNDS = 6  # without reaching the target, before narrow conjunctions are tested
_UNIT = 10_000  # units of cost for the weight of a row of the table
_LITERAL = 0.01  # cost of a literal, as a share of all rows
_LEAST_MASS = 0.3  # weight of the neighbours drawn for a conjunction, as a share of that of the table
_EFFORT = 0.001  # of the first search, a few milliseconds; it doubles with each search up to the eightfold
_MARGIN = 1.6  # standard errors by which a measured precision must be above the target


@dataclass(frozen=True)
class Tally:
    """Counts of rows that a conjunction covers, and of rows that the model decides like the explained row.

    Parameters
    ----------
    n_rows
        The number of all rows.
    n_covered
        The number of rows that the conjunction covers.
    n_right
        The number of covered rows that the model decides like the explained row.
    n_alike
        The number of all rows that the model decides like the explained row.
    """

    n_rows: int
    n_covered: int
    n_right: int
    n_alike: int

    @classmethod
    def of(cls, covered: BoolArray, alike: BoolArray) -> "Tally":
        """Count the rows, given for each whether it is covered and whether it is decided like the explained row.

        Parameters
        ----------
        covered
            True for rows that the conjunction covers.
        alike
            True for rows that the model decides like the explained row.
        """
        return cls(len(alike), int(covered.sum()), int((covered & alike).sum()), int(alike.sum()))

    def to_dict(self) -> dict[str, int]:
        """Return a dict of plain values, for JSON."""
        return asdict(self)

    @property
    def precision(self) -> float:
        """Return the share of the covered rows that are decided like the explained row; 1 if none is covered."""
        return self.n_right / self.n_covered if self.n_covered else 1.0

    @property
    def coverage(self) -> float:
        """Return the share of the rows that are covered."""
        return self.n_covered / self.n_rows if self.n_rows else 0.0

    @property
    def fidelity(self) -> float:
        """Return the share of the rows that are both covered and decided like the explained row, or neither."""
        n_differing = self.n_alike + self.n_covered - 2 * self.n_right
        return 1 - n_differing / self.n_rows if self.n_rows else 1.0


@dataclass(frozen=True, eq=False)
class DecidedRows:
    """Rows, made of cells of a table, with the decisions of the model on them, and the weight of all rows together."""

    cells: IntArray
    alike: BoolArray
    mass: float


@dataclass
class Candidate:
    """A conjunction with its counts on the rows of the table and on neighbours drawn for it."""

    clause: Clause
    pressure: float
    on_rows: Tally
    drawn: int = 0
    right: int = 0

    def reaches(self, target: float) -> bool:
        """Return True if the precision on drawn neighbours surely reaches the target, and that on rows may reach it."""
        on_rows = self.on_rows
        return (
            self.cautious >= target
            and on_rows.precision + _MARGIN * _error(on_rows.n_right, on_rows.n_covered) >= target
        )

    @property
    def cautious(self) -> float:
        """Return a lower limit of the precision on drawn neighbours."""
        return self.right / self.drawn - _MARGIN * _error(self.right, self.drawn) if self.drawn else 0.0

    @property
    def worth(self) -> float:
        """Return the precision by which candidates are compared if none reaches the target."""
        return min(self.cautious, self.on_rows.precision)

    @property
    def width(self) -> tuple[float, int]:
        """Return the coverage and, to decide between equals, the negative number of literals."""
        return self.on_rows.coverage, -len(self.clause)


@dataclass(eq=False)
class Finder:
    """The search for the widest conjunction that reaches the target precision."""

    hood: Neighbourhood
    alike: Alike
    rows_alike: BoolArray  # for the rows of the table
    target: float
    n_samples: int
    bins: int
    constraints: Constraints
    deadline: Deadline
    seed: int
    n_threads: int = 1
    candidates: dict[Clause, Candidate] = field(default_factory=dict)

    def find(self, near: DecidedRows) -> Clause:
        """Return the widest conjunction that reaches the target, or else the most precise."""
        own = DecidedRows(self.hood.whole(self.hood.rows), self.rows_alike, 1.0)
        evidence = [own, near]
        literals = self._vocabulary(evidence)
        pressures: Iterable[float] = _PRESSURES
        for turn in range(_ROUNDS):
            reached = turn > 0 and self._reaches(self._best())
            new = self._search(literals, evidence, pressures, _EFFORT * min(2**turn, 8))
            if turn == _WIDE_ROUNDS and not reached:
                new += self._narrow(literals, near)
            evidence += self._test(new, 2)
            if self.deadline.passed or (reached and self._settle()) or (turn >= _WIDE_ROUNDS and not new):
                break
            pressures = self._next_pressures()
        return self._best().clause

    def _vocabulary(self, evidence: Iterable[DecidedRows]) -> tuple[Literal, ...]:
        """Return the permitted literals that hold for the row."""
        alike = np.concatenate([part.alike for part in evidence])
        found = Binning(self.bins).literals(self._frame(evidence), labels=alike)
        own = self.hood.template.frame.take(np.array([self.hood.row]))
        permitted = (literal for literal in found if self.constraints.forbids(literal) is None)
        return tuple(literal for literal in permitted if literal.holds(own[literal.column])[0])

    def _frame(self, evidence: Iterable[DecidedRows]) -> Frame:
        return self.hood.template.gather_frame(np.concatenate([part.cells for part in evidence]))

    def _search(
        self, literals: tuple[Literal, ...], evidence: list[DecidedRows], pressures: Iterable[float], effort: float
    ) -> list[Candidate]:
        """Return new candidates, at most one for each ν."""
        row = DecidedRows(self.hood.whole(np.array([self.hood.row])), np.ones(1, bool), 0.0)
        table = tabulate(self._frame([row, *evidence]), literals, self.n_threads)
        found: list[Candidate] = []
        for pressure in pressures:
            if self.candidates and self.deadline.passed:
                break
            found += self._new_candidates([self._solve(literals, table, evidence, pressure, effort)], pressure)
        return found

    def _solve(
        self,
        literals: tuple[Literal, ...],
        table: BitTable,
        evidence: list[DecidedRows],
        pressure: float,
        effort: float,
    ) -> Clause:
        """Return the best conjunction for one ν. The first row of the bit table is the row itself."""
        n_rows = len(self.rows_alike)
        parts = []
        for place, part in enumerate(evidence):
            each = part.mass * n_rows / max(1, len(part.alike)) * pressure
            gain = (1.0 if place == 0 else 0.0) + each * (1 - self.target)
            parts.append(np.where(part.alike, gain, each * self.target))
        units = np.round(np.concatenate([[0.0], *parts]) * _UNIT).astype(np.int64)
        units[0] = units.sum() + 1  # so that the row is covered, whatever that costs
        labels = np.concatenate([[True], *(part.alike for part in evidence)])
        cost = round(_LITERAL * n_rows * (1 + pressure * (1 - self.target)) * _UNIT)
        query = Query(
            kind="dnf",
            literals=literals,
            n_clauses=1,
            literal_costs=np.full(len(literals), cost, dtype=np.int64),
            scale=_UNIT,
            constraints=self.constraints,
            rows=RowsInMemory(table, labels, units),
        )
        known = tuple(query.rule((clause,)) for clause in self.candidates)
        backend = Native(effort=effort, seed=self.seed, n_threads=self.n_threads, known=known, whole=False)
        answer = backend.answer(query, query.rule(((),)), self.deadline)
        if answer.status == "interrupted":
            raise Interrupted(answer)
        return answer.rule.clauses[0]

    def _narrow(self, literals: tuple[Literal, ...], near: DecidedRows) -> list[Candidate]:
        """Return conjunctions of all literals of the most important column, of the first two, of the first four, …."""
        kept = near.cells == self.hood.row
        gains = [_mean(near.alike[own]) - _mean(near.alike[~own]) for own in kept.T]
        names = [self.hood.template.frame.names[j] for j in np.argsort(gains)[::-1]]
        clauses = []
        for n in (*2 ** np.arange(len(names).bit_length()), len(names)):
            own = tuple(literal for literal in literals if literal.column in names[:n])
            clause = DNF((own,)).simplified().clauses[0]
            if len(clause) <= (self.constraints.max_literals or len(clause)):
                clauses.append(clause)
        return self._new_candidates(clauses, _PRESSURES[-1])

    def _new_candidates(self, clauses: Iterable[Clause], pressure: float) -> list[Candidate]:
        found = []
        for clause in clauses:
            if clause not in self.candidates:
                covered = DNF((clause,)).decide(self.hood.template.frame)[self.hood.rows]
                self.candidates[clause] = Candidate(clause, pressure, Tally.of(covered, self.rows_alike))
                found.append(self.candidates[clause])
        return found

    def _test(self, candidates: list[Candidate], n_parts: int) -> list[DecidedRows]:
        """Draw neighbours that each candidate covers, and call the model once for all of them."""
        if not candidates:
            return []
        parts = [self.hood.within(candidate.clause, self.n_samples // n_parts) for candidate in candidates]
        answers = np.split(self.alike(np.concatenate(parts)), len(candidates))
        for candidate, alike in zip(candidates, answers, strict=True):
            candidate.drawn += len(alike)
            candidate.right += int(alike.sum())
        masses = [max(candidate.on_rows.coverage, _LEAST_MASS) for candidate in candidates]
        return [DecidedRows(*each) for each in zip(parts, answers, masses, strict=True)]

    def _settle(self) -> bool:
        """Shorten the best candidate and test the widest ones further; return True if the best reaches the target."""
        self._shorten(self._best())
        while self._reaches(best := self._best()) and best.drawn < self.n_samples and not self.deadline.passed:
            wide = sorted(self._reaching(), key=lambda candidate: candidate.width, reverse=True)
            self._test([candidate for candidate in wide[:3] if candidate.drawn < self.n_samples], 2)
        return self._reaches(best)

    def _shorten(self, best: Candidate) -> None:
        """Test a candidate without each literal, and then without several of those that the target needs least."""
        shorter = {literal: _without({literal}, best.clause) for literal in best.clause}
        self._test(self._new_candidates(shorter.values(), best.pressure), 4)
        tested = {literal: self.candidates[clause] for literal, clause in shorter.items()}
        spare = [literal for literal in tested if self._reaches(tested[literal])]
        spare.sort(key=lambda literal: tested[literal].cautious, reverse=True)
        several = [_without(set(spare[:n]), best.clause) for n in range(2, len(spare) + 1)]
        self._test(self._new_candidates(several, best.pressure), 4)

    def _next_pressures(self) -> list[float]:
        """Return values of ν on both sides of the least one that reached the target."""
        least = min((candidate.pressure for candidate in self._reaching()), default=None)
        return [_PRESSURES[-1], _PRESSURES[-2]] if least is None else [least / 4, least]

    def _best(self) -> Candidate:
        if reaching := self._reaching():
            return max(reaching, key=lambda candidate: candidate.width)
        return max(self.candidates.values(), key=lambda candidate: candidate.worth)

    def _reaching(self) -> list[Candidate]:
        return list(filter(self._reaches, self.candidates.values()))

    def _reaches(self, candidate: Candidate) -> bool:
        return candidate.reaches(self.target)


def _error(n_right: int, n: int) -> float:
    """Return the standard error of a share, with one more of each kind counted, so that it is never 0."""
    share = (n_right + 1) / (n + 2)
    return sqrt(share * (1 - share) / (n + 2))


def _without(literals: set[Literal], clause: Clause) -> Clause:
    return tuple(literal for literal in clause if literal not in literals)


def _mean(flags: BoolArray) -> float:
    return float(flags.mean()) if len(flags) else 0.0
