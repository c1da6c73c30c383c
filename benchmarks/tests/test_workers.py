"""Trials in processes with limits: real ones, which take too long, too much, or fail."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from imli_bench.data_sets import LabelledTable
from imli_bench.workers import EndedError, IdleWorkers, Worker, write_task


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    path = tmp_path_factory.mktemp("data") / "data.npz"
    order = np.random.default_rng(0).permutation(len(y))
    few = X.iloc[:, :10]
    write_task(path, LabelledTable("wdbc", few, (y == 0).to_numpy(), "malignant"), order[:400], order[400:])
    return path


@pytest.fixture
def start(data, tmp_path):
    workers = []

    def start_one(adapter: str, megabytes: float = 4_000) -> Worker:
        workers.append(Worker(Path(sys.executable), adapter, tmp_path / "log", megabytes))
        workers[-1].read(data)
        return workers[-1]

    yield start_one
    for worker in workers:
        worker.close()


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_several_settings_one_after_the_other(start):
    worker = start("cart")
    answers = [worker.ask({"max_leaf_nodes": n}, seed=0, seconds=60, also=["text"] if n == 2 else []) for n in (2, 8)]
    assert [answer["n_conditions"] for answer in answers] == sorted(answer["n_conditions"] for answer in answers)
    assert all(85 < answer["accuracy"] <= 100 for answer in answers)
    assert answers[0]["text"] != ""
    assert "text" not in answers[1]
    assert all(20 < answer["megabytes"] < 2_000 for answer in answers)
    assert worker.versions.startswith("imli ")


def test_ours_in_all_forms(start):
    worker = start("ours")
    for settings in (
        {"kind": "dnf", "effort": 0.01},
        {"kind": "set", "effort": 0.01, "n_jobs": -1},
        {"kind": "chosen", "effort": 0.01},
        {"kind": "cnf", "form": "incremental", "k": 2, "lam": 1.0, "batch_size": 100},
        {"kind": "cnf", "form": "minibatch", "backend": "rc2", "k": 1, "lam": 0.5, "batch_size": 100},
        {"kind": "cnf", "form": "exact", "backend": "native", "k": 1, "lam": 10.0},
    ):
        answer = worker.ask(settings, seed=0, seconds=120, also=["text", "train_accuracy"])
        assert min(answer["accuracy"], answer["train_accuracy"]) > 80, settings
        assert answer["size"] >= answer["n_conditions"] > 0
        assert "THEN" in answer["text"]


def test_too_long(start):
    worker = start("random_forest")
    session = worker._process.pid
    with pytest.raises(EndedError, match=r"^more than 0\.5 s$") as caught:
        worker.ask({"n_estimators": 1_000_000}, seed=0, seconds=0.5)
    assert caught.value.status == "time limit"
    assert not worker.is_running
    assert not is_alive(session)


def test_too_much(start):
    with pytest.raises(EndedError, match=r"^more than 10 MB$") as caught:
        start("random_forest", megabytes=10)
    assert caught.value.status == "memory limit"


def test_a_failure_is_told_and_the_next_trial_goes_on(start):
    worker = start("cart")
    with pytest.raises(EndedError, match="InvalidParameterError: .*max_leaf_nodes") as caught:
        worker.ask({"max_leaf_nodes": -5}, seed=0, seconds=60)
    assert caught.value.status == "crashed"
    assert worker.is_running
    assert worker.ask({}, seed=0, seconds=60)["accuracy"] > 80


def test_an_adapter_that_cannot_be_imported(start):
    with pytest.raises(EndedError, match="No module named 'adapters.nobody'") as caught:
        start("nobody")
    assert caught.value.status == "crashed"


def test_answers_are_json_whatever_the_rival_prints(start):
    answer = start("cart").ask({}, seed=0, seconds=60)
    assert json.loads(json.dumps(answer)) == answer


def test_one_that_is_done_serves_the_next_of_the_same_rival(data, tmp_path):
    idle = IdleWorkers()
    cart = (Path(sys.executable), "cart", tmp_path / "log", 4_000, 1)
    first = idle.take(*cart)
    first.read(data)
    idle.leave(first)
    other = idle.take(Path(sys.executable), "knn", tmp_path / "log", 4_000, 1)
    assert other is not first
    assert idle.take(*cart) is first
    second = idle.take(*cart)  # as the first is not there
    assert second is not first
    first.kill()
    first._process.wait()
    idle.leave(first)
    idle.leave(second)
    assert idle.take(*cart) is second
    for worker in (second, other):
        idle.leave(worker)
    idle.close()
    assert not any(is_alive(worker._process.pid) for worker in (first, second, other))


def test_one_that_died_or_holds_much_serves_nobody(data, tmp_path, monkeypatch):
    idle = IdleWorkers()
    cart = (Path(sys.executable), "cart", tmp_path / "log", 4_000, 1)
    died = idle.take(*cart)
    idle.leave(died)
    died.kill()
    died._process.wait()
    fresh = idle.take(*cart)
    assert fresh is not died
    monkeypatch.setattr("imli_bench.workers._MOST_IDLE", 10.0)
    idle.leave(fresh)
    assert not is_alive(fresh._process.pid)
    idle.close()
