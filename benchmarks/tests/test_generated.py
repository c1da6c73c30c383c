"""Tables that are drawn: planted problems, whose rule is known and can be found, and look-alikes of small ones."""

import numpy as np
import pandas as pd
import pytest
from imli import DNFClassifier

from imli_bench import generated

KINDS = {
    "planted-dnf": "dnf",
    "planted-cnf": "cnf",
    "planted-list": "list",
    "planted-set": "set",
    "planted-noise": "dnf",
}


@pytest.mark.parametrize("name", generated.PLANTED)
@pytest.mark.parametrize("n_rows", [10, 997, 20_000])
def test_the_rule_is_right_on_all_rows_but_the_noise(name, n_rows):
    X, y, truth = generated.draw_planted(name, n_rows)
    assert (truth.predict(X) != y).sum() == round(generated.PLANTED[name][1] * n_rows)
    assert truth.kind == KINDS[name]
    assert X.shape == (n_rows, 20)
    assert {str(dtype) for dtype in X.dtypes} == {"float64", "int64", "object", "bool"}


@pytest.mark.parametrize("name", generated.PLANTED)
def test_each_part_of_the_rule_matters(name):
    """Both classes are common, and no clause can be left out."""
    _, y, truth = generated.draw_planted(name, 20_000)
    assert 0.2 < y.mean() < 0.8
    assert truth.simplified().n_conditions == truth.n_conditions


def test_a_planted_rule_can_be_learned():
    (X, y, _), (unseen, truth, _) = (generated.draw_planted(f"planted-{n}", 8000, n == "dnf") for n in ("noise", "dnf"))
    found = DNFClassifier(random_state=0, effort=0.1).fit(X, y)
    assert np.mean(found.predict(unseen) == truth) > 0.98


@pytest.fixture(scope="module")
def shop():
    """Columns of all types, some of them with missing cells, more of them in one class."""
    rng = np.random.default_rng(0)
    y = rng.random(600) < 0.3
    shade = np.array(["red", "grün", ""], dtype=object)[rng.integers(0, 3, 600)]
    shade[rng.random(600) < np.where(y, 0.4, 0.05)] = None
    price = np.round(rng.gamma(3, 2, 600) + 4 * y, 1)
    columns = {
        "price": price, "years": rng.integers(18, 70, 600), "children": rng.integers(0, 4, 600), "shade": shade,
        "weight": np.where(rng.random(600) < 0.2, np.nan, rng.normal(size=600)), "flag": price > 8,
        "same": np.zeros(600),
    }  # fmt: skip
    return pd.DataFrame({name: pd.Series(cells, dtype=cells.dtype) for name, cells in columns.items()}), y


def test_a_lookalike_has_types_ends_decimals_and_shares_of_its_original(shop):
    X, y = shop
    made, labels = generated.draw_lookalike(X, y, 100_000)
    assert made.dtypes.tolist() == X.dtypes.tolist()
    assert abs(labels.mean() - y.mean()) < 0.01
    for name in ("price", "years", "children", "weight", "same"):
        ends = made[name].min(), made[name].max()
        assert X[name].min() <= ends[0] <= ends[1] <= X[name].max()
        assert ends == pytest.approx((X[name].min(), X[name].max()), abs=0.05)
    assert (made["price"].round(1) == made["price"]).all()
    assert set(made["children"]) == {0, 1, 2, 3}
    assert made["weight"].nunique() > 10_000  # more than were seen
    assert {type(cell) for cell in made["shade"]} == {str, type(None)}
    assert (abs(made.isna().mean() - X.isna().mean()) < 0.02).all()
    for label in (False, True):  # columns depend on the class as before, and on each other
        assert abs(made["shade"][labels == label].isna().mean() - X["shade"][y == label].isna().mean()) < 0.02
        assert abs(made["price"][labels == label].mean() - X["price"][y == label].mean()) < 0.1
    assert ((made["price"] > 8) == made["flag"]).mean() > 0.75


def test_a_lookalike_is_drawn_once_and_anew_for_other_rows(shop, tmp_path):
    X, y = shop
    made, _ = generated.lookalike_once(X, y, 1000, "shop", tmp_path)
    (path,) = tmp_path.iterdir()
    before = path.stat().st_mtime_ns
    again, labels = generated.lookalike_once(X, y, 1000, "shop", tmp_path)
    assert path.stat().st_mtime_ns == before
    pd.testing.assert_frame_equal(made, again)
    assert (labels == generated.draw_lookalike(X, y, 1000)[1]).all()
    changed, _ = generated.lookalike_once(X.assign(children=0), y, 1000, "shop", tmp_path)
    assert set(changed["children"]) == {0}
