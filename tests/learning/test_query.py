import pickle
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from support.programs import needs_clasp
from support.queries import random_query, random_rule

from imli import CNF, DNF, DecisionList
from imli.errors import InfeasibleError
from imli.learning.backends import ExternalSolver, find_backend
from imli.learning.bits import BitTable
from imli.learning.constraints import Constraints
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.learning.strategies import Exact, starting_rule
from imli.rules.literals import Compare, IsTrue

X1, X2 = IsTrue("x1"), IsTrue("x2")
NOT_X1, NOT_X2 = X1.opposite(), X2.opposite()
BITS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=bool)


def xor_query(kind="cnf", labels=(True, False, False, True), **options):
    columns = [BITS[:, 0], ~BITS[:, 0], BITS[:, 1], ~BITS[:, 1]]
    table = BitTable.from_columns(columns, 4)
    options = {"n_clauses": 2, "lam": 0.1} | options
    return Query.build(kind, (X1, NOT_X1, X2, NOT_X2), table, np.array(labels), **options)


@pytest.mark.parametrize("backend", ["rc2", "brute", "cpsat", "clasp"])
@pytest.mark.parametrize("paper", [False, True])
def test_the_papers_worked_example(backend, paper):
    if backend == "clasp":
        needs_clasp()
    solver = ExternalSolver(["clasp", "--outf=1"]) if backend == "clasp" else find_backend(backend)
    answer = Exact(paper=paper).answer(xor_query(), solver, Deadline())
    assert answer.cost == 0.4
    assert answer.status == "optimal"
    assert {frozenset(clause) for clause in answer.rule.clauses} == {
        frozenset((X1, NOT_X2)),
        frozenset((NOT_X1, X2)),
    }


def test_the_dnf_of_the_example_has_the_same_cost():
    answer = Exact().answer(xor_query("dnf"), find_backend("rc2"), Deadline())
    assert answer.cost == 0.4
    assert {frozenset(clause) for clause in answer.rule.clauses} == {
        frozenset((X1, X2)),
        frozenset((NOT_X1, NOT_X2)),
    }


def test_cost_adds_errors_literals_and_reuse():
    query = xor_query(
        lam=0.5, row_weights=np.array([1.0, 2.0, 4.0, 8.0]), feature_costs={"x2": 3.0, NOT_X2: 0.0}, reuse_cost=0.25
    )
    rule = CNF(((X1, X2), (X1, NOT_X2)))  # true where x1: wrong on rows 0 and 2
    assert query.cost(rule) == (1 + 4) + (0.5 + 1.5 + 0.5 + 0.0) + 2 * 0.25


def test_near_a_rule_only_changes_cost_slot_by_slot():
    query = replace(xor_query(), near=CNF((None, (X1, X2))))
    assert query.cost(CNF((None, (X1, X2)))) == query.cost(CNF((None, (X1, X2)))) // 1  # no literals to pay for
    same, swapped = CNF((None, (X1, X2))), CNF(((X1, X2), None))
    assert query.cost(swapped) - query.cost(same) == pytest.approx(0.4)
    assert query.cost(CNF(((), ()))) == pytest.approx(2 + 0.2)


def test_hamming_distance_of_the_papers_example():
    rule, before = CNF(((X1, X2), (NOT_X1,))), CNF(((NOT_X1, X2), (NOT_X1,)))
    query = xor_query(lam=1.0)
    near = replace(query, near=before)
    errors = query.cost(rule) - 3
    assert near.cost(rule) == errors + 2


def test_answers_say_what_is_proven():
    answer = Exact().answer(xor_query(), find_backend("rc2"), Deadline())
    scope = "CNF rules of at most 2 clauses over 4 conditions, on 4 rows"
    assert str(answer) == f"Cost 0.4. Proven optimal among all {scope}."
    half_proven = replace(answer, bound=0.3, status="feasible")
    assert str(half_proven) == "Cost 0.4. Best rule found; the best possible costs at least 0.3."
    assert half_proven.gap == pytest.approx(0.25)
    unproven = replace(answer, bound=0.0, status="feasible")
    assert str(unproven) == "Cost 0.4. Best rule found; not proven optimal."
    assert unproven.details == f"Searched: all {scope}."


def test_queries_and_answers_pickle():
    query = random_query(7)
    copy = pickle.loads(pickle.dumps(query))
    rule = random_rule(query, np.random.default_rng(0))
    assert copy.cost(rule) == query.cost(rule)
    answer = Exact().answer(xor_query(), find_backend("rc2"), Deadline())
    assert pickle.loads(pickle.dumps(answer)) == answer


def test_the_random_queries_cover_every_feature():
    """The contract of the backends is only as good as the queries it is tested on."""
    seen = Counter()
    for seed in range(600):
        query = random_query(seed)
        constraints = query.constraints
        seen.update(
            name
            for name, used in {
                "cnf": query.kind == "cnf",
                "dnf": query.kind == "dnf",
                "k=2": query.n_clauses == 2,
                "k=3": query.n_clauses == 3,
                "near": query.near is not None,
                "near at a cost": query.near is not None and query.move_costs is not None,
                "paper": not query.unused_slots,
                "weights": len(set(query.in_memory.weights.tolist())) > 1,
                "feature costs": len(set(query.literal_costs.tolist())) > 1,
                "rounded": query.rounding > 0,
                "reuse cost": query.reuse_cost > 0,
                "never": bool(constraints.never),
                "always": bool(constraints.always),
                "every": bool(constraints.every),
                "disjoint": constraints.disjoint,
                "max_literals": constraints.max_literals is not None,
                "min_rows": constraints.min_rows is not None,
                "monotone": bool(constraints.monotone),
                "locked": bool(constraints.locked),
                "all locked": query.n_free == 0,
                "some locked": 0 < query.n_locked < query.n_clauses,
            }.items()
            if used
        )
    assert len(seen) == 21
    assert min(seen.values()) >= 40, seen


def test_looser_constraints_never_raise_the_optimum():
    brute = find_backend("brute")
    for seed in range(100):
        query = random_query(seed)
        try:
            tight = Exact().answer(query, brute, Deadline()).cost
        except InfeasibleError:
            continue
        for name in ("never", "always", "every", "disjoint", "max_literals", "min_rows", "monotone", "locked"):
            looser = replace(query.constraints, **{name: getattr(Constraints(), name)})
            assert Exact().answer(replace(query, constraints=looser), brute, Deadline()).cost <= tight


@pytest.mark.parametrize(
    ("constraints", "sentence"),
    [
        (
            Constraints(never=("x1",), always=("x1",)),
            "Column 'x1' is in both never and always. Remove it from one.",
        ),
        (
            Constraints(never=(X1,), always=(X1,)),
            "Literal 'x1' is in both never and always. Remove it from one.",
        ),
        (
            Constraints(never=("x1",), always=(X1,)),
            "Literal 'x1' is in always, but never='x1' forbids it. Remove one of the two.",
        ),
        (
            Constraints(monotone={"x1": -1}, every=(X1,)),
            "Literal 'x1' is in always, but monotone={'x1': -1} forbids it. Remove one of the two.",
        ),
        (
            Constraints(always=("x1", "x2"), max_literals=1, min_rows=1),
            "No rule with at most 2 clauses meets these constraints together: "
            "always='x1', always='x2', max_literals=1. Loosen one of them.",
        ),
        (
            Constraints(always=("x1",), min_rows=5),
            "No rule with at most 2 clauses meets these constraints together: "
            "always='x1', min_rows=5. Loosen one of them.",
        ),
        (
            Constraints(always=("x3",)),
            "Column 'x3' is in always, but there is no literal on it: it has the same value in all rows. "
            "Remove it from always.",
        ),
        (
            Constraints(locked=(((X1, X2), None),), never=("x2",)),
            "The locked clause 'x1 OR x2' has the literal 'x2', but never='x2' forbids it. Remove one of the two.",
        ),
        (
            Constraints(locked=(((X1,), None),), monotone={"x1": -1}),
            "The locked clause 'x1' has the literal 'x1', but monotone={'x1': -1} forbids it. Remove one of the two.",
        ),
        (
            Constraints(locked=(((X1,), None),), every=(X2,)),
            "The locked clause 'x1' lacks 'x2', but always=Every('x2') asks for it in each clause. "
            "Add it, or remove one of the two.",
        ),
        (
            Constraints(locked=(((X1,), None), ((NOT_X1, X2), None)), disjoint=True),
            "The locked clauses 'x1' and 'not x1 OR x2' share the column 'x1', but disjoint=True forbids it. "
            "Remove one of the three.",
        ),
        (
            Constraints(locked=(((X1,), None), ((X2,), None)), max_literals=1),
            "The locked clauses have 2 literals, but max_literals=1. Raise it, or remove a locked clause.",
        ),
        (
            Constraints(locked=(((X1, NOT_X1), None),), min_rows=1),
            "The locked clause 'x1 OR not x1' decides 0 rows, but min_rows=1. Loosen it, or remove the clause.",
        ),
        (
            Constraints(locked=(((X1,), None), ((), None)), always=("x2",)),
            "No locked clause has 'x2', which is in always, and there is no room for other clauses. "
            "Remove it from always, or raise n_clauses.",
        ),
        (
            Constraints(locked=(((X1,), None),), always=("x2",), max_literals=1),
            "No rule with at most 1 clause beside 1 locked meets these constraints together: "
            "locked='x1', always='x2', max_literals=1. Loosen one of them.",
        ),
    ],
)
def test_contradictions_are_named_before_the_search(constraints, sentence):
    with pytest.raises(InfeasibleError) as error:
        Exact().answer(xor_query(constraints=constraints), find_backend("rc2"), Deadline())
    assert str(error.value) == sentence


def test_locked_clauses_are_asked_for_as_they_are_and_first():
    query = xor_query(constraints=Constraints(locked=(((X2, X1), None),)))
    assert query.allows(CNF(((X2, X1), (NOT_X1,))))
    assert query.allows(CNF(((X2, X1), None)))
    assert not query.allows(CNF(((NOT_X1,), (X2, X1))))
    assert not query.allows(CNF(((X2, X1, NOT_X1),)))
    assert not query.allows(CNF())
    assert query.cost(CNF(((X2, X1),))) == pytest.approx(3 + 0.2)  # literals cost the same, locked or not
    assert query.scope == "CNF rules of at most 1 clause beside 1 locked over 4 conditions, on 4 rows"
    pairs = replace(
        query,
        kind="list",
        rows=replace(query.in_memory, labels=query.in_memory.labels.astype(int)),
        constraints=Constraints(locked=(((X1,), True),)),
    )
    assert pairs.allows(DecisionList((((X1,), True), ((X2,), False)), False))
    assert not pairs.allows(DecisionList((((X1,), False), ((X1,), True)), False))


def test_proofs_say_what_is_locked():
    query = xor_query(constraints=Constraints(locked=(((X1,), None),)))
    answer = Exact().answer(query, find_backend("rc2"), Deadline())
    half_proven = replace(answer, bound=0.0, status="feasible", is_clause_optimal=True)
    assert str(half_proven).endswith(
        "Best rule found; not proven optimal. Proven: changing one clause that is not locked cannot lower the cost."
    )


def test_a_start_is_the_cheapest_constant_where_one_is_allowed():
    assert starting_rule(xor_query(labels=(True, True, True, False))) == CNF()
    assert starting_rule(xor_query(labels=(True, False, False, False))) == CNF(((),))
    assert starting_rule(xor_query("dnf", labels=(True, False, False, False))) == DNF()
    small = starting_rule(xor_query(constraints=Constraints(always=("x1",))))
    assert len(small.literals) == 1


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"labels": np.array([True])}, "The table has 4 rows, but 1 labels and 4 weights."),
        ({"literals": (X1,)}, "The table has 4 literals, but 1 were named and 4 have a cost."),
        ({"n_clauses": 0}, "n_clauses must be a positive integer. Got 0."),
        ({"weights": np.array([1, 1, 1, -1])}, "Weights and costs must not be negative."),
        (
            {"near": DNF()},
            "A rule to stay near must be a CNF with at most 2 slots. Got a DNF with 0.",
        ),
        (
            {"near": CNF(((Compare("z", ">", 1),),))},
            "Literal 'z > 1' of the rule to stay near is not in the vocabulary.",
        ),
        (
            {"constraints": Constraints(locked=(((), None),) * 3)},
            "n_clauses counts locked clauses too, of which there are 3. Got 2.",
        ),
        (
            {"constraints": Constraints(locked=(((Compare("z", ">", 1),), None),))},
            "Literal 'z > 1' of a locked clause is not in the vocabulary.",
        ),
        (
            {"constraints": Constraints(locked=(((X1,), True),))},
            "A locked clause of a cnf must speak for no class. Got True.",
        ),
        (
            {"kind": "list", "constraints": Constraints(locked=(((X1,), "z"),))},
            "A locked clause of a list must speak for one of the classes [False, True]. Got 'z'.",
        ),
    ],
)
def test_a_query_that_makes_no_sense_is_refused(changes, sentence):
    query, of_rows = xor_query(), {"labels", "weights"}
    with pytest.raises(ValueError) as error:
        replace(query.in_memory if of_rows & set(changes) else query, **changes)
    assert str(error.value) == sentence
