"""A proof of a rule over very many literals keeps to the time limit, and makes no table that is larger than memory."""

import numpy as np
import pytest

from imli.learning.backends import RC2
from imli.learning.bits import BitTable
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.learning.strategies import proof
from imli.rules.literals import IsTrue


def query_of(n_literals, n_rows=4):
    truth = np.random.default_rng(0).random((n_literals, n_rows)) < 0.5
    literals = tuple(IsTrue(f"c{n}") for n in range(n_literals))
    labels = np.arange(n_rows) % 2 == 0
    return Query.build("dnf", literals, BitTable.from_columns(truth, n_rows), labels, n_clauses=1, lam=0.1)


@pytest.mark.parametrize(("n_literals", "seconds"), [(6000, None), (4000, 0.1)])
def test_pairs_of_literals_are_left_where_there_are_too_many_or_no_time(n_literals, seconds, monkeypatch):
    monkeypatch.setattr(proof, "_dominated", lambda *_: pytest.fail("This takes too long."))
    query = query_of(n_literals)
    assert len(proof.reduced(query, Deadline.after(seconds)).query.literals) == n_literals


def test_literals_that_another_dominates_go_where_there_is_time():
    query = query_of(40)
    smaller = proof.reduced(query, Deadline.after(60))
    assert len(smaller.query.literals) < 40


def test_no_clause_is_looked_at_after_the_time_limit(monkeypatch):
    query = query_of(40)
    run = proof._Proof(query, RC2(), query.rule((None,)))
    monkeypatch.setattr(run, "_improve", lambda *_: pytest.fail("The time is up."))
    run.certify_clauses(Deadline.after(0))
    assert not run.is_clause_optimal
