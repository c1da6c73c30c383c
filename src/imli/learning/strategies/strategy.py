"""The ``Strategy`` protocol, strategies by name, and what strategies share.

All begin with a rule that the constraints allow, or name the constraints in conflict. Those of many queries keep the
best rule so far, and share the time.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice, product
from time import monotonic
from typing import Any, Protocol, runtime_checkable

import numpy as np

from imli.errors import InfeasibleError, Interrupted, brief
from imli.learning.answer import Answer
from imli.learning.backends import Backend
from imli.learning.backends.backend import answer_with
from imli.learning.backends.maxsat import SLOTS, Stopped, lower_constraints
from imli.learning.constraints import names
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.logic.circuit import Glucose
from imli.rules import DNF, Formula, PairRule, PointRule, Rule
from imli.rules.notation import listing

_LEAST_SECONDS = 1.0
NO_DEADLINE = Deadline()
_MOST_OBVIOUS = 500


@runtime_checkable
class Strategy(Protocol):
    """A way to answer a query by one or many queries to a backend.

    Any object with this method is a strategy; it need not inherit from this class.
    """

    def answer(
        self, query: Query, backend: Backend, deadline: Deadline, seed: int = 0, start: Rule | None = None
    ) -> Answer:
        """Return the best rule that the strategy finds, with its cost on all rows and a proven lower bound.

        Parameters
        ----------
        query
            The rows, the literals and the constraints.
        backend
            The solver that answers each query of the strategy.
        deadline
            When the search has to end. The best rule so far is the answer then.
        seed
            Seed of all random choices.
        start
            A rule to improve. If the query allows it, the answer is never worse.

        Raises
        ------
        InfeasibleError
            If no rule meets the constraints.
        Interrupted
            If the user presses Ctrl-C. The exception carries the best answer so far.
        """


def find_strategy(strategy: str | Strategy, batch_size: int, rounds: int, prove: bool | float = False) -> Strategy:
    """Return the strategy of this name, with the mini-batches or the proof that it takes, or the given strategy."""
    from imli.learning.strategies import Exact, Iterative, Joint, MiniBatch  # which import this module

    known: dict[str, Callable[[], Strategy]] = {
        "joint": lambda: Joint(prove),
        "exact": Exact,
        "minibatch": lambda: MiniBatch(batch_size, rounds),
        "iterative": Iterative,
        "incremental": lambda: Iterative(MiniBatch(batch_size, rounds)),
    }
    if isinstance(strategy, str):
        if strategy not in known:
            listed = ", ".join(map(repr, known))
            raise ValueError(f"strategy must be one of {listed}, or a Strategy. Got {strategy!r}.")
        return known[strategy]()
    if isinstance(strategy, type) or not isinstance(strategy, Strategy):
        raise TypeError(f"strategy must be a name or a Strategy. Got {strategy!r}.")
    return strategy


def is_as_printed(strategy: Strategy) -> bool:
    """Return True if the strategy, or its ``one_clause`` part, has ``paper=True``."""
    parts = (strategy, getattr(strategy, "one_clause", None))
    return any(getattr(part, "paper", False) for part in parts)


@dataclass
class Incumbent:
    """The best rule so far of a strategy that asks many queries, and a proven bound on the cost, in units."""

    query: Query
    backend: Backend
    rule: Rule
    bound: int = 0
    began: float = field(default_factory=monotonic)

    def offer(self, rule: Rule, at_any_cost: bool = False) -> bool:
        """Take the rule if the query allows it and it is cheaper; return True if it was taken."""
        query = self.query
        is_taken = query.allows(rule) and (at_any_cost or query.units(rule) < query.units(self.rule))
        if is_taken:
            self.rule = rule
        return is_taken

    def answer(self, interrupted: bool = False) -> Answer:
        """Return the rule as an answer to the query."""
        query = self.query
        bound = min(max(self.bound, query.unavoidable()), query.units(self.rule))
        return answer_with(query, self.rule, bound, self.began, self.backend.name, interrupted)

    @contextmanager
    def kept_on_interrupt(self) -> Iterator[None]:
        """Turn Ctrl-C, at any moment inside, into Interrupted with the best rule so far (context manager)."""
        try:
            yield
        except KeyboardInterrupt:
            raise Interrupted(self.answer(interrupted=True)) from None


def best_so_far(ask: Callable[[], Answer]) -> Answer:
    """Return the answer or, after Ctrl-C, the best one so far with the status "interrupted"."""
    try:
        return ask()
    except Interrupted as stop:
        return replace(stop.answer, status="interrupted")


def share(deadline: Deadline, n_queries: int) -> Deadline:
    """Return the deadline for the next of ``n_queries`` queries that share the time.

    Each query gets at least one second while that much is left: a few solved queries beat many unsolved ones.
    """
    remaining = deadline.remaining
    if remaining is None:
        return deadline
    return Deadline.after(min(remaining, max(remaining / n_queries, _LEAST_SECONDS)))


def starting_rule(query: Query, deadline: Deadline = NO_DEADLINE, given: Rule | None = None) -> Rule:
    """Return a rule that the query allows: the cheapest of the constants, the rule to stay near and the given one.

    If none of them is allowed, a small rule is searched. Raises InfeasibleError, which names the constraints in
    conflict, if no rule is allowed.
    """
    _check_locked(query)
    rule: Rule
    if query.is_points:
        rule = _starting_card(query)
    else:
        rule = starting_formula(query, deadline) if query.is_formula else _starting_pairs(query, deadline)
    if given is not None and query.allows(given) and query.units(given) < query.units(rule):
        return given
    return rule


def starting_formula(query: Query, deadline: Deadline = NO_DEADLINE) -> Formula:
    """Return a formula that the query allows, or raise InfeasibleError."""
    locked, n_free = query.locked_clauses, query.n_free
    candidates = [
        query.rule(locked + (None,) * n_free),
        query.rule(locked + ((),) * min(n_free, 1) + (None,) * (n_free - 1)),
        query.rule(locked + ((),) * n_free),
    ]
    if isinstance(query.near, Formula):
        candidates.append(query.rule(locked + query.near.slots[query.n_locked :]))
    allowed = [rule for rule in candidates if query.allows(rule)]
    if not allowed:
        allowed = [rule for rule in islice(_obvious_rules(query), _MOST_OBVIOUS) if query.allows(rule)]
    if not allowed:
        allowed = [_smallest_by_dropping(query, _allowed_rule(query, deadline))]
    return min(allowed, key=query.units)


def _about_rows_at_hand(query: Query) -> Query:
    """Return the query, or one about some of the rows if there are very many or they are not in memory."""
    core = query.rows.core(query)
    return query if core is None else query.on_core(core)


def _obvious_rules(query: Query) -> Iterator[Formula]:
    """Yield rules of one clause with just the literals that ``always`` requires: cheap to try before SAT."""
    constraints = query.constraints
    permitted = [literal for literal in query.literals if constraints.forbids(literal) is None]
    asked_for = constraints.beside(query.locked_clauses).always
    choices = [[literal for literal in permitted if names(word, literal)] for word in asked_for]
    n_others = query.n_free - 1
    others = (None,) * n_others if query.unused_slots else (constraints.every,) * n_others
    for asked in product(*choices):
        yield query.rule((*query.locked_clauses, (*constraints.every, *asked), *others))


def _starting_pairs(query: Query, deadline: Deadline) -> PairRule:
    """Return a list or set with the locked clauses only, or with the fewest more that the constraints require."""
    positions, locked = range(len(query.classes)), query.locked_pairs
    candidates = [query.pair_rule(locked, default) for default in positions]
    if isinstance(query.near, PairRule):
        candidates.append(query.near)
    candidates = [rule for rule in candidates if query.allows(rule)]
    if not candidates:
        constraints = query.constraints.beside(query.locked_clauses)
        near = _about_rows_at_hand(query)
        # in a list, a clause after the locked ones decides only the rows that these leave
        decided = DNF(query.locked_clauses).holds(near.holds, near.n_rows)
        rows = np.ones(near.n_rows, dtype=bool) if query.kind == "set" else ~decided
        constraints = replace(constraints, min_rows=near.constraints.min_rows)
        formula: dict[str, Any] = {"kind": "dnf", "classes": (False, True), "near": None}
        labels = near.in_memory.labels[rows] == 0
        beside = near.on_rows(rows, labels=labels, constraints=constraints, **formula, n_clauses=max(1, query.n_free))
        more = _fewest_clauses(beside, query.kind == "list", deadline).clauses
        more = tuple(filter(None, more)) if len(more) > 1 else more
        pairs = [[*locked, *((clause, own) for clause in more)] for own in positions]
        candidates = [query.pair_rule(some, default) for some in pairs for default in positions]
        if near is not query:
            _require_allowed(query, candidates[0])
    return min(candidates, key=query.units)


def _starting_card(query: Query) -> PointRule:
    """Return a score or checklist with the locked items only, or with a few more if the constraints require it."""
    for card in islice(_obvious_cards(query), _MOST_OBVIOUS):
        if query.allows(card):
            return query.settled(card)
    _check_always_has_literals(query)
    raise InfeasibleError(
        f"No {query.kind} of {query.room} was found that meets all of {_listed(query)}. Loosen one of them."
    )


def _obvious_cards(query: Query) -> Iterator[PointRule]:
    """Yield cards with just the literals that ``always`` requires, each in an item of its own or several in one."""
    constraints = query.constraints
    asked_for = constraints.beside(query.locked_clauses).always
    signed = [
        [(literal, sign) for literal in query.literals if names(word, literal)
         for sign in query.signs if constraints.forbids(literal, sign) is None]
        for word in asked_for
    ]  # fmt: skip
    for size in range(1, query.item_literals + 1):
        for chosen in product(*signed):
            distinct = list(dict.fromkeys(chosen))
            groups = [distinct[place : place + size] for place in range(0, len(distinct), size)]
            if all(sign == group[0][1] for group in groups for _, sign in group):
                items = [(tuple(literal for literal, _ in group), group[0][1]) for group in groups]
                yield query.point_rule((*query.locked_items, *items))
    if query.item_literals > 1:  # beside a locked item with the opposite, no item may have the literal alone
        for chosen in product(*signed):
            for other in query.literals:
                items = [(tuple(dict.fromkeys((literal, other))), sign) for literal, sign in dict.fromkeys(chosen)]
                yield query.point_rule((*query.locked_items, *items))


def _listed(query: Query) -> str:
    """Return the names of the constraints of a query."""
    constraints = query.constraints
    named = {
        "always": constraints.always,
        "never": constraints.never,
        "disjoint=True": constraints.disjoint,
        f"max_literals={constraints.max_literals}": constraints.max_literals is not None,
        f"min_rows={constraints.min_rows}": constraints.min_rows,
        "monotone": constraints.monotone,
        "locked": constraints.locked,
    }
    return listing([name for name, value in named.items() if value], "and")


def _require_allowed(query: Query, rule: Rule) -> None:
    """Raise InfeasibleError if a rule that was found on some of the rows is not allowed on all of them."""
    if not query.allows(rule):
        raise InfeasibleError(
            f"No rule was found whose clauses have min_rows={query.constraints.min_rows} rows each and that keeps the "
            "other conditions. Loosen one of them."
        )


def _check_locked(query: Query) -> None:
    """Raise InfeasibleError if locked clauses decide too few rows, or leave no room for required literals."""
    least, locked = query.constraints.min_rows, query.locked_clauses
    if not locked:
        return
    alone: Rule
    if query.is_points:
        alone = query.point_rule(query.locked_items)
    else:
        alone = query.rule(locked) if query.is_formula else query.pair_rule(query.locked_pairs, 0)
    for n_rows, text in zip(query.n_covered(alone), query.locked_texts, strict=True):
        if least is not None and n_rows < least:
            raise InfeasibleError(
                f"The locked clause {brief(text)} decides {n_rows} row{'' if n_rows == 1 else 's'}, but "
                f"min_rows={least}. "
                "Loosen it, or remove the clause."
            )
    if query.n_free == 0 and (unmet := query.constraints.beside(locked).always):
        raise InfeasibleError(
            f"No locked clause has {str(unmet[0])!r}, which is in always, and there is no room for other clauses. "
            "Remove it from always, or raise n_clauses."
        )


def _allowed_rule(query: Query, deadline: Deadline, in_order: bool = False) -> Formula:
    """Return any rule that meets the constraints, found by SAT, or raise InfeasibleError.

    With ``in_order``, the clauses are those of a decision list.
    """
    _check_always_has_literals(query)
    near = _about_rows_at_hand(query)
    try:
        encoding = lower_constraints(near, lambda: deadline.passed, in_order)
    except Stopped:
        raise InfeasibleError(
            "The time limit passed before a rule was found that meets the constraints. Raise it or loosen them."
        ) from None
    with Glucose(bootstrap_with=encoding.groups.get(SLOTS, [])) as solver:
        selectors: dict[int, str] = {}
        for name, clauses in encoding.groups.items():
            if name != SLOTS:
                selector = int(encoding.new_variables(1)[0])
                selectors[selector] = name
                for clause in clauses:
                    solver.add_clause([*clause, -selector])
        if not solver.solve(assumptions=list(selectors)):
            conflict = _minimal_conflict(solver, solver.get_core() or list(selectors))
            raise InfeasibleError(_sentence(query, [selectors[selector] for selector in conflict]))
        rule = encoding.rule(solver.get_model())
    if near is not query:
        _require_allowed(query, rule)
    return rule


def _fewest_clauses(query: Query, in_order: bool, deadline: Deadline) -> Formula:
    """Return the fewest clauses that the constraints allow together, in a set or, with ``in_order``, in a list."""
    # without min_rows, one clause can have all that is asked for
    last = 1 if query.constraints.min_rows is None else query.n_clauses
    for n_clauses in range(1, last + 1):
        some = replace(query, n_clauses=n_clauses)
        try:
            if n_clauses == 1 or not in_order:
                return starting_formula(some, deadline)
            return _allowed_rule(some, deadline, in_order)
        except InfeasibleError:
            if n_clauses == last:
                raise
    raise AssertionError("the last attempt returns or raises")


def _minimal_conflict(solver: Glucose, conflict: list[int]) -> list[int]:
    """Return the conflict without the constraints that it does not need."""
    for selector in sorted(conflict):
        rest = [other for other in conflict if other != selector]
        if not solver.solve(assumptions=rest):
            conflict = rest
    return sorted(conflict)


def _sentence(query: Query, constraints: list[str]) -> str:
    if len(constraints) == 1:
        return f"No rule with {query.room} meets {constraints[0]} on these {query.n_rows} rows. Loosen it."
    return f"No rule with {query.room} meets these constraints together: {', '.join(constraints)}. Loosen one of them."


def _check_always_has_literals(query: Query) -> None:
    used = {literal.column for literal in query.literals}
    for named in query.constraints.always:
        if isinstance(named, str) and named not in used:
            raise InfeasibleError(
                f"Column {brief(named)} is in always, but there is no literal on it: "
                "it has the same value in all rows. Remove it from always."
            )


def _smallest_by_dropping(query: Query, rule: Formula) -> Formula:
    """Return the rule without clauses, then without literals, that it does not need to be allowed."""
    slots = list(rule.slots)
    if query.unused_slots:
        for i in range(len(slots)):
            shorter = query.rule(tuple(None if n == i else clause for n, clause in enumerate(slots)))
            if query.allows(shorter):
                slots = list(shorter.slots)
    for i, clause in enumerate(slots):
        for literal in clause or ():
            kept = tuple(other for other in slots[i] or () if other != literal)
            shorter = query.rule((*slots[:i], kept, *slots[i + 1 :]))
            if query.allows(shorter):
                slots[i] = kept
    return query.rule(tuple(slots))
