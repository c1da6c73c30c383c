"""Searches that look at some of the rows, and adapt their rule to all: by brute force, and beside those on all."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from support.queries import random_pair_query, random_query

from imli.errors import InfeasibleError
from imli.learning.backends import Native
from imli.learning.bits import BitTable, LateBits, tabulate
from imli.learning.constraints import Constraints
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.learning.rows import coreset
from imli.learning.rows.coreset import Core
from imli.learning.rows.in_memory import RowsInMemory
from imli.learning.strategies import starting_rule
from imli.learning.vocabulary import Binning
from imli.table.read import as_frame

NO_END = Deadline()


def many_rows(seed: int, n_rows: int = 600) -> Query:
    """A random query on more rows, with a rule in their labels."""
    rng = np.random.default_rng(seed)
    query = random_query(seed) if seed % 2 else random_pair_query(seed)
    truth = rng.random((len(query.literals), n_rows)) < 0.5
    labels = (truth[0] ^ (rng.random(n_rows) < 0.1)).astype(np.int64)
    return replace(
        query,
        rows=RowsInMemory(
            BitTable.from_columns(truth, n_rows),
            labels.astype(bool) if query.is_formula else labels,
            query.scale * rng.integers(1, 3, n_rows),
        ),
        near=None,
        move_costs=None,
    )


def answer(query: Query, **options):
    return Native(effort=0.001, **options).answer(query, starting_rule(query), NO_END)


@pytest.fixture
def few_rows(monkeypatch):
    def limit(n: int) -> None:
        monkeypatch.setattr(coreset, "MOST_ROWS", n)

    return limit


def is_local_best(query: Query, rule) -> bool:
    """Whether no change of one place is better."""
    clauses, otherwise = query.plain(rule)
    units = query.units(rule)
    for slot in range(query.n_locked, len(clauses)):
        held, decides, literals = clauses[slot]
        if not held:
            continue
        for place in range(len(literals) + 1):
            kept = literals[:place] + literals[place + 1 :]
            for option in [kept, *([*kept, j] for j in range(len(query.literals)) if j not in literals)]:
                changed = query.from_plain(
                    ([*clauses[:slot], (True, decides, option), *clauses[slot + 1 :]], otherwise)
                )
                if query.allows(changed) and query.units(changed) < units:
                    return False
    return True


@pytest.mark.parametrize("seed", range(120))
def test_a_rule_from_some_of_the_rows_is_adapted_to_all(seed, few_rows):
    query = many_rows(seed)
    try:
        few_rows(3)
        found = answer(query)
    except InfeasibleError:
        return
    assert query.allows(found.rule)
    assert found.cost == query.cost(found.rule)
    assert found.bound <= found.cost
    if query.kind != "list" or query.constraints.min_rows is None:
        assert is_local_best(query, found.rule) or found.rule == starting_rule(query)


@pytest.mark.parametrize("seed", range(60))
def test_where_all_different_rows_fit_nothing_changes(seed, few_rows):
    query = many_rows(seed)
    try:
        expected = answer(query)
    except InfeasibleError:
        return
    few_rows(40)
    assert query.rows.core(query).has_all
    found = answer(query)
    assert (found.rule, found.cost, found.bound) == (expected.rule, expected.cost, expected.bound)


def test_the_order_of_the_rows_does_not_matter(few_rows):
    few_rows(5)
    rng = np.random.default_rng(0)
    for seed in range(20):
        query = replace(many_rows(seed), constraints=Constraints())
        shuffled = query.on_rows(rng.permutation(query.n_rows))
        assert answer(query).rule == answer(shuffled, n_threads=2).rule


def test_progress_is_told_in_costs_of_all_rows(few_rows):
    few_rows(3)
    told = []
    found = answer(many_rows(4), on_progress=told.append)
    assert told[-1].cost == found.cost


@pytest.mark.parametrize("n_rows", [64, 190, 257])
def test_bits_made_in_pieces_are_those_of_the_whole_table(n_rows):
    rng = np.random.default_rng(n_rows)
    frame = as_frame(
        {
            "number": np.where(rng.random(n_rows) < 0.2, np.nan, rng.integers(-3, 4, n_rows) / 2),
            "whole": rng.integers(-50, 50, n_rows),
            "text": [None if code == 3 else "abcd"[code] for code in rng.integers(0, 4, n_rows).tolist()],
            "flag": rng.random(n_rows) < 0.5,
        }
    )
    literals = Binning().literals(frame)
    late, whole = LateBits(frame, literals), tabulate(frame, literals)
    pieces = list(late.pieces(64))
    assert [rows for rows, _ in pieces] == [slice(b, min(b + 64, n_rows)) for b in range(0, n_rows, 64)]
    assert np.array_equal(np.concatenate([piece.dense() for _, piece in pieces]), whole.dense())
    assert all(np.array_equal(late.column(j), whole.column(j)) for j in range(late.n_columns))
    assert "words" not in vars(late)
    assert np.array_equal(late.words, whole.words)
    assert np.array_equal(np.concatenate([piece.dense() for _, piece in late.pieces(64)]), whole.dense())
    for j, literal in enumerate(literals):
        assert np.array_equal(whole.column(j), literal.holds(frame[literal.column]))


@pytest.mark.parametrize("n_literals", [1, 63, 64, 130])
def test_keys_of_a_core_become_columns(n_literals):
    truth = np.random.default_rng(n_literals).random((n_literals, 200)) < 0.5
    labels, weights = truth[0].astype(np.int64), np.ones(200, dtype=np.int64)
    core = Core.of(BitTable.from_columns(truth, 200), labels, weights, 2)
    table, classes, units, counts = core.table()
    found = Counter({(*row, label): n for row, label, n in zip(map(tuple, table.dense()), classes, units, strict=True)})
    assert found == Counter((*row, label) for row, label in zip(map(tuple, truth.T), labels, strict=True))
    assert counts.sum() == 200
