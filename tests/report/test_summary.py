"""What a report says is so: its figures against others' computations, its words whole."""

import json
from collections import Counter
from math import isclose

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix

import imli
from imli import CNFClassifier, DecisionSetClassifier, DNFClassifier, FindingWarning, Model, make_report, parse_rule


@pytest.fixture(params=["cancer", "wine"])
def reported(request):
    """A report, the classifier it is about, and the rows."""
    name = request.param
    data = request.getfixturevalue(name)
    return request.getfixturevalue(f"{name}_report"), request.getfixturevalue(f"{name}_classifier"), *data


def test_the_summary_is_plain(reported):
    report = reported[0]
    assert json.loads(json.dumps(report.summary, allow_nan=False)) == report.summary


def test_the_confusion_matrix_is_that_of_scikit_learn(reported):
    report, clf, X, y = reported
    confusion = report.summary["confusion"]
    assert confusion["classes"] == clf.classes_.tolist()
    assert confusion["counts"] == confusion_matrix(y, clf.predict(X), labels=clf.classes_).tolist()
    accuracy = report.summary["verdict"]["accuracy"]
    assert isclose(accuracy["share"], accuracy_score(y, clf.predict(X)))
    assert accuracy["low"] < accuracy["share"] < accuracy["high"]


def test_intervals_are_wilsons(cancer_report):
    from scipy.stats import binomtest

    accuracy = cancer_report.summary["verdict"]["accuracy"]
    expected = binomtest(int(accuracy["right"]), int(accuracy["rows"])).proportion_ci(method="wilson")
    assert np.allclose((accuracy["low"], accuracy["high"]), expected)


def test_calibration_by_hand(reported):
    report, clf, X, y = reported
    said = clf.predict_proba(X).max(axis=1).round(9)
    is_right = clf.predict(X) == y
    parts = [part for part in report.summary["calibration"]["parts"] if part["observed"]]
    assert Counter(round(part["predicted"], 9) for part in parts) == Counter(np.unique(said).tolist())
    for part in parts:
        own = said == round(part["predicted"], 9)
        assert part["observed"]["rows"] == own.sum()
        assert isclose(part["observed"]["share"], is_right[own].mean())
    groups = pd.DataFrame({"said": said, "is_right": is_right}).groupby("said")["is_right"]
    expected = sum(len(own) * abs(own.mean() - p) for p, own in groups) / len(y)
    assert isclose(report.summary["calibration"]["difference"], expected, abs_tol=1e-6)


def test_weights_count_as_repetition(cancer, cancer_classifier):
    X, y = cancer
    weight = np.arange(len(y)) % 3
    again = np.repeat(np.arange(len(y)), weight)
    weighted = make_report(cancer_classifier, X, y, sample_weight=weight, path=False, columns=False).summary
    repeated = make_report(cancer_classifier, X.iloc[again], y.iloc[again], path=False, columns=False).summary
    for section in ("confusion", "rule"):
        assert weighted[section] == repeated[section]
    assert weighted["mistakes"]["rows"] == repeated["mistakes"]["rows"]
    assert weighted["mistakes"]["kinds"] == repeated["mistakes"]["kinds"]
    assert weighted["rows"] == {
        "n": int((weight > 0).sum()),
        "total": float(weight.sum()),
        "are_weighted": True,
        "n_columns": 30,
        "relation": "other",
    }


def test_mistakes_are_rows_that_are_wrong(reported):
    report, clf, X, y = reported
    mistakes, decided = report.summary["mistakes"], clf.predict(X)
    assert mistakes["n_rows"] == (decided != y).sum()
    assert len(mistakes["shown"]) == min(20, mistakes["n_rows"])
    for mistake in mistakes["shown"]:
        row = mistake["row"] - 1
        assert mistake["true"] == y[row] != decided[row] == mistake["decided"]
        for cell in mistake["cells"]:
            assert isclose(float(cell["text"].replace(",", "")), X[cell["column"]][row], rel_tol=1e-5)


def test_of_many_mistakes_every_kind_is_shown():
    rng = np.random.default_rng(0)
    X, y = {"a": rng.random(1000)}, rng.choice(["x", "y"], 1000)
    rule = parse_rule("IF a > 0.9 THEN x IF a > 0.5 THEN x OTHERWISE y")
    mistakes = make_report(rule, X, y).summary["mistakes"]
    assert len(mistakes["shown"]) == 20
    assert Counter((m["true"], m["reason"]["clause"]) for m in mistakes["shown"]) == {
        ("x", None): 7,
        ("y", 1): 6,
        ("y", 2): 7,
    }
    assert make_report(rule, X, y).summary["mistakes"] == mistakes


def test_the_verdict_in_words(cancer, cancer_classifier):
    X, y = cancer
    summary = make_report(cancer_classifier, X, y, path=False, columns=False).summary
    n_conditions = cancer_classifier.rule_.n_conditions
    assert [sentence.replace("\xa0", " ") for sentence in summary["verdict"]["sentences"]] == [
        f"The rule is correct on {100 * cancer_classifier.score(X, y):.1f} % of 569 rows, the same rows it was learned "
        "from; always predicting benign, the most frequent class, would be correct on 62.7 %.",
        f"It has 3 clauses with {n_conditions} conditions; it is the best rule found, but not proven optimal.",
    ]
    assert summary["verdict"]["title"] == "diagnosis: benign or malignant?"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"prove": True, "n_clauses": 1, "lam": 20, "bins": 3, "refine": False},
            "It has 1 clause with 1 condition; it is proven that no rule of the kind that was searched costs less, "
            "errors and length taken together, on the rows it was learned from.",
        ),
        (
            {"n_clauses": 3, "lam": 1, "effort": 0.01},
            "It has 2 clauses with 3 conditions; it costs 47, errors and length taken together, and it is proven that "
            "none of its kind can cost less than 44.",
        ),
    ],
)
def test_what_is_proven(cancer, change, sentence):
    X, y = cancer
    clf = DNFClassifier(**change).fit(X[["worst radius", "worst texture"]] // 4, y)
    summary = make_report(clf, X, y, path=False, columns=False).summary
    assert summary["verdict"]["sentences"][1].replace("\xa0", " ") == sentence


def test_other_rows_are_told_apart(cancer, cancer_classifier):
    X, y = cancer
    one_cell = X.copy()
    one_cell.loc[7, "mean radius"] += 0.001
    for rows, labels in ((X[:500], y[:500]), (one_cell, y), (X[list(cancer_classifier.rule_.columns)], y)):
        summary = make_report(cancer_classifier, rows, labels, path=False, columns=False).summary
        assert summary["rows"]["relation"] == "other"
        assert ", which are not the rows it was learned from; " in summary["verdict"]["sentences"][0]
    same = make_report(cancer_classifier, X.to_dict("list"), y.tolist(), path=False, columns=False).summary
    assert same["rows"]["relation"] == "training"


def test_a_model_from_a_file_gives_the_same_report(tmp_path, cancer, cancer_classifier, cancer_report):
    imli.save(cancer_classifier, tmp_path / "rule.json")
    loaded = imli.load(tmp_path / "rule.json")
    summary = make_report(loaded, *cancer, path=False, columns=False).summary
    assert summary | {"made": ""} == cancer_report.summary | {"made": ""}


def test_a_rule_edited_by_hand_says_so(tmp_path, cancer, cancer_classifier):
    imli.save(cancer_classifier, tmp_path / "rule.json")
    content = json.loads((tmp_path / "rule.json").read_text())
    content["rule"]["slots"][0][0]["threshold"] += 1
    (tmp_path / "rule.json").write_text(json.dumps(content))
    edited = imli.load(tmp_path / "rule.json")
    report = make_report(edited, *cancer, path=False, columns=False)
    assert report.summary["card"]["is_edited"]
    assert report.summary["calibration"] is None
    assert report.summary["verdict"]["sentences"][1].endswith("conditions, and nothing is proven about it.")
    assert "<strong>Edited by hand.</strong>" in report.html
    assert "it was edited after the rows were counted" in report.html


def test_a_rule_by_hand_has_no_sections_on_learning():
    rule = parse_rule("IF age > 60 AND smoker THEN risk is high ELSE risk is low")
    X = {"age": [70, 65, 40, 80], "smoker": [True, True, False, False]}
    report = make_report(rule, X, ["high", "low", "low", "high"])
    assert [name for name, section in report.summary.items() if section is None] == [
        "learned", "calibration", "path", "columns",
    ]  # fmt: skip
    assert report.summary["left_out"] == {"path": "", "columns": ""}
    assert 'id="columns"' not in report.html
    assert 'id="path"' not in report.html
    assert report.summary["verdict"]["title"] == "risk: low or high?"
    assert report.summary["rows"]["relation"] == "unknown"
    without_card = make_report(Model(rule, ("low", "high")), X, ["high", "low", "low", "high"])
    assert without_card.summary["card"] is None
    assert 'id="card"' not in without_card.html


def test_a_class_that_the_rule_does_not_know():
    report = make_report(parse_rule("IF a THEN x ELSE y"), {"a": [True, False, True]}, ["x", "y", "z"])
    assert report.summary["confusion"] == {
        "classes": ["y", "x", "z"],
        "counts": [[1, 0, 0], [0, 1, 0], [0, 1, 0]],
        "is_decided": [True, True, False],
    }
    assert report.summary["mistakes"]["shown"][0]["reason"]["text"] == ("Clause 1 holds: a. The rule never predicts z.")
    assert "never predicted" in report.html


@pytest.mark.parametrize("kind", [CNFClassifier, DecisionSetClassifier])
def test_other_kinds(kind, cancer):
    X, y = cancer
    clf = kind(n_clauses=2, lam=5, effort=0.05).fit(X, y)
    report = make_report(clf, X, y, path=False, columns=False)
    assert report.summary["rows"]["relation"] == "training"
    assert report.html.count('<span class="badge">') == len(clf.rule_.clauses)


def test_parameters_that_were_chosen_stand_first(cancer_report):
    parameters = cancer_report.summary["card"]["parameters"]
    assert [(p["name"], p["value"]) for p in parameters if not p["is_default"]] == [
        ("effort", "0.05"), ("lam", "3"), ("n_clauses", "3"), ("never", "worst area"),
    ]  # fmt: skip
    assert [p["is_default"] for p in parameters] == sorted(p["is_default"] for p in parameters)
    assert {p["name"] for p in parameters} == set(DNFClassifier().get_params()) - {"callback"}


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (
            lambda X, y: make_report("rule", X, y),
            TypeError,
            "make_report needs a model, a fitted classifier or a rule. Got str.",
        ),
        (
            lambda X, y: make_report(parse_rule("a"), X, y, path=7),
            TypeError,
            "make_report: path must be True, False or a RulePath. Got 7.",
        ),
        (
            lambda X, y: make_report(parse_rule("b"), X, y),
            ValueError,
            "No column 'b' in the data.",
        ),
        (
            lambda X, y: make_report(parse_rule("a"), X, y, sample_weight=[0, 0]),
            ValueError,
            "There are no rows to report on.",
        ),
        (
            lambda X, y: make_report(parse_rule("a"), X, ["p", "q"]),
            ValueError,
            "No label in y is a class of the rule. Its classes are [False, True]; the first label is 'p'. "
            "Name the classes as the rule does.",
        ),
    ],
)
def test_errors(call, kind, sentence):
    with pytest.raises(kind) as caught:
        call({"a": [True, False]}, [True, False])
    assert str(caught.value) == sentence


def test_findings_are_in_the_card():
    X = pd.DataFrame({"no": range(5000, 5060), "x": [1, 2, 3] * 20})
    with pytest.warns(FindingWarning):
        clf = DNFClassifier(lam=1, effort=0.01).fit(X, X["x"] > 1)
    report = make_report(clf, X, X["x"] > 1, path=False, columns=False)
    assert [each["kind"] for each in report.summary["card"]["findings"]] == [each.kind for each in clf.findings_]
    assert "What a look at the table has shown" in report.html
    assert "looks like an identifier" in report.html
