"""Planted problems: the rule that made the labels is known, and can be found."""

import numpy as np
import pandas as pd
import pytest

from imli import DNFClassifier
from imli.bench import planted

KINDS = {
    "planted-dnf": "dnf",
    "planted-cnf": "cnf",
    "planted-list": "list",
    "planted-set": "set",
    "planted-noise": "dnf",
}


@pytest.mark.parametrize("name", planted.RULES)
@pytest.mark.parametrize("n_rows", [10, 997, 20_000])
def test_the_rule_is_right_on_all_rows_but_the_noise(name, n_rows):
    table = planted.make(name, n_rows)
    noise = planted.RULES[name][1]
    assert (table.truth.predict(table.X) != table.y).sum() == round(noise * n_rows)
    assert table.truth.kind == KINDS[name]
    assert table.X.shape == (n_rows, 20)
    assert {str(dtype) for dtype in table.X.dtypes} == {"float64", "int64", "object", "bool"}


@pytest.mark.parametrize("name", planted.RULES)
def test_each_part_of_the_rule_matters(name):
    """Both classes are common, and no clause can be left out."""
    table = planted.make(name, 20_000)
    assert 0.2 < table.y.mean() < 0.8
    assert table.truth.simplified().n_conditions == table.truth.n_conditions


def test_the_same_seed_gives_the_same_rows():
    first, again, other = (planted.make("planted-noise", 100, seed) for seed in (0, 0, 1))
    pd.testing.assert_frame_equal(first.X, again.X)
    assert (first.y == again.y).all()
    assert not first.X.equals(other.X)


def test_it_can_be_learned():
    train, test = planted.make("planted-noise", 8000), planted.make("planted-dnf", 8000, seed=1)
    found = DNFClassifier(random_state=0, effort=0.1).fit(train.X, train.y)
    assert np.mean(found.predict(test.X) == test.y) > 0.98
