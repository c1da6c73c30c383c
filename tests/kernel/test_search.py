"""The kernel's sums, prices and moves, against plain NumPy and ``Query.cost``."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.queries import random_pair_query, random_pair_rule, random_query, random_rule

import imli
from imli import _kernel
from imli.errors import InfeasibleError
from imli.learning.backends import Native
from imli.learning.backends.native import kernel_search
from imli.learning.bits import BitTable
from imli.learning.constraints import Constraints
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.learning.strategies import starting_rule
from imli.rules.literals import IsTrue

WEIGHTS = st.sampled_from([1, 1, 1, 2, 3, 5]) | st.integers(0, 10**6) | st.just(2**40 + 12345)


@st.composite
def tables(draw):
    """Bits, labels, weights and how many classes there are."""
    n_rows, n_literals = draw(st.integers(1, 400)), draw(st.integers(1, 70))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    bits = rng.random((n_literals, n_rows)) < draw(st.sampled_from([0.1, 0.5, 0.9]))
    if draw(st.booleans()):  # many equal rows, and literals in pairs
        bits = bits[:, rng.integers(0, max(1, n_rows // 5), n_rows)]
        bits[n_literals // 2 :] = ~bits[: n_literals - n_literals // 2]
    n_classes = draw(st.integers(2, 4))
    some = np.array(draw(st.lists(WEIGHTS, min_size=1, max_size=60)), dtype=np.int64)
    return bits, rng.integers(0, n_classes, n_rows), rng.choice(some, n_rows), n_classes


def rows_of(bits, labels, weights, n_classes, n_threads=1, complemented=False):
    words = BitTable.from_columns(bits, bits.shape[1]).words
    return _kernel.Rows(words, labels.astype(np.int32), weights, n_classes, complemented, None, n_threads)


@settings(max_examples=150, deadline=None)
@given(tables(), st.data())
def test_sums_of_all_literals(table, data):
    bits, labels, weights, n_classes = table
    chosen = data.draw(st.lists(st.integers(0, len(bits) - 1), max_size=4))
    decides = data.draw(st.integers(0, n_classes - 1))
    is_complemented = data.draw(st.booleans())
    truth = ~bits if is_complemented else bits
    covered = truth[chosen].all(axis=0)
    signed = np.where(labels == decides, weights, -weights)
    rows = rows_of(*table, complemented=is_complemented)
    packed = _kernel.Part(rows, n_classes)
    found = packed.totals(chosen, decides)
    # merging equal rows takes the same off all classes, which a sum with signs does not see in two classes
    if n_classes == 2:
        assert found.tolist() == (truth & covered).astype(np.int64).dot(signed).tolist()
    assert found.tolist() == packed.totals(chosen, decides, n_threads=3).tolist()


@settings(max_examples=60, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_the_table_is_the_same_for_any_order_and_repetition(table, random):
    bits, labels, weights, n_classes = table
    weights = np.minimum(weights, 4)
    order = np.array(random.sample(range(len(labels)), len(labels)))
    repeated = np.repeat(order, weights[order])
    once = _kernel.Part(rows_of(bits, labels, weights, n_classes), n_classes)
    shuffled = _kernel.Part(rows_of(bits[:, order], labels[order], weights[order], n_classes, 2), n_classes, 2)
    counted = rows_of(bits[:, repeated], labels[repeated], np.ones(len(repeated), dtype=np.int64), n_classes)
    assert once.n_words == shuffled.n_words == _kernel.Part(counted, n_classes).n_words
    assert counted.unavoidable == rows_of(*table[:2], weights, n_classes).unavoidable
    for decides in range(n_classes):
        assert once.totals([0], decides).tolist() == shuffled.totals([0], decides).tolist()


@settings(max_examples=100, deadline=None)
@given(tables())
def test_what_no_rule_avoids(table):
    bits, labels, weights, n_classes = table
    groups: dict[bytes, np.ndarray] = {}
    for row in range(len(labels)):
        groups.setdefault(bits[:, row].tobytes(), np.zeros(n_classes, dtype=np.int64))[labels[row]] += weights[row]
    assert rows_of(*table).unavoidable == sum(int(group.sum() - group.max()) for group in groups.values())
    assert rows_of(*table).n_distinct == len(groups)


@pytest.mark.parametrize("seed", range(150))
def test_prices_and_moves_agree_with_the_query(seed):
    rng = np.random.default_rng(seed)
    is_formula = seed % 2 == 0
    query = random_query(seed) if is_formula else random_pair_query(seed)
    try:
        start = starting_rule(query)
    except InfeasibleError:
        return
    search = kernel_search(Native(), query, start)

    def agrees(price: int, rule) -> bool:
        # the kernel compares a list or set with the one before slot by slot, which may make it seem farther away
        units = query.units(rule)
        return price == units if is_formula or query.near is None else price >= units

    for _ in range(20):
        rule = random_rule(query, rng) if is_formula else random_pair_rule(query, rng)
        # what the constraints forbid has no price
        if query.allows(rule):
            assert agrees(search.price(*query.plain(rule)), rule)
    for n_moves in (1, 2, 5, 30):
        clauses, otherwise, units = search.wander(seed, n_moves, query.scale * 2.0)
        rule = query.from_plain((clauses, otherwise))
        assert search.price(clauses, otherwise) == units
        if query.allows(rule):
            assert agrees(units, rule)


@pytest.mark.parametrize("make", [random_query, random_pair_query])
def test_locked_clauses_are_never_touched(make):
    n_seen = 0
    for seed in range(150):
        query = make(seed)
        if not query.n_locked:
            continue
        try:
            start = starting_rule(query)
        except InfeasibleError:
            continue
        n_seen += 1
        search = kernel_search(Native(effort=1e-3), query, start)
        locked = [(held, decides, sorted(chosen)) for held, decides, chosen in query.plain(start)[0]]
        locked = locked[: query.n_locked]
        found = [search.wander(seed, n_moves, query.scale * 5.0) for n_moves in (0, 3, 50)]
        search.run()
        for clauses, _, _ in (*found, search.best):
            first = [(held, decides, sorted(chosen)) for held, decides, chosen in clauses[: query.n_locked]]
            assert first == locked, seed
    assert n_seen > 30


@pytest.mark.parametrize("kind", ["cnf", "dnf", "list", "set"])
def test_locked_clauses_stay_where_a_sample_is_searched_first(kind):
    """In walks, crossings and epochs, with slots that are alike and such that are not; and on a sample."""
    rng = np.random.default_rng(0)
    bits = rng.random((20, 30_000)) < 0.5
    labels = (bits[0] & bits[1]) | (bits[2] & bits[3])
    labels ^= rng.random(labels.size) < 0.1
    literals = tuple(IsTrue(f"x{j}") for j in range(20))
    is_formula = kind in ("cnf", "dnf")
    locked = tuple(((literals[j], literals[4]), None if is_formula else j == 11) for j in (11, 10))
    query = Query.build(
        kind, literals, BitTable.from_columns(bits, labels.size), labels if is_formula else labels.astype(np.int64),
        n_clauses=5, lam=20.0, constraints=Constraints(locked=locked),
    )  # fmt: skip
    # the locked clauses decide just enough rows, of which a sample may have too few
    least = min(query.n_covered(starting_rule(query))[:2])
    query = replace(query, constraints=replace(query.constraints, min_rows=least))
    start = starting_rule(query)
    answer = Native(effort=0.05).answer(query, start, Deadline())
    assert query.allows(answer.rule)
    assert answer.rule.clauses[:2] == query.locked_clauses
    assert answer.cost < query.cost(start)


def test_a_start_without_the_locked_clauses_is_refused():
    query = random_query(0)
    literals = len(query.literals)
    options = {
        "kind": "formula", "n_classes": 2, "costs": query.literal_costs, "columns": np.zeros(literals, np.int32),
        "lengths": np.zeros(literals, np.int32),
        "near": [], "near_cost": 0, "always": [], "every": [], "reuse_cost": 0, "disjoint": False, "max_literals": -1,
        "min_rows": 0, "unused_slots": True, "needs_literals": False,
    }  # fmt: skip
    unused = (False, 1, [])
    asked = _kernel.Question(n_clauses=2, n_locked=1, **options)
    with pytest.raises(ValueError, match="a locked clause is not held"):
        _kernel.Search(
            query.in_memory.merged(query),
            asked,
            start=[unused, unused],
            otherwise=0,
            seed=0,
            work=1.0,
            n_threads=1,
            unit=1,
        )
    with pytest.raises(ValueError, match="more clauses locked than there are"):
        _kernel.Question(n_clauses=1, n_locked=2, **options)


def test_the_types_are_those_of_the_compiled_module(tmp_path):
    made = tmp_path / "_kernel.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "imli._kernel", "-o", str(made)]
    subprocess.run(command, check=True)
    committed = Path(imli.__file__).parent / "_kernel.pyi"
    assert made.read_text() == committed.read_text()
