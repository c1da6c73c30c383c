"""What every backend must do, on the same queries."""

import pytest
from queries import random_query

from imli.backends import find_backend
from imli.constraints import InfeasibleError
from imli.deadline import Deadline
from imli.feasibility import starting_rule
from imli.strategies import Exact

N_QUERIES = 600
BATCHES = [range(start, start + 50) for start in range(0, N_QUERIES, 50)]


def brute_cost(query):
    """The cost of the best rule by brute force, or None if no rule is allowed."""
    brute = find_backend("brute")
    try:
        start = starting_rule(query)
    except InfeasibleError:
        return None
    return brute.answer(query, start, Deadline()).cost


@pytest.mark.parametrize("backend", ["rc2"])
@pytest.mark.parametrize("seeds", BATCHES, ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")
def test_random_queries_are_answered_optimally(backend, seeds):
    for seed in seeds:
        query = random_query(seed)
        best = brute_cost(query)
        if best is None:
            with pytest.raises(InfeasibleError, match="Loosen|Remove"):
                Exact().answer(query, find_backend(backend), Deadline())
            continue
        answer = Exact().answer(query, find_backend(backend), Deadline())
        assert answer.cost == query.cost(answer.rule), seed
        assert query.allows(answer.rule), seed
        assert answer.cost == best, seed
        assert (answer.status, answer.bound, answer.gap) == ("optimal", answer.cost, 0.0), seed


def test_infeasible_is_said_only_where_no_rule_is_allowed():
    """The SAT check of the constraints agrees with trying every rule."""
    from imli.backends.brute import all_rules

    n_infeasible = 0
    for seed in range(N_QUERIES):
        query = random_query(seed)
        if query.constraints == type(query.constraints)():
            continue
        try:
            assert query.allows(starting_rule(query)), seed
        except InfeasibleError:
            n_infeasible += 1
            assert not any(map(query.allows, all_rules(query))), seed
    assert n_infeasible > 20
