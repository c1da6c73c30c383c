"""The command of the comparison."""

import re
import signal
import subprocess
import sys
from pathlib import Path

from imli_bench import internals, measures
from imli_bench.results import ResultFile


def test_what_there_is_is_listed(run):
    status, out, err = run("bench", "--list")
    assert (status, err) == (0, "")
    assert "  defaults              each rival as it comes\n" in out
    assert "  wdbc                  WDBC\n" in out
    assert "  jrip                  " in out
    assert "  imli exact            kind cnf, form exact, backend rc2\n" in out


def test_typos(run):
    assert run("bench", "defauts") == (
        2, "", "imli: parts: there is no 'defauts'. Did you mean 'defaults'? See 'imli bench --list'.\n"
    )  # fmt: skip
    assert run("bench", "--rivals", "riper") == (
        2, "", "imli: --rivals: there is no 'riper'. Did you mean 'ripper'? See 'imli bench --list'.\n"
    )  # fmt: skip
    assert run("bench", "--problems", "wdcb") == (
        2, "", "imli: --problems: there is no 'wdcb'. Did you mean 'wdbc'? See 'imli bench --list'.\n"
    )  # fmt: skip
    assert run("bench", "--jobs", "0") == (2, "", "imli: --jobs must be at least 1. Got 0.\n")
    status, _, err = run("bench", "--profile", "quik")
    assert status == 2
    assert err.startswith("imli: --profile must be one of quick, full. Got 'quik'. Did you mean 'quick'?")


def test_a_data_set_that_cannot_be_had(run, tmp_path):
    arguments = ("bench", "defaults", "--problems", "titanic", "--rivals", "cart", "--results", tmp_path / "results")
    status, _, err = run(*arguments, "--data", tmp_path / "nowhere", "--cache", tmp_path / "cache")
    assert status in (2, 3)
    assert str(tmp_path / "nowhere") in err
    assert err.count("\n") == 1


def test_a_comparison_and_its_page(run, tmp_path):
    results = tmp_path / "results"
    arguments = ("bench", "defaults", "--problems", "wdbc", "--rivals", "cart", "logistic_regression")
    arguments += ("--results", results, "--cache", tmp_path / "cache", "--jobs", "2")
    status, out, err = run(*arguments)
    assert status == 0, err
    assert out == f"Results are in {results}, the page is {results / 'comparison.md'}.\n"
    lines = err.splitlines()
    assert len(lines) == 6
    assert lines[0].startswith("imli: defaults 1 of 6: wdbc, ")  # either may be the first to be done
    found = dict(ResultFile(results, "defaults").read())
    assert {trial.rival for trial in found} == {"cart", "logistic_regression"}
    assert all(outcome.accuracy > 85 for outcome in found.values())
    page = (results / "comparison.md").read_text()
    assert "WDBC" in page
    again = run(*arguments)
    assert again == (0, out, "")  # there is nothing left to measure


def test_ctrl_c_ends_it_at_once_and_keeps_what_is_done(tmp_path):
    """Ours takes seconds for each fold; what was cut short is no result."""
    arguments = ["defaults", "--problems", "wdbc", "--rivals", "cart", "imli dnf", "--jobs", "1"]
    folders = ["--results", tmp_path / "results", "--cache", tmp_path / "cache"]
    code = "import sys; from imli.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "bench", *arguments, *folders], stderr=subprocess.PIPE, text=True
    )
    try:
        first = process.stderr.readline()
        assert first.startswith("imli: defaults 1 of 6: wdbc, imli dnf, fold 0")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err.endswith("imli: Stopped.\n")
    found = dict(ResultFile(tmp_path / "results", "defaults").read())
    assert 1 <= len(found) < 6
    assert {outcome.status for outcome in found.values()} == {"done"}


def test_what_can_be_measured(run):
    status, out, err = run("bench", "measure", "--help")
    assert (status, err) == (0, "")
    for name in measures.NAMES:
        assert name in out
        assert run("bench", "measure", name, "--help")[0] == 0


def test_a_measurement_is_a_file(run, tmp_path):
    status, out, err = run("bench", "measure", "kernel", "--rows", 64_000, "--literals", 8, "--results", tmp_path)
    assert (status, err) == (0, "")
    assert out.endswith("Wrote kernel.csv.\n")
    assert all(float(line["share_percent"]) > 0 for line in ResultFile(tmp_path, "kernel").lines())


def test_a_measurement_that_nobody_knows(run):
    status, _, err = run("bench", "measure", "kernels")
    assert status == 2
    assert "'kernels'" in err


def test_search_problems_must_be_somewhere(run, monkeypatch, tmp_path):
    monkeypatch.delenv("IMLI_INSTANCES", raising=False)
    assert run("bench", "measure", "search", "--results", tmp_path) == (
        2, "", "imli: Where are the search problems? Give --instances FOLDER, or set IMLI_INSTANCES.\n"
    )  # fmt: skip


def test_pages_of_the_project_are_what_its_files_say(run):
    assert run("bench", "render", "--check") == (0, "", "")


def test_options_that_nobody_knows(run):
    assert run("bench", "--job", "2") == (
        2, "", "imli: Unknown option '--job'. Did you mean '--jobs'? See 'imli bench --help'.\n"
    )  # fmt: skip


def test_what_is_used_of_imli_is_there():
    for name in internals.__all__:
        assert getattr(internals, name) is not None


def test_nothing_else_of_imli_that_is_not_public_is_used():
    found = {
        line
        for path in Path(internals.__file__).parent.rglob("*.py")
        for line in re.findall(r"^ *(?:from|import) (imli[.][\w.]+)", path.read_text(), re.MULTILINE)
    }
    assert found == {"imli.explain"}
