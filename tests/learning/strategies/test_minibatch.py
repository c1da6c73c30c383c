from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from support.queries import random_query

from imli.errors import InfeasibleError, Interrupted, RefusedError
from imli.learning.backends import RC2, Backend, Brute
from imli.learning.bits import tabulate
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.learning.strategies import Exact, MiniBatch
from imli.learning.vocabulary import Binning
from imli.table.read import as_frame


@dataclass
class Recorder:
    """A backend that notes what it is asked."""

    inner: Backend
    queries: list[Query] = field(default_factory=list)

    name = "recorder"

    def check(self, query, deadline):
        self.inner.check(query, deadline)

    def answer(self, query, start, deadline):
        self.queries.append(query)
        return self.inner.answer(query, start, deadline)


@pytest.fixture(scope="module")
def cancer():
    data = load_breast_cancer(as_frame=True)
    frame = as_frame(data.data.iloc[:, :6])
    literals = Binning(bins=5).literals(frame)
    return Query.build(
        "cnf", literals, tabulate(frame, literals), np.array(data.target == 1), n_clauses=1, lam=0.5
    )  # fmt: skip


def test_paper_form_takes_batches_in_file_order_near_the_last_kept_rule(cancer):
    recorder = Recorder(RC2())
    MiniBatch(batch_size=200, rounds=2, paper=True).answer(cancer, recorder, Deadline())
    assert [query.n_rows for query in recorder.queries] == [200, 200, 169] * 2
    starts = [0, 200, 400] * 2
    for query, start in zip(recorder.queries, starts, strict=True):
        assert np.array_equal(query.in_memory.labels, cancer.in_memory.labels[start : start + 200])
        assert not query.unused_slots
    # the first stays near "all slots false"
    assert recorder.queries[0].near.slots == ((),)


def test_paper_form_loss_strictly_falls_between_kept_rules(cancer):
    recorder = Recorder(RC2())
    answer = MiniBatch(batch_size=60, rounds=2, paper=True).answer(cancer, recorder, Deadline())
    kept = list(dict.fromkeys(query.near for query in recorder.queries[1:]))
    losses = [cancer.cost(rule) for rule in (*kept, answer.rule)]
    if kept[-1] == answer.rule:
        losses = losses[:-1]
    assert len(losses) > 2
    assert all(later < earlier for earlier, later in pairwise(losses))
    assert answer.cost == cancer.cost(answer.rule) == losses[-1]


def test_paper_form_keeps_the_first_rule_whatever_it_costs():
    """Starting from a loss of infinity, even a rule worse than the constant is kept, and improved on later."""
    query = random_query(11)
    query = Query.build(
        "cnf",
        query.literals,
        query.in_memory.table,
        np.ones(query.n_rows, dtype=bool),
        n_clauses=1,
        lam=0.5,
        unused_slots=False,
    )
    answer = MiniBatch(batch_size=1, rounds=1, paper=True).answer(query, Brute(), Deadline())
    assert answer.rule.clauses


def test_default_shuffles_with_the_seed_and_gives_each_batch_its_share_of_both_classes(cancer):
    recorders = [Recorder(RC2()) for _ in range(3)]
    answers = [
        MiniBatch(batch_size=100).answer(cancer, recorder, Deadline(), seed)
        for recorder, seed in zip(recorders, (1, 1, 2), strict=True)
    ]
    assert answers[0].rule == answers[1].rule
    batches = [[query.in_memory.table.words.tobytes() for query in recorder.queries] for recorder in recorders]
    assert batches[0] == batches[1] != batches[2]
    share = cancer.in_memory.labels.mean()
    for query in recorders[0].queries:
        assert abs(query.in_memory.labels.mean() - share) < 0.02
    assert sum(query.n_rows for query in recorders[0].queries) == 2 * cancer.n_rows


def test_default_is_never_worse_than_the_constant_and_never_better_than_exact():
    for seed in range(50):
        for paper in (False, True):
            query = random_query(seed)
            query = replace(query, unused_slots=query.unused_slots and not paper)
            try:
                exact = Exact().answer(query, Brute(), Deadline()).cost
            except InfeasibleError:
                continue
            answer = MiniBatch(batch_size=3, paper=paper).answer(query, Brute(), Deadline(), seed)
            assert query.allows(answer.rule)
            assert answer.cost == query.cost(answer.rule) >= exact
            assert answer.status in ("optimal", "feasible")
            if answer.status == "optimal":
                assert answer.cost == exact


def test_one_batch_of_everything_is_a_proof(cancer):
    answer = MiniBatch(batch_size=1000, rounds=1).answer(cancer, RC2(), Deadline())
    assert answer.status == "optimal"
    assert answer.cost == Exact().answer(cancer, RC2(), Deadline()).cost


@dataclass
class CtrlC(Recorder):
    """Interrupts its third answer, with a rule in hand."""

    def answer(self, query, start, deadline):
        answer = super().answer(query, start, deadline)
        if len(self.queries) == 3:
            raise Interrupted(answer)
        return answer


def test_ctrl_c_keeps_the_best_rule_so_far(cancer):
    with pytest.raises(Interrupted) as stop:
        MiniBatch(batch_size=100).answer(cancer, CtrlC(RC2()), Deadline())
    answer = stop.value.answer
    assert answer.status == "interrupted"
    assert answer.cost == cancer.cost(answer.rule) < cancer.cost(cancer.rule((None,)))


def test_lists_are_not_for_mini_batches_alone(cancer):
    listing = Query.build(
        "list", cancer.literals, cancer.in_memory.table, cancer.in_memory.labels.astype(np.int64), n_clauses=1, lam=0.5
    )  # fmt: skip
    with pytest.raises(RefusedError) as error:
        MiniBatch().answer(listing, RC2(), Deadline())
    assert str(error.value) == (
        "Backend 'rc2' cannot handle: decision lists and sets in mini-batches. Use strategy='incremental'."
    )
