"""A query as weighted partial MaxSAT, and a model of it as a rule: the paper's encoding, and ours.

One encoding serves both kinds of formula. A DNF is the complement of a CNF (De Morgan), so for a DNF the labels are
flipped and each literal stands for its complement; the chosen literals are the same either way.

Variables, for slots i, literals j and rows l (the paper's letters in brackets):

    chosen[i, j]   (b)  literal j is in clause i
    error[l]       (η)  row l is decided wrongly
    failed[i, l]   (z)  clause i fails on row l, for rows that the CNF must reject
    unused[i]           slot i holds no clause; ours only, to express "at most k clauses"

Hard clauses come in groups, named after the constraint they express, so that a conflict can be named.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np

from imli.errors import RefusedError
from imli.learning.constraints import names
from imli.learning.query import Query
from imli.logic.circuit import encode_at_most
from imli.rules import Clause, Formula
from imli.rules.formula import slots_of
from imli.table.frame import BoolArray, IntArray

SatClause = list[int]
Item = TypeVar("Item")

ROWS = "rows"
SLOTS = "slots"

# A larger encoding would fill the memory before a solver sees it.
MAX_OCCURRENCES = 30_000_000


class Stopped(Exception):  # noqa: N818  # no error: the deadline has passed or the user pressed Ctrl-C
    """The work was stopped before it was done."""


@dataclass
class Encoding:
    """Hard clauses by group, soft clauses with their weights, and the conversion between models and rules."""

    query: Query
    n_variables: int = 0
    groups: dict[str, list[SatClause]] = field(default_factory=dict)
    soft: list[SatClause] = field(default_factory=list)
    soft_weights: list[int] = field(default_factory=list)
    should_stop: Callable[[], bool] = lambda: False

    @property
    def hard(self) -> list[SatClause]:
        return [clause for group in self.groups.values() for clause in group]

    @property
    def n_clauses(self) -> int:
        return len(self.soft) + sum(len(group) for group in self.groups.values())

    def new_variables(self, *shape: int) -> IntArray:
        """Return new variables as an array of this shape."""
        first, count = self.n_variables + 1, int(np.prod(shape))
        self.n_variables += count
        return np.arange(first, first + count, dtype=np.int64).reshape(shape)

    def until_stopped(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield the items; raise Stopped in between if ``should_stop`` returns True."""
        for number, item in enumerate(items):
            if number % 10_000 == 0 and self.should_stop():
                raise Stopped
            yield item

    def add(self, group: str, clauses: Iterable[SatClause]) -> None:
        if self.should_stop():
            raise Stopped
        self.groups.setdefault(group, []).extend(clauses)

    def add_soft(self, literal: int, weight: int) -> None:
        if weight > 0:
            self.soft.append([literal])
            self.soft_weights.append(weight)

    def rule(self, model: Sequence[int]) -> Formula:
        """Return the rule that a model of the hard clauses describes."""
        is_true = np.zeros(self.n_variables + 1, dtype=bool)
        literals = np.asarray(model, dtype=np.int64)
        literals = literals[np.abs(literals) <= self.n_variables]
        is_true[literals[literals > 0]] = True
        slots: list[Clause | None] = [*self.query.locked_clauses]
        for i in range(self.query.n_locked, self.query.n_clauses):
            if self.unused is not None and is_true[self.unused[i]]:
                slots.append(None)
            else:
                slots.append(tuple(self.query.literals[j] for j in np.flatnonzero(is_true[self.chosen[i]])))
        return self.query.rule(tuple(slots))

    def model(self, rule: Formula) -> list[int]:
        """Return the assignment that describes a rule, for solvers that take a hint."""
        query = self.query
        slots = [*rule.slots, *[None] * (query.n_clauses - len(rule.slots))]
        if query.near is None:
            slots.sort(key=lambda clause: clause is None)  # as the clauses of group SLOTS require
        signs = -np.ones_like(self.chosen)
        for i, clause in enumerate(slots):
            for literal in clause or ():
                signs[i, query.position[literal]] = 1
        is_wrong = rule.holds(query.holds, query.n_rows) != query.in_memory.labels
        numbers = [(signs * self.chosen).ravel(), np.where(is_wrong, self.error, -self.error)]
        if self.unused is not None:
            numbers.append(np.where([clause is None for clause in slots], self.unused, -self.unused))
        return [int(number) for number in np.concatenate(numbers)]

    @cached_property
    def chosen(self) -> IntArray:
        return self.new_variables(self.query.n_clauses, len(self.query.literals))

    @cached_property
    def error(self) -> IntArray:
        return self.new_variables(self.query.n_rows)

    @cached_property
    def unused(self) -> IntArray | None:
        return self.new_variables(self.query.n_clauses) if self.query.unused_slots else None

    def unless_unused(self, i: int) -> SatClause:
        """Return the literals that satisfy a constraint on clause i where slot i is unused."""
        return [] if self.unused is None else [int(self.unused[i])]


def check_encodable(query: Query, backend: str) -> None:
    """Raise RefusedError if the query has no encoding, or one that is too large."""
    if query.is_points:
        raise RefusedError.because(backend, f"a {query.kind}", "Use backend='native'.")
    if not query.is_formula:
        raise RefusedError.because(backend, "decision lists and sets in one query", "Use strategy='iterative'.")
    per_row = len(query.literals) + (query.constraints.min_rows or 0)
    occurrences = query.n_clauses * query.n_rows * per_row
    if occurrences > MAX_OCCURRENCES:
        size = f"{query.n_clauses} clauses over {len(query.literals):,} literals on {query.n_rows:,} rows at once"
        raise RefusedError.because(backend, size, "Use a mini-batch strategy, such as strategy='incremental'.")


def lower(query: Query, should_stop: Callable[[], bool] = lambda: False, ordered_slots: bool = False) -> Encoding:
    """Return the whole query as weighted partial MaxSAT; raise Stopped as soon as ``should_stop`` returns True.

    ``ordered_slots`` allows one order of the clauses only, where all orders cost the same.
    """
    encoding = Encoding(query, should_stop=should_stop)
    # the order of creation is the paper's: feature variables, error variables, auxiliary ones
    _ = encoding.chosen, encoding.error
    truth, labels = _cnf_view(query)
    failed = _rows(encoding, truth, labels)
    _objective(encoding)
    _slots(encoding, failed)
    if ordered_slots and query.near is None:
        _ordered(encoding, encoding.chosen[query.n_locked :])
    _constraints(encoding)
    if query.constraints.min_rows is not None:
        _min_rows(encoding, truth, labels, failed)
    return encoding


def lower_constraints(
    query: Query, should_stop: Callable[[], bool] = lambda: False, in_order: bool = False
) -> Encoding:
    """Return the encoding without rows and costs: its models are the rules that the query allows.

    With ``in_order``, a clause covers only rows that no earlier one covers, as in a decision list.
    """
    encoding = Encoding(query, should_stop=should_stop)
    _ = encoding.chosen
    _slots(encoding, None)
    _constraints(encoding)
    if query.constraints.min_rows is not None:
        truth, labels = _cnf_view(query)
        _min_rows(encoding, truth, np.ones_like(labels), None, in_order)
    return encoding


def _cnf_view(query: Query) -> tuple[BoolArray, BoolArray]:
    """Return the truth of the literals and the labels for learning a CNF."""
    if not query.is_formula:
        raise ValueError(f"Only formulas have an encoding, not {query.scope}. Ask for their clauses one by one.")
    dense, labels = query.in_memory.table.dense(), query.in_memory.labels.astype(bool)
    return (dense, labels) if query.kind == "cnf" else (~dense, ~labels)


def _rows(encoding: Encoding, truth: BoolArray, labels: BoolArray) -> IntArray:
    """Add ¬error[l] → the CNF decides row l as labelled; return ``failed`` for the rows that it must reject."""
    n_slots = encoding.query.n_clauses
    rejected = np.flatnonzero(~labels)
    failed = encoding.new_variables(n_slots, len(rejected))
    for row in np.flatnonzero(labels):
        satisfying = encoding.chosen[:, truth[row]].tolist()
        error = int(encoding.error[row])
        # ¬error → each clause has a literal that holds here, or there is no such clause
        encoding.add(ROWS, [[error, *satisfying[i], *encoding.unless_unused(i)] for i in range(n_slots)])
    # ¬error → some clause fails
    encoding.add(ROWS, np.column_stack([encoding.error[rejected], failed.T]).tolist())
    for i in range(n_slots):
        for some in _blocks(len(rejected), truth.shape[1]):
            encoding.add(ROWS, _implies_no_literal_holds(failed[i, some], encoding.chosen[i], truth[rejected[some]]))
    return failed


def _blocks(n_rows: int, n_literals: int) -> list[IntArray]:
    """Return rows in blocks of some ten milliseconds of work each, so that the work can stop in between."""
    return np.array_split(np.arange(n_rows), n_rows * n_literals // 100_000 + 1)


def _implies_no_literal_holds(failed: IntArray, chosen: IntArray, truth: BoolArray) -> list[SatClause]:
    """Return failed[l] → ¬chosen[j], for each literal j that holds in row l."""
    rows, literals = np.nonzero(truth)
    pairs: list[SatClause] = np.column_stack([-failed[rows], -chosen[literals]]).tolist()
    return pairs


def _objective(encoding: Encoding) -> None:
    """Add the weight of each wrong row and the price of each literal that is added, kept or dropped."""
    query = encoding.query
    for error, weight in zip(encoding.error.tolist(), query.in_memory.weights.tolist(), strict=True):
        encoding.add_soft(-error, weight)
    before = () if query.near is None else slots_of(query.near)
    added, kept, dropped = (price.tolist() for price in (query.price_added, query.price_kept, query.price_dropped))
    for i, chosen in enumerate(encoding.chosen.tolist()):
        old = {query.position[literal] for literal in (before[i] or ())} if i < len(before) else set()
        for j, variable in enumerate(chosen):
            encoding.add_soft(-variable, kept[j] if j in old else added[j])
            encoding.add_soft(variable, dropped[j] if j in old else 0)
    if query.reuse_cost:
        _soft_disjoint(encoding)


def _slots(encoding: Encoding, failed: IntArray | None) -> None:
    """Add that an unused slot has no literals and fails nowhere, and comes last unless there is a rule to stay near."""
    unused = encoding.unused
    if unused is None:
        return
    for i, slot in enumerate(unused.tolist()):
        encoding.add(SLOTS, ([-slot, -literal] for literal in encoding.chosen[i].tolist()))
        if failed is not None:
            encoding.add(SLOTS, ([-slot, -failure] for failure in failed[i].tolist()))
    if encoding.query.near is None:
        encoding.add(SLOTS, ([-a, b] for a, b in zip(unused[:-1].tolist(), unused[1:].tolist(), strict=True)))


def _ordered(encoding: Encoding, chosen: IntArray) -> None:
    """Add that the clauses stand in falling order, as binary numbers whose first digit is the first literal."""
    for above, below in zip(chosen[:-1].tolist(), chosen[1:].tolist(), strict=True):
        alike: list[int] = encoding.new_variables(len(above)).tolist()  # alike[j]: in all literals before j
        clauses: list[SatClause] = [[alike[0]]] if alike else []
        for j, (a, b) in enumerate(zip(above, below, strict=True)):
            clauses.append([-alike[j], a, -b])
            if j + 1 < len(alike):
                clauses += [[-alike[j], a, b, alike[j + 1]], [-alike[j], -a, -b, alike[j + 1]]]
        encoding.add(SLOTS, clauses)


def _constraints(encoding: Encoding) -> None:
    query, constraints, chosen = encoding.query, encoding.query.constraints, encoding.chosen
    _locked(encoding)
    for j, literal in enumerate(query.literals):
        if (reason := constraints.forbids(literal)) is not None:
            encoding.add(reason, ([-variable] for variable in chosen[:, j].tolist()))
    for named in constraints.always:
        matching = [j for j, literal in enumerate(query.literals) if names(named, literal)]
        encoding.add(f"always={str(named)!r}", [chosen[:, matching].ravel().tolist()])
    for literal in constraints.every:
        group = f"always=Every({str(literal)!r})"
        for i, variable in enumerate(chosen[:, query.position[literal]].tolist()):
            encoding.add(group, [[variable, *encoding.unless_unused(i)]])
        if encoding.unused is not None:
            encoding.add(group, [(-encoding.unused).tolist()])
    if constraints.disjoint:
        for used in _column_uses(encoding, "disjoint=True"):
            encoding.add("disjoint=True", ([-a, -b] for n, a in enumerate(used) for b in used[n + 1 :]))
    if constraints.max_literals is not None:
        variables = chosen.ravel().tolist()
        encoding.add(
            f"max_literals={constraints.max_literals}", _at_most(encoding, variables, constraints.max_literals)
        )


def _locked(encoding: Encoding) -> None:
    """Add that each locked clause has its literals and no others."""
    query = encoding.query
    for i, (clause, text) in enumerate(zip(query.locked_clauses, query.locked_texts, strict=True)):
        has = np.isin(np.arange(len(query.literals)), [query.position[literal] for literal in clause])
        settled = np.where(has, encoding.chosen[i], -encoding.chosen[i])
        held = [] if encoding.unused is None else [[-int(encoding.unused[i])]]
        encoding.add(f"locked={text!r}", [*held, *([variable] for variable in settled.tolist())])


def _column_uses(encoding: Encoding, group: str) -> list[list[int]]:
    """Return, for each column, a variable per slot that is true if a literal of the column is chosen there."""
    columns: dict[str, list[int]] = {}
    for j, literal in enumerate(encoding.query.literals):
        columns.setdefault(literal.column, []).append(j)
    uses: list[list[int]] = encoding.new_variables(len(columns), encoding.query.n_clauses).tolist()
    for used, positions in zip(uses, columns.values(), strict=True):
        for i, use in enumerate(used):
            encoding.add(group, ([-variable, use] for variable in encoding.chosen[i, positions].tolist()))
    return uses


def _soft_disjoint(encoding: Encoding) -> None:
    """Add a cost of μ for each clause that uses a column of an earlier clause."""
    group = "disjoint"
    for used in _column_uses(encoding, group):
        earlier = encoding.new_variables(len(used)).tolist()
        repeated = encoding.new_variables(len(used)).tolist()
        for i in range(1, len(used)):
            # used before i: in slot i − 1 or before that; a use after a use is a repetition
            encoding.add(group, [[-used[i - 1], earlier[i]], [-used[i], -earlier[i], repeated[i]]])
            if i > 1:
                encoding.add(group, [[-earlier[i - 1], earlier[i]]])
            encoding.add_soft(-repeated[i], encoding.query.reuse_cost)


def _min_rows(
    encoding: Encoding, truth: BoolArray, labels: BoolArray, failed: IntArray | None, in_order: bool = False
) -> None:
    """Add that each clause fails on at least ``min_rows`` rows, which are the rows that it decides.

    With ``in_order``, these are rows on which no earlier clause fails.
    """
    least = encoding.query.constraints.min_rows
    assert least is not None
    group = f"min_rows={least}"
    accepted = np.flatnonzero(labels)
    for i in range(encoding.query.n_clauses):
        failures = encoding.new_variables(len(accepted))
        for some in _blocks(len(accepted), truth.shape[1]):
            implied = _implies_no_literal_holds(failures[some], encoding.chosen[i], truth[accepted[some]])
            encoding.add(group, implied)
        for earlier in range(i if in_order else 0):
            satisfying = (encoding.chosen[earlier, truth[row]].tolist() for row in accepted)
            unused = encoding.unless_unused(earlier)
            encoding.add(group, ([-int(here), *some, *unused] for here, some in zip(failures, satisfying, strict=True)))
        counted = [*failures.tolist(), *([] if failed is None else failed[i].tolist())]
        for clauses in _at_least(encoding, counted, least):
            # the whole counter holds trivially where the slot is unused
            encoding.add(group, [clause + encoding.unless_unused(i) for clause in clauses])


def _at_most(encoding: Encoding, variables: list[int], bound: int) -> list[SatClause]:
    clauses, encoding.n_variables = encode_at_most(variables, bound, encoding.n_variables)
    return clauses


def _at_least(encoding: Encoding, variables: list[int], bound: int) -> Iterator[list[SatClause]]:
    """Yield the clauses of a counter, variable by variable, so that the work can be stopped.

    ``reached[n]`` after some variables implies that n + 1 of them are true. (python-sat makes its encodings of
    "at least" in one piece, which takes minutes on some ten thousand rows.)
    """
    before: list[int] = []
    for number, variable in enumerate(variables):
        reached = encoding.new_variables(min(number + 1, bound)).tolist()
        clauses: list[SatClause] = []
        for n, now in enumerate(reached):
            # n + 1 reached now → n + 1 reached before, or this variable is true and n were reached before
            earlier = before[n : n + 1]
            clauses.append([-now, variable, *earlier])
            if n:
                clauses.append([-now, before[n - 1], *earlier])
        yield clauses
        before = reached
    yield [before[bound - 1 : bound]] if bound <= len(before) else [[]]
