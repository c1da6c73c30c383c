"""A query is an objective over rows. ``Query.cost`` is what we minimise and ``Query.allows`` what is permitted."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from imli.learning.bits import BitTable
from imli.learning.constraints import Constraints
from imli.learning.objective import Goal, Objective, in_units
from imli.learning.rows import PlainRule, Rows, RowSums
from imli.learning.rows.coreset import Core
from imli.learning.rows.in_memory import RowsInMemory
from imli.rules import Kind, Label, Rule
from imli.rules.formula import slots_of
from imli.rules.literals import Literal
from imli.table.frame import BoolArray, FloatArray, IntArray

_FINER_UNITS = 1024  # so that costs which fit a share of the rows lose no digits
_LARGEST_WEIGHT = 2**50


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
    classes
        The classes; a formula decides between two.
    target
        The name of what is decided.
    rows
        The rows, in memory, on disk or on a cluster.
    """

    rows: Rows

    @classmethod
    def over(cls, objective: Objective, rows: Rows) -> Self:
        """Return the query of an objective over rows.

        Parameters
        ----------
        objective
            The kind of rule, the literals, their costs and the constraints.
        rows
            The rows.
        """
        return cls(**{each.name: getattr(objective, each.name) for each in fields(Objective)}, rows=rows)

    @classmethod
    def build(
        cls,
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
    ) -> Self:
        """Build a query about rows in memory from costs as real numbers.

        Parameters
        ----------
        kind
            "cnf", "dnf", "list" or "set".
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
            classes=classes,
            target=target,
        )
        query = cls.in_units(goal.objective(literals, weights), table, labels, weights)
        return query if near is None and unused_slots else replace(query, near=near, unused_slots=unused_slots)

    @classmethod
    def in_units(cls, objective: Objective, table: BitTable, labels: BoolArray | IntArray, weights: FloatArray) -> Self:
        """Return the query about rows in memory, whose weights are put into the units of the objective.

        Parameters
        ----------
        objective
            The kind of rule, the literals, their costs and the constraints.
        table
            A bit for each row and literal.
        labels
            The position of the class of each row.
        weights
            The weight of each row.
        """
        labels = labels.astype(bool) if objective.is_formula and len(objective.classes) == 2 else labels
        return cls.over(objective, RowsInMemory(table, labels, in_units(weights, objective.scale)))

    def __post_init__(self) -> None:
        if isinstance(self.rows, RowsInMemory):
            n_columns = self.rows.table.n_columns
            if not len(self.literal_costs) == len(self.literals) == n_columns:
                raise ValueError(
                    f"The table has {n_columns} literals, but {len(self.literals)} were named "
                    f"and {len(self.literal_costs)} have a cost."
                )
            if self.is_formula and (self.rows.labels.dtype != bool or len(self.classes) != 2):
                raise ValueError("The labels of a formula must be truth values, for two classes.")
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
        return f"{self.space}, on these {self.n_rows:,} rows{near}"

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
        return self.rows.errors(self, rule) + self.size_units(rule)

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
            and self.constraints.allows(rule, lambda: self.n_covered(rule))
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
        return self.rows.unavoidable(self)

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
        small = RowsInMemory(table, labels.astype(bool) if self.is_formula else labels, weights, counts)
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
