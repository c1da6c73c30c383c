import pytest
from support.queries import random_query

from imli.errors import RefusedError
from imli.learning.backends import Brute, find_backend
from imli.learning.deadline import Deadline
from imli.learning.strategies import starting_rule


def test_it_refuses_what_it_cannot_finish():
    query = random_query(3)
    with pytest.raises(
        RefusedError,
        match=r"Backend 'brute' cannot handle: n_clauses=\d over \d literals. That is more than the 1 rules",
    ):
        Brute(max_rules=1).check(query, Deadline())


def test_a_deadline_ends_it_with_the_rule_it_has():
    query = random_query(3)
    answer = Brute().answer(query, starting_rule(query), Deadline.after(0))
    assert answer.status == "feasible"
    assert (answer.cost, answer.bound) == (query.cost(answer.rule), 0.0)


def test_backends_are_found_by_name():
    assert find_backend("auto").name == "native"
    with pytest.raises(ValueError) as error:
        find_backend("rc3")
    assert (
        str(error.value) == "backend must be one of 'auto', 'native', 'rc2', 'cpsat', 'brute', or a Backend. Got 'rc3'."
    )
    with pytest.raises(TypeError, match="backend must be a name or a Backend. Got 3."):
        find_backend(3)
