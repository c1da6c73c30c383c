"""The joint strategy: what it proves, checked by trying every rule."""

from dataclasses import replace
from itertools import chain, combinations
from time import monotonic

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from support.queries import random_pair_query, random_query

from imli import CNFClassifier, DecisionListClassifier, DNFClassifier
from imli.errors import InfeasibleError
from imli.learning.answer import Answer
from imli.learning.backends import Brute, Native
from imli.learning.deadline import Deadline
from imli.learning.strategies import Joint, starting_rule
from imli.learning.strategies.proof import prove
from imli.rules import Formula

LITTLE = Native(effort=0.001)


def test_random_formulas_are_proven_optimal():
    for seed in range(300):
        query = random_query(seed)
        try:
            start = starting_rule(query)
        except InfeasibleError:
            continue
        answer = Joint(prove=True).answer(query, LITTLE, Deadline())
        best = Brute().answer(query, start, Deadline())
        assert (answer.cost, answer.bound, answer.status) == (best.cost, best.cost, "optimal"), seed


def all_clauses(query):
    return chain.from_iterable(combinations(query.literals, n) for n in range(len(query.literals) + 1))


def one_clause_away(query, rule):
    """Every rule that differs in one clause."""
    if isinstance(rule, Formula):
        slots = [*rule.slots, *[None] * (query.n_clauses - len(rule.slots))]
        for i in range(len(slots)):
            for clause in (None, *all_clauses(query)):
                yield query.rule((*slots[:i], clause, *slots[i + 1 :]))
        return
    pairs = [(clause, query.classes.index(label)) for clause, label in rule.pairs]
    default = query.classes.index(rule.default)
    for i in range(len(pairs) + 1):
        yield query.pair_rule(pairs[:i] + pairs[i + 1 :], default)
        for clause in all_clauses(query):
            for decides in range(len(query.classes)):
                yield query.pair_rule([*pairs[:i], (clause, decides), *pairs[i + 1 :]], default)
                yield query.pair_rule([*pairs[:i], (clause, decides), *pairs[i:]], default)


@pytest.mark.parametrize("make", [random_query, random_pair_query])
def test_clause_optimal_means_what_it_says(make):
    n_certified = 0
    for seed in range(120):
        query = make(seed)
        try:
            start = starting_rule(query)
        except InfeasibleError:
            continue
        begin = Answer(start, query.cost(start), 0.0, "feasible", 0.0, query.scope, "none")
        proven = prove(replace(query), begin, Deadline())
        assert proven.cost == query.cost(proven.rule) <= begin.cost
        if proven.is_clause_optimal:
            n_certified += 1
            for other in one_clause_away(query, proven.rule):
                assert not query.allows(other) or query.cost(other) >= proven.cost, seed
    assert n_certified > 45


def test_what_is_proven_is_said():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    rule = CNFClassifier(n_clauses=2, bins=4, lam=3, prove=3.0, effort=0.05).fit(X.iloc[:, :6], y)
    assert rule.answer_.is_clause_optimal
    assert 0 < rule.answer_.bound <= rule.answer_.cost
    assert "changing one clause cannot lower the cost" in str(rule.answer_) or rule.answer_.status == "optimal"
    unproven = CNFClassifier(n_clauses=2, bins=4, lam=3, effort=0.05).fit(X.iloc[:, :6], y)
    assert not unproven.answer_.is_clause_optimal


def test_one_clause_on_breast_cancer_is_proven_optimal():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    classifier = DNFClassifier(n_clauses=1, lam=1, binning="uniform", intervals="closed", prove=True, effort=0.1)
    assert classifier.fit(X, y).answer_.status == "optimal"


@pytest.mark.alone
def test_a_proof_keeps_to_its_budget():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    began = monotonic()
    answer = CNFClassifier(n_clauses=4, lam=0.3, prove=1.0, effort=0.05).fit(X, y).answer_
    assert monotonic() - began < 4
    assert answer.status == "feasible"


def test_lists_are_certified_clause_by_clause():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    answer = DecisionListClassifier(n_clauses=2, bins=4, prove=20.0, effort=0.05).fit(X.iloc[:, :5], y).answer_
    assert answer.is_clause_optimal
    assert answer.status == "feasible"


def test_proof_is_for_the_joint_strategy():
    with pytest.raises(ValueError) as error:
        DNFClassifier(strategy="exact", prove=True).fit([[0], [1]], [0, 1])
    assert str(error.value) == "DNFClassifier: prove is for strategy='joint'. Got strategy='exact'."
    with pytest.raises(ValueError, match="prove must be a positive number of seconds, or True or False. Got 'yes'."):
        DNFClassifier(prove="yes").fit([[0], [1]], [0, 1])


@pytest.mark.filterwarnings("ignore::imli.ConstantRuleWarning")  # next to no effort
def test_a_warm_start_goes_on_from_the_last_rule():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    classifier = DNFClassifier(n_clauses=3, lam=2, effort=0.2, warm_start=True).fit(X, y)
    cost = classifier.answer_.cost
    classifier.set_params(effort=1e-6, random_state=1).fit(X, y)
    assert classifier.answer_.cost <= cost
    cold = DNFClassifier(n_clauses=3, lam=2, effort=1e-6, random_state=1).fit(X, y)
    assert cold.answer_.cost > cost
    # literals of the last rule stay in the vocabulary, even if other cuts are asked for now
    classifier.set_params(bins=3).fit(X, y)
    assert classifier.answer_.cost <= cost
    # a rule that is no longer allowed is no start
    banned = classifier.rule_.columns[0]
    assert banned not in classifier.set_params(never=banned).fit(X, y).rule_.columns


def test_progress_can_be_printed(capsys):
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5), np.array([0, 1, 1, 1] * 5)
    heard = []
    DNFClassifier(lam=0.1, verbose=1, callback=heard.append).fit(X, y)
    assert capsys.readouterr().out == f"[imli] {heard[0]}\n"
    assert heard[0].cost == 0.2
