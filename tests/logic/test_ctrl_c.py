import os
import signal
import subprocess
import threading
import time
from itertools import combinations

import pytest
from pysat._utils import MainThread

from imli import DNFClassifier, Interrupted
from imli.estimators import base
from imli.logic.circuit import Glucose, uninterrupted


def pigeons(n):
    """Clauses for one pigeon too many, which take a solver long to refute."""
    sits = [[pigeon * n + hole + 1 for hole in range(n)] for pigeon in range(n + 1)]
    return sits + [[-a, -b] for hole in zip(*sits, strict=True) for a, b in combinations(hole, 2)]


def press_ctrl_c(after):
    """Have another process send the signal: a thread would wait until the solver has given back the interpreter."""
    return subprocess.Popen(["sh", "-c", f"sleep {after}; kill -INT {os.getpid()}"])


@pytest.mark.alone
def test_ctrl_c_in_the_solver_is_ctrl_c_each_time():
    with Glucose(bootstrap_with=pigeons(10)) as solver:
        for _ in range(2):  # the handler of python-sat would jump to nowhere at the second
            began = time.monotonic()
            with press_ctrl_c(0.2), pytest.raises(KeyboardInterrupt):
                solver.solve()
            assert time.monotonic() - began < 5
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert not solver.solve([1, 2, -1])


def test_the_solver_answers():
    with Glucose(bootstrap_with=[[1, 2], [-1, 2]]) as solver:
        assert solver.solve()
        assert 2 in solver.get_model()
        assert not solver.solve([-2])
        assert solver.get_core() == [-2]
    with Glucose(bootstrap_with=pigeons(7)) as solver:  # takes several slices
        assert not solver.solve()


def test_python_sat_is_as_it_was_afterwards():
    def no_change():
        with uninterrupted():
            seen.append(MainThread.check is check)

    check, seen = MainThread.check, []
    with uninterrupted():
        assert not MainThread.check()
        with uninterrupted():
            assert not MainThread.check()
        assert not MainThread.check()
    thread = threading.Thread(target=no_change)  # others may be using it in the main thread
    thread.start()
    thread.join()
    assert seen == [True]
    assert MainThread.check is check
    assert MainThread.check()


def test_ctrl_c_in_the_last_moment_of_a_fit_keeps_the_rule(monkeypatch):
    def stopped(query, rule, task, reword=True):
        if reword:
            os.kill(os.getpid(), signal.SIGINT)
        return real(query, rule, task, reword)

    real = base.finished
    monkeypatch.setattr(base, "finished", stopped)
    X, y = {"age": [20, 30, 50, 60] * 20, "smoker": [True, False] * 40}, [0, 0, 1, 1] * 20
    clf = DNFClassifier(effort=0.05)
    with pytest.raises(Interrupted) as caught:
        clf.fit(X, y)
    assert caught.value.answer is clf.answer_
    assert clf.answer_.status == "interrupted"
    assert clf.rule_.counts.total == 80
    assert clf.score(X, y) == 1
