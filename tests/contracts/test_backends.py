"""What every backend must do, on the same queries."""

import sys
from functools import cache
from pathlib import Path

import pytest
from support.programs import needs_clasp
from support.queries import random_query

from imli.errors import InfeasibleError
from imli.learning.answer import Answer
from imli.learning.backends import CPSAT, RC2, Brute, ExternalSolver
from imli.learning.backends.brute import all_rules
from imli.learning.deadline import Deadline
from imli.learning.strategies import Exact, starting_rule

N_QUERIES = 600
BATCHES = [range(start, start + 50) for start in range(0, N_QUERIES, 50)]

RC2_PROGRAM = Path(sys.executable).parent / "rc2.py"  # python-sat installs it as a command

BACKENDS = {
    "rc2": RC2(),
    "rc2 with glucose 4": RC2(solver="g4"),
    "cpsat": CPSAT(),
    "clasp": ExternalSolver(["clasp", "--outf=1"]),
    "rc2.py": ExternalSolver([str(RC2_PROGRAM), "-vv", "{file}"]),
}
# a process for each query takes its time
FEWER = {"rc2.py": 1, "rc2 with glucose 4": 2}
# how many batches are not slow
QUICK = {"rc2": 4, "rc2 with glucose 4": 1, "cpsat": 2, "clasp": 2, "rc2.py": 0}


@cache
def best_cost(seed: int) -> float | None:
    """The cost of the best rule by brute force, or None if no rule is allowed."""
    query = random_query(seed)
    try:
        return Brute().answer(query, starting_rule(query), Deadline()).cost
    except InfeasibleError:
        return None


def check_optimal(answer: Answer, query, cost: float) -> None:
    assert answer.cost == query.cost(answer.rule) == cost
    assert query.allows(answer.rule)
    assert (answer.status, answer.bound, answer.gap) == ("optimal", answer.cost, 0.0)


@pytest.mark.parametrize(
    ("name", "seeds"),
    [
        pytest.param(name, seeds, marks=[pytest.mark.slow] if number >= QUICK[name] else [])
        for name in BACKENDS
        for number, seeds in enumerate(BATCHES[: FEWER.get(name)])
    ],
    ids=lambda value: value if isinstance(value, str) else f"{value.start}-{value.stop - 1}",
)
def test_random_queries_are_answered_optimally(name, seeds):
    if name == "clasp":
        needs_clasp()
    backend = BACKENDS[name]
    for seed in seeds:
        query, cost = random_query(seed), best_cost(seed)
        if cost is None:
            with pytest.raises(InfeasibleError, match=r"Loosen|Remove"):
                Exact().answer(query, backend, Deadline())
        else:
            check_optimal(Exact().answer(query, backend, Deadline()), query, cost)


def test_infeasible_is_said_only_where_no_rule_is_allowed():
    """The SAT check of the constraints agrees with trying every rule."""
    n_infeasible = 0
    for seed in range(N_QUERIES):
        query = random_query(seed)
        if best_cost(seed) is None:
            n_infeasible += 1
            assert not any(map(query.allows, all_rules(query))), seed
        else:
            assert query.allows(starting_rule(query)), seed
    assert n_infeasible > 20
