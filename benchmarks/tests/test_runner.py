"""A comparison from the trials to the result files."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from imli_bench.protocols import FULL, PARTS, QUICK, ComparisonPart, Profile, as_text, grid, spread
from imli_bench.results import BenchTrial, Origin, Outcome, ResultFile
from imli_bench.runner import Runner, full_settings
from imli_bench.workers import Worker

SMALL = replace(QUICK, seconds=60, budgets={}, spares_rivals=False)


def trial(rival: str, settings: str = "{}", fold: int = 0, problem: str = "wdbc", part: str = "defaults") -> BenchTrial:
    return BenchTrial(part, problem, rival, settings, fold, most_rows=200)


def part_of(*trials: BenchTrial, name: str = "defaults") -> ComparisonPart:
    return ComparisonPart(name, "made up", lambda _profile: iter(trials))


@pytest.fixture
def runner(tmp_path):
    def make(profile: Profile = SMALL, n_jobs: int = 1) -> Runner:
        return Runner(profile, tmp_path / "results", tmp_path / "cache", n_jobs=n_jobs)

    return make


def everything(_trial: BenchTrial) -> bool:
    return True


def test_results_are_written_as_they_come_and_not_measured_twice(runner, tmp_path):
    part = part_of(trial("cart"), trial("cart", fold=1), trial("imli dnf", '{"effort": 0.01}'))
    told = []
    first = runner(n_jobs=2)
    first.on_outcome = lambda *both: told.append(both)
    first.run(part, first.open_trials(part, everything))
    found = dict(ResultFile(tmp_path / "results", "defaults").read())
    assert [(each, outcome.status) for each, outcome in found.items()] == [
        (each, outcome.status) for each, outcome in told
    ]
    assert set(found) == set(part.trials(SMALL))
    for outcome in found.values():
        assert outcome.status == "done"
        assert outcome.n_train == 200
        assert outcome.accuracy > outcome.constant_accuracy > 50
        assert outcome.seconds > 0
        assert outcome.megabytes > 0
    assert runner().open_trials(part, everything) == []
    longer = part_of(*part.trials(SMALL), trial("cart", fold=2))
    assert runner().open_trials(longer, everything) == [trial("cart", fold=2)]
    assert runner().open_trials(longer, lambda each: each.rival == "imli dnf") == []


def test_a_process_serves_all_problems_of_its_rival_and_none_goes_on(runner, monkeypatch):
    started = []

    class Noted(Worker):
        def __init__(self, *args) -> None:
            super().__init__(*args)
            started.append(self)

    monkeypatch.setattr("imli_bench.workers.Worker", Noted)
    trials = [trial("knn", problem=problem) for problem in ("wdbc", "planted-dnf")]
    runner().run(part_of(*trials), trials)
    assert len(started) == 1
    assert not any(worker.is_running for worker in started)
    runner().run(replace(part_of(*trials), is_alone=True), trials)
    assert len(started) == 1 + 2
    assert not any(worker.is_running for worker in started)


def test_a_line_that_was_cut_off_is_measured_again(runner, tmp_path):
    part = part_of(trial("cart"))
    path = ResultFile(tmp_path / "results", "defaults")
    path.add(trial("cart"), Outcome("done", accuracy=90.0), Origin.here())
    text = path.path.read_text()
    path.path.write_text(text[: len(text) // 2 + 60])
    assert runner().open_trials(part, everything) == [trial("cart")]
    one = runner()
    one.run(part, one.open_trials(part, everything))
    assert dict(path.read())[trial("cart")].status == "done"


def test_time_limits_are_lines_and_the_next_trial_goes_on(runner, tmp_path):
    many = as_text({"n_estimators": 1_000_000})
    part = part_of(trial("random_forest", many), trial("random_forest", as_text({"n_estimators": 5})))
    one = runner(replace(SMALL, seconds=3.0))
    one.run(part, one.open_trials(part, everything))
    slow, quick = dict(ResultFile(tmp_path / "results", "defaults").read()).values()
    assert (slow.status, slow.note, slow.seconds, slow.accuracy) == ("time limit", "more than 3 s", 3.0, None)
    assert slow.constant_accuracy > 50
    assert (quick.status, quick.note) == ("done", "")


def test_a_budget_ends(runner, tmp_path):
    trials = [trial("random_forest", as_text({"n_estimators": n})) for n in (1_000_000, 3, 4)]
    one = runner(replace(SMALL, seconds=1.0, budgets={"defaults": 3.0}))  # one second for each of three folds
    one.run(part_of(*trials), trials)
    found = dict(ResultFile(tmp_path / "results", "defaults").read())
    assert [found[each].status for each in trials] == ["time limit", "out of budget", "out of budget"]
    assert found[trials[1]].note == "3 s for all its trials on this problem are over"
    tight = runner(replace(SMALL, budgets={"defaults": 3.0}))
    assert tight.open_trials(part_of(*trials), everything, again=True) == []
    assert runner().open_trials(part_of(*trials), everything) == trials[1:]  # which has no such limit


def test_a_rival_that_cannot_be_installed_is_a_line(runner, tmp_path, monkeypatch):
    from imli_bench.adapters.scikit_learn import ADAPTERS

    needy = replace(ADAPTERS["cart"], requires=("no-such-package-of-imli==0",))
    monkeypatch.setitem(ADAPTERS, "cart", needy)
    part = part_of(trial("cart"))
    one = runner()
    one.run(part, one.open_trials(part, everything))
    (outcome,) = dict(ResultFile(tmp_path / "results", "defaults").read()).values()
    assert outcome.status == "not installed"
    assert "no-such-package-of-imli" in outcome.note


def test_trees_are_as_short_as_our_rule():
    ours = BenchTrial("defaults", "wdbc", "imli chosen", "{}", 1, 0)
    found = {ours: Outcome("done", n_conditions=4)}
    assert list(PARTS["defaults"].then(QUICK, found)) == [
        BenchTrial("defaults", "wdbc", "cart", '{"most_conditions": 4}', 1, 0)
    ]


@pytest.mark.parametrize("profile", [QUICK, FULL], ids=lambda profile: profile.name)
def test_trials_have_names_of_their_own_and_settings_that_can_be_read(profile):
    for part in PARTS.values():
        trials = list(part.trials(profile))
        assert len(set(trials)) == len(trials) > 0
        assert {each.part for each in trials} == {part.name}
        for each in trials[:: 1 + len(trials) // 5_000]:  # the tables of the full profile have 200,000
            assert as_text(json.loads(each.settings)) == each.settings
            assert isinstance(full_settings(each, profile.spared(each.rival)), dict)


def test_grids_are_those_of_the_paper():
    every = grid("imli incremental cnf", 100)
    assert len(every) == 100
    assert {each["k"] for each in every} == {1, 2, 3, 4, 5}
    assert {each["batch_size"] for each in every} == {50, 100, 200, 400}
    assert sorted({f"{each['lam']:.3g}" for each in every}) == ["0.0001", "0.00178", "0.0316", "0.562", "10"]
    assert len(grid("imli exact", 100)) == 100
    few = grid("imli incremental cnf", 12)
    assert len(few) == 12
    assert {each["k"] for each in few} == {1, 2, 3, 4, 5}
    assert {each["batch_size"] for each in few} == {50, 100, 200, 400}


def test_settings_are_spread_evenly():
    settings = [{"n": n} for n in range(100)]
    assert [each["n"] for each in spread(settings, 5)] == [0, 25, 50, 74, 99]
    assert spread(settings[:3], 5) == settings[:3]


def test_a_path_with_a_folder_that_is_not_there(tmp_path):
    file = ResultFile(tmp_path / "a" / "b", "scale")
    file.add(trial("cart"), Outcome("done"), Origin.here())
    assert Path(tmp_path / "a" / "b" / "scale.csv").exists()
