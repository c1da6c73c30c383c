import numpy as np
import pytest

from imli.learning.backends.maxsat import lower
from imli.learning.bits import BitTable
from imli.learning.query import Query
from imli.rules.literals import IsTrue


def random_paper_query(seed, kind="cnf"):
    rng = np.random.default_rng(seed)
    n_rows, n_literals = rng.integers(1, 30), rng.integers(1, 12)
    truth = rng.random((n_rows, n_literals)) < rng.random()
    query = Query.build(
        kind,
        tuple(IsTrue(f"c{j}") for j in range(n_literals)),
        BitTable.from_columns(truth.T, int(n_rows)),
        rng.random(n_rows) < 0.5,
        n_clauses=int(rng.integers(1, 5)),
        lam=0.1,
        unused_slots=False,
    )
    return query, truth


@pytest.mark.parametrize("seed", range(20))
def test_the_papers_encoding_has_exactly_its_variables_and_clauses(seed):
    query, truth = random_paper_query(seed)
    encoding = lower(query)
    n, m, k = query.n_rows, len(query.literals), query.n_clauses
    n_positive = int(query.in_memory.labels.sum())
    n_negative = n - n_positive
    assert encoding.n_variables == k * m + n + k * n_negative
    rejected = truth[~query.in_memory.labels].sum(axis=1)
    assert encoding.n_clauses == k * m + n + k * n_positive + int((k * rejected + 1).sum())
    # propositions 1 and 2 of the paper are upper bounds
    assert encoding.n_clauses <= k * m + n + k * n_positive + (k * m + 1) * n_negative


def test_the_papers_example_clause_by_clause():
    """Section 5.2's four rows: b are 1 to 8, η 9 to 12, z 13 to 16 (slot by slot, for rows 2 and 3)."""
    truth = np.array([[0, 1, 0, 1], [0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 1, 0]], dtype=bool)
    query = Query.build(
        "cnf",
        (IsTrue("x1"), IsTrue("x1", True), IsTrue("x2"), IsTrue("x2", True)),
        BitTable.from_columns(truth.T, 4),
        np.array([True, False, False, True]),
        n_clauses=2,
        lam=0.1,
        unused_slots=False,
    )
    encoding = lower(query)
    assert encoding.soft == [[-v] for v in (9, 10, 11, 12, 1, 2, 3, 4, 5, 6, 7, 8)]
    assert encoding.soft_weights == [10] * 4 + [1] * 8
    assert list(encoding.groups) == ["rows"]
    assert sorted(map(sorted, encoding.hard)) == sorted(
        map(
            sorted,
            [
                [9, 2, 4], [9, 6, 8],  # row 1: ¬η1 → (b2 ∨ b4) ∧ (b6 ∨ b8)
                [12, 1, 3], [12, 5, 7],  # row 4
                [10, 13, 15], [-13, -2], [-13, -3], [-15, -6], [-15, -7],  # row 2: ¬η2 → z ∨ z′, z → ¬b2 ∧ ¬b3
                [11, 14, 16], [-14, -1], [-14, -4], [-16, -5], [-16, -8],  # row 3
            ],
        )
    )  # fmt: skip
    assert encoding.n_variables == 16


def test_a_rule_survives_the_way_to_a_model_and_back():
    from support.queries import random_query, random_rule

    for seed in range(50):
        query = random_query(seed)
        rule = random_rule(query, np.random.default_rng(seed))
        encoding = lower(query)
        back = encoding.rule(encoding.model(rule))
        assert sorted(back.clauses, key=str) == sorted(rule.clauses, key=str)
        if query.near is not None:
            assert back.slots == rule.slots
