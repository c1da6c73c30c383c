"""A reduced query has the same best cost, and its best rule is one of the given query."""

import pytest
from support.queries import batches, random_query

from imli.errors import InfeasibleError
from imli.learning.backends import RC2, Brute
from imli.learning.deadline import Deadline
from imli.learning.strategies import Exact, starting_rule
from imli.learning.strategies.proof import reduced


@pytest.mark.parametrize("seeds", batches(600, 100, quick=2), ids=lambda r: r.start)
def test_the_best_cost_stays(seeds):
    n_smaller = 0
    for seed in seeds:
        query = random_query(seed)
        try:
            start = starting_rule(query)
        except InfeasibleError:
            continue
        best = Brute().answer(query, start, Deadline())
        smaller = reduced(query)
        n_smaller += smaller.query.n_rows < query.n_rows or len(smaller.query.literals) < len(query.literals)
        found = Brute().answer(smaller.query, starting_rule(smaller.query), Deadline())
        assert round(found.cost * query.scale) + smaller.offset == round(best.cost * query.scale), seed
        assert query.allows(found.rule)
        assert query.cost(found.rule) == best.cost, seed
    assert n_smaller > 50


def test_an_order_of_the_clauses_loses_no_best_rule():
    for seed in range(200):
        query = random_query(seed)
        try:
            best = Exact().answer(query, Brute(), Deadline()).cost
        except InfeasibleError:
            continue
        ordered = Exact().answer(query, RC2(ordered_slots=True), Deadline())
        assert (ordered.cost, ordered.status) == (best, "optimal"), seed
