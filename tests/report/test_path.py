"""The section on shorter and longer rules."""

import re
from dataclasses import replace

import pytest

from imli import DecisionListClassifier, RuleClassifier, make_report, parse_rule, rule_path
from imli.report.plots import curve


@pytest.fixture(scope="module")
def path(wine):
    return rule_path(*wine, "list", n_clauses=3, n_rules=5, effort=0.01)


@pytest.fixture(scope="module")
def report(path, wine, wine_classifier):
    return make_report(wine_classifier, *wine, path=path, columns=False)


def test_it_says_what_the_path_says(path, report, wine_classifier):
    section = report.summary["path"]
    assert len(section["points"]) == len(path)
    for shown, point in zip(section["points"], path, strict=True):
        assert shown["size"] == point.size
        assert shown["training"] == pytest.approx(1 - point.training_error)
        assert shown["validated"] == pytest.approx(1 - point.cv_error)
        assert shown["standard_error"] == point.cv_standard_error
        assert parse_rule(shown["rule"], kind="list") == point.rule.with_counts(None)
    assert path[section["best"]] == path.best
    assert path[section["pick"]] == path.pick
    assert section["size"] == wine_classifier.rule_.size
    assert not section["learned_here"]
    assert "learned before this report" in report.html


def test_the_plot_has_a_mark_for_each_rule(report):
    plot = report.html[report.html.index('id="path-title"') :]
    plot = plot[: plot.index("</svg>")]
    section = report.summary["path"]
    assert len(re.findall(r'<circle class="(?:dot|best)"', plot)) == len(section["points"])
    assert plot.count('class="ring"') == 1
    assert plot.count('class="best"') == 1
    assert len(re.findall(r'class="bar-line"', plot)) == len(section["points"])


def test_marks_stand_where_their_numbers_are(report):
    section = report.summary["path"]
    plot = curve(section)
    ys = {float(tick["text"].split("\xa0")[0]) / 100: tick["y"] for tick in plot["y_ticks"]}
    (low, y_low), *_, (high, y_high) = sorted(ys.items())
    for mark, point in zip(plot["marks"], section["points"], strict=True):
        expected = y_low + (point["validated"] - low) / (high - low) * (y_high - y_low)
        assert mark["validated"] == pytest.approx(expected, abs=0.2)
        assert mark["high"] <= mark["validated"] <= mark["low"]
    xs = [mark["x"] for mark in plot["marks"]]
    assert xs == sorted(xs)


def test_a_path_is_learned_where_none_is_given(wine, wine_classifier):
    steps = []
    report = make_report(wine_classifier, *wine, columns=False, on_progress=lambda *step: steps.append(step))
    section = report.summary["path"]
    assert section["learned_here"]
    assert section["n_folds"] == 5
    assert section["pick"] is not None
    assert "THEN    wine is " in section["points"][-1]["rule"]
    assert steps == [("path", 0, 1), ("path", 1, 1)]
    assert "learned for comparison from the rows of this report" in report.html
    assert f'<pre class="rule-text">{section["points"][section["pick"]]["rule"][:2]}' in report.html


def test_a_path_that_fit_made_is_not_made_again(wine):
    clf = DecisionListClassifier(n_clauses=2, lam="cv", effort=0.01).fit(*wine)
    report = make_report(clf, *wine, columns=False, time_limit=1e-9)
    assert [point["size"] for point in report.summary["path"]["points"]] == [point.size for point in clf.path_]


def test_without_time_there_is_no_path(wine, wine_classifier):
    report = make_report(wine_classifier, *wine, columns=False, time_limit=1e-9)
    assert report.summary["path"] is None
    assert report.summary["left_out"]["path"] == "There was not enough time to learn again."
    assert "<p>There was not enough time to learn again.</p>" in report.html


def test_a_path_without_folds(path, wine, wine_classifier):
    short = replace(path, points=tuple(replace(point, fold_errors=()) for point in path))
    report = make_report(wine_classifier, *wine, path=short, columns=False)
    assert report.summary["path"]["n_folds"] is None
    assert report.summary["path"]["pick"] is None
    assert "cross-validation, so every row" not in report.html
    assert '<circle class="dot"' not in report.html[report.html.index('id="path-title"') :]


def test_other_rules_are_of_the_kind_that_was_chosen_and_describe_the_same_class():
    rows = {"age": [10, 20, 30, 40] * 20, "smoker": [True, False] * 40}
    clf = RuleClassifier(lam=0.1, effort=0.02, cv=2).fit(rows, ["low", "low", "low", "high"] * 20)
    for given in (clf, clf.to_model()):
        # elsewhere the class that is described is the more frequent one
        section = make_report(given, rows, ["low", "high", "high", "high"] * 20, columns=False).summary["path"]
        assert all("THEN  high" in point["rule"] for point in section["points"])
    assert clf.rule_.classes == ("low", "high")
