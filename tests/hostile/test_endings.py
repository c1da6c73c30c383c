"""However we end, nothing goes on and nothing stays: solvers, folders, threads; SIGTERM is taken for Ctrl-C."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from tempfile import gettempdir
from time import monotonic, sleep

import pytest
from joblib import delayed
from support.passengers import write_passengers

from imli.files import ScratchFolder, remove_abandoned
from imli.learning.path.folds import spread

FIT = """
    import sys, numpy as np
    from imli import DNFClassifier, ExternalSolver
    rng = np.random.default_rng(0)
    X = {"a": rng.random(60), "b": rng.random(60)}
    DNFClassifier(strategy="exact", backend=ExternalSolver([sys.argv[1]])).fit(X, rng.random(60) < 0.5)
"""
SOLVER = """\
#!/bin/sh
trap '' TERM
echo $$ > "$0.pid"
while :; do sleep 0.1; done
"""


def wait_for(condition, seconds=20.0):
    end = monotonic() + seconds
    while not condition() and monotonic() < end:
        sleep(0.05)
    assert condition()


def is_alive(pid):
    """True if a process runs; one that has ended, and that nobody has asked about, does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_solver_ends_with_us(number, tmp_path):
    solver, folder = tmp_path / "solver", tmp_path / "tmp"
    solver.write_text(SOLVER)
    solver.chmod(0o755)
    folder.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(FIT), str(solver)],
        env={**os.environ, "TMPDIR": str(folder)},
        stderr=subprocess.DEVNULL,
    )
    started = tmp_path / "solver.pid"
    wait_for(lambda: started.exists() and started.read_text().strip(), 60)
    child = int(started.read_text())
    assert is_alive(child)
    process.send_signal(number)
    process.wait(10)
    wait_for(lambda: not is_alive(child))
    wait_for(lambda: not list(folder.iterdir()))


COMMAND = [sys.executable, "-m", "imli"]


def run_and_end(tmp_path, passengers, number, *options):
    """Start a long fit that saves a model, end it by a signal, and return its exit status and its output."""
    process = subprocess.Popen(
        [*COMMAND, "fit", passengers, "--target", "survived", "--effort", "1e9", "--no-check", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    first = process.stdout.readline()  # printed before the search begins
    sleep(2.0)
    process.send_signal(number)
    output, errors = process.communicate(timeout=30)
    return process.returncode, first + output, errors


def test_sigterm_ends_a_fit_with_the_best_rule_and_a_whole_file(tmp_path):
    passengers = write_passengers(tmp_path / "passengers.csv")
    model = tmp_path / "model.json"
    status, output, errors = run_and_end(tmp_path, passengers, signal.SIGTERM, "--save", str(model))
    assert (status, errors) == (130, "")
    assert "THEN  survived is" in output
    assert [file.name for file in tmp_path.iterdir() if file.name.endswith("json")] == ["model.json"]


@pytest.mark.parametrize("moment", [0.01, 0.03, 0.06, 0.1, 0.2])
def test_ctrl_c_among_the_first_imports_gets_a_sentence(moment):
    code = f"""
        import _thread, sys, threading
        sys.argv = ["imli", "fit", "--no-check"]
        from imli.cli import main
        threading.Timer({moment}, _thread.interrupt_main).start()
        sys.exit(main())
    """
    found = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert found.returncode == 130
    assert "Traceback" not in found.stderr


def test_what_main_imports_before_it_listens_is_small():
    code = "import sys; import imli.cli; print([name for name in sys.modules if name.startswith('imli.')])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "['imli.cli']"


def test_no_call_is_at_work_after_ctrl_c_in_threads():
    at_work, stop = [], threading.Event()

    def work(number):
        at_work.append(number)
        stop.wait(30)
        sleep(0.3)
        at_work.remove(number)
        return number

    threading.Timer(0.5, signal.raise_signal, (signal.SIGINT,)).start()
    with pytest.raises(KeyboardInterrupt):
        list(spread((delayed(work)(number) for number in range(4)), 2, stop))
    assert stop.is_set()
    assert at_work == []


def test_folders_of_processes_that_were_killed_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert gettempdir() == str(tmp_path)
    code = "import os, tempfile; tempfile.tempdir = {!r}; from imli.files import ScratchFolder; f = ScratchFolder()\n"
    code = code.format(str(tmp_path)) + "os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", code], check=False)
    (abandoned,) = tmp_path.iterdir()
    used, other = ScratchFolder(), tmp_path / "imli-of-somebody"
    other.mkdir()  # without a lock
    for folder in (abandoned, Path(used.name), other):
        os.utime(folder, (0, 0))
    remove_abandoned(tmp_path)
    assert set(tmp_path.iterdir()) == {Path(used.name), other}
    used.cleanup()
    assert set(tmp_path.iterdir()) == {other}
