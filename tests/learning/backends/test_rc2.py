"""What is special about RC2: it can be stopped."""

import os
import signal
import threading
from time import monotonic, sleep

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from imli.errors import Interrupted, RefusedError
from imli.learning.backends import RC2
from imli.learning.bits import tabulate
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.learning.strategies import starting_rule
from imli.learning.vocabulary import Binning
from imli.table.read import as_frame


@pytest.fixture(scope="module")
def hard_query():
    """Three clauses on breast cancer data: far more than RC2 can prove in seconds, but soon it has a bound."""
    data = load_breast_cancer(as_frame=True)
    frame = as_frame(data.data)
    literals = Binning(bins=6).literals(frame)
    labels = np.array(data.target == 1)
    return Query.build("cnf", literals, tabulate(frame, literals), labels, n_clauses=3, lam=1.0)


def wait_for_threads():
    """A solver may take a little longer to notice that it should stop, but it does stop."""
    deadline = Deadline.after(20)
    while [thread for thread in threading.enumerate() if thread.name == "imli-solver"]:
        assert not deadline.passed
        sleep(0.05)


@pytest.mark.alone
def test_a_time_limit_ends_in_a_rule_and_a_bound(hard_query):
    start = starting_rule(hard_query)
    began = monotonic()
    answer = RC2().answer(hard_query, start, Deadline.after(1.0))
    assert monotonic() - began < 2.0
    assert answer.status == "feasible"
    assert answer.cost == hard_query.cost(answer.rule) <= hard_query.cost(start)
    assert 0 < answer.bound < answer.cost
    assert 0 < answer.gap < 1
    wait_for_threads()


@pytest.mark.alone
def test_ctrl_c_ends_in_the_best_rule_so_far(hard_query):
    start = starting_rule(hard_query)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = monotonic()
    with pytest.raises(KeyboardInterrupt) as raised:
        RC2().answer(hard_query, start, Deadline())
    assert monotonic() - began < 4
    assert isinstance(raised.value, Interrupted)
    answer = raised.value.answer
    assert answer.status == "interrupted"
    assert answer.cost == hard_query.cost(answer.rule)
    wait_for_threads()


def test_an_oracle_that_cannot_be_stopped_refuses_a_time_limit(hard_query):
    with pytest.raises(RefusedError) as error:
        RC2(solver="cd153").check(hard_query, Deadline.after(1))
    assert str(error.value) == "Backend 'rc2' cannot handle: time_limit on cd153. Use solver='g4'."
