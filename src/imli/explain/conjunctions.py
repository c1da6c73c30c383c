"""One conjunction that holds for a row, covers as much as it can, and is nearly always right.

Of a table's rows and of neighbours it is known whether the model decides them as it decides the row. A conjunction of
literals that hold for the row has a precision, which must reach a target p, and a coverage, which is to be large:

    coverage  +  ν · [(1 − p) · covered and alike  −  p · covered and not alike]  −  λ · literals

is a query for one clause. In brackets is by how much the target is met; the larger ν, the more that counts. So several
ν give conjunctions from wide to precise. Each is tried on rows drawn for it alone, and of those that reach the target
there the widest is taken. The rows that one was tried on are evidence for the next search.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from math import sqrt

import numpy as np

from imli.answer import Interrupted
from imli.arrays import BoolArray, IntArray
from imli.backends import Native
from imli.binarize import Binning
from imli.bits import BitTable
from imli.constraints import Constraints
from imli.deadline import Deadline
from imli.explain.neighbours import Neighbourhood
from imli.frames import Frame
from imli.literals import Literal
from imli.query import Query
from imli.rules import DNF, Clause
from imli.tabulate import tabulate

# Whether the model decides these neighbours as it decides the row.
Alike = Callable[[IntArray], BoolArray]

_PRESSURES = (2.0, 32.0, 512.0)  # values of ν to begin with
_ROUNDS, _IDLE_ROUNDS = 16, 2  # at most, and without a better conjunction once the target is reached
_UNIT = 10_000  # of cost that a row of the table weighs
_LITERAL = 0.01  # of all rows that one more literal must be worth
_LEAST_MASS = 0.3  # of rows drawn to try a conjunction, as a share of that of the table
_EFFORT = 0.005


@dataclass(frozen=True)
class Tally:
    """How a conjunction does on some rows: how many there are, how many it covers, and how many of these are decided
    as the row is; and how many are decided so in all."""

    n_rows: int
    n_covered: int
    n_right: int
    n_alike: int

    @classmethod
    def of(cls, covered: BoolArray, alike: BoolArray) -> "Tally":
        return cls(len(alike), int(covered.sum()), int((covered & alike).sum()), int(alike.sum()))

    def to_dict(self) -> dict[str, int]:
        """A dict of plain values, for JSON."""
        return asdict(self)

    @property
    def precision(self) -> float:
        """The share of the covered rows that are decided as the row is; 1 if none is covered."""
        return self.n_right / self.n_covered if self.n_covered else 1.0

    @property
    def coverage(self) -> float:
        """The share of the rows that are covered."""
        return self.n_covered / self.n_rows if self.n_rows else 0.0

    @property
    def fidelity(self) -> float:
        """The share of the rows that are covered and decided as the row is, or neither."""
        n_missed = self.n_alike - self.n_right
        n_wrong = self.n_covered - self.n_right
        return 1 - (n_missed + n_wrong) / self.n_rows if self.n_rows else 1.0


@dataclass(frozen=True, eq=False)
class Evidence:
    """Neighbours of which is known how they are decided, and how much all of them together count."""

    cells: IntArray
    alike: BoolArray
    mass: float


@dataclass
class Trial:
    """A conjunction, and how it does."""

    clause: Clause
    pressure: float
    on_rows: Tally
    drawn: int = 0
    right: int = 0

    def reaches(self, target: float) -> bool:
        return self.cautious >= target and self.on_rows.precision >= target

    @property
    def cautious(self) -> float:
        """A precision that draws like these seldom overstate: a standard error below what they show."""
        if not self.drawn:
            return 0.0
        share = (self.right + 0.5) / (self.drawn + 1)
        return share - sqrt(share * (1 - share) / self.drawn)

    @property
    def worth(self) -> float:
        """What is left to go by where the target is out of reach."""
        return min(self.cautious, self.on_rows.precision)


@dataclass(eq=False)
class Finder:
    """Looks for the conjunction."""

    hood: Neighbourhood
    alike: Alike
    rows_alike: BoolArray  # of the table's own rows
    target: float
    n_samples: int
    bins: int
    constraints: Constraints
    deadline: Deadline
    seed: int
    n_threads: int = 1
    trials: dict[Clause, Trial] = field(default_factory=dict)

    def find(self, near: Evidence) -> Clause:
        """The widest conjunction that reaches the target, or else the most precise."""
        own = Evidence(self.hood.whole(self.hood.rows), self.rows_alike, 1.0)
        evidence = [own, near]
        literals = self._vocabulary(evidence)
        pressures: Iterable[float] = _PRESSURES
        best, n_idle = None, 0  # rounds without a better one
        for _ in range(_ROUNDS):
            new = self._search(literals, evidence, pressures)
            evidence += self._try(new)
            pressures = self._next_pressures()
            n_idle = n_idle + 1 if best is self._best() and best.reaches(self.target) else 0
            best = self._best()
            if not new or n_idle == _IDLE_ROUNDS or self.deadline.passed:
                break
        return self._best().clause

    def _vocabulary(self, evidence: Iterable[Evidence]) -> tuple[Literal, ...]:
        """The literals that hold for the row."""
        frame = self._frame(evidence)
        alike = np.concatenate([part.alike for part in evidence])
        found = Binning(self.bins).literals(frame, labels=alike)
        own = self.hood.source.frame.take(np.array([self.hood.row]))
        permitted = (literal for literal in found if self.constraints.forbids(literal) is None)
        return tuple(literal for literal in permitted if literal.holds(own[literal.column])[0])

    def _frame(self, evidence: Iterable[Evidence]) -> Frame:
        return self.hood.source.gathered(np.concatenate([part.cells for part in evidence]))

    def _search(
        self, literals: tuple[Literal, ...], evidence: list[Evidence], pressures: Iterable[float]
    ) -> list[Trial]:
        """Conjunctions that are new, one for each ν at most."""
        table = tabulate(self._frame([Evidence(self.hood.whole(np.array([self.hood.row])), np.ones(1, bool), 0.0),
                                      *evidence]), literals, self.n_threads)  # fmt: skip
        labels = np.concatenate([[True], *(part.alike for part in evidence)])
        found = []
        for pressure in pressures:
            if self.trials and self.deadline.passed:
                break
            clause = self._ask(literals, table, labels, evidence, pressure)
            if clause not in self.trials:
                covered = _covered(clause, literals, table)[1 : 1 + len(self.rows_alike)]
                trial = Trial(clause, pressure, Tally.of(covered, self.rows_alike))
                self.trials[clause] = trial
                found.append(trial)
        return found

    def _ask(
        self,
        literals: tuple[Literal, ...],
        table: BitTable,
        labels: BoolArray,
        evidence: list[Evidence],
        pressure: float,
    ) -> Clause:
        n_rows = len(self.rows_alike)
        weights = np.zeros(table.n_rows)
        at = 1
        for place, part in enumerate(evidence):
            size = len(part.alike)
            each = part.mass * n_rows / max(1, size) * pressure
            gain = (1.0 if place == 0 else 0.0) + each * (1 - self.target)
            weights[at : at + size] = np.where(part.alike, gain, each * self.target)
            at += size
        units = np.round(weights * _UNIT).astype(np.int64)
        units[0] = units.sum() + 1  # so that the row is covered, whatever that costs
        cost = round(_LITERAL * n_rows * (1 + pressure * (1 - self.target)) * _UNIT)
        query = Query(
            kind="dnf",
            literals=literals,
            table=table,
            labels=labels,
            n_clauses=1,
            weights=units,
            literal_costs=np.full(len(literals), cost, dtype=np.int64),
            scale=_UNIT,
            constraints=self.constraints,
        )
        known = tuple(query.rule((trial.clause,)) for trial in self.trials.values())
        backend = Native(effort=_EFFORT, seed=self.seed, n_threads=self.n_threads, known=known)
        answer = backend.answer(query, query.rule(((),)), self.deadline)
        if answer.status == "interrupted":
            raise Interrupted(answer)
        return answer.rule.clauses[0]

    def _try(self, trials: list[Trial]) -> list[Evidence]:
        """Draw neighbours that each conjunction covers, and ask the model about all of them at once."""
        if not trials:
            return []
        each = max(1, self.n_samples // max(2, len(trials)))
        parts = [self.hood.within(trial.clause, each) for trial in trials]
        found = []
        for trial, cells, alike in zip(trials, parts, np.split(self.alike(np.concatenate(parts)), len(trials)),
                                       strict=True):  # fmt: skip
            trial.drawn, trial.right = len(alike), int(alike.sum())
            found.append(Evidence(cells, alike, max(trial.on_rows.coverage, _LEAST_MASS)))
        return found

    def _next_pressures(self) -> list[float]:
        """Values of ν on either side of where the target begins to be reached."""
        reaching = [trial.pressure for trial in self.trials.values() if trial.reaches(self.target)]
        if not reaching:
            return [_PRESSURES[-1], _PRESSURES[-2]]
        turn = min(reaching)
        return [turn / 4, turn]

    def _best(self) -> Trial:
        reaching = [trial for trial in self.trials.values() if trial.reaches(self.target)]
        if reaching:
            return max(reaching, key=lambda trial: (trial.on_rows.coverage, -len(trial.clause)))
        return max(self.trials.values(), key=lambda trial: trial.worth)


def _covered(clause: Clause, literals: tuple[Literal, ...], table: BitTable) -> BoolArray:
    place = {literal: j for j, literal in enumerate(literals)}
    covered = np.ones(table.n_rows, dtype=bool)
    for literal in clause:
        covered &= table.column(place[literal])
    return covered


def covers(clause: Clause, frame: Frame) -> BoolArray:
    """Which rows a conjunction covers."""
    return DNF((clause,)).holds(lambda literal: literal.holds(frame[literal.column]), frame.n_rows)
