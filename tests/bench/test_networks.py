"""Networks: the arcs that are there are found, and rows drawn are like those that were given."""

from itertools import product

import numpy as np
import pytest

from imli.bench import networks

NOISE = 0.15


def chain(n_rows, seed):
    """A class, a column like it, one like that, and one like no other."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, n_rows)
    near = np.where(rng.random(n_rows) < NOISE, rng.integers(0, 3, n_rows), label)
    far = np.where(rng.random(n_rows) < NOISE, rng.integers(0, 3, n_rows), near)
    return [label, near, far, rng.integers(0, 4, n_rows)], [2, 3, 3, 4]


def has_circle(parents):
    left = set(range(len(parents)))
    while left:
        free = {column for column in left if not left & set(parents[column])}
        if not free:
            return True
        left -= free
    return False


@pytest.mark.parametrize("seed", range(5))
def test_a_chain_is_found(seed):
    columns, sizes = chain(500, seed)
    assert networks.fit(columns, sizes).parents == ((), (0,), (1,), ())


@pytest.mark.parametrize("seed", range(5))
def test_no_other_arcs_have_a_better_score(seed):
    columns, sizes = chain(60, seed)
    columns, sizes = columns[:3], sizes[:3]

    def total(parents):
        return sum(networks.score(columns, sizes, column, parents[column]) for column in range(3))

    possible = [
        parents
        for parents in product([()], [(), (0,), (2,), (0, 2)], [(), (0,), (1,), (0, 1)])
        if not has_circle(parents)
    ]
    assert len(possible) == 12
    assert total(networks.fit(columns, sizes).parents) == pytest.approx(max(map(total, possible)))


@pytest.mark.parametrize("most_parents", [1, 2, 3])
def test_arcs_go_one_way_from_the_class_and_few_meet(most_parents):
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 2, 400)
    columns = [np.where(rng.random(400) < 0.2, rng.integers(0, 2, 400), hidden) for _ in range(8)]
    network = networks.fit(columns, [2] * 8, most_parents)
    assert network.parents[0] == ()
    assert not has_circle(network.parents)
    assert max(map(len, network.parents)) == most_parents


def test_rows_drawn_have_the_shares_of_those_given():
    columns, sizes = chain(2000, 0)
    drawn = networks.fit(columns, sizes).sample(200_000, np.random.default_rng(1))
    for i in range(4):
        for j in range(i):
            given, found = (
                np.histogram2d(part[i], part[j], bins=[range(sizes[i] + 1), range(sizes[j] + 1)])[0] / len(part[i])
                for part in (columns, drawn)
            )
            # four standard errors of what 2,000 rows can tell
            assert (np.abs(given - found) <= 4 * np.sqrt(np.maximum(given, 1e-3) / 2000)).all()


def test_what_was_never_seen_is_never_drawn():
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 2, 100), 2 * rng.integers(0, 2, 100)]
    drawn = networks.fit(columns, [2, 4]).sample(50_000, rng)
    assert set(drawn[1].tolist()) == {0, 2}


def test_the_class_has_half_a_row_more_of_each_kind():
    # 37 of 57 rows: as BNG(labor), whose 647,000 of 1,000,000 are nearer to 37.5 of 58 than to 37 of 57
    columns = [np.arange(57) < 37, np.arange(57) % 2]
    network = networks.fit([column.astype(np.int64) for column in columns], [2, 2])
    assert network.chances[0].tolist() == [[20.5 / 58, 37.5 / 58]]
