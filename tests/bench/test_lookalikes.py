"""Look-alikes: tables of any size whose columns are like those of a small one, and depend on each other like them."""

import numpy as np
import pandas as pd
import pytest

from imli.bench import lookalikes
from imli.bench.tables import Table

N_ROWS = 600


@pytest.fixture(scope="module")
def original():
    """Columns of all types, some of them with missing cells, more or less of them in one class."""
    rng = np.random.default_rng(0)
    y = rng.random(N_ROWS) < 0.3
    price = np.round(rng.gamma(3, 2, N_ROWS) + 4 * y, 1)
    years = rng.integers(18, 70, N_ROWS)
    children = rng.integers(0, 4, N_ROWS)
    colour = np.array(["red", "grün", ""], dtype=object)[rng.integers(0, 3, N_ROWS)]
    shade = colour.copy()
    shade[rng.random(N_ROWS) < np.where(y, 0.4, 0.05)] = None
    weight = np.where(rng.random(N_ROWS) < 0.2, np.nan, rng.normal(size=N_ROWS))
    columns = {
        "price": price, "years": years, "children": children, "colour": colour, "shade": shade, "weight": weight,
        "flag": (price > 8) ^ (rng.random(N_ROWS) < 0.05), "same": np.zeros(N_ROWS),
    }  # fmt: skip
    frame = pd.DataFrame({name: pd.Series(cells, dtype=cells.dtype) for name, cells in columns.items()})
    return Table("shop", frame, y, "bought")


@pytest.fixture(scope="module")
def lookalike(original):
    return lookalikes.make(original, 100_000, seed=1)


def error(share):
    """Three standard errors of a share that is known from as many rows as the original has."""
    return 3 * np.sqrt(np.maximum(share * (1 - share), 1e-3) / N_ROWS)


def binned(column, like):
    """Texts and flags as they are, numbers by the quarter of the original that they are in."""
    if column.dtype in (object, bool) or like.nunique() < 5:
        return column.astype(object).where(column.notna(), "missing").astype(str)
    quarters = np.searchsorted(like.dropna().quantile([0.25, 0.5, 0.75]).to_numpy(), column.to_numpy())
    return pd.Series(np.where(column.isna(), -1, quarters)).astype(str)


def test_it_is_a_table_of_that_size_and_name(lookalike, original):
    assert lookalike.name == "lookalike-shop"
    assert lookalike.positive == "bought"
    assert lookalike.truth is None
    assert lookalike.X.shape == (100_000, 8)
    assert lookalike.y.dtype == bool
    assert len(lookalike.y) == 100_000
    assert list(lookalike.X.columns) == list(original.X.columns)


def test_types_are_kept(lookalike, original):
    assert lookalike.X.dtypes.tolist() == original.X.dtypes.tolist()
    shade = lookalike.X["shade"]
    assert {type(cell) for cell in shade} == {str, type(None)}
    assert set(shade.dropna()) == {"red", "grün", ""}


def test_numbers_stay_between_the_same_ends_with_as_many_decimals(lookalike, original):
    for name in ("price", "years", "children", "weight", "same"):
        assert lookalike.X[name].min() >= original.X[name].min()
        assert lookalike.X[name].max() <= original.X[name].max()
        ends = lookalike.X[name].min(), lookalike.X[name].max()
        assert ends == pytest.approx((original.X[name].min(), original.X[name].max()), abs=0.05)
    assert (lookalike.X["price"].round(1) == lookalike.X["price"]).all()
    assert set(lookalike.X["children"]) == {0, 1, 2, 3}
    # and more values than were seen
    assert lookalike.X["weight"].nunique() > 10_000


def test_classes_have_the_same_shares(lookalike, original):
    assert abs(lookalike.y.mean() - original.y.mean()) < 0.005  # its own error is 0.0015


def test_as_many_cells_are_missing(lookalike, original):
    expected, found = original.X.isna().mean(), lookalike.X.isna().mean()
    assert (np.abs(expected - found) <= error(expected)).all()
    # more of them where the class is True, as in the original
    for label in (False, True):
        share = original.X["shade"][original.y == label].isna().mean()
        assert lookalike.X["shade"][lookalike.y == label].isna().mean() == pytest.approx(share, abs=0.05)


def test_each_column_has_the_same_shares(lookalike, original):
    for name in original.X:
        expected = binned(original.X[name], original.X[name]).value_counts(normalize=True)
        found = binned(lookalike.X[name], original.X[name]).value_counts(normalize=True).reindex(expected.index)
        assert (np.abs(expected - found) <= error(expected)).all(), name


def test_columns_depend_on_each_other_as_before(lookalike, original):
    """Cells of all two columns, the class among them, against four standard errors."""
    parts = {}
    for table in (original, lookalike):
        columns = {name: binned(table.X[name], original.X[name]) for name in original.X}
        parts[table.name] = columns | {"class": pd.Series(table.y).astype(str)}
    names = list(parts["shop"])
    for i, one in enumerate(names):
        for other in names[:i]:
            expected = pd.crosstab(parts["shop"][one], parts["shop"][other], normalize=True)
            found = pd.crosstab(parts["lookalike-shop"][one], parts["lookalike-shop"][other], normalize=True)
            assert expected.shape == found.shape
            assert (np.abs(expected - found) <= 4 / 3 * error(expected)).all(axis=None), (one, other)


def test_the_same_seed_gives_the_same_rows(original):
    first, again, other = (lookalikes.make(original, 50, seed) for seed in (3, 3, 4))
    pd.testing.assert_frame_equal(first.X, again.X)
    assert (first.y == again.y).all()
    assert not first.X.equals(other.X)


def test_it_is_made_once(original, tmp_path):
    folder = tmp_path / "kept"
    made = lookalikes.make_once(original, 1000, folder)
    (path,) = folder.iterdir()
    before = path.stat().st_mtime_ns
    read = lookalikes.make_once(original, 1000, folder)
    assert path.stat().st_mtime_ns == before
    pd.testing.assert_frame_equal(made.X, read.X)
    pd.testing.assert_frame_equal(made.X, lookalikes.make(original, 1000).X)
    assert (made.y == read.y).all()
    assert (made.name, made.positive) == (read.name, read.positive)


def test_what_was_kept_of_another_table_is_not_read(original, tmp_path):
    lookalikes.make_once(original, 100, tmp_path)
    changed = Table("shop", original.X.assign(children=0), original.y, "bought")
    assert set(lookalikes.make_once(changed, 100, tmp_path).X["children"]) == {0}
    lookalikes.make_once(original, 100, tmp_path, seed=1)
    lookalikes.make_once(original, 101, tmp_path)
    assert len(list(tmp_path.iterdir())) == 4


def test_nothing_is_left_of_one_that_could_not_be_written(original, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        lookalikes.make_once(original, 100, tmp_path / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_one_class(original):
    with pytest.raises(ValueError) as caught:
        lookalikes.make(Table("shop", original.X, np.ones(N_ROWS, dtype=bool), "bought"), 10)
    assert str(caught.value) == "The table 'shop' has rows of one class only. A look-alike needs rows of both."


def test_one_column(original):
    with pytest.raises(ValueError) as caught:
        lookalikes.make(Table("shop", original.X[["price"]], original.y, "bought"), 10)
    assert str(caught.value) == (
        "The table 'shop' has fewer than 2 columns besides the labels. A look-alike needs 2 or more."
    )
