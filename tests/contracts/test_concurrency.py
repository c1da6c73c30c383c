"""Two fits at once, in threads and in processes, in the same folder: the same results as alone."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from support.jobs import jobs, learn


@pytest.fixture(scope="module")
def alone():
    return [learn(job) for job in jobs()]


def test_in_threads(alone, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(learn, jobs())) == alone
    assert list(Path().iterdir()) == []


def test_in_processes(alone, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(learn, jobs())) == alone
    assert list(Path().iterdir()) == []
