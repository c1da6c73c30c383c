"""``imli fit --engine dask``: by the workers of a cluster, which are processes of their own."""

import subprocess
import sys
from pathlib import Path

import dask
import polars as pl
import pytest
from distributed import Client, LocalCluster
from support.passengers import write_passengers

from imli.cli.clusters import connected

pytestmark = pytest.mark.slow

LEARN = ("--target", "survived", "--effort", "0.02")


@pytest.fixture(scope="module")
def big(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("cluster") / "big"
    folder.mkdir()
    frame = pl.read_csv(write_passengers(folder.parent / "all.csv", n_rows=2500), try_parse_dates=True)
    frame = frame.with_columns(weight=1 + frame["id"] % 3, gaps=pl.when(frame["id"] % 7 > 0).then(1))
    for n, (begin, end) in enumerate([(0, 1000), (1000, 1001), (1001, 1001), (1001, 2500)]):
        frame[begin:end].write_parquet(folder / f"{n}.parquet")
    return folder


@pytest.fixture(scope="module")
def scheduler():
    """A scheduler with two workers, as others may have started them."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster:
        yield cluster.scheduler_address


def by_workers(out: str, who: str) -> str:
    """What is printed of a table that this process reads in parts, with who reads it instead."""
    return out.replace(", and their bits go to a temporary file.", f" by {who}, in whose memory their bits stay.")


@pytest.mark.parametrize("options", [[], ["--weight", "weight", "--never", "class", "--class-weight", "yes=2"]])
def test_workers_of_a_scheduler_find_the_same_rule(run, big, scheduler, options):
    _, out, _ = run("fit", big, *LEARN, *options)
    assert "They are read in parts from 4 Parquet files, and their bits go to a temporary file." in out
    expected = (0, by_workers(out, "2 workers of Dask"), "")
    assert run("fit", big, *LEARN, *options, "--scheduler", scheduler) == expected
    files = sorted(big.iterdir())
    assert run("fit", *files, *LEARN, *options, "--scheduler", scheduler, "--engine", "dask") == expected


def test_processes_of_this_machine_find_the_same_rule(run, big):
    _, out, _ = run("fit", big / "*.parquet", *LEARN)
    got = run("fit", big / "*.parquet", *LEARN, "--engine", "dask", "--n-jobs", "2")
    assert got == (0, by_workers(out, "2 processes of this machine"), "")


@pytest.mark.parametrize("has_library", [True, False])
def test_nobody_else_can_connect_to_the_processes_of_this_machine(has_library, monkeypatch):
    if not has_library:

        def lacks():
            raise ImportError("cryptography")

        monkeypatch.setattr("distributed.Security.temporary", lacks)
    with connected(None, 1):
        address = Client.current().scheduler.address
        assert address.startswith("tls://127.0.0.1:")
        for stranger in (address, address.replace("tls", "tcp")):
            # in a process of its own: a failed client may be taken away while another one starts, and both wait
            code = f"from distributed import Client; Client({stranger!r}, timeout=2)"
            status = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60).returncode
            assert status == 1


def test_mistakes_get_one_sentence(run, big, scheduler, passengers):
    def refusal(*arguments):
        status, out, err = run("fit", *arguments, "--scheduler", scheduler)
        assert (status, out) == (2, "")
        return err

    assert refusal(big, "--target", "survivd") == "imli: No column 'survivd' in the data. Did you mean 'survived'?\n"
    sentence = "Column 'gaps' is 1.0 in all 2,143 rows, so there is nothing to learn."
    assert refusal(big, "--target", "gaps") == f"imli: {sentence}\n"
    sentence = "--weight needs a column of numbers without gaps. 'gaps' is not."
    assert refusal(big, *LEARN, "--weight", "gaps") == f"imli: {sentence}\n"
    sentence = "--cv needs all rows in memory, but this table is read in parts. Leave it out, or add --engine memory."
    assert refusal(big, *LEARN, "--cv", "5") == f"imli: {sentence}\n"
    sentence = (
        f"--engine dask reads Parquet files, and {str(passengers)!r} is none. Convert it to Parquet, or use --engine "
        "parts."
    )
    assert refusal(passengers, *LEARN) == f"imli: {sentence}\n"
    assert refusal() == "imli: --engine dask reads Parquet files. Add the names of some, or of a folder.\n"
    status, _, err = run("fit", big, *LEARN, "--scheduler", scheduler, "--prove")
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith("imli: --prove needs all rows in memory, but this table is read in parts.")


def test_no_scheduler_and_no_workers(run, big):
    address = "tcp://127.0.0.1:1"
    with dask.config.set({"distributed.comm.timeouts.connect": "0.2s"}):
        sentence = (
            f"No scheduler of Dask answers at {address!r}. Start one with 'dask scheduler', or leave --scheduler out."
        )
        assert run("fit", big, *LEARN, "--scheduler", address) == (2, "", f"imli: {sentence}\n")
    with LocalCluster(n_workers=0, processes=True, dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        sentence = f"The scheduler at {address!r} has no workers. Start some with 'dask worker {address}'."
        assert run("fit", big, *LEARN, "--scheduler", address) == (2, "", f"imli: {sentence}\n")


IMPATIENT = """
import os, signal, threading
import imli.learning.backends.native as native

signal.signal(signal.SIGINT, signal.default_int_handler)
begin_search = native.kernel_search

def begin_and_stop(*arguments):
    threading.Timer(0.5, os.killpg, (0, signal.SIGINT)).start()  # as a terminal does it: all processes hear it
    return begin_search(*arguments)

native.kernel_search = begin_and_stop
from imli.cli import main; raise SystemExit(main())
"""


@pytest.mark.parametrize("engine", ["parts", "dask"])
def test_ctrl_c_gives_the_best_rule_so_far(big, engine, tmp_path):
    model = str(tmp_path / "model.json")
    command = [
        "fit",
        str(big),
        "--target",
        "survived",
        "--effort",
        "1e9",
        "--lam",
        "2",
        "--n-jobs",
        "2",
        "--engine",
        engine,
    ]
    result = subprocess.run([sys.executable, "-c", IMPATIENT, *command, "--save", model], capture_output=True,
                            text=True, check=False, start_new_session=True)  # fmt: skip
    assert (result.returncode, result.stderr) == (130, "")
    assert "\nTHEN  survived is yes" in result.stdout
    assert result.stdout.endswith(f"Saved as {model}.\n")


@pytest.mark.parametrize("package", ["dask", "distributed"])
def test_packages_that_are_not_installed(big, package):
    code = f"import sys; sys.modules[{package!r}] = None\nfrom imli.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", code, "fit", str(big), *LEARN, "--engine", "dask"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == (
        "imli: The 'dask' engine needs dask and distributed. Install it with: pip install \"imli[dask]\".\n"
    )  # fmt: skip
