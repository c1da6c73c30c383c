"""Result files give back what was written."""

from hypothesis import given
from hypothesis import strategies as st

from imli_bench.results import (
    COLUMNS,
    STATUSES,
    BenchTrial,
    Origin,
    Outcome,
    Recorder,
    ResultFile,
    checkout,
)

texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20)


@given(st.dictionaries(st.integers(0, 5), texts, min_size=1), texts)
def test_every_trial_is_one_line_and_comes_back(tmp_path_factory, by_fold, note):
    file = ResultFile(tmp_path_factory.mktemp("results"), "defaults")
    written = {}
    for fold, text in by_fold.items():
        trial = BenchTrial("defaults", "wdbc", "cart", '{"k": 1}', fold, 0)
        written[trial] = Outcome("done", accuracy=93.25, n_conditions=fold, text=text, note=note)
        file.add(trial, written[trial], Origin("abc", "x86_64, 2 cores", "2026-01-01"))
    assert dict(file.read()) == written
    assert file.path.read_text().count("\n") == 1 + len(written)


def test_what_was_cut_off_is_no_trial_and_makes_room(tmp_path):
    file = ResultFile(tmp_path, "scale")
    trials = [BenchTrial("scale", "wdbc", "cart", "{}", fold, 0) for fold in range(3)]
    for trial in trials[:2]:
        file.add(trial, Outcome("done", text="IF a\nOR b"), Origin.here())
    content = file.path.read_bytes()
    for length in range(len(content) - 1, content.index(b"\n") + 1, -7):
        file.path.write_bytes(content[:length])
        whole = content[:length].count(b"\n") - 1
        assert list(dict(file.read())) == trials[:whole]
        file.add(trials[2], Outcome("crashed", note="no"), Origin.here())
        assert list(dict(file.read())) == [*trials[:whole], trials[2]]


def test_the_last_measurement_of_a_trial_counts(tmp_path):
    file = ResultFile(tmp_path, "scale")
    trial = BenchTrial("scale", "wdbc", "cart", "{}", 0, 0)
    for accuracy in (90.0, 91.5):
        file.add(trial, Outcome("done", accuracy=accuracy), Origin.here())
    assert dict(file.read())[trial].accuracy == 91.5
    assert tuple(file.path.read_text().splitlines()[0].split(",")) == COLUMNS


def test_no_file_is_no_trials(tmp_path):
    assert list(ResultFile(tmp_path, "scale").read()) == []


def test_measurements_take_the_places_of_older_ones_and_may_have_figures_of_their_own(tmp_path):
    for figures in ({"cost": 12.5, "seconds": 1.25}, {"cost": 11.0, "bound": 10.0}):
        recorder = Recorder("search", tmp_path)
        recorder.add("tiny", "imli", figures, seed=1, settings="1 s")
        if "seconds" in figures:
            recorder.add("small", "imli", figures, settings="1 s")
        recorder.write()
    lines = ResultFile(tmp_path, "search").lines()
    assert [(line["problem"], line["seed"], line["status"]) for line in lines] == [
        ("tiny", "1", "done"), ("small", "0", "done"),
    ]  # fmt: skip
    assert [(line["cost"], line["seconds"], line["bound"]) for line in lines] == [
        ("11", "", "10"),
        ("12.5", "1.25", ""),
    ]
    assert list(lines[0])[8:11] == ["cost", "seconds", "bound"]


def test_all_result_files_of_the_project_are_of_one_form():
    files = sorted((checkout() / "benchmarks" / "results").rglob("*.csv"))
    assert len(files) >= 19
    for path in files:
        for line in ResultFile(path.parent, path.stem).lines():
            assert line["part"] == path.stem
            assert line["status"] in STATUSES
            assert list(line)[:8] == list(COLUMNS[:8])
            assert list(line)[-6:] == list(COLUMNS[-6:])
