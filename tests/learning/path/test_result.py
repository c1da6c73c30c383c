"""Paths as values: choosing, printing, tables, JSON."""

import json
import pickle
import sys

import pandas as pd
import polars as pl
import pytest

from imli import RulePath, RulePathDisplay, RulePoint, parse_rule

RULES = (
    "IF age > 60 THEN high ELSE low",
    "IF 50 < age <= 70 AND smoker THEN high ELSE low",
    "IF 50 < age <= 70 AND smoker OR bmi > 31 THEN high ELSE low",
    "IF 50 < age <= 70 AND smoker OR bmi > 31 AND city is Bath or York THEN high ELSE low",
)


def point(number, training_error, *fold_errors):
    return RulePoint(parse_rule(RULES[number]), 8.0 / 2**number, number + 1, training_error, fold_errors)


def path(*fold_errors):
    return RulePath(tuple(point(n, 0.3 - 0.05 * n, *errors) for n, errors in enumerate(fold_errors)))


def test_the_mean_of_the_folds_and_its_standard_error():
    one = point(0, 0.2, 0.10, 0.20, 0.30)
    assert one.cv_error == pytest.approx(0.2)
    assert one.cv_standard_error == pytest.approx(0.1 / 3**0.5)
    assert (one.size, one.n_conditions, one.n_clauses) == (1, 1, 1)
    assert (point(3, 0.2).size, point(3, 0.2).n_conditions, point(3, 0.2).n_clauses) == (6, 4, 2)
    assert (point(0, 0.2).cv_error, point(0, 0.2).cv_standard_error) == (None, None)
    assert point(0, 0.2, 0.25).cv_standard_error is None


@pytest.mark.parametrize(
    ("fold_errors", "best", "pick"),
    [
        # the second is worse than the best by 0.03 in one fold, and as good in the other
        (([0.30, 0.30], [0.21, 0.22], [0.18, 0.22], [0.24, 0.24]), 2, 1),
        # the best varies from fold to fold, but each of the others is worse by as much in both
        (([0.24, 0.28], [0.19, 0.23], [0.18, 0.22], [0.24, 0.24]), 2, 2),
        (([0.22, 0.23], [0.23, 0.22], [0.18, 0.22], [0.24, 0.24]), 2, 1),
        (([0.20, 0.20], [0.20, 0.20], [0.20, 0.20], [0.20, 0.20]), 0, 0),
        (([0.40, 0.40], [0.30, 0.30], [0.20, 0.20], [0.10, 0.10]), 3, 3),
    ],
)
def test_the_pick_is_the_smallest_that_is_not_clearly_worse_fold_by_fold(fold_errors, best, pick):
    found = path(*fold_errors)
    assert (found.best_place, found.pick_place) == (best, pick)
    assert found.best is found[best]
    assert found.pick is found[pick]


def test_a_path_is_a_sequence_that_pickles_and_cannot_be_changed():
    found = path([0.30, 0.30], [0.21, 0.22], [0.18, 0.22])
    assert len(found) == 3
    assert list(found) == [found[0], found[1], found[2]] == [*found[:2], found[-1]]
    assert found[1] in found
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(AttributeError):
        found.points = ()


def test_a_path_that_was_stopped_early_has_none_to_pick():
    for found in (path([], []), path([0.2], [0.3])):
        assert (found.best_place, found.pick_place) == (None, None)
        with pytest.raises(ValueError) as error:
            _ = found.pick
        assert str(error.value) == (
            "This path has no cross-validated errors to choose by, for it was stopped before two folds were done. "
            "Look at its points, or let it run to the end."
        )


def test_what_is_no_path():
    with pytest.raises(ValueError, match="^A path has at least one rule.$"):
        RulePath(())
    with pytest.raises(ValueError, match="^The rules of a path must be of one kind, and have errors on as many folds"):
        path([0.2, 0.3], [0.2])


def test_printed():
    assert str(path([0.31, 0.29], [0.212, 0.218], [0.18, 0.22], [0.23, 0.25])) == (
        """\
size  conditions  training error  error in 2 folds
   1           1          30.0 %      30.0 % ± 1.0
   3           2          25.0 %      21.5 % ± 0.3  pick
   4           3          20.0 %      20.0 % ± 2.0  best
   6           4          15.0 %      24.0 % ± 1.0

Best is the lowest error in the folds; pick is the smallest rule that is not clearly worse, fold by fold:

IF    50 < age <= 70 AND smoker
THEN  high
ELSE  low"""
    )
    assert str(path([0.1, 0.1])).splitlines()[1] == "   1           1          30.0 %      10.0 % ± 0.0  best and pick"
    assert str(path([], [])) == (
        """\
size  conditions  training error
   1           1          30.0 %
   3           2          25.0 %"""
    )
    assert repr(path([], [])).startswith("<RulePath of 2 DNF rules, size 1 to 3>\nsize  conditions")


def test_as_a_table():
    found = path([0.31, 0.29], [0.212, 0.218], [0.18, 0.22])
    frame = found.to_frame("pandas")
    assert isinstance(frame, pd.DataFrame)
    assert frame["size"].tolist() == [1, 3, 4]
    assert frame["lam"].tolist() == [8.0, 4.0, 2.0]
    assert frame["is_best"].tolist() == [False, False, True]
    assert frame["is_pick"].tolist() == [False, True, False]
    assert frame["cv_error"].tolist() == pytest.approx([0.3, 0.215, 0.2])
    assert [parse_rule(text) for text in frame["rule"]] == [point.rule for point in found]
    assert path([], []).to_frame("polars").schema["cv_error"] == pl.Float64


def test_as_json():
    found = path([0.31, 0.29], [0.212, 0.218], [0.18, 0.22])
    content = json.loads(json.dumps(found.to_dict()))
    assert (content["kind"], content["n_folds"], content["best"], content["pick"]) == ("dnf", 2, 2, 1)
    assert content["points"][1] == {
        "size": 3,
        "n_conditions": 2,
        "n_clauses": 1,
        "lam": 4.0,
        "max_literals": 2,
        "training_error": 0.25,
        "cv_error": pytest.approx(0.215),
        "cv_standard_error": pytest.approx(0.003),
        "fold_errors": [0.212, 0.218],
        "rule": found[1].rule.to_dict(),
    }


@pytest.fixture
def pyplot():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def test_drawn(pyplot, tmp_path):
    found = path([0.31, 0.29], [0.212, 0.218], [0.18, 0.22], [0.23, 0.25])
    display = found.plot()
    assert isinstance(display, RulePathDisplay)
    assert display.figure_ is display.ax_.figure
    lines = display.ax_.get_lines()
    training, best, pick = lines[0], *lines[-2:]
    assert training.get_ydata().tolist() == pytest.approx([30, 25, 20, 15])
    assert (best.get_xdata().tolist(), pick.get_xdata().tolist()) == ([4], [3])
    (bars,) = display.ax_.containers
    assert bars.lines[0].get_ydata().tolist() == pytest.approx([30, 21.5, 20, 24])
    ends = [segment[:, 1].tolist() for segment in bars.lines[2][0].get_segments()]
    assert ends[1] == pytest.approx([21.2, 21.8])
    display.figure_.savefig(tmp_path / "path.png")
    assert (tmp_path / "path.png").stat().st_size > 5000


def test_drawn_on_given_axes_and_without_folds(pyplot):
    _, (left, right) = pyplot.subplots(1, 2)
    display = RulePathDisplay.from_path(path([], []), ax=left)
    assert display.ax_ is left
    assert len(left.get_lines()) == 1
    assert display.plot(ax=right).ax_ is right


def test_drawing_needs_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError) as error:
        path([0.1, 0.2]).plot()
    assert str(error.value) == 'Drawing a path needs matplotlib. Install it with: pip install "imli[plot]".'
