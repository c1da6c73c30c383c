"""What columns are worth: planted ones, stand-ins, those that cannot be forgone, and what time leaves out."""

import numpy as np
import pytest

from imli import DNFClassifier, make_report


@pytest.fixture(scope="module")
def planted():
    """The class needs ``alone``, and one of ``left`` and ``right``, which are the same."""
    rng = np.random.default_rng(1)
    alone, left = rng.random(240) > 0.5, rng.random(240) > 0.4
    X = {"left": left, "alone": alone, "right": left.copy(), "noise": rng.random(240)}
    y = np.where((alone & left) ^ (rng.random(240) < 0.05), "yes", "no")
    return X, y


@pytest.fixture(scope="module")
def weighed(planted):
    clf = DNFClassifier(n_clauses=2, lam=3, effort=0.1).fit(*planted)
    steps = []
    report = make_report(clf, *planted, path=False, on_progress=lambda *step: steps.append(step))
    return clf, report, steps


def test_what_is_lost(planted, weighed):
    clf, report, _ = weighed
    section = report.summary["columns"]
    assert clf.rule_.columns == ("left", "alone")
    alone, left = section["columns"]
    assert (alone["column"], left["column"]) == ("alone", "left")
    assert alone["loss"] > 0.2
    assert not alone["has_stand_in"]
    assert abs(left["loss"]) <= left["standard_error"] + 1e-12
    assert left["has_stand_in"]
    assert left["stand_ins"] == ["right"]
    assert abs(section["accuracy"] - 0.95) < 0.03
    assert section["n_folds"] == 5
    assert "No loss: <bdi>right</bdi>" in report.html
    new_rows = report.summary["verdict"]["new_rows"]
    assert new_rows["share"] == section["accuracy"]
    assert new_rows["source"] == "5-fold cross-validation"


@pytest.mark.filterwarnings("ignore:The rule is constant")
def test_losses_are_those_of_rows_that_were_held_out(planted, weighed):
    from imli.report.columns import EFFORT, _folds
    from imli.report.decisions import read_sample
    from imli.table.read import as_frame

    X, y = planted
    folds = _folds(read_sample(as_frame(X), ("no", "yes"), y, None), 0)
    right = {}
    for never in ((), ("alone",)):
        right[never] = np.zeros(240, dtype=bool)
        for fold in range(5):
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            clf = DNFClassifier(n_clauses=2, lam=3, effort=0.1 * EFFORT, never=never)
            clf.fit({name: cells[train] for name, cells in X.items()}, y[train])
            right[never][test] = clf.predict({name: cells[test] for name, cells in X.items()}) == y[test]
    section = weighed[1].summary["columns"]
    assert section["accuracy"] == pytest.approx(right[()].mean())
    assert section["columns"][0]["accuracy"] == pytest.approx(right[("alone",)].mean())
    difference = right[()].astype(int) - right[("alone",)]
    assert section["columns"][0]["loss"] == pytest.approx(difference.mean())
    assert section["columns"][0]["standard_error"] == pytest.approx(difference.std() / np.sqrt(240))


def test_progress_is_told(weighed):
    assert weighed[2] == [("columns", n, 3) for n in range(4)]


def test_the_same_again(planted, weighed):
    clf, report, _ = weighed
    assert make_report(clf.to_model(), *planted, path=False).summary["columns"] == report.summary["columns"]


def test_a_column_that_is_asked_for_cannot_be_forgone(planted):
    clf = DNFClassifier(n_clauses=2, lam=3, effort=0.01, always="alone").fit(*planted)
    section = make_report(clf, *planted, path=False).summary["columns"]
    assert section["columns"][-1]["column"] == "alone"
    assert section["columns"][-1]["loss"] is None
    assert section["columns"][-1]["why_not"].startswith("No rule can do without it: ")


def test_what_there_is_no_time_for_is_left_out(planted, weighed):
    clf = weighed[0]
    report = make_report(clf, *planted, path=False, time_limit=1e-9)
    assert report.summary["columns"] is None
    assert report.summary["left_out"]["columns"] == "There was not enough time to learn again."
    assert "<p>There was not enough time to learn again.</p>" in report.html


def test_why_nothing_can_be_learned(planted, weighed):
    clf, (X, y) = weighed[0], planted
    few = {name: X[name] for name in ("left", "alone")}
    for rows, labels, why in (
        (few, y, "The table lacks some of the columns that the rule was learned from."),
        ({k: v[:1] for k, v in X.items()}, y[:1], "All rows are of one class, from which nothing can be learned."),
    ):
        assert make_report(clf, rows, labels, path=False).summary["left_out"]["columns"] == why


def test_a_parameter_that_a_file_cannot_hold(planted):
    from imli import Native

    clf = DNFClassifier(n_clauses=2, lam=3, backend=Native(effort=0.01)).fit(*planted)
    why = make_report(clf.to_model(), *planted, path=False).summary["left_out"]["columns"]
    assert why.startswith("The parameter backend was an object, which a model file can only describe: Native(")
    assert make_report(clf, *planted, path=False).summary["left_out"]["columns"] == ""


def test_few_rows_are_judged_where_they_were_learned():
    X, y = {"a": [1, 2, 3, 4, 5, 6]}, ["x", "y", "y", "y", "y", "y"]
    clf = DNFClassifier(lam=0.5, effort=0.01).fit(X, y)
    report = make_report(clf, X, y, path=False)
    assert report.summary["columns"]["n_folds"] == 0
    assert report.summary["verdict"]["new_rows"] is None
    assert "there are too few of some class to hold any out" in report.html
