"""One conjunction that holds for a row, covers as much as it can, and is nearly always right.

Of a table's rows and of neighbours it is known whether the model decides them as it decides the row. A conjunction of
literals that hold for the row has a precision, which must reach a target p, and a coverage, which is to be large:

    coverage  +  ν · [(1 − p) · covered and alike  −  p · covered and not alike]  −  λ · literals

is a query for one clause. In brackets is by how much the target is met; the larger ν, the more that counts. So several
ν give conjunctions from wide to precise. Each is tried on rows drawn for it alone, and of those that reach the target
there the widest is taken. The rows that one was tried on are evidence for the next search. At last literals that the
target does not need are left out, one after the other.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from math import sqrt

import numpy as np

from imli.errors import Interrupted
from imli.explain.neighbours import Neighbourhood
from imli.learning.answer import Deadline
from imli.learning.backends import Native
from imli.learning.bits import BitTable, tabulate
from imli.learning.constraints import Constraints
from imli.learning.query import Query
from imli.learning.rows.in_memory import RowsInMemory
from imli.learning.vocabulary import Binning
from imli.rules import DNF, Clause
from imli.rules.literals import Literal
from imli.table.frame import BoolArray, Frame, IntArray

# Whether the model decides these neighbours as it decides the row.
Alike = Callable[[IntArray], BoolArray]

_PRESSURES = (2.0, 32.0, 512.0)  # values of ν to begin with
_ROUNDS = 10  # at most; one more once the target is reached
_WIDE_ROUNDS = 6  # that may miss the target before narrow conjunctions are tried
_UNIT = 10_000  # of cost that a row of the table weighs
_LITERAL = 0.01  # of all rows that one more literal must be worth
_LEAST_MASS = 0.3  # of rows drawn to try a conjunction, as a share of that of the table
_EFFORT = 0.001  # of the first search, a few milliseconds; the next ones double it, up to eight times as much
_MARGIN = 1.6  # of standard errors by which draws must be above the target


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
        """Whether it does on rows drawn, and whether rows of the table, which may be few, do not speak against it."""
        on_rows = self.on_rows
        return (
            self.cautious >= target
            and on_rows.precision + _MARGIN * _error(on_rows.n_right, on_rows.n_covered) >= target
        )

    @property
    def cautious(self) -> float:
        """A precision that draws like these seldom overstate."""
        return self.right / self.drawn - _MARGIN * _error(self.right, self.drawn) if self.drawn else 0.0

    @property
    def worth(self) -> float:
        """What is left to go by where the target is out of reach."""
        return min(self.cautious, self.on_rows.precision)


def _error(n_right: int, n: int) -> float:
    """The standard error of a share; one more of each kind is counted, so that it is never 0."""
    share = (n_right + 1) / (n + 2)
    return sqrt(share * (1 - share) / (n + 2))


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
        for turn in range(_ROUNDS):
            reached = turn > 0 and self._best().reaches(self.target)
            new = self._search(literals, evidence, pressures, _EFFORT * min(2**turn, 8))
            if turn == _WIDE_ROUNDS and not reached:
                new += self._narrow(literals, near)
            evidence += self._try(new, 2)
            if self.deadline.passed or (reached and self._settles()) or (turn >= _WIDE_ROUNDS and not new):
                break
            pressures = self._next_pressures()
        return self._best().clause

    def _narrow(self, literals: tuple[Literal, ...], near: Evidence) -> list[Trial]:
        """All that can be said about the column that matters most, about the two that do, about four, and so on."""
        kept = near.cells == self.hood.row
        gains = [_mean(near.alike[own]) - _mean(near.alike[~own]) for own in kept.T]
        names = [self.hood.source.frame.names[j] for j in np.argsort(gains)[::-1]]
        clauses = []
        for n in (*2 ** np.arange(len(names).bit_length()), len(names)):
            said = tuple(literal for literal in literals if literal.column in names[:n])
            clause = DNF((said,)).simplified().clauses[0]
            if len(clause) <= (self.constraints.max_literals or len(clause)):
                clauses.append(clause)
        return self._new_trials(clauses, _PRESSURES[-1])

    def _settles(self) -> bool:
        """Whether the best surely reaches the target, when literals are left out that it does not need for that."""
        self._shorten(self._best())
        while (best := self._best()).reaches(self.target) and best.drawn < self.n_samples and not self.deadline.passed:
            wide = sorted(filter(self._reaches, self.trials.values()), key=_width, reverse=True)
            self._try([trial for trial in wide[:3] if trial.drawn < self.n_samples], 2)
        return best.reaches(self.target)

    def _shorten(self, best: Trial) -> None:
        """Try it without each literal, and then without several of those that seemed to be worth least."""
        shorter = {literal: _without({literal}, best.clause) for literal in best.clause}
        self._try(self._new_trials(shorter.values(), best.pressure), 4)
        tried = {literal: self.trials[clause] for literal, clause in shorter.items()}
        spare = [literal for literal in tried if self._reaches(tried[literal])]
        spare.sort(key=lambda literal: tried[literal].cautious, reverse=True)
        several = [_without(set(spare[:n]), best.clause) for n in range(2, len(spare) + 1)]
        self._try(self._new_trials(several, best.pressure), 4)

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
        self, literals: tuple[Literal, ...], evidence: list[Evidence], pressures: Iterable[float], effort: float
    ) -> list[Trial]:
        """Conjunctions that are new, one for each ν at most."""
        table = tabulate(self._frame([Evidence(self.hood.whole(np.array([self.hood.row])), np.ones(1, bool), 0.0),
                                      *evidence]), literals, self.n_threads)  # fmt: skip
        labels = np.concatenate([[True], *(part.alike for part in evidence)])
        found: list[Trial] = []
        for pressure in pressures:
            if self.trials and self.deadline.passed:
                break
            found += self._new_trials([self._ask(literals, table, labels, evidence, pressure, effort)], pressure)
        return found

    def _new_trials(self, clauses: Iterable[Clause], pressure: float) -> list[Trial]:
        found = []
        for clause in clauses:
            if clause not in self.trials:
                covered = covers(clause, self.hood.source.frame)[self.hood.rows]
                self.trials[clause] = Trial(clause, pressure, Tally.of(covered, self.rows_alike))
                found.append(self.trials[clause])
        return found

    def _ask(
        self,
        literals: tuple[Literal, ...],
        table: BitTable,
        labels: BoolArray,
        evidence: list[Evidence],
        pressure: float,
        effort: float,
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
            n_clauses=1,
            literal_costs=np.full(len(literals), cost, dtype=np.int64),
            scale=_UNIT,
            constraints=self.constraints,
            rows=RowsInMemory(table, labels, units),
        )
        known = tuple(query.rule((trial.clause,)) for trial in self.trials.values())
        backend = Native(effort=effort, seed=self.seed, n_threads=self.n_threads, known=known, whole=False)
        answer = backend.answer(query, query.rule(((),)), self.deadline)
        if answer.status == "interrupted":
            raise Interrupted(answer)
        return answer.rule.clauses[0]

    def _try(self, trials: list[Trial], n_parts: int) -> list[Evidence]:
        """Draw neighbours that each conjunction covers, and ask the model about all of them at once."""
        if not trials:
            return []
        parts = [self.hood.within(trial.clause, self.n_samples // n_parts) for trial in trials]
        answers = np.split(self.alike(np.concatenate(parts)), len(trials))
        for trial, alike in zip(trials, answers, strict=True):
            trial.drawn += len(alike)
            trial.right += int(alike.sum())
        masses = [max(trial.on_rows.coverage, _LEAST_MASS) for trial in trials]
        return [Evidence(*each) for each in zip(parts, answers, masses, strict=True)]

    def _reaches(self, trial: Trial) -> bool:
        return trial.reaches(self.target)

    def _next_pressures(self) -> list[float]:
        """Values of ν on either side of where the target begins to be reached."""
        reaching = [trial.pressure for trial in filter(self._reaches, self.trials.values())]
        if not reaching:
            return [_PRESSURES[-1], _PRESSURES[-2]]
        turn = min(reaching)
        return [turn / 4, turn]

    def _best(self) -> Trial:
        reaching = list(filter(self._reaches, self.trials.values()))
        return max(reaching, key=_width) if reaching else max(self.trials.values(), key=lambda trial: trial.worth)


def _width(trial: Trial) -> tuple[float, int]:
    return trial.on_rows.coverage, -len(trial.clause)


def _without(literals: set[Literal], clause: Clause) -> Clause:
    return tuple(literal for literal in clause if literal not in literals)


def _mean(flags: BoolArray) -> float:
    return float(flags.mean()) if len(flags) else 0.0


def covers(clause: Clause, frame: Frame) -> BoolArray:
    """Which rows a conjunction covers."""
    return DNF((clause,)).holds(lambda literal: literal.holds(frame[literal.column]), frame.n_rows)
