"""Revising clause by clause, with every backend: never dearer, always allowed, and one clause is the best there is."""

import pytest
from support.queries import random_pair_query, random_query

from imli.errors import InfeasibleError
from imli.learning.backends import find_backend
from imli.learning.deadline import Deadline
from imli.learning.strategies import Exact, Revising, starting_rule
from imli.rules.distance import aligned, distance, n_moved
from imli.rules.parse import parse_rule


@pytest.mark.parametrize("make", [random_query, random_pair_query])
@pytest.mark.parametrize("backend", ["brute", "rc2", "cpsat", "native"])
def test_a_revision_is_allowed_and_never_dearer(make, backend):
    solver, n_better, n_best = find_backend(backend, effort=0.001), 0, 0
    for seed in range(60):
        query = make(seed)
        try:
            start = starting_rule(query)
        except InfeasibleError:
            continue
        answer = Revising().answer(query, solver, Deadline(), start=start)
        assert query.allows(answer.rule), seed
        assert answer.cost == query.cost(answer.rule) <= query.cost(start), seed
        n_better += answer.cost < query.cost(start)
        if query.is_formula and query.n_free == 1 and backend != "native":
            best = Exact().answer(query, find_backend("brute"), Deadline())
            assert answer.cost == best.cost, seed
            n_best += 1
    assert n_better > 2
    assert n_best > 10 or make is random_pair_query or backend == "native"


def test_a_clause_that_comes_in_between_moves_no_other():
    before = parse_rule("IF a THEN 1 ELSE IF b AND c THEN 2 ELSE 3")
    after = parse_rule("IF a THEN 1 ELSE IF d THEN 3 ELSE IF b AND e THEN 2 ELSE 3")
    assert distance(after, before) == 3  # d came; c went, e came
    pairs = [([str(each) for each in new or ()], [str(each) for each in old or ()]) for new, old, _ in
             aligned(after, before, n_moved)]  # fmt: skip
    assert pairs == [(["a"], ["a"]), (["d"], []), (["b", "e"], ["b", "c"])]
    assert distance(before, after) == 3
    assert distance(before, before) == 0


def test_formulas_are_compared_slot_by_slot():
    assert distance(parse_rule("a OR b AND c"), parse_rule("b AND c OR a")) == 6
