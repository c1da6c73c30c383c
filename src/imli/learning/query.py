"""A query is an objective over rows. ``Query.cost`` is what we minimise and ``Query.allows`` what is permitted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from imli.learning.bits import BitTable
from imli.learning.constraints import Constraints, names
from imli.learning.objective import Objective, in_units, to_units
from imli.learning.parameter_table import Loss
from imli.learning.rows import PlainRule, Rows, RowSums
from imli.learning.rows.coreset import Core
from imli.learning.rows.in_memory import RowsInMemory
from imli.rules import PAIR_RULES, Kind, Label, PointRule, Rule
from imli.rules.formula import slots_of
from imli.rules.literals import Literal
from imli.table.frame import BoolArray, FloatArray, IntArray

_FINER_UNITS = 1024  # so that costs which fit a share of the rows lose no digits
_LARGEST_WEIGHT = 2**50
_LOG_UNITS = 1000  # of a nat
_SUBJECTS = {False: "formula", True: "score or checklist"}


@dataclass(frozen=True, eq=False, kw_only=True)
class Goal:
    """A query before its literals are known: costs as real numbers, and the constraints.

    ``feature_costs`` has a factor of ``lam`` for some columns or literals. ``move`` is the cost of a literal that was
    added or dropped since the previous rule, times that factor; None without such a rule. The last of the ``classes``
    is the positive class, which a formula describes.
    """

    kind: Kind
    n_clauses: int
    lam: float
    feature_costs: Mapping[str | Literal, float] = field(default_factory=dict)
    reuse_cost: float = 0.0
    move: float | None = None
    constraints: Constraints = field(default_factory=Constraints)
    max_points: int = 1
    item_literals: int = 1
    loss: Loss = "errors"
    classes: tuple[Label, ...] = (False, True)
    target: str | None = None

    def places(self, classes: tuple[Label, ...]) -> IntArray:
        """Return the position of each of these classes among those of the goal."""
        return np.array([self.classes.index(label) for label in classes], dtype=np.int64)

    def query(
        self,
        literals: tuple[Literal, ...],
        row_weights: FloatArray,
        rows: Callable[[int], Rows],
        total: float | None = None,
    ) -> "Query":
        """Return the query over these literals, in units that also suit the weights of rows.

        ``rows`` makes its rows from the number of units that make a cost of 1. ``total`` is the weight of all rows,
        where ``row_weights`` has each weight only once.
        """
        factors = np.ones(len(literals))
        # a factor for one literal overrides that of its column
        for named, factor in sorted(self.feature_costs.items(), key=lambda item: not isinstance(item[0], str)):
            factors[[j for j, literal in enumerate(literals) if names(named, literal)]] = factor
        n_clauses = self.n_clauses
        (_, costs, reuse, moves), scale, rounding = to_units(
            row_weights,
            np.repeat(self.lam * factors, n_clauses),  # n_clauses times, so that the sum of all weights is known
            np.full(n_clauses * len({literal.column for literal in literals}), float(self.reuse_cost)),
            np.repeat((self.move or 0.0) * factors, n_clauses),
            rows=total,
        )
        if self.loss == "log":  # of which a row has a part only
            costs, reuse, moves, scale = costs * _LOG_UNITS, reuse * _LOG_UNITS, moves * _LOG_UNITS, scale * _LOG_UNITS
        return Query(
            kind=self.kind,
            literals=literals,
            n_clauses=n_clauses,
            literal_costs=costs[::n_clauses],
            reuse_cost=int(reuse[0]) if reuse.size else 0,
            scale=scale,
            rounding=rounding,
            constraints=self.constraints,
            move_costs=None if self.move is None else moves[::n_clauses],
            max_points=self.max_points,
            item_literals=self.item_literals,
            loss=self.loss,
            classes=self.classes,
            target=self.target,
            rows=rows(scale),
        )

    def query_in_memory(
        self, literals: tuple[Literal, ...], table: BitTable, labels: BoolArray | IntArray, weights: FloatArray
    ) -> "Query":
        """Return the query about rows in memory, with the position of the class and the weight of each."""
        labels = labels.astype(bool) if self.kind not in PAIR_RULES and len(self.classes) == 2 else labels
        return self.query(literals, weights, lambda scale: RowsInMemory(table, labels, in_units(weights, scale)))


def opposites(literal: Literal) -> tuple[Literal, ...]:
    """Return the literals that, as an item beside this one, would only shift all totals."""
    return (~literal, literal.opposite())


@dataclass(frozen=True, eq=False, kw_only=True)
class Query(Objective):
    """The question for the rule of lowest cost on these rows, within the constraints.

    Parameters
    ----------
    kind
        The kind of rule.
    literals
        The vocabulary: the literals that a rule may have.
    n_clauses
        The largest number of clauses.
    literal_costs
        The units that each literal costs in each clause.
    reuse_cost
        The units for each further clause that uses a column.
    scale
        The number of units that make a cost of 1.
    rounding
        The largest relative change of an amount by rounding it to units.
    constraints
        The conditions that a rule must meet.
    near
        The rule to stay near, if there is one.
    move_costs
        The units for each literal that was added or dropped since ``near``. With None these are the literal costs, and
        literals that stay are free, as in the paper.
    unused_slots
        False for the paper's encoding, in which every slot holds a clause.
    free_clauses
        True if clauses of a set may be without literals, as in the paper, where such a clause votes on all rows.
    max_points
        The most points of an item of a score, above or below 0.
    item_literals
        The largest number of literals of an item of a score or checklist.
    loss
        What is minimised of a score or checklist: wrong decisions, or the log-loss of the best logistic curve.
    classes
        The classes; a formula decides between two.
    target
        The name of what is decided.
    rows
        The rows, in memory, on disk or on a cluster.
    """

    rows: Rows

    @staticmethod
    def build(
        kind: Kind,
        literals: tuple[Literal, ...],
        table: BitTable,
        labels: BoolArray | IntArray,
        *,
        n_clauses: int,
        lam: float,
        row_weights: FloatArray | None = None,
        feature_costs: Mapping[str | Literal, float] | None = None,
        reuse_cost: float = 0.0,
        move: float | None = None,
        constraints: Constraints | None = None,
        classes: tuple[Label, ...] = (False, True),
        target: str | None = None,
        near: Rule | None = None,
        unused_slots: bool = True,
        max_points: int = 1,
        item_literals: int = 1,
        loss: Loss = "errors",
    ) -> "Query":
        """Build a query about rows in memory from costs as real numbers.

        Parameters
        ----------
        kind
            "cnf", "dnf", "list", "set", "score" or "checklist".
        literals
            The vocabulary.
        table
            A bit for each row and literal.
        labels
            The position of the class of each row; truth values for a formula.
        n_clauses
            The largest number of clauses.
        lam
            The errors that a literal must save.
        row_weights
            The weight of each row; None for 1 each.
        feature_costs
            A factor of ``lam`` for some columns or literals.
        reuse_cost
            The cost of each further clause that uses a column.
        move
            The cost of each literal that was added or dropped since ``near``; None for the paper's sum.
        constraints
            The conditions that a rule must meet.
        classes
            The names of the classes.
        target
            The name of what is decided.
        near
            The rule to stay near.
        unused_slots
            False for the paper's encoding, in which every slot holds a clause.
        max_points, item_literals, loss
            For scores and checklists: the most points of an item, the most literals, and what is minimised.

        Returns
        -------
        Query
            The query, with all amounts in whole units.
        """
        weights = np.ones(len(labels)) if row_weights is None else row_weights
        goal = Goal(
            kind=kind,
            n_clauses=n_clauses,
            lam=lam,
            feature_costs=feature_costs or {},
            reuse_cost=reuse_cost,
            move=move,
            constraints=constraints or Constraints(),
            max_points=max_points,
            item_literals=item_literals,
            loss=loss,
            classes=classes,
            target=target,
        )
        query = goal.query_in_memory(literals, table, labels, weights)
        return query if near is None and unused_slots else replace(query, near=near, unused_slots=unused_slots)

    def __post_init__(self) -> None:
        if isinstance(self.rows, RowsInMemory):
            n_columns = self.rows.table.n_columns
            if not len(self.literal_costs) == len(self.literals) == n_columns:
                raise ValueError(
                    f"The table has {n_columns} literals, but {len(self.literals)} were named "
                    f"and {len(self.literal_costs)} have a cost."
                )
            if self.is_binary and (self.rows.labels.dtype != bool or len(self.classes) != 2):
                raise ValueError(f"The labels of a {_SUBJECTS[self.is_points]} must be truth values, for two classes.")
        super().__post_init__()

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return self.rows.n_rows

    @property
    def in_memory(self) -> RowsInMemory:
        """Return the rows, for callers that look at them one by one."""
        if not isinstance(self.rows, RowsInMemory):
            raise TypeError(f"This needs rows in memory. Got {type(self.rows).__name__}.")
        return self.rows

    @property
    def scope(self) -> str:
        """Return the rules and rows that proofs about this query speak of, in words."""
        near = ", near the rule before" if self.near is not None else ""
        return f"{self.space}, on {self.n_rows:,} rows{near}"

    def cost(self, rule: Rule) -> float:
        """Return the cost of the rule. Everything that claims a cost is checked against this.

        Parameters
        ----------
        rule
            A rule over the literals of the query.

        Returns
        -------
        float
            The weighted errors and the cost of the literals.
        """
        return self.units(rule) / self.scale

    def units(self, rule: Rule) -> int:
        """Return the cost in integer units, in which searches compare.

        Parameters
        ----------
        rule
            A rule over the literals of the query.
        """
        return self.loss_units(rule) + self.size_units(rule)

    def loss_units(self, rule: Rule) -> int:
        """Return the cost of the wrong decisions in units, or with ``loss="log"`` that of the best logistic curve.

        Parameters
        ----------
        rule
            A rule over the literals of the query.
        """
        if not isinstance(rule, PointRule):
            return self.rows.errors(self, rule)
        negative, positive = self.rows.by_total(self, rule).T
        if self.loss == "log":
            return round(rule.log_loss(negative / self.scale, positive / self.scale) * self.scale)
        low = max(0, min(len(positive), rule.threshold - rule.least))
        return int(negative[low:].sum() + positive[:low].sum())

    def settled(self, rule: PointRule) -> PointRule:
        """Return the score or checklist with the threshold that suits the rows best.

        Parameters
        ----------
        rule
            A rule over the literals of the query.
        """
        negative, positive = self.rows.by_total(self, rule).T / self.scale
        return rule.settled(negative, positive, by_curve=self.loss == "log")

    def allows(self, rule: Rule) -> bool:
        """Return True if the rule is one of those asked for, by its kind, size and literals and by all constraints.

        Parameters
        ----------
        rule
            Any rule.
        """
        return (
            rule.kind == self.kind
            and len(slots_of(rule)) <= self.n_clauses
            and (self.unused_slots or len(rule.clauses) == self.n_clauses)
            and all(literal in self.position for literal in rule.literals)
            and (not self.needs_literals or all(rule.clauses[self.n_locked :]))
            and (not isinstance(rule, PointRule) or self._allows_items(rule))
            and self.constraints.allows(rule, lambda: self.n_covered(rule))
        )

    def _allows_items(self, rule: PointRule) -> bool:
        """Return True if learned items have literals and points within the limits, and no two are equal or opposite."""
        learned = rule.items[self.n_locked :]
        single = {clause[0] for clause in rule.clauses if len(clause) == 1}
        chosen = (clause[0] for clause, _ in learned if len(clause) == 1)
        return (
            all(0 < len(clause) <= self.item_literals and points in self.points for clause, points in learned)
            and len({frozenset(clause) for clause in rule.clauses}) == len(rule.clauses)
            and not any(single.intersection(opposites(literal)) for literal in chosen)
        )

    def n_covered(self, rule: Rule) -> list[int]:
        """Return the number of rows that each clause covers; a row counts once, whatever it weighs.

        Parameters
        ----------
        rule
            A rule over the literals of the query.
        """
        return self.rows.n_covered(self, rule)

    def unavoidable(self) -> int:
        """Return the units that every rule over these literals is known to cost."""
        return 0 if self.loss == "log" else self.rows.unavoidable(self)

    def holds(self, literal: Literal) -> BoolArray:
        """Return for each row in memory whether a literal of the vocabulary holds.

        Parameters
        ----------
        literal
            A literal of the vocabulary.
        """
        return self.in_memory.table.column(self.position[literal])

    def sums(self, rows: RowSums, rule: PlainRule, with_places: bool = True) -> IntArray:
        """Return the sums over rows about a rule, as ``RowSums.sums`` describes them.

        Parameters
        ----------
        rows
            The rows to sum up.
        rule
            The rule, with literals and classes by position.
        with_places
            False for the sums about the rule alone, without those about each change.
        """
        kind = "formula" if self.is_formula else self.kind
        return rows.sums(kind, self.n_locked, self.constraints.min_rows is not None, rule, with_places)

    def repriced(self, factor: float) -> Self:
        """Return the query in which each literal costs so many times as much.

        Parameters
        ----------
        factor
            The factor of λ.
        """
        costs = np.round(self.literal_costs * factor).astype(np.int64)
        moves = None if self.move_costs is None else np.round(self.move_costs * factor).astype(np.int64)
        return replace(self, literal_costs=costs, move_costs=moves)

    def canonical(self) -> "Query":
        """Return the query with its rows sorted and equal rows merged.

        The result depends neither on the order of the rows nor on whether rows are repeated or weigh more. With
        ``min_rows``, which counts rows, equal rows stay apart.
        """
        return replace(self, rows=self.in_memory.canonical(merge=self.constraints.min_rows is None))

    def on_rows(
        self,
        rows: BoolArray | IntArray,
        labels: BoolArray | IntArray | None = None,
        weights: IntArray | None = None,
        **changes: Any,
    ) -> "Query":
        """Return the query about some of the rows.

        Parameters
        ----------
        rows
            Positions of rows, or a mask.
        labels
            Other labels for these rows.
        weights
            Other weights for these rows, in units.
        **changes
            Other values for fields of the objective.
        """
        some = self.in_memory.take(rows)
        if labels is not None or weights is not None:
            some = replace(
                some,
                labels=some.labels if labels is None else labels,
                weights=some.weights if weights is None else weights,
            )
        return replace(self, rows=some, **changes)

    def on_core(self, core: Core) -> "Query":
        """Return the query about the rows of a core, at a price of literals that fits their share of all rows.

        Parameters
        ----------
        core
            Rows that stand for all.
        """
        table, labels, weights, counts = core.table()
        small = RowsInMemory(table, labels.astype(bool) if self.is_binary else labels, weights, counts)
        if core.has_all:
            return replace(self, rows=small)
        units = _FINER_UNITS if core.weight < _LARGEST_WEIGHT else 1
        share = int(core.by_class.sum()) / core.weight
        min_rows = self.constraints.min_rows
        if min_rows is not None:
            min_rows = max(1, round(min_rows * share))
        return replace(
            self,
            rows=replace(small, weights=weights * units),
            literal_costs=np.round(self.literal_costs * (share * units)).astype(np.int64),
            reuse_cost=round(self.reuse_cost * share * units),
            scale=self.scale * units,
            constraints=replace(self.constraints, min_rows=min_rows),
        )
