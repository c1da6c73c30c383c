"""The objective: which rules are wanted, and what a rule costs apart from its errors.

For rows with labels y and weights w, at most k clauses and a cost c for each literal,

    cost(R) = Σ_rows w·[R(row) ≠ y]  +  Σ_clauses Σ_literals c·[literal in clause]
              + μ·Σ_columns max(0, clauses using it − 1)

Near a previous rule R′ each literal that was added or dropped costs m: Σ m·[literal in one of clause and clause′]. In
the paper that sum replaces the second one, else it is added. ``rules/distance.py`` says how clauses are compared.
Of a score or checklist the first sum may also be that of the log-losses, in nats, of the logistic curve of the total
that fits best.
All amounts are integers, in units of which ``scale`` make a cost of 1: solvers count in units, and sums of integers do
not depend on their order. The first sum needs rows: see ``query.py``.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from imli.errors import brief
from imli.learning.constraints import Constraints, reuses
from imli.learning.parameter_table import Loss
from imli.learning.rows import PlainClause, PlainItems, PlainRule
from imli.rules import (
    FORMULAS,
    PAIR_RULES,
    POINT_RULES,
    RULES,
    Clause,
    Formula,
    Item,
    Kind,
    Label,
    PairRule,
    PointRule,
    Rule,
)
from imli.rules.distance import aligned
from imli.rules.formula import slots_of
from imli.rules.literals import Literal as RuleLiteral
from imli.rules.notation import write_value
from imli.table.frame import AnyArray, FloatArray, IntArray

# MaxSAT programs add up weights in 64 bits; one bit is left for the sum of hard weights.
_LARGEST_SUM = 2**62
_LARGEST_DENOMINATOR = 10**6
_LARGEST_SCALE = 10**9
_ACCURACY = 1e-6  # enough; small units suit solvers that count in 32 bits
_MOST_FRACTIONS = 1000  # more different costs than this are measured, not chosen, and need not be exact


def _name(kind: str) -> str:
    return kind.upper() if kind in FORMULAS else f"decision {kind}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Objective:
    """The wanted kind of rule, its literals and their costs in units, and the constraints: a query without its rows."""

    kind: Kind
    literals: tuple[RuleLiteral, ...]
    n_clauses: int
    literal_costs: IntArray
    reuse_cost: int = 0
    scale: int = 1
    rounding: float = 0.0
    constraints: Constraints = field(default_factory=Constraints)
    near: Rule | None = None
    move_costs: IntArray | None = None
    unused_slots: bool = True
    free_clauses: bool = False
    max_points: int = 1
    item_literals: int = 1
    loss: Loss = "errors"
    classes: tuple[Label, ...] = (False, True)
    target: str | None = None

    def __post_init__(self) -> None:
        if len(self.position) < len(self.literals):
            raise ValueError("A literal occurs twice in the vocabulary. Name each once.")
        for literal in self.constraints.every:
            if literal not in self.position:
                raise ValueError(f"Literal {brief(str(literal))} is in Every, but not in the vocabulary.")
        if self.n_clauses < 1:
            raise ValueError(f"n_clauses must be a positive integer. Got {self.n_clauses}.")
        self._check_locked()
        moves = self.literal_costs if self.move_costs is None else self.move_costs
        if len(moves) != len(self.literals):
            raise ValueError(f"There are {len(self.literals)} literals, but {len(moves)} have a cost of moving.")
        if min(self.literal_costs.min(initial=0), moves.min(initial=0), self.reuse_cost) < 0:
            raise ValueError("Weights and costs must not be negative.")
        if self.near is not None:
            self._check_near(self.near)
        if self.is_points:
            self._check_points()
        if self.constraints.monotone and not self.is_binary:
            raise ValueError(f"monotone is for CNF and DNF rules. A decision {self.kind} has no direction; remove it.")
        self.constraints.check_words(self.locked_texts, self.signs)

    def _check_points(self) -> None:
        if self.near is not None or self.constraints.every:
            what = "near another rule" if self.near is not None else "with Every"
            raise ValueError(f"There are no queries {what} for a {self.kind}. Leave it out.")
        for name in ("max_points", "item_literals"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be a positive integer. Got {getattr(self, name)}.")
        if self.loss not in ("errors", "log"):
            raise ValueError(f"loss must be 'errors' or 'log'. Got {self.loss!r}.")

    def _check_locked(self) -> None:
        if self.n_locked > self.n_clauses:
            raise ValueError(
                f"n_clauses counts locked clauses too, of which there are {self.n_locked}. Got {self.n_clauses}."
            )
        for clause, label in self.constraints.locked:
            if self.is_points:
                if isinstance(label, bool) or not isinstance(label, int) or (self.kind == "checklist" and label != 1):
                    raise ValueError(f"A locked item of a {self.kind} must have points. Got {label!r}.")
            elif (label is not None) == self.is_formula or (label is not None and label not in self.classes):
                allowed = "no class" if self.is_formula else f"one of the classes {list(self.classes)}"
                raise ValueError(f"A locked clause of a {self.kind} must speak for {allowed}. Got {brief(label)}.")
            for literal in clause:
                if literal not in self.position:
                    raise ValueError(f"Literal {brief(str(literal))} of a locked clause is not in the vocabulary.")

    def _check_near(self, near: Rule) -> None:
        n_slots = len(slots_of(near))
        if near.kind != self.kind or n_slots > self.n_clauses:
            raise ValueError(
                f"A rule to stay near must be a {_name(self.kind)} with at most {self.n_clauses} slots. "
                f"Got a {_name(near.kind)} with {n_slots}."
            )
        for literal in near.literals:
            if literal not in self.position:
                raise ValueError(f"Literal {brief(str(literal))} of the rule to stay near is not in the vocabulary.")

    @cached_property
    def position(self) -> dict[RuleLiteral, int]:
        """Map each literal to its position in the vocabulary."""
        return {literal: j for j, literal in enumerate(self.literals)}

    @property
    def needs_literals(self) -> bool:
        """Return True if each learned clause must have a literal: in sets, one without votes on all rows."""
        return self.kind == "set" and self.unused_slots and not self.free_clauses

    @property
    def is_formula(self) -> bool:
        """Return True for a CNF or DNF, False for a list or set."""
        return self.kind in FORMULAS

    @property
    def is_points(self) -> bool:
        """Return True for a score or checklist."""
        return self.kind in POINT_RULES

    @property
    def is_binary(self) -> bool:
        """Return True for the kinds that decide between two classes."""
        return self.is_formula or self.is_points

    @property
    def signs(self) -> tuple[int, ...]:
        """Return the signs that points may have."""
        return (1, -1) if self.kind == "score" else (1,)

    @property
    def points(self) -> tuple[int, ...]:
        """Return the points that a learned item may have."""
        if self.kind == "checklist":
            return (1,)
        return tuple(sign * size for size in range(1, self.max_points + 1) for sign in self.signs)

    @property
    def locked_items(self) -> tuple[Item, ...]:
        """Return the locked items of a score or checklist."""
        return tuple((clause, points) for clause, points in self.constraints.locked if isinstance(points, int))

    @property
    def n_locked(self) -> int:
        """Return the number of locked clauses, which come first."""
        return len(self.constraints.locked)

    @property
    def n_free(self) -> int:
        """Return the number of clauses left to choose."""
        return self.n_clauses - self.n_locked

    @property
    def locked_clauses(self) -> tuple[Clause, ...]:
        """Return the locked clauses without their classes."""
        return tuple(clause for clause, _ in self.constraints.locked)

    @property
    def locked_pairs(self) -> list[tuple[Clause, int]]:
        """Return the locked clauses of a list or set, with the position of their class."""
        return [(clause, self.classes.index(label)) for clause, label in self.constraints.locked if label is not None]

    @property
    def locked_texts(self) -> list[str]:
        """Return the locked clauses in words."""
        joint, constant = (" OR ", "never") if self.kind == "cnf" else (" AND ", "always")
        words = [joint.join(map(str, clause)) or constant for clause in self.locked_clauses]
        if self.is_formula:
            return words
        if self.kind == "checklist":
            return [f"if {text}" for text in words]
        if self.is_points:
            items = zip(words, self.locked_items, strict=True)
            return [f"{points} point{'' if abs(points) == 1 else 's'} if {text}" for text, (_, points) in items]
        labels = [write_value(self.classes[position]) for _, position in self.locked_pairs]
        return [f"IF {text} THEN {label}" for text, label in zip(words, labels, strict=True)]

    @property
    def space(self) -> str:
        """Return the searched rules in words: their kind, how many clauses, and how many literals."""
        return f"{RULES[self.kind].title}s of {self.room} over {len(self.literals):,} conditions"

    @property
    def room(self) -> str:
        """Return the allowed number of clauses in words."""
        clauses = f"{self.n_free} {'item' if self.is_points else 'clause'}{'' if self.n_free == 1 else 's'}"
        beside = f" beside {self.n_locked} locked" if self.n_locked else ""
        return f"{'at most' if self.unused_slots else 'exactly'} {clauses}{beside}"

    def rule(self, slots: tuple[Clause | None, ...]) -> Formula:
        """Return a formula of the wanted kind.

        Parameters
        ----------
        slots
            The clauses; None is an unused slot.
        """
        negative, positive = self.classes
        return FORMULAS[self.kind](slots, (negative, positive), self.target)

    def pair_rule(self, pairs: Iterable[tuple[Clause, int]], default: int) -> PairRule:
        """Return a list or set of the wanted kind.

        Parameters
        ----------
        pairs
            The clauses, each with the position of its class.
        default
            The position of the default class.
        """
        named = tuple((clause, self.classes[position]) for clause, position in pairs)
        return PAIR_RULES[self.kind](named, self.classes[default], self.target)

    def point_rule(self, items: Iterable[Item], threshold: int = 1) -> PointRule:
        """Return a score or checklist of the wanted kind.

        Parameters
        ----------
        items
            The items with their points.
        threshold
            The least total that decides for the positive class.
        """
        negative, positive = self.classes
        return POINT_RULES[self.kind](tuple(items), threshold, (negative, positive), self.target)

    def plain_items(self, rule: Rule) -> PlainItems:
        """Return the items of a score or checklist, with literals by position.

        Parameters
        ----------
        rule
            A rule over the literals.
        """
        assert isinstance(rule, PointRule)
        return [(self._positions(clause), points) for clause, points in rule.items]

    def from_plain_items(self, items: Sequence[tuple[list[int], int]]) -> PointRule:
        """Return the score or checklist whose items are given by position, with no threshold of its own yet.

        Parameters
        ----------
        items
            The literals of each item, and its points.
        """
        learned = [(tuple(self.literals[j] for j in sorted(chosen)), own) for chosen, own in items[self.n_locked :]]
        return self.point_rule((*self.locked_items, *learned))

    def plain(self, rule: Rule) -> PlainRule:
        """Return the rule with literals and classes by position, and a clause for each slot.

        Parameters
        ----------
        rule
            A rule over the literals.
        """
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

    def from_plain(self, plain: PlainRule) -> Rule:
        """Return the rule that literals and classes by position describe.

        Parameters
        ----------
        plain
            The clauses, and the class where none covers.
        """
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

    def size_units(self, rule: Rule) -> int:
        """Return the cost of the rule without its errors, in units.

        Parameters
        ----------
        rule
            A rule over the literals.
        """
        return self._literal_units(rule) + self.reuse_cost * reuses(rule)

    def length(self, rule: Rule) -> tuple[int, int, int]:
        """Return how much there is to read in the rule: clauses, then literals, then what is in the literals.

        Of rules that cost the same, the shortest is the best.

        Parameters
        ----------
        rule
            Any rule.
        """
        literals = rule.literals
        return len(rule.clauses), len(literals), sum(literal.length for literal in literals)

    def _literal_units(self, rule: Rule) -> int:
        if self.near is None:
            return sum(int(self.literal_costs[self.position[literal]]) for literal in rule.literals)
        return sum(moved for _, _, moved in aligned(rule, self.near, self._move_units))

    def _move_units(self, clause: Clause | None, old: Clause | None) -> int:
        """Return the cost of a clause in the place of an old one."""
        new, before = set(clause or ()), set(old or ())
        changes = (
            (self.price_added, new - before),
            (self.price_kept, new & before),
            (self.price_dropped, before - new),
        )
        return sum(int(price[self.position[literal]]) for price, literals in changes for literal in literals)

    @cached_property
    def price_added(self) -> IntArray:
        """Return the units for each literal that a clause has and had not before."""
        moves = None if self.near is None else self.move_costs
        return self.literal_costs if moves is None else self.literal_costs + moves

    @cached_property
    def price_kept(self) -> IntArray:
        """Return the units for each literal that stays in its clause."""
        is_free = self.near is not None and self.move_costs is None
        return np.zeros_like(self.literal_costs) if is_free else self.literal_costs

    @cached_property
    def price_dropped(self) -> IntArray:
        """Return the units for each literal that its clause had before."""
        if self.near is None:
            return np.zeros_like(self.literal_costs)
        return self.literal_costs if self.move_costs is None else self.move_costs


def to_units(*costs: FloatArray, rows: float | None = None) -> tuple[list[IntArray], int, float]:
    """Return several arrays of costs in one integer unit, exact if their denominators allow it.

    The second part is the scale: the number of units that make a cost of 1. The third is the largest relative change
    of any amount, 0 if all are exact. ``rows`` is the weight of all rows, if the first array has each distinct weight
    only once.

    >>> amounts, scale, rounding = to_units(np.array([1.0, 0.5]), np.array([0.1]))
    >>> [amount.tolist() for amount in amounts], scale, rounding
    ([[10, 5], [1]], 10, 0.0)
    """
    if rows is None and is_one_number(costs[0]):  # the same, from one of them
        amounts, factor, change = to_units(costs[0][:1], *costs[1:], rows=float(costs[0].sum()))
        return [np.broadcast_to(amounts[0], costs[0].shape), *amounts[1:]], factor, change
    together = np.concatenate([np.asarray(cost, dtype=np.float64) for cost in costs])
    distinct = np.unique(together)
    total = float(together.sum())
    if rows is not None:
        total += rows - float(costs[0].sum())
    largest = min(1.0, float(distinct[-1])) if distinct.any() else 1.0  # tiny costs still differ
    scale_limit = int(min(_LARGEST_SCALE / largest, _LARGEST_SUM / max(1.0, total)))
    if scale_limit == 0:
        raise ValueError(f"The weights add up to {total:.3g}, which is too much. Divide them by a constant.")
    scale, rounding = _exact_scale(distinct), 0.0
    if scale is None or scale > scale_limit:
        powers = (10**n for n in range(len(str(scale_limit))))
        scale = next((power for power in powers if _rounding(distinct, power) <= _ACCURACY), scale_limit)
        rounding = _rounding(distinct, scale)
    units = np.round(together * scale).astype(np.int64)
    return np.split(units, np.cumsum([len(cost) for cost in costs])[:-1]), scale, rounding


def is_one_number(amounts: AnyArray) -> bool:
    """Return True for an array in which one number in memory stands for all, as where rows have no weights.

    >>> is_one_number(np.broadcast_to(1.0, 3)), is_one_number(np.ones(3))
    (True, False)
    """
    return len(amounts) > 1 and amounts.strides == (0,)


def in_units(costs: FloatArray, scale: int) -> IntArray:
    """Return costs in units, ``scale`` of which make a cost of 1."""
    if is_one_number(costs):
        return np.broadcast_to(in_units(costs[:1], scale), costs.shape)
    return np.round(costs * scale).astype(np.int64)


def _exact_scale(costs: FloatArray) -> int | None:
    """Return the least scale that makes all costs integers, or None if there is no small one."""
    if len(costs) > _MOST_FRACTIONS:
        return None
    fractions = [Fraction(repr(cost)).limit_denominator(_LARGEST_DENOMINATOR) for cost in costs.tolist()]
    if any(float(fraction) != cost for fraction, cost in zip(fractions, costs.tolist(), strict=True)):
        return None
    return math.lcm(*(fraction.denominator for fraction in fractions))


def _rounding(costs: FloatArray, scale: int) -> float:
    """Return the largest relative change of a cost when rounded to units of this scale."""
    some = costs[costs > 0]
    return float(np.max(np.abs(np.round(some * scale) / scale - some) / some, initial=0.0))
