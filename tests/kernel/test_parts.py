"""Sums over parts of the rows, and the rows that stand for all, against plain NumPy and ``Query.cost``."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.queries import random_pair_query, random_pair_rule, random_query, random_rule

from imli import _kernel
from imli.learning.backends.native import question
from imli.learning.bits import BitTable
from imli.learning.query import Query
from imli.rules import Rule


@st.composite
def asked(draw):
    """A query and a rule with the locked clauses, and rows for three parts."""
    seed = draw(st.integers(0, 10**6))
    query = random_query(seed) if draw(st.booleans()) else random_pair_query(seed)
    rng = np.random.default_rng(seed)
    n_rows = draw(st.integers(1, 150))  # more than the query came with
    rows = rng.integers(0, query.n_rows, n_rows)
    flipped = rng.random((len(query.literals), n_rows)) < 0.1
    query = query.on_rows(rows)
    truth = np.array([query.in_memory.table.column(j) for j in range(len(query.literals))]) ^ flipped
    table = BitTable.from_columns(truth, n_rows)
    query = replace(query, rows=replace(query.in_memory, table=table), near=None, move_costs=None)
    rule = random_rule(query, rng) if query.is_formula else random_pair_rule(query, rng)
    return query, rule, rng.integers(0, 3, n_rows)


def sums_of(query: Query, rule: Rule, n_threads: int = 1) -> np.ndarray:
    part = _kernel.Part(query.in_memory.merged(query), len(query.classes), n_threads)
    kind = "formula" if query.is_formula else query.kind
    with_counts = query.constraints.min_rows is not None
    return part.sums(kind, query.n_locked, with_counts, *query.plain(rule), n_threads=n_threads)


def neighbours(query: Query, rule: Rule) -> list[Rule]:
    """Every rule that has another literal, one more or one less, no longer some clause, or another default."""
    clauses, otherwise = query.plain(rule)
    found = [] if query.is_formula else [query.from_plain((clauses, default)) for default in range(len(query.classes))]
    for slot in range(query.n_locked, len(clauses)):
        held, decides, literals = clauses[slot]
        if not held:
            continue
        options = [None]
        for place in range(len(literals) + 1):
            kept = literals[:place] + literals[place + 1 :]
            options += [kept, *([*kept, j] for j in range(len(query.literals)) if j not in literals)]
        for option in options:
            changed = (False, decides, []) if option is None else (True, decides, option)
            found.append(query.from_plain(([*clauses[:slot], changed, *clauses[slot + 1 :]], otherwise)))
    return found


@settings(max_examples=300, deadline=None)
@given(asked())
def test_sums_add_up_over_parts_and_price_the_rule(case):
    query, rule, part_of = case
    whole = sums_of(query, rule)
    parts = [sums_of(query.on_rows(part_of == part), rule, n_threads=2) for part in range(3)]
    found, n_classes = sum(parts), len(query.classes)
    # merging equal rows takes the same off all classes, so that only the differences between these are known
    assert np.ptp((found - whole)[1 : 1 + n_classes]) == 0
    assert np.array_equal(found[1 + n_classes :], whole[1 + n_classes :])
    assert found[0] == whole[0]
    if query.allows(rule):
        priced = question(query).price(*query.plain(rule), whole, int(query.in_memory.weights.sum()))
        assert priced == query.units(rule)


@settings(max_examples=300, deadline=None)
@given(asked())
def test_the_best_neighbour_by_brute_force(case):
    query, rule, _ = case
    if not query.allows(rule):
        return
    sums, weight = sums_of(query, rule), int(query.in_memory.weights.sum())
    plain = query.plain(rule)
    found = question(query).better(*plain, sums, weight, 1000)
    for clauses, otherwise, units in found:
        other = query.from_plain((clauses, otherwise))
        if query.allows(other):  # in a list, what one clause takes another may lack
            assert query.units(other) == units <= query.units(rule)
        else:
            assert query.kind == "list"
            assert query.constraints.min_rows is not None
    allowed = [query.units(other) for other in neighbours(query, rule) if query.allows(other)]
    best = min((units for clauses, otherwise, units in found if query.allows(query.from_plain((clauses, otherwise)))),
               default=query.units(rule))  # fmt: skip
    if query.kind != "list" or query.constraints.min_rows is None:
        assert best == min([*allowed, query.units(rule)])


@settings(max_examples=100, deadline=None)
@given(asked())
def test_a_part_of_arrays_is_the_same(case):
    query, rule, _ = case
    part = _kernel.Part(query.in_memory.merged(query), len(query.classes))
    again = _kernel.Part(*aligned(part.arrays()))
    kind = "formula" if query.is_formula else query.kind
    asked_for = (kind, query.n_locked, False, *query.plain(rule))
    assert np.array_equal(part.sums(*asked_for), again.sums(*asked_for))


def aligned(arrays):
    """The same with panels at the start of a cache line."""
    *others, panels = arrays
    room = np.empty(len(panels) + 8, dtype=np.uint64)
    first = (-room.ctypes.data % 64) // 8
    room[first:][: len(panels)] = panels
    return *others, room[first:][: len(panels)]


def core_of(bits, labels, weights, n_classes, most, rows=slice(None)):
    core = _kernel.Core(len(bits), n_classes, most)
    some = np.ascontiguousarray(bits[:, rows])
    core.add(BitTable.from_columns(some, some.shape[1]).words, labels[rows].astype(np.int32), weights[rows])
    return core


def as_lists(core):
    return [array.tolist() for array in core.rows()], core.weight, core.own_weight, core.has_all


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 400), st.integers(1, 130), st.integers(1, 60), st.integers(2, 3))
def test_the_core_is_the_same_in_whatever_parts_the_rows_come(seed, n_rows, n_literals, most, n_classes):
    rng = np.random.default_rng(seed)
    bits = rng.random((n_literals, n_rows)) < 0.3
    bits = bits[:, rng.integers(0, n_rows, n_rows)]
    labels, weights = rng.integers(0, n_classes, n_rows), rng.integers(1, 5, n_rows)
    table = (bits, labels, weights, n_classes, most)
    whole = core_of(*table)
    part_of = rng.integers(0, 4, n_rows)
    parts = [core_of(*table, np.flatnonzero(part_of == part)) for part in rng.permutation(4)]
    merged = parts[0]
    for part in parts[1:]:
        sent = _kernel.Core(n_literals, n_classes, most)
        sent.restore(*part.rows(), part.weight, part.has_all)
        merged.merge(sent)
    assert as_lists(merged) == as_lists(whole)
    keys, by_class, counts = whole.rows()
    distinct = {bits[:, row].tobytes() for row in range(n_rows)}
    assert len(keys) == min(most, len(distinct))
    assert whole.has_all == (len(distinct) <= most)
    assert whole.weight == weights.sum()
    truth = np.unpackbits(keys.view(np.uint8), axis=1, count=n_literals, bitorder="little").astype(bool)
    for row, own, count in zip(truth, by_class, counts, strict=True):
        same = (bits == row[:, None]).all(axis=0)
        assert count == same.sum()
        assert own.tolist() == [int(weights[same & (labels == label)].sum()) for label in range(n_classes)]


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="other literals"):
        _kernel.Core(70, 2, 5).add(
            np.zeros((3, 1), dtype=np.uint64), np.zeros(2, dtype=np.int32), np.ones(2, dtype=int)
        )
