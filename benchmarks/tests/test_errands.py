"""Trials on the workers of a cluster: the same lines as from this machine, and nothing goes on for nobody."""

from dataclasses import replace
from pathlib import Path
from threading import Timer
from time import monotonic, sleep

import joblib
import pytest
from clusters import two_workers
from imli.cli import main

from imli_bench import runner as runners
from imli_bench.adapters.forms import NotInstalledError
from imli_bench.adapters.scikit_learn import ADAPTERS
from imli_bench.protocols import QUICK, ComparisonPart, as_text
from imli_bench.results import BenchTrial, Outcome, ResultFile
from imli_bench.runner import Errand, Runner, errands_folder, run_errand

SMALL = replace(QUICK, seconds=60, budgets={}, spares_rivals=False)
ENDLESS = as_text({"n_estimators": 10_000_000})


def trial(rival: str, settings: str = "{}", fold: int = 0) -> BenchTrial:
    return BenchTrial("defaults", "wdbc", rival, settings, fold, most_rows=200)


def part_of(*trials: BenchTrial) -> ComparisonPart:
    return ComparisonPart("defaults", "made up", lambda _profile: iter(trials))


@pytest.fixture(scope="module")
def client():
    with two_workers() as found:
        yield found


@pytest.fixture
def make(tmp_path):
    def make_runner(name: str = "results", **changes) -> Runner:
        return Runner(replace(SMALL, **changes), tmp_path / name, tmp_path / "cache")

    return make_runner


@pytest.fixture
def errand(make, tmp_path):
    """What a runner would send, and the folder in which it waits."""
    with errands_folder(tmp_path / "cache") as folder:

        def make_errand(*trials: BenchTrial, spent: float = 0.0, **changes) -> Errand:
            runner = make(**changes)
            (group,) = runner._groups(part_of(*trials), trials, folder)
            folds = tuple(runner._fold(part_of(*trials), group, each) for each in trials)
            return Errand(group, None, folds, spent, folder)

        yield make_errand


def accuracies(folder: Path) -> dict[BenchTrial, tuple[str, float | None]]:
    return {each: (found.status, found.accuracy) for each, found in ResultFile(folder, "defaults").read()}


def test_the_same_lines_as_from_this_machine(client, make, tmp_path):
    trials = [trial(rival, fold=fold) for rival in ("cart", "logistic_regression") for fold in (0, 1)]
    part, told = part_of(*trials), []
    there, here = make("there"), make("here")
    there.on_outcome = lambda *both: told.append(both)
    with joblib.parallel_config(backend="dask"):
        there.run(part, there.open_trials(part, lambda _: True))
    here.run(part, here.open_trials(part, lambda _: True))
    assert accuracies(tmp_path / "there") == accuracies(tmp_path / "here")
    assert set(accuracies(tmp_path / "there")) == set(trials)
    assert [each for each, _ in told] == list(accuracies(tmp_path / "there"))
    assert there.open_trials(part, lambda _: True) == []
    assert list((tmp_path / "cache").glob("errands-*")) == []


def test_ctrl_c_ends_what_runs_elsewhere(client, make, tmp_path):
    def press(_trial: BenchTrial, _outcome: Outcome) -> None:
        raise KeyboardInterrupt

    runner, trials = make(), [trial("random_forest", ENDLESS), trial("cart")]
    runner.on_outcome = press
    with joblib.parallel_config(backend="dask"):
        with pytest.raises(KeyboardInterrupt):
            runner.run(part_of(*trials), trials)
        assert set(accuracies(tmp_path / "results")) == {trials[1]}
        began = monotonic()
        while any(client.processing().values()):  # far less than the minute that a trial may take
            assert monotonic() - began < 30
            sleep(0.1)


def test_nothing_begins_or_goes_on_that_nobody_waits_for(errand):
    endless = errand(trial("random_forest", ENDLESS), trial("random_forest", ENDLESS, fold=1))
    gone = Timer(3.0, (endless.folder / "awaited").unlink)
    gone.start()
    began = monotonic()
    assert run_errand(endless)[1] == []
    assert run_errand(endless)[1] == []
    assert monotonic() - began < 30
    (endless.folder / "awaited").touch()


def test_a_budget_ends_elsewhere(errand):
    trials = [trial("random_forest", ENDLESS), *(trial("random_forest", as_text({"n_estimators": n})) for n in (3, 4))]
    origin, found = run_errand(errand(*trials, seconds=1.0, budgets={"defaults": 3.0}))
    assert [(each, outcome.status) for each, outcome in found] == [
        (trials[0], "time limit"), (trials[1], "out of budget"), (trials[2], "out of budget")
    ]  # fmt: skip
    assert origin.machine
    (_, outcome), *_ = run_errand(errand(trials[1], spent=1.0, budgets={"defaults": 3.0}))[1]
    assert outcome == Outcome("out of budget", note="3 s for all its trials on this problem are over")


def test_a_rival_that_cannot_be_installed_is_a_line(make, tmp_path, monkeypatch):
    def refuse(*_):
        raise NotInstalledError("pip cannot install it.")

    needy = replace(ADAPTERS["cart"], requires=("no-such-package-of-imli==0",))
    monkeypatch.setitem(ADAPTERS, "cart", needy)
    monkeypatch.setattr(runners, "environment", refuse)
    runner, trials = make(), [trial("cart"), trial("cart", fold=1)]
    with joblib.parallel_config(backend="loky"):
        runner.run(part_of(*trials), trials)
    found = dict(ResultFile(tmp_path / "results", "defaults").read())
    assert found == dict.fromkeys(trials, Outcome("not installed", note="pip cannot install it."))


def test_a_part_that_is_alone_stays_here(make, monkeypatch):
    monkeypatch.setattr(runners, "run_errand", None)
    runner, trials = make(), [trial("cart")]
    with joblib.parallel_config(backend="loky"):
        runner.run(replace(part_of(*trials), is_alone=True), trials)
    assert [status for status, _ in accuracies(runner.results).values()] == ["done"]


def test_the_command_line_on_a_cluster(client, tmp_path, capsys):
    arguments = ["bench", "defaults", "--problems", "wdbc", "--rivals", "cart", "--results", str(tmp_path / "results")]
    arguments += ["--cache", str(tmp_path / "cache"), "--scheduler", client.scheduler.address]
    assert main(arguments) == 0
    assert "imli: defaults 3 of 3: wdbc, cart, fold " in capsys.readouterr().err
    assert [status for status, _ in accuracies(tmp_path / "results").values()] == ["done"] * 3
    assert main([*arguments[:-1], "nowhere", "--results", str(tmp_path / "others")]) == 2
    assert capsys.readouterr().err == (
        "imli: No scheduler of Dask answers at 'nowhere'. Start one with 'dask scheduler', or leave --scheduler out.\n"
    )
