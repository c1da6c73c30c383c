"""Conditions together: whatever some rule meets is met, what no rule meets is refused, and prices are those printed."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from support.queries import random_pair_query, random_query

from imli import CNFClassifier, DecisionListClassifier, DNFClassifier, parse_literal
from imli.errors import ConstantRuleWarning, InfeasibleError
from imli.learning.backends import CPSAT, RC2, Brute
from imli.learning.backends.brute import all_rules
from imli.learning.constraints import Constraints
from imli.learning.deadline import Deadline
from imli.learning.strategies import Exact, starting_rule

QUICK = {"effort": 0.02, "lam": 0.01, "bins": 3}
SEEDS = [range(1100, 1300), pytest.param(range(6000), marks=pytest.mark.slow)]


@pytest.mark.parametrize("seeds", SEEDS, ids=len)
def test_a_list_or_set_is_found_wherever_one_is_allowed(seeds):
    n_refused = 0
    for seed in seeds:
        query, rng = random_pair_query(seed), np.random.default_rng(seed)
        columns = dict.fromkeys(literal.column for literal in query.literals)
        always = tuple(column for column in columns if rng.random() < 0.6)
        asked = replace(query.constraints, min_rows=int(rng.integers(1, 5)), always=always, never=(), every=())
        query = replace(query, constraints=asked)
        try:
            assert query.allows(starting_rule(query)), seed
        except InfeasibleError:
            assert not any(map(query.allows, all_rules(query))), seed
            n_refused += 1
    assert 0 < n_refused < len(seeds)


def test_the_conflict_names_the_room_that_there_is():
    X = {"a": [0, 0, 1, 1], "b": [False, True, False, True]}
    with pytest.raises(InfeasibleError) as error:
        DecisionListClassifier(n_clauses=2, always=["a", "b"], min_rows=4, **QUICK).fit(X, [0, 1, 1, 0])
    assert "with at most 2 clauses" in str(error.value)


@pytest.mark.parametrize(
    "seeds", [range(600, 1400), pytest.param(range(1400, 40_000), marks=pytest.mark.slow)], ids=len
)
def test_a_second_use_of_a_column_costs_the_same_everywhere(seeds):
    n_tried = 0
    for seed in seeds:
        query = random_query(seed)
        if not (query.reuse_cost and query.constraints.locked):
            continue
        n_tried += 1
        costs = [query.units(rule) for rule in all_rules(query) if query.allows(rule)]
        for backend in (Brute(), RC2(), CPSAT()) if costs else ():
            answer = Exact().answer(query, backend, Deadline())
            assert query.units(answer.rule) == min(costs), (seed, backend)
            assert answer.cost == answer.bound == query.cost(answer.rule), (seed, backend)
    assert n_tried > 50


@pytest.mark.parametrize(("kind", "parameter"), [*product([DNFClassifier, CNFClassifier], ["never", "monotone"])])
def test_neither_a_locked_clause_nor_what_forbids_it_gives_way(kind, parameter):
    X = {"a": [0, 1, 2, 3], "b": [False, True, False, True]}
    forbidden, written = {"never": ("b", "never='b'"), "monotone": ({"b": -1}, "monotone={'b': -1}")}[parameter]
    text = "a > 1 AND b" if kind is DNFClassifier else "(a > 1 OR b)"
    with pytest.raises(InfeasibleError) as error:
        kind(locked=text, **{parameter: forbidden}, **QUICK).fit(X, [0, 1, 0, 1])
    assert str(error.value) == (
        f"The locked clause {text.strip('()')!r} has the literal 'b', but {written} forbids it. Remove one of the two."
    )


def test_of_truth_values_true_is_the_larger():
    truths = np.array([False, True] * 20)
    for direction in (1, -1):
        labels = (truths if direction == 1 else ~truths).astype(int)
        rule = DNFClassifier(monotone={"b": direction}, positive=1, **QUICK).fit({"b": truths}, labels).rule_
        assert str(rule.literals[0]) == ("b" if direction == 1 else "not b")
    with pytest.warns(ConstantRuleWarning):
        assert not DNFClassifier(monotone={"b": -1}, positive=1, **QUICK).fit({"b": truths}, truths * 1).rule_.literals
    assert Constraints(monotone={"b": -1}).forbids(parse_literal("not b")) is None
    assert Constraints(monotone={"b": 1}).forbids(parse_literal("not b")) == "monotone={'b': 1}"
