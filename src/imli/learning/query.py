"""Sums over rows, which is all that a search needs to know of them, wherever they are.

The question: which rule we want. ``Query.cost`` is the objective and ``Query.allows`` what is permitted.

For rows with labels y and weights w, at most k clauses and a cost c for each literal,

    cost(R) = Σ_rows w·[R(row) ≠ y]  +  Σ_clauses Σ_literals c·[literal in clause]
              + μ·Σ_columns max(0, clauses using it − 1)

and near a previous rule R′ each literal that came or went costs m: Σ m·[literal in one of clause and clause′], in the
paper instead of the second sum, else on top of it. Clauses are compared as ``distance.py`` says.
All amounts are integers, in units of which ``scale`` make a cost of 1.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from imli import _kernel
from imli.learning.bits import BitTable
from imli.learning.constraints import Constraints, names, reuses
from imli.learning.units import to_units
from imli.rules import CNF, DNF, Clause, DecisionList, DecisionSet, Formula, Label, PairRule, Rule
from imli.rules import Kind as Kind
from imli.rules.distance import aligned, slots_of
from imli.rules.literals import Literal as RuleLiteral
from imli.rules.notation import write_value
from imli.table.frame import BoolArray, FloatArray, IntArray

PlainClause = tuple[bool, int, list[int]]  # held, class, literals by position
Plain = tuple[list[PlainClause], int]  # clauses, and the class where none covers


class RowSums(Protocol):
    """Who knows the rows, and tells sums over them."""

    @property
    def n_rows(self) -> int:
        """How many rows there are."""

    @property
    def weight(self) -> int:
        """Units of all rows."""

    @property
    def unavoidable(self) -> int:
        """Units that are known to be part of what any rule costs."""

    def sums(self, kind: str, n_locked: int, with_counts: bool, rule: Plain, with_places: bool = True) -> IntArray:
        """What the rows say about a rule: units of wrong decisions, then of rows that no clause covers, by class, then
        if asked for how many rows each clause has, and last about every change of one place.
        """


@dataclass(frozen=True, eq=False)
class RowsHere:
    """Rows in memory."""

    part: _kernel.Part
    n_rows: int
    weight: int
    unavoidable: int
    n_threads: int

    def sums(self, kind: str, n_locked: int, with_counts: bool, rule: Plain, with_places: bool = True) -> IntArray:
        return self.part.sums(kind, n_locked, with_counts, *rule, with_places, self.n_threads)


_NAMES = {"cnf": "CNF rules", "dnf": "DNF rules", "list": "decision lists", "set": "decision sets"}
_FORMULAS: dict[str, type[Formula]] = {"cnf": CNF, "dnf": DNF}
_PAIR_RULES: dict[str, type[PairRule]] = {"list": DecisionList, "set": DecisionSet}


def _name(kind: str) -> str:
    return kind.upper() if kind in _FORMULAS else f"decision {kind}"


@dataclass(frozen=True, eq=False)
class Prices:
    """Units for each literal: where it is new in a clause, where it stays, and where it is gone."""

    added: IntArray
    kept: IntArray
    dropped: IntArray


@dataclass(frozen=True, eq=False)
class Query:
    """Which rule over these literals is cheapest on these rows, within these constraints.

    Labels are positions in ``classes``; a formula decides between two, so there they are truth values.
    """

    kind: Kind
    literals: tuple[RuleLiteral, ...]
    table: BitTable
    labels: BoolArray | IntArray
    n_clauses: int
    weights: IntArray  # units that a wrong decision on a row costs
    literal_costs: IntArray  # units that a literal costs in each clause
    reuse_cost: int = 0  # units for each further clause that uses a column
    scale: int = 1
    rounding: float = 0.0
    constraints: Constraints = field(default_factory=Constraints)
    near: Rule | None = None
    move_costs: IntArray | None = None  # units, near a rule; None: the literal costs, and size is free, as in the paper
    unused_slots: bool = True  # False: the paper's encoding, in which every slot holds a clause
    classes: tuple[Label, ...] = (False, True)
    target: str | None = None
    row_counts: IntArray | None = None  # how many rows each stands for; None: one
    elsewhere: RowSums | None = None  # who knows the rows, if they are not here

    @classmethod
    def build(
        cls,
        kind: Kind,
        literals: tuple[RuleLiteral, ...],
        table: BitTable,
        labels: BoolArray | IntArray,
        *,
        n_clauses: int,
        lam: float,
        row_weights: FloatArray | None = None,
        feature_costs: Mapping[str | RuleLiteral, float] | None = None,
        reuse_cost: float = 0.0,
        move: float | None = None,
        weight: float | None = None,
        **others: Any,
    ) -> Self:
        """A query from real-valued costs: λ, a factor for some columns or literals, a weight for each row.

        Near a rule, ``move`` is what a literal costs that came or went, times the same factor. Where the rows are
        elsewhere, ``row_weights`` has each weight once, and ``weight`` is what all rows weigh together.
        """
        factors = np.ones(len(literals))
        # a factor for one literal overrides that of its column
        for named, factor in sorted((feature_costs or {}).items(), key=lambda item: not isinstance(item[0], str)):
            factors[[j for j, literal in enumerate(literals) if names(named, literal)]] = factor
        units = to_units(
            np.ones(len(labels)) if row_weights is None else row_weights,
            np.repeat(lam * factors, n_clauses),  # n_clauses times, so that the sum of all weights is known
            np.full(n_clauses * len({literal.column for literal in literals}), float(reuse_cost)),
            np.repeat((move or 0.0) * factors, n_clauses),
            rows=weight,
        )
        weights, costs, reuse, moves = units.amounts
        return cls(
            kind=kind,
            literals=literals,
            table=table,
            labels=labels,
            n_clauses=n_clauses,
            weights=weights if weight is None else weights[:0],
            literal_costs=costs[::n_clauses],
            reuse_cost=int(reuse[0]) if reuse.size else 0,
            move_costs=None if move is None else moves[::n_clauses],
            scale=units.scale,
            rounding=units.rounding,
            **others,
        )

    def __post_init__(self) -> None:
        n_rows = self.table.n_rows
        if not len(self.labels) == len(self.weights) == n_rows:
            raise ValueError(
                f"The table has {n_rows} rows, but {len(self.labels)} labels and {len(self.weights)} weights."
            )
        if not len(self.literal_costs) == len(self.literals) == self.table.n_columns:
            raise ValueError(
                f"The table has {self.table.n_columns} literals, but {len(self.literals)} were named "
                f"and {len(self.literal_costs)} have a cost."
            )
        if len(self.position) < len(self.literals):
            raise ValueError("A literal occurs twice in the vocabulary. Name each once.")
        if self.is_formula and (self.labels.dtype != bool or len(self.classes) != 2):
            raise ValueError("The labels of a formula must be truth values, for two classes.")
        for literal in self.constraints.every:
            if literal not in self.position:
                raise ValueError(f"Literal '{literal}' is in Every, but not in the vocabulary.")
        if self.n_clauses < 1:
            raise ValueError(f"n_clauses must be a positive integer. Got {self.n_clauses}.")
        self._check_locked()
        moves = self.literal_costs if self.move_costs is None else self.move_costs
        if len(moves) != len(self.literals):
            raise ValueError(f"There are {len(self.literals)} literals, but {len(moves)} have a cost of moving.")
        lowest = min(amounts.min(initial=0) for amounts in (self.weights, self.literal_costs, moves))
        if min(lowest, self.reuse_cost) < 0:
            raise ValueError("Weights and costs must not be negative.")
        if self.near is not None:
            self._check_near(self.near)
        if self.constraints.monotone and not self.is_formula:
            raise ValueError(f"monotone is for CNF and DNF rules. A decision {self.kind} has no direction; remove it.")
        self.constraints.check_words(self.locked_texts)

    def _check_locked(self) -> None:
        if self.n_locked > self.n_clauses:
            raise ValueError(
                f"n_clauses counts locked clauses too, of which there are {self.n_locked}. Got {self.n_clauses}."
            )
        for clause, label in self.constraints.locked:
            if (label is not None) == self.is_formula or (label is not None and label not in self.classes):
                allowed = "no class" if self.is_formula else f"one of the classes {list(self.classes)}"
                raise ValueError(f"A locked clause of a {self.kind} must speak for {allowed}. Got {label!r}.")
            for literal in clause:
                if literal not in self.position:
                    raise ValueError(f"Literal '{literal}' of a locked clause is not in the vocabulary.")

    def _check_near(self, near: Rule) -> None:
        n_slots = len(slots_of(near))
        if near.kind != self.kind or n_slots > self.n_clauses:
            raise ValueError(
                f"A rule to stay near must be a {_name(self.kind)} with at most {self.n_clauses} slots. "
                f"Got a {_name(near.kind)} with {n_slots}."
            )
        for literal in near.literals:
            if literal not in self.position:
                raise ValueError(f"Literal '{literal}' of the rule to stay near is not in the vocabulary.")

    @cached_property
    def position(self) -> dict[RuleLiteral, int]:
        """Where each literal stands in the vocabulary."""
        return {literal: j for j, literal in enumerate(self.literals)}

    @property
    def n_rows(self) -> int:
        return self.table.n_rows if self.elsewhere is None else self.elsewhere.n_rows

    @property
    def n_locked(self) -> int:
        """How many of the clauses, the first, are locked."""
        return len(self.constraints.locked)

    @property
    def n_free(self) -> int:
        """How many clauses are left to choose."""
        return self.n_clauses - self.n_locked

    @property
    def locked_clauses(self) -> tuple[Clause, ...]:
        return tuple(clause for clause, _ in self.constraints.locked)

    @property
    def locked_pairs(self) -> list[tuple[Clause, int]]:
        """The locked clauses of a list or set, with the position of their class."""
        return [(clause, self.classes.index(label)) for clause, label in self.constraints.locked if label is not None]

    @property
    def locked_texts(self) -> list[str]:
        """The locked clauses in words."""
        joint, constant = (" OR ", "never") if self.kind == "cnf" else (" AND ", "always")
        words = [joint.join(map(str, clause)) or constant for clause in self.locked_clauses]
        if self.is_formula:
            return words
        labels = [write_value(self.classes[position]) for _, position in self.locked_pairs]
        return [f"IF {text} THEN {label}" for text, label in zip(words, labels, strict=True)]

    @property
    def scope(self) -> str:
        """The space that proofs about this query speak of."""
        return (
            f"{_NAMES[self.kind]} of {self.room} "
            f"over these {len(self.literals):,} literals, on these {self.n_rows:,} rows"
            f"{', near the rule before' if self.near is not None else ''}"
        )

    @property
    def room(self) -> str:
        """How many clauses there may be, in words."""
        clauses = f"{self.n_free} clause{'' if self.n_free == 1 else 's'}"
        beside = f" beside {self.n_locked} locked" if self.n_locked else ""
        return f"{'at most' if self.unused_slots else 'exactly'} {clauses}{beside}"

    def rule(self, slots: tuple[Clause | None, ...]) -> Formula:
        """A formula of the asked kind with these clauses."""
        negative, positive = self.classes
        return _FORMULAS[self.kind](slots, (negative, positive), self.target)

    def pair_rule(self, pairs: Iterable[tuple[Clause, int]], default: int) -> PairRule:
        """A list or set with these clauses; classes are given by position."""
        named = tuple((clause, self.classes[position]) for clause, position in pairs)
        return _PAIR_RULES[self.kind](named, self.classes[default], self.target)

    @property
    def is_formula(self) -> bool:
        """Whether a CNF or DNF is asked for, rather than a list or set."""
        return self.kind in _FORMULAS

    @cached_property
    def unavoidable(self) -> int:
        """Units that every rule over these literals costs, for rows alike in all of them, but of several classes."""
        return self.rows().unavoidable if self.elsewhere is None else self.elsewhere.unavoidable

    def rows(self, n_threads: int = 1) -> _kernel.Rows:
        """The canonical table: equal rows merged, in an order of their own. A CNF is seen as its complement."""
        is_cnf = self.kind == "cnf"
        rows = _kernel.Rows(
            self.table.words,
            np.where(self.labels, 0, 1).astype(np.int32) if is_cnf else self.labels.astype(np.int32),
            self.weights,
            n_classes=len(self.classes),
            complemented=is_cnf,
            counts=None if self.constraints.min_rows is None else self._row_counts,
            n_threads=n_threads,
        )
        self.__dict__.setdefault("unavoidable", rows.unavoidable)  # found on the way
        return rows

    def row_sums(self, n_threads: int = 1) -> RowSums:
        """Sums over the rows, for whoever does not look at them one by one."""
        if self.elsewhere is not None:
            return self.elsewhere
        part = _kernel.Part(self.rows(n_threads), len(self.classes), n_threads)
        return RowsHere(part, self.n_rows, int(self.weights.sum()), self.unavoidable, n_threads)

    def sums(self, rows: RowSums, rule: Plain, with_places: bool = True) -> IntArray:
        """What rows say about a rule."""
        kind = "formula" if self.is_formula else self.kind
        return rows.sums(kind, self.n_locked, self.constraints.min_rows is not None, rule, with_places)

    def plain(self, rule: Rule) -> Plain:
        """A rule with literals and classes by position, and a clause for each slot."""
        unused: PlainClause = (False, 0 if not self.is_formula else 1, [])
        clauses: list[PlainClause]
        if isinstance(rule, PairRule):
            position = {label: n for n, label in enumerate(self.classes)}
            clauses = [(True, position[label], self._positions(clause)) for clause, label in rule.pairs]
            otherwise = position[rule.default]
        else:
            assert isinstance(rule, Formula)
            clauses = [unused if clause is None else (True, 1, self._positions(clause)) for clause in rule.slots]
            otherwise = 0
        return clauses + [unused] * (self.n_clauses - len(clauses)), otherwise

    def _positions(self, clause: Clause) -> list[int]:
        return [self.position[literal] for literal in clause]

    def from_plain(self, plain: Plain) -> Rule:
        """The rule again."""
        clauses, otherwise = plain
        slots = [(tuple(self.literals[j] for j in sorted(chosen)), decides) if held else None
                 for held, decides, chosen in clauses]  # fmt: skip
        if self.is_formula:
            if self.near is None:
                slots.sort(key=lambda slot: slot is None)
            learned = (None if slot is None else slot[0] for slot in slots[self.n_locked :])
            return self.rule((*self.locked_clauses, *learned))
        pairs = [slot for slot in slots[self.n_locked :] if slot is not None]
        return self.pair_rule([*self.locked_pairs, *pairs], otherwise)

    @property
    def _row_counts(self) -> IntArray:
        return np.ones(self.n_rows, dtype=np.int64) if self.row_counts is None else self.row_counts

    def holds(self, literal: RuleLiteral) -> BoolArray:
        """In which rows a literal of the vocabulary holds."""
        return self.table.column(self.position[literal])

    def cost(self, rule: Rule) -> float:
        """What the rule costs. Everything that claims a cost is checked against this."""
        return self.units(rule) / self.scale

    def units(self, rule: Rule) -> int:
        """The cost in integer units, in which searches compare."""
        return self._error_units(rule) + self._literal_units(rule) + self.reuse_cost * reuses(rule)

    def _error_units(self, rule: Rule) -> int:
        if self.elsewhere is not None:
            return int(self.sums(self.elsewhere, self.plain(rule), with_places=False)[0])
        known = np.array([self.classes.index(label) for label in rule.classes])
        wrong = known[rule.class_positions(self.holds, self.n_rows)] != self.labels
        return int(self.weights[wrong].sum())

    def _literal_units(self, rule: Rule) -> int:
        if self.near is None:
            return sum(int(self.literal_costs[self.position[literal]]) for literal in rule.literals)
        return sum(moved for _, _, moved in aligned(rule, self.near, self._move_units))

    def _move_units(self, clause: Clause | None, old: Clause | None) -> int:
        """What a clause costs in the place of an old one."""
        new, before, prices = set(clause or ()), set(old or ()), self.prices
        changes = ((prices.added, new - before), (prices.kept, new & before), (prices.dropped, before - new))
        return sum(int(price[self.position[literal]]) for price, literals in changes for literal in literals)

    @cached_property
    def prices(self) -> Prices:
        """What literals cost, near a rule or not."""
        costs, nothing = self.literal_costs, np.zeros_like(self.literal_costs)
        if self.near is None:
            return Prices(costs, costs, nothing)
        if self.move_costs is None:
            return Prices(costs, nothing, costs)
        return Prices(costs + self.move_costs, costs, self.move_costs)

    def allows(self, rule: Rule) -> bool:
        """Whether the rule is one of those asked for: its kind, size and literals, and all constraints."""
        return (
            rule.kind == self.kind
            and len(slots_of(rule)) <= self.n_clauses
            and (self.unused_slots or len(rule.clauses) == self.n_clauses)
            and all(literal in self.position for literal in rule.literals)
            and self.constraints.allows(rule, lambda: self.n_covered(rule))
        )

    def n_covered(self, rule: Rule) -> list[int]:
        """How many rows each clause speaks for; a row counts once, whatever it weighs."""
        if self.elsewhere is None:
            return [int(self._row_counts[rows].sum()) for rows in rule.coverage(self.holds, self.n_rows)]
        plain = self.plain(rule)
        n_rows = self.sums(self.elsewhere, plain, with_places=False)[1 + len(self.classes) :]
        return [int(n) for n, (held, _, _) in zip(n_rows, plain[0], strict=False) if held]

    def canonical(self) -> "Query":
        """The same question, whatever the order of the rows and whether they are repeated or weigh more.

        Rows are sorted, and those that are alike in literals and class become one, unless ``min_rows`` counts them.
        """
        labels = self.labels.astype(np.int32).view(np.uint8).reshape(self.n_rows, -1)
        keys = np.column_stack([np.packbits(self.table.dense(), axis=1), labels])
        keys = np.ascontiguousarray(keys).view([("", np.void, keys.shape[1])]).ravel()
        if self.constraints.min_rows is not None:
            return self.on_rows(np.lexsort((self.weights, np.unique(keys, return_inverse=True)[1])))
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        weights = np.zeros(len(first), dtype=np.int64)
        np.add.at(weights, group.ravel(), self.weights)
        return self.on_rows(first, weights=weights)

    def on_rows(self, rows: BoolArray | IntArray, **changes: Any) -> "Query":
        """The same question about some of the rows."""
        some: dict[str, Any] = {"table": self.table.take(rows), "labels": self.labels[rows]}
        some["weights"] = self.weights[rows]
        if self.row_counts is not None:
            some["row_counts"] = self.row_counts[rows]
        return replace(self, **(some | changes))
