"""MaxSAT programs of all sorts, well and badly behaved: real processes, each a few lines of Python."""

import os
import stat
import subprocess
import sys
import textwrap
import threading
from time import monotonic

import numpy as np
import pytest

from imli.errors import Interrupted, SolverError
from imli.learning.backends import ExternalSolver
from imli.learning.backends.external import wcnf_lines
from imli.learning.backends.maxsat import lower
from imli.learning.bits import BitTable
from imli.learning.deadline import Deadline
from imli.learning.query import Query
from imli.learning.strategies import starting_rule
from imli.rules.literals import IsTrue

# reads the file and answers with the model that sets every variable to what `choose` says
PREAMBLE = """
import sys, time, signal, subprocess, os
lines = open(sys.argv[-1]).read().splitlines()
n_variables = int(lines[0].split()[2]) if lines[0].startswith("p") else max(
    abs(int(word)) for line in lines for word in line.split()[1:-1])
"""


@pytest.fixture
def program(tmp_path):
    def write(body):
        path = tmp_path / "solver"
        path.write_text(f"#!{sys.executable}\n{PREAMBLE}\n{textwrap.dedent(body)}")
        path.chmod(path.stat().st_mode | stat.S_IEXEC)
        return ExternalSolver(str(path))

    return write


@pytest.fixture
def query():
    """x decides; the cheapest rule is the clause (x), one literal and no errors."""
    x = np.array([True, True, False, False, True])
    return Query.build(
        "cnf", (IsTrue("x"), IsTrue("x", True)), BitTable.from_columns([x, ~x], 5), x, n_clauses=1, lam=0.5
    )


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path, monkeypatch):
    """No file stays behind in the temporary folder, nor a process or thread."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield
    assert list(folder.iterdir()) == []
    assert not [thread for thread in threading.enumerate() if thread.name == "imli-solver"]
    running = subprocess.run(["ps", "-eo", "pid=,args="], capture_output=True, text=True, check=True).stdout
    assert str(tmp_path / "solver") not in running


def ask(solver, query, seconds=None):
    return solver.answer(query, starting_rule(query), Deadline.after(seconds))


# variables of the query: chosen 1 (x), 2 (not x); error 3 to 7; failed 8, 9; unused 10
GOOD = {1, 8, 9}


def test_literals_over_several_lines(program, query):
    answer = ask(program(f"""
        signs = [v if v in {GOOD} else -v for v in range(1, n_variables + 1)]
        print("c hello\\no 9\\no 1\\ns OPTIMUM FOUND")
        print("v", *signs[:4])
        print("v", *signs[4:], 0)
    """), query)  # fmt: skip
    assert (answer.cost, answer.status, [str(c) for c in answer.rule.literals]) == (0.5, "optimal", ["x"])


def test_a_string_of_bits_over_several_lines(program, query):
    answer = ask(program(f"""
        bits = "".join(str(int(v in {GOOD})) for v in range(1, n_variables + 1))
        print("s OPTIMUM FOUND\\no 1")
        print("v", bits[:3])
        print("v", bits[3:])
    """), query)  # fmt: skip
    assert (answer.cost, answer.status) == (0.5, "optimal")


def test_both_file_formats():
    x = np.array([True, False])
    query = Query.build(
        "cnf", (IsTrue("x"),), BitTable.from_columns([x], 2), x, n_clauses=1, lam=0.5, unused_slots=False
    )
    # b = 1, η = 2 and 3, z = 4
    assert "".join(wcnf_lines(lower(query), "classic")) == ("p wcnf 4 5 6\n6 2 1 0\n6 3 4 0\n2 -2 0\n2 -3 0\n1 -1 0\n")
    assert "".join(wcnf_lines(lower(query), "2022")) == "h 2 1 0\nh 3 4 0\n2 -2 0\n2 -3 0\n1 -1 0\n"


def test_a_wrong_cost_is_not_believed(program, query):
    answer = ask(program(f"""
        print("o 0\\ns OPTIMUM FOUND")
        print("v", *(v if v in {GOOD} else -v for v in range(1, n_variables + 1)))
    """), query)  # fmt: skip
    assert (answer.cost, answer.bound, answer.status) == (0.5, 0.0, "feasible")


def test_a_worse_rule_than_the_first_is_not_taken(program, query):
    answer = ask(program("""
        print("s SATISFIABLE")
        print("v", *(v if v in {2, 3, 4, 5, 6, 7} else -v for v in range(1, n_variables + 1)))
    """), query)  # fmt: skip
    assert answer.cost == 2.0
    assert answer.status == "feasible"


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("sys.exit('out of cheese')",
         "solver stopped with exit status 1 and no solution line. Its last words: out of cheese"),
        ("pass", "solver stopped with exit status 0 and no solution line. Its last words: none"),
        ("print('v one two three')",
         "solver stopped with exit status 0 and no solution line. Its last words: v one two three"),
        ("print('o 1'); print('s OPTIMUM FOUND')",
         "solver stopped with exit status 0 and no solution line. Its last words: o 1 s OPTIMUM FOUND"),
        ("print('s OPTIMUM FOUND'); print('v 1')",
         "solver stopped with exit status 0 and a solution that breaks the hard clauses. "
         "Its last words: s OPTIMUM FOUND v 1"),
        ("print('s UNSATISFIABLE')",
         "solver says that no rule is allowed, though one is known. Do not trust it."),
        ("os.kill(os.getpid(), signal.SIGSEGV)",
         "solver stopped with exit status -11 and no solution line. Its last words: none"),
    ],
)  # fmt: skip
def test_a_program_that_fails_gets_one_sentence(program, query, body, sentence):
    with pytest.raises(SolverError) as error:
        ask(program(body), query)
    assert str(error.value) == sentence


def test_a_program_that_is_not_there(query):
    with pytest.raises(SolverError) as error:
        ask(ExternalSolver("no-such-solver"), query)
    assert str(error.value) == (
        "There is no program 'no-such-solver' to start. Install it, or give the full path to it."
    )


@pytest.mark.alone
def test_best_so_far_on_sigterm(program, query):
    solver = program(f"""
        def give(*_):
            print("s UNKNOWN")
            print("v", *(v if v in {GOOD} else -v for v in range(1, n_variables + 1)), flush=True)
            sys.exit(0)
        signal.signal(signal.SIGTERM, give)
        time.sleep(60)
    """)
    began = monotonic()
    answer = ask(solver, query, seconds=2.0)
    assert monotonic() - began < 2.5
    assert (answer.cost, answer.status) == (0.5, "feasible")


@pytest.mark.alone
def test_a_program_that_ignores_sigterm_is_killed_with_its_children(program, query):
    solver = program("""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", sys.argv[0]])
        time.sleep(60)
    """)
    began = monotonic()
    answer = ask(solver, query, seconds=2.0)
    assert monotonic() - began < 3.0
    assert answer.rule == starting_rule(query)
    assert answer.status == "feasible"


def test_ctrl_c_keeps_the_best_rule_and_ends_the_program(program, query):
    solver = program("time.sleep(60)")
    timer = threading.Timer(1.0, os.kill, (os.getpid(), 2))
    timer.start()
    with pytest.raises(Interrupted) as stop:
        ask(solver, query)
    assert stop.value.answer.status == "interrupted"
    timer.join()


def test_commands_that_make_no_sense():
    with pytest.raises(ValueError) as error:
        ExternalSolver([])
    assert str(error.value) == "ExternalSolver: command must be a program, or a list of it and its arguments. Got []."
    with pytest.raises(ValueError, match="form must be one of 'classic', '2022'. Got 'old'."):
        ExternalSolver("x", form="old")
    assert ExternalSolver(["/opt/open-wbo", "-v"]).name == "open-wbo"
