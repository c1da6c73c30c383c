"""The native search: the best rule on small queries, the same rule however it is run, and how it is stopped."""

import math
import signal
import threading
from dataclasses import replace
from time import monotonic, sleep

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from support.queries import batches, random_card_query, random_pair_query, random_query

from imli.errors import InfeasibleError, Interrupted, RefusedError
from imli.learning.answer import Progress
from imli.learning.backends import Brute, Native
from imli.learning.backends.brute import all_rules
from imli.learning.bits import BitTable, tabulate
from imli.learning.constraints import Constraints
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.learning.strategies import starting_rule
from imli.learning.vocabulary import Binning
from imli.rules.literals import Compare, CompareDate, IsTrue
from imli.table.read import as_frame


@pytest.mark.parametrize("seeds", batches(600, 50, quick=2), ids=lambda r: r.start)
def test_the_best_card_of_random_queries_is_found(seeds):
    for seed in seeds:
        query = random_card_query(seed)
        best = list(map(query.units, filter(query.allows, all_rules(query))))
        try:
            start = starting_rule(query)
        except InfeasibleError:
            assert not best, seed
            continue
        answer = Native(seed=seed, effort=0.1).answer(query, start, Deadline())
        assert query.allows(answer.rule)
        assert answer.cost == query.cost(answer.rule)
        # the kernel and NumPy fit the same curve, each in its own way
        assert query.units(answer.rule) <= min(best) + (2 if query.loss == "log" else 0), seed
        assert answer.bound <= answer.cost


@pytest.mark.parametrize("make", [random_query, random_pair_query])
@pytest.mark.parametrize("seeds", batches(600, 50, quick=5), ids=lambda r: r.start)
def test_the_best_rule_of_random_queries_is_found(make, seeds):
    for seed in seeds if make is random_query else seeds[:10]:
        query = make(seed)
        try:
            start = starting_rule(query)
        except InfeasibleError:
            continue
        answer = Native(seed=seed).answer(query, start, Deadline())
        assert query.allows(answer.rule)
        assert answer.cost == query.cost(answer.rule) == Brute().answer(query, start, Deadline()).cost, seed
        assert answer.bound <= answer.cost


def breast_cancer_query(kind="dnf", rows=None, weights=None, **changes):
    data = load_breast_cancer()
    rows = np.arange(len(data.target)) if rows is None else rows
    frame = as_frame({f"x{j}": data.data[rows, j] for j in range(10)})
    literals = Binning(bins=6).literals(as_frame({f"x{j}": data.data[:, j] for j in range(10)}))
    return Query.build(
        kind, literals, tabulate(frame, literals), data.target[rows].astype(bool), n_clauses=3, lam=1.0,
        row_weights=weights, **changes,
    )  # fmt: skip


def answer(query, **options):
    native = Native(**({"effort": 0.01} | options))
    return native.answer(query, starting_rule(query), Deadline())


def test_known_rules_are_built_on_if_the_query_allows_them():
    query = breast_cancer_query()
    best = answer(query, effort=0.5)
    assert answer(query, effort=1e-6, known=(best.rule,)).cost == best.cost < answer(query, effort=1e-6).cost
    shorter = replace(query, constraints=Constraints(max_literals=len(best.rule.literals) - 1))
    found = answer(shorter, effort=1e-6, known=(best.rule,))
    assert shorter.allows(found.rule)
    dearer = replace(query, literal_costs=query.literal_costs * 3)
    alone, together = (answer(dearer, effort=1e-3, known=known).cost for known in ((), (best.rule, found.rule)))
    assert together <= alone


def test_the_number_of_threads_changes_nothing():
    query = breast_cancer_query()
    rules = [answer(query, n_threads=n, seed=3, effort=0.05).rule for n in (1, 2, 5)]
    assert rules[0] == rules[1] == rules[2]


def test_a_sample_first_and_threads_change_nothing_on_many_rows():
    X, y = make_classification(30_000, 8, flip_y=0.1, random_state=0)
    frame = as_frame(X)
    literals = Binning(bins=8).literals(frame)
    query = Query.build("cnf", literals, tabulate(frame, literals), y == 1, n_clauses=3, lam=5.0)
    order = np.random.default_rng(1).permutation(len(y))
    found = [answer(query, n_threads=1, effort=0.2), answer(query, n_threads=3, effort=0.2)]
    found.append(answer(query.on_rows(order), effort=0.2))
    assert found[0].rule == found[1].rule == found[2].rule
    assert found[0].cost == query.cost(found[0].rule)
    assert found[0].cost < 0.25 * min(np.bincount(y))


@pytest.mark.parametrize("kind", ["cnf", "dnf", "list", "set"])
def test_row_order_and_repetition_instead_of_weight_change_nothing(kind):
    rng = np.random.default_rng(0)
    data = load_iris()
    frame, labels = as_frame(data.data), data.target.astype(np.int64)
    literals = Binning(bins=6).literals(frame)
    if kind in ("cnf", "dnf"):
        labels, classes = labels == 1, (False, True)
    else:
        classes = ("a", "b", "c")
    whole = Query.build(
        kind, literals, tabulate(frame, literals), labels, n_clauses=2, lam=0.5, classes=classes,
        row_weights=rng.integers(1, 4, len(labels)).astype(float),
    )  # fmt: skip
    order = rng.permutation(whole.n_rows)
    repeated = rng.permutation(np.repeat(order, whole.in_memory.weights[order] * 2 // whole.scale // 2))
    alone = whole.on_rows(repeated, weights=np.full(len(repeated), whole.scale, dtype=np.int64))
    rules = [answer(query).rule for query in (whole, whole.on_rows(order), alone)]
    assert rules[0] == rules[1] == rules[2]
    assert rules[0].literals


def test_many_different_weights_are_counted_exactly():
    weights = np.random.default_rng(0).lognormal(size=569)
    query = breast_cancer_query(weights=weights)
    found = answer(query)
    assert found.cost == query.cost(found.rule)
    assert found.cost < 0.3 * weights.sum()


def test_the_same_seed_gives_the_same_rule_and_all_seeds_good_ones():
    query = breast_cancer_query("cnf")
    assert answer(query, seed=5).rule == answer(query, seed=5).rule
    costs = [answer(query, seed=seed, effort=0.2).cost for seed in range(4)]
    assert max(costs) <= min(costs) + 1.5


def test_useless_literals_are_left_out_even_if_they_cost_nothing():
    x, noise = np.array([True, False] * 20), np.array([True, True, False, False] * 10)
    frame = as_frame({"x": x, "noise": noise})
    literals = Binning().literals(frame)
    query = Query.build("dnf", literals, tabulate(frame, literals), x, n_clauses=2, lam=0.0)
    found = answer(query)
    assert (found.cost, len(found.rule.literals), found.status) == (0.0, 1, "optimal")


def test_rows_that_are_alike_but_of_both_classes_are_a_bound():
    frame = as_frame({"x": [1, 1, 1, 2, 2]})
    literals = Binning().literals(frame)
    labels = np.array([True, True, False, False, False])
    query = Query.build("dnf", literals, tabulate(frame, literals), labels, n_clauses=1, lam=0.5)
    found = answer(query)
    assert (found.cost, found.bound, found.status) == (1.5, 1.0, "feasible")


@pytest.mark.alone
def test_infinite_effort_needs_an_end():
    query = breast_cancer_query()
    with pytest.raises(RefusedError) as error:
        answer(query, effort=math.inf)
    assert str(error.value) == "Backend 'native' cannot handle: effort=inf without an end. Set a time_limit."
    began = monotonic()
    found = Native(effort=math.inf).answer(query, starting_rule(query), Deadline.after(0.5))
    assert 0.4 < monotonic() - began < 1.5
    assert found.status == "feasible"


def test_progress_is_told():
    heard: list[Progress] = []
    query = breast_cancer_query()
    found = answer(query, effort=0.5, on_progress=heard.append)
    costs = [progress.cost for progress in heard]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == found.cost
    assert all(progress.bound <= progress.cost and progress.seconds >= 0 for progress in heard)
    assert str(Progress(12.0, 3.0, 0.25)) == "0.2 s: cost 12, at least 3"


def test_a_listener_that_fails_ends_the_search():
    def fail(progress):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        answer(breast_cancer_query(), on_progress=fail)


def test_ctrl_c_keeps_the_best_rule():
    query = breast_cancer_query()

    def press():
        sleep(0.5)
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=press).start()
    with pytest.raises(Interrupted) as stop:
        Native(effort=math.inf).answer(query, starting_rule(query), Deadline.after(30))
    assert stop.value.answer.status == "interrupted"
    assert stop.value.answer.cost < query.cost(starting_rule(query))


@pytest.mark.parametrize("kind", ["cnf", "dnf"])
def test_constraints_are_kept_on_real_data(kind):
    query = breast_cancer_query(kind)
    some = query.literals[15]
    constraints = Constraints(
        never=("x0",), always=("x3", some), disjoint=True, max_literals=5, min_rows=20, monotone={"x5": 1}
    )
    query = replace(query, constraints=constraints)
    found = answer(query, effort=0.1)
    assert query.allows(found.rule)
    assert found.cost <= query.cost(starting_rule(query))
    assert query.cost(found.rule) == found.cost


def asked(kind, literals, columns, labels, **options):
    table = BitTable.from_columns(columns, len(labels))
    return Query.build(kind, literals, table, np.asarray(labels), **({"n_clauses": 3, "lam": 1.0} | options))


def test_of_rules_that_cost_the_same_the_one_of_fewer_clauses_is_found():
    first, second = np.repeat([1, 0, 0], 8).astype(bool), np.repeat([0, 1, 0], 8).astype(bool)
    literals = (IsTrue("a"), IsTrue("b"), IsTrue("c"), IsTrue("d"))
    # one clause of two literals costs what two clauses of one cost
    query = asked("dnf", literals, [first, second, ~second | first, first | second | True], first | second)
    for seed in range(5):
        rule = answer(query, seed=seed).rule
        assert len(rule.clauses) == 2
    both = asked("dnf", literals, [first, second, first | second, ~(first & second)], first | second, lam=1.0,
                 feature_costs={"c": 1.5, "d": 0.5})  # fmt: skip
    for seed in range(5):
        found = answer(both, seed=seed)
        assert both.length(found.rule)[:2] == (1, 1)


def test_of_literals_that_cost_the_same_the_rounder_threshold_is_taken():
    column = np.repeat([0, 1], 20).astype(bool)
    literals = tuple(Compare("x", ">", cut) for cut in (19_955.7, 20_010, 20_000, 20_500))
    for seed in range(5):
        assert str(answer(asked("dnf", literals, [column] * 4, column), seed=seed).rule.literals[0]) == "x > 20,000"
    dates = tuple(CompareDate("t", ">=", day) for day in ("2020-01-03", "2020-01-01", "2020-01-02 10:30"))
    assert str(answer(asked("dnf", dates, [column] * 3, column)).rule.literals[0]) == "t >= 2020-01-01"


def test_of_a_start_and_an_equally_dear_rule_the_plainer_is_the_answer():
    column = np.repeat([0, 1], 20).astype(bool)
    literals = (Compare("x", ">", 19_955.7), Compare("x", ">", 20_000))
    query = asked("dnf", literals, [column] * 2, column)
    start = query.rule(((literals[0],), None, None))
    for backend in (Native(effort=0.01), Brute()):
        assert backend.answer(query, start, Deadline()).rule.literals == (literals[1],)


@pytest.mark.parametrize("kind", ["list", "set"])
def test_no_clause_is_without_conditions_or_use(kind):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        columns = list(rng.random((4, 60)) < 0.5)
        labels = np.where(columns[0] & columns[1] | columns[2], 1, np.where(columns[3], 2, 0))
        labels = np.where(rng.random(60) < 0.3, rng.integers(0, 3, 60), labels)
        literals = tuple(IsTrue(name) for name in "abcd")
        query = asked(
            kind, literals, columns, labels, lam=float(rng.choice([0.0, 1.0])), classes=(0, 1, 2), n_clauses=4
        )
        found = answer(query, seed=seed).rule
        assert all(found.clauses)
        for place in range(len(found.pairs)):
            less = replace(found, pairs=found.pairs[:place] + found.pairs[place + 1 :])
            assert query.units(less) > query.units(found)


def test_a_locked_clause_without_conditions_stays():
    labels = np.repeat([0, 1], 10)
    constraints = Constraints(locked=(((), 0),))
    query = asked("set", (IsTrue("a"),), [labels == 1], labels, classes=(0, 1), constraints=constraints)
    assert answer(query).rule.clauses[0] == ()
