"""What is remembered of a stream: bounded, of all classes, and right on average."""

import numpy as np
import pytest

from imli.learning.memory import Memory
from imli.table.read import as_frame
from imli.table.sample import Sample


def sample(frame, positions, weights):
    classes = tuple(range(int(positions.max(initial=0)) + 1))
    return Sample(frame=frame, classes=classes, positions=positions, weights=weights)


def filled(room, n_rows, seed, batch=50, n_classes=2, rare=0.1, weights=None):
    """A memory of rows with the numbers 0, 1, …, and those rows' classes and weights."""
    rng = np.random.default_rng(1)
    classes = (rng.random(n_rows) < rare).astype(np.int64)
    weights = np.ones(n_rows) if weights is None else weights
    memory, draws = Memory.empty(room, n_classes), np.random.default_rng(seed)
    for first in range(0, n_rows, batch):
        some = slice(first, min(first + batch, n_rows))
        frame = as_frame({"number": np.arange(n_rows)[some]})
        memory = memory.plus(sample(frame, classes[some], weights[some]), draws)
    return memory, classes, weights


def test_it_keeps_to_its_room_and_counts_what_it_has_seen():
    memory, classes, _ = filled(room=100, n_rows=1000, seed=0)
    assert memory.n_rows <= 100
    assert memory.frame.n_rows == memory.n_rows
    seen = np.bincount(classes)
    assert memory.totals.tolist() == seen.tolist()
    assert np.bincount(memory.positions, weights=memory.weights).tolist() == seen.tolist()
    assert (memory.weights % 1 == 0).all()  # rows that count whole numbers stand for whole numbers of rows


def test_all_rows_are_there_while_there_is_room():
    memory, classes, _ = filled(room=1000, n_rows=300, seed=0)
    assert memory.frame["number"].values.tolist() == list(range(300))
    assert memory.positions.tolist() == classes.tolist()
    assert memory.weights.tolist() == [1.0] * 300


def test_without_room_nothing_is_kept():
    memory, classes, _ = filled(room=0, n_rows=300, seed=0)
    assert (memory.n_rows, memory.frame) == (0, None)
    assert memory.totals.sum() == len(classes)


def test_a_rare_class_has_its_place():
    memory, classes, _ = filled(room=100, n_rows=5000, seed=0, rare=0.004)
    assert classes.sum() < 30
    assert (memory.positions == 1).sum() >= 11  # an eighth of the room, and not 0.4 rows


def test_sums_are_right_on_average_whatever_the_rows_weigh():
    weights = np.random.default_rng(5).choice([0.2, 1.0, 1.0, 7.5], 600)
    estimates = []
    for seed in range(200):
        memory, _, _ = filled(room=60, n_rows=600, seed=seed, weights=weights)
        assert memory.n_rows <= 60
        estimates.append(float((memory.weights * (memory.frame["number"].values < 200)).sum()))
    truth = weights[:200].sum()
    error = np.std(estimates) / np.sqrt(len(estimates))
    assert abs(np.mean(estimates) - truth) < 4 * error
    assert error < 0.05 * truth


def test_the_same_seed_remembers_the_same_rows():
    one, other, third = (filled(100, 1000, seed)[0].frame["number"].values.tolist() for seed in (3, 3, 4))
    assert one == other != third


def test_early_and_late_rows_are_as_likely():
    kept = np.zeros(1000)
    for seed in range(100):
        kept[filled(room=100, n_rows=1000, seed=seed)[0].frame["number"].values] += 1
    assert kept[:500].sum() == pytest.approx(kept[500:].sum(), rel=0.06)


def test_less_room_forgets_and_more_room_does_not_invent():
    memory, classes, _ = filled(room=100, n_rows=1000, seed=0)
    less = memory.within(40)
    assert less.n_rows <= 40
    assert less.weights.sum() == len(classes)
    more = less.within(500)
    assert more.n_rows == less.n_rows
    assert more.weights.sum() == len(classes)


def test_more_classes_move_none_of_the_rows():
    memory, _, _ = filled(room=100, n_rows=1000, seed=0)
    wider = memory.of_classes(np.array([0, 2]), 3)
    assert wider.totals.tolist() == [memory.totals[0], 0.0, memory.totals[1]]
    assert (wider.positions == 2 * memory.positions).all()
    assert wider.weights.tolist() == memory.weights.tolist()


@pytest.mark.parametrize("weight", [1.0, 0.7])
def test_rows_that_come_when_there_is_more_room_stand_for_no_others(weight):
    weights = np.full(1000, weight)
    estimates = []
    for seed in range(100):
        memory, _, _ = filled(room=50, n_rows=1000, seed=seed, n_classes=1, rare=0.0, weights=weights)
        later = as_frame({"number": np.full(100, -1)})
        rng = np.random.default_rng(seed)
        memory = memory.within(500).plus(sample(later, np.zeros(100, dtype=np.int64), weights[:100]), rng)
        assert memory.n_rows == 150
        estimates.append(memory.weights[memory.frame["number"].values == -1].sum())
    assert np.mean(estimates) == pytest.approx(100 * weight, rel=0.06)  # and not ten times that


def test_a_memory_that_was_emptied_begins_anew():
    memory, _, _ = filled(room=100, n_rows=1000, seed=0)
    emptied = memory.within(0)
    assert (emptied.n_rows, emptied.frame) == (0, None)
    rows = as_frame({"number": [1, 2, 3]}), np.array([0, 1, 1]), np.ones(3)
    assert emptied.within(100).plus(sample(*rows), np.random.default_rng(0)).weights.tolist() == [1.0, 1.0, 1.0]


def test_weights_may_be_small():
    weights = np.random.default_rng(5).random(600) / 10_000
    memory, _, _ = filled(room=1000, n_rows=600, seed=0, weights=weights)
    assert memory.weights == pytest.approx(weights, abs=1e-3 * weights.mean())


def test_no_class_is_forgotten_where_there_is_room_for_one_row_of_each():
    classes = np.minimum(np.arange(6000) % 1000, 59)
    frame = as_frame({"number": np.arange(6000)})
    memory = Memory.empty(100, 60).plus(sample(frame, classes, np.ones(6000)), np.random.default_rng(0))
    assert memory.n_rows == 100
    assert np.bincount(memory.positions, weights=memory.weights).tolist() == np.bincount(classes).tolist()
