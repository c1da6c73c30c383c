from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from support.queries import random_pair_query, random_query

from imli import CNF, DecisionList, DecisionSet
from imli.errors import InfeasibleError, Interrupted, RefusedError
from imli.learning.backends import RC2, Brute
from imli.learning.bits import BitTable
from imli.learning.constraints import Constraints
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.learning.strategies import Exact, Iterative, MiniBatch, is_as_printed, starting_rule
from imli.learning.strategies.paper import _Learner
from imli.rules.literals import IsTrue

A, B = IsTrue("a"), IsTrue("b")
NOT_A, NOT_B = A.opposite(), B.opposite()


def make_query(kind, rows, n_clauses, lam=0.1, classes=None, literals=(A, NOT_A, B, NOT_B), **options):
    """Rows are (a, b, label), by hand."""
    a, b, labels = (np.array(column) for column in zip(*rows, strict=True))
    truth = {A: a == 1, NOT_A: a == 0, B: b == 1, NOT_B: b == 0}
    if kind in ("list", "set"):
        classes = classes or tuple(sorted(set(labels.tolist())))
        labels = np.array([classes.index(label) for label in labels.tolist()])
    else:
        labels, classes = labels == 1, (False, True)
    table = BitTable.from_columns([truth[literal] for literal in literals], len(a))
    return Query.build(kind, literals, table, labels, n_clauses=n_clauses, lam=lam, classes=classes, **options)


@dataclass
class Spy:
    """A strategy that notes what it is asked."""

    inner: Exact = field(default_factory=Exact)
    queries: list[Query] = field(default_factory=list)

    def answer(self, query, backend, deadline, seed=0):
        self.queries.append(query)
        return self.inner.answer(query, backend, deadline, seed)


# x where a; y where b and not a; z elsewhere
THREE = [(1, 0, "x")] * 3 + [(1, 1, "x")] * 2 + [(0, 1, "y")] * 3 + [(0, 0, "z")] * 2


def test_a_list_by_hand():
    """Majority x (5 of 10): the clause a covers all 5. Then y (3 of 5): b covers 3. What remains is z."""
    spy = Spy()
    answer = Iterative(spy).answer(make_query("list", THREE, 3), RC2(), Deadline())
    assert answer.rule == DecisionList((((A,), "x"), ((B,), "y")), "z")
    assert answer.cost == 0.2
    first, second, third = spy.queries
    assert first.in_memory.labels.tolist() == [True] * 5 + [False] * 5
    assert second.in_memory.labels.tolist() == [True] * 3 + [False] * 2
    assert third.in_memory.labels.tolist() == [True] * 2  # its clause covers all that is left, and saves nothing


def test_the_papers_list_counts_the_default_and_takes_a_class_that_no_clause_speaks_for():
    answer = Iterative(paper=True).answer(make_query("list", THREE, 3), RC2(), Deadline())
    assert answer.rule == DecisionList((((A,), "x"), ((B,), "y")), "z")
    two = Iterative(paper=True).answer(make_query("list", THREE, 2), RC2(), Deadline())
    assert two.rule == DecisionList((((A,), "x"),), "y")
    # with every class spoken for, the largest of all rows
    all_spoken = Iterative(paper=True).answer(make_query("list", THREE, 9), RC2(), Deadline())
    assert all_spoken.rule == DecisionList((((A,), "x"), ((B,), "y"), ((), "z")), "x")


def test_a_set_by_hand():
    """As the list, but the clause for y must keep away from the rows of x that b holds in: not a AND b."""
    spy = Spy()
    answer = Iterative(spy).answer(make_query("set", THREE, 2), RC2(), Deadline())
    assert isinstance(answer.rule, DecisionSet)
    assert [({str(part) for part in clause}, label) for clause, label in answer.rule.pairs] == [
        ({"a"}, "x"),
        ({"not a", "b"}, "y"),
    ]
    assert answer.rule.default == "z"
    assert answer.cost == pytest.approx(0.3)
    second = spy.queries[1]
    assert second.n_rows == 10  # what is covered rightly stays, as rows to keep away from
    assert second.in_memory.labels.tolist() == [False] * 5 + [True] * 3 + [False] * 2


def test_only_rightly_covered_rows_leave_a_set():
    rows = [(1, 1, "x")] * 5 + [(1, 1, "y")] + [(0, 1, "y")] * 3
    spy = Spy()
    Iterative(spy).answer(make_query("set", rows, 2), RC2(), Deadline())
    # y is now the majority of what is left: its row under "a" was covered wrongly and is still there
    assert spy.queries[1].in_memory.labels.tolist() == [False] * 5 + [True] * 4


@pytest.mark.parametrize(
    ("kind", "covered"),
    [("cnf", [0, 0, 1, 1]), ("dnf", [1, 1, 0, 0]), ("list", [1, 1, 0, 0]), ("set", [1, 0, 0, 0])],
)
def test_coverage_of_each_kind(kind, covered):
    """By the clause (a), on rows a = 1, 1, 0, 0 with labels 1, 0, 1, 0; the clause speaks for class 1."""
    query = make_query(kind, [(1, 0, 1), (1, 0, 0), (0, 0, 1), (0, 0, 0)], 2)
    learner = _Learner(Iterative(), query, RC2(), Deadline(), 0)
    assert learner._covered((A,), 1).tolist() == [bool(row) for row in covered]


def test_it_ends_with_all_clauses():
    rows = [(1, 1, 1)] * 5 + [(1, 0, 0)] * 3 + [(0, 1, 0)] * 3
    spy = Spy()
    answer = Iterative(spy, paper=True).answer(make_query("cnf", rows, 1), RC2(), Deadline())
    assert len(spy.queries) == len(answer.rule.clauses) == 1
    assert answer.cost > 3  # rows were left over


def test_it_ends_when_no_row_is_left():
    rows = [(1, 0, "x")] * 3 + [(0, 0, "y")] * 2
    spy = Spy()
    Iterative(spy, paper=True).answer(make_query("list", rows, 9), RC2(), Deadline())
    assert len(spy.queries) == 2


def test_it_ends_with_a_clause_that_covers_nothing():
    """The best clause, a, holds in all rows, so the CNF without it says the same."""
    rows = [(1, 0, 1)] * 3 + [(1, 0, 0)]
    spy = Spy(Exact(paper=True))
    answer = Iterative(spy, paper=True).answer(make_query("cnf", rows, 5, literals=(A,)), RC2(), Deadline())
    assert len(spy.queries) == 1
    assert answer.rule == CNF()
    default = Iterative().answer(make_query("cnf", rows, 5, literals=(A,)), RC2(), Deadline())
    assert default.rule == CNF()


def test_every_row_of_a_cnf_that_fails_a_clause_leaves():
    rows = [(1, 1, 1)] * 5 + [(1, 0, 0)] * 4 + [(0, 1, 0)] * 3
    spy = Spy()
    answer = Iterative(spy).answer(make_query("cnf", rows, 2), RC2(), Deadline())
    assert answer.rule == CNF(((B,), (A,)))
    assert spy.queries[1].in_memory.labels.tolist() == [True] * 5 + [False] * 3


def test_constraints_hold_over_all_clauses():
    for strategy in (Iterative(), Iterative(MiniBatch(batch_size=4))):
        for seed in range(200):
            query = random_query(seed)
            try:
                exact = Exact().answer(query, Brute(), Deadline()).cost
            except InfeasibleError:
                with pytest.raises(InfeasibleError):
                    strategy.answer(query, Brute(), Deadline())
                continue
            answer = strategy.answer(query, Brute(), Deadline(), seed)
            assert query.allows(answer.rule), seed
            assert answer.cost == query.cost(answer.rule) >= exact, seed


@pytest.mark.parametrize("kind", ["list", "set"])
def test_lists_and_sets_are_queries_that_brute_force_can_answer(kind):
    rng = np.random.default_rng(5)
    for seed in range(25):
        rows = [(*rng.integers(0, 2, 2).tolist(), "xyz"[rng.integers(0, 3)]) for _ in range(8)]
        constraints = Constraints(
            never=("b",) if seed % 5 == 0 else (),
            always=("a",) if seed % 3 == 0 else (),
            min_rows=2 if seed % 4 == 0 else None,
            max_literals=1 if seed % 2 else None,
        )
        options = {"classes": ("x", "y", "z"), "literals": (A, B), "lam": 0.3, "constraints": constraints}
        query = make_query(kind, rows, 2, **options)
        exact = Exact().answer(query, Brute(), Deadline())
        assert exact.status == "optimal"
        assert query.allows(exact.rule)
        assert exact.cost == query.cost(exact.rule)
        for strategy in (Iterative(), Iterative(paper=True), Iterative(MiniBatch(batch_size=3))):
            answer = strategy.answer(query, RC2(), Deadline())
            assert replace(query, free_clauses=is_as_printed(strategy)).allows(answer.rule)
            assert answer.cost == query.cost(answer.rule) >= exact.cost
        with pytest.raises(RefusedError, match=r"cannot handle: decision lists and sets in one query. Use strategy="):
            Exact().answer(query, RC2(), Deadline())


def test_soft_disjoint_makes_columns_dearer_for_later_clauses():
    spy = Spy()
    query = replace(make_query("list", THREE, 3), reuse_cost=7)
    Iterative(spy).answer(query, RC2(), Deadline())
    assert (spy.queries[1].literal_costs - spy.queries[0].literal_costs).tolist() == [7, 7, 0, 0]


class CtrlC(Spy):
    def answer(self, query, backend, deadline, seed=0):
        answer = super().answer(query, backend, deadline, seed)
        if len(self.queries) == 2:
            raise Interrupted(answer)
        return answer


def test_ctrl_c_keeps_the_clauses_so_far():
    with pytest.raises(Interrupted) as stop:
        Iterative(CtrlC()).answer(make_query("list", THREE, 3), RC2(), Deadline())
    assert stop.value.answer.rule == DecisionList((((A,), "x"), ((B,), "y")), "z")
    assert stop.value.answer.status == "interrupted"


def test_monotone_is_for_formulas():
    with pytest.raises(ValueError) as error:
        make_query("list", THREE, 1, constraints=Constraints(monotone={"a": 1}))
    assert str(error.value) == "monotone is for CNF and DNF rules. A decision list has no direction; remove it."


@pytest.mark.parametrize("kind", ["list", "set"])
def test_locked_clauses_come_first_with_the_rows_they_cover(kind):
    """With b AND a for y, the two rows of x that both hold in are wrong; what is left is learned as before."""
    spy = Spy()
    locked = Constraints(locked=(((B, A), "y"),))
    answer = Iterative(spy).answer(make_query(kind, THREE, 3, constraints=locked), RC2(), Deadline())
    assert answer.rule.pairs[0] == ((B, A), "y")
    if kind == "list":
        assert answer.rule == DecisionList((((B, A), "y"), ((A,), "x"), ((B,), "y")), "z")
        assert answer.cost == 2 + 0.4
        assert spy.queries[0].in_memory.labels.tolist() == [True] * 3 + [False] * 5  # without the two
    else:  # in a set, rows that are covered but wrong stay
        assert spy.queries[0].in_memory.labels.tolist() == [True] * 5 + [False] * 5
    assert spy.queries[0].constraints.locked == ()


@pytest.mark.parametrize("strategy", [Iterative(), Iterative(MiniBatch(batch_size=4)), MiniBatch(batch_size=4)])
def test_every_strategy_keeps_what_is_locked(strategy):
    n_seen = 0
    for seed in range(300):
        is_formula = isinstance(strategy, MiniBatch) or seed % 2 == 0
        query = random_query(seed) if is_formula else random_pair_query(seed)
        if not query.n_locked:
            continue
        try:
            start = starting_rule(query)
        except InfeasibleError:
            continue
        answer = strategy.answer(query, Brute(), Deadline())
        assert query.allows(answer.rule), seed
        assert answer.cost == query.cost(answer.rule) <= query.cost(start)
        assert answer.cost >= Brute().answer(query, start, Deadline()).cost
        n_seen += 1
    assert n_seen > 50


def test_locked_clauses_with_few_rows_in_a_batch_end_no_learning():
    rows = [(1, 1, 1)] * 2 + [(1, 0, 1)] * 18 + [(0, 0, 0)] * 20
    locked = Constraints(locked=(((A, B), None),), min_rows=2)
    query = make_query("dnf", rows, 2, constraints=locked)
    answer = MiniBatch(batch_size=10, rounds=1).answer(query, RC2(), Deadline())
    assert answer.rule.clauses == ((A, B), (A,))
