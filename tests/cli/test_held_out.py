"""The check of ``imli fit``: its figures against scikit-learn, and its intervals against fresh rows."""

import argparse
import json
import warnings

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, precision_score, recall_score
from sklearn.model_selection import StratifiedKFold
from support.clause_tables import draw

from imli import DecisionListClassifier, DNFClassifier, Model
from imli.cli.held_out import Checking
from imli.cli.screen import Watch
from imli.models.checks import Check, ClassCheck, effective, limits
from imli.table.read import as_frame


def checked(clf, X, y, weights=None, **options):
    """The check of a fitted classifier, as the command line makes it."""
    given = {"cv": None, "holdout": None, "no_check": False, "time_limit": None, **options}
    checking = Checking(argparse.Namespace(**given), np.asarray(y), 0)
    return checking.run(clf, as_frame(X), as_frame({"y": y})["y"], weights, Watch())


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_figures_are_those_of_scikit_learn(is_weighted):
    rng = np.random.default_rng(0)
    X, y = draw("clean", 200, rng)
    y = np.where(y, "yes", "no")
    weights = rng.integers(1, 4, 200).astype(float) if is_weighted else None
    clf = DNFClassifier(effort=0.02, lam=4).fit(X, y, weights)
    check = checked(clf, X, y, weights)
    decided = np.empty_like(y)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        again = DNFClassifier(effort=0.006, lam=4).fit(X[train], y[train], None if weights is None else weights[train])
        decided[test] = again.predict(X[test])
    settings = {"pos_label": clf.positive_, "sample_weight": weights}
    assert check.positive == clf.positive_
    assert check.precision == pytest.approx(precision_score(y, decided, **settings))
    assert check.recall == pytest.approx(recall_score(y, decided, **settings))
    assert check.balanced_accuracy == pytest.approx(balanced_accuracy_score(y, decided, sample_weight=weights))
    assert check.accuracy == pytest.approx(np.average(decided == y, weights=weights))
    assert check.baseline == pytest.approx(max(np.average(y == label, weights=weights) for label in ("no", "yes")))
    assert check.rows == 200
    assert len(check.clauses) == len(clf.rule_.clauses)


@pytest.mark.filterwarnings("ignore:The class odd has 3 of 300 rows")
def test_a_line_for_each_of_more_classes():
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    y = np.where(x > 0.5, "high", np.where(x < -0.5, "low", "mid"))
    y[:3] = "odd"
    clf = DecisionListClassifier(effort=0.02, lam=5).fit(x[:, None], y)
    check = checked(clf, x[:, None], y, cv=3)
    assert (check.positive, check.precision, check.recall) == (None, None, None)
    assert [one.label for one in check.classes] == ["high", "low", "mid", "odd"]
    assert check.classes[-1] == ClassCheck("odd", 3.0, 0.0, None)
    _, in_all, high, *_, odd = check.sentences[:6]
    assert in_all.endswith(" Never predicted: odd.")
    assert high.startswith("high: recall ")
    assert odd == "odd: recall 0.0 % of 3 rows, never predicted."


def test_sentences():
    check = Check("cv", 0.9, 100, 5, 0.02, baseline=0.6, balanced_accuracy=0.5, positive="yes", recall=0.0)
    assert check.sentences == (
        "Expected accuracy on new rows: 90.0 % ± 2.0 (5-fold cross-validation); baseline 60.0 % (one class for all).",
        "No row is predicted yes. Balanced accuracy: 50.0 %.",
    )
    clauses = [{"low": 0.4, "high": 0.88, "rows": 12, "right": 0.7}, {"low": 0, "high": 1, "rows": 0, "is_lost": True}]
    check = Check("holdout", 0.5, 100, baseline=0.5, clauses=clauses)
    assert check.sentences == (
        "Expected accuracy on new rows: 50.0 % (from 100 held-out rows); baseline 50.0 % (one class for all). "
        "The rule is not clearly better than that.",
        "Clause 1 on new rows: 40 to 88 % correct (95 % interval; 12 rows held out).",
        "Clause 2 on new rows: 0 to 100 % correct (95 % interval; wide, since rules learned without the rows held out "
        "have no such clause).",
    )


def test_the_figures_are_saved(run, passengers, tmp_path):
    path = tmp_path / "model.json"
    arguments = ("--target", "survived", "--effort", "0.05", "--lam", "4", "--cv", "3", "--save", path)
    _, out, _ = run("fit", passengers, *arguments)
    (check,) = json.loads(path.read_text())["card"]["checks"]
    model = Model.from_dict(json.loads(path.read_text()))
    assert {"precision", "recall", "balanced_accuracy", "baseline", "positive", "classes", "clauses"} <= set(check)
    assert out.endswith("".join(f"{text}\n" for text in model.card.checks[0].sentences) + f"Saved as {path}.\n")
    assert run("show", path)[1].endswith("".join(f"{text}\n" for text in model.card.checks[0].sentences))


def test_limits():
    from scipy.stats import binomtest

    for right, rows in ((0, 10), (3, 10), (45, 50), (50, 50)):
        expected = binomtest(right, rows).proportion_ci(method="exact")
        assert limits(right, rows) == pytest.approx((expected.low, expected.high))
    assert limits(0, 0) == (0.0, 1.0)
    assert limits(10, 10, n_choices=1e300)[0] == pytest.approx(0)
    assert effective(np.array([2.0, 2.0, 2.0]), [True, False, False]) == pytest.approx((1, 3))
    assert effective(np.array([9.0, 1.0]), [True, False])[1] == pytest.approx(100 / 82)


def coverage(kinds, sizes, seeds, lams, **parameters):
    """For each clause learned: whether its interval has the share that is right among fresh rows; and its check."""
    found = []
    for kind in kinds:
        for n_rows in sizes:
            for seed in seeds:
                for lam in lams:
                    rng = np.random.default_rng([seed, n_rows, len(kind)])
                    (X, y), (fresh, truth) = draw(kind, n_rows, rng), draw(kind, 40_000, rng)
                    if min(y.sum(), (~y).sum()) < 5:
                        continue
                    maker = DecisionListClassifier if seed % 3 == 0 else DNFClassifier
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        clf = maker(lam=lam, **parameters).fit(X, y)
                        check = checked(clf, X, y)
                    counts = clf.rule_.counted_on(fresh, truth).counts
                    for one, right, rows in zip(check.clauses, counts.right, counts.covered, strict=True):
                        if rows:
                            found.append((one.low <= right / rows <= one.high, one))
    return found


def test_intervals_have_the_share_among_fresh_rows():
    found = coverage(("clean", "noisy"), (80,), range(2), (1.0,), effort=0.01)
    assert len(found) >= 10
    assert sum(not is_in for is_in, _ in found) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("lam", ["auto", 1.0])
def test_intervals_have_the_share_among_fresh_rows_of_many_tables(lam):
    """Whether λ is chosen, or far too low so that clauses fit noise; also those that were found again alone."""
    kinds = ("clean", "noisy", "smooth", "discrete", "pure")
    found = coverage(kinds, (60, 200), range(3) if lam == "auto" else range(1, 3), (lam,), effort=0.02)
    again = [is_in for is_in, one in found if not one.is_lost]
    assert np.mean([is_in for is_in, _ in found]) >= 0.93, len(found)
    assert np.sum(np.logical_not(again)) <= 1 + len(again) / 10, len(again)  # few clauses are found again
