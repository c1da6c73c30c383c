"""Findings about a table: what is named, what is done about it, and what undoes it."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import imli
from imli import DNFClassifier, FindingWarning

N_ROWS = 400
ROWS = np.arange(N_ROWS)
RNG = np.random.default_rng(3)
AMOUNT = RNG.gamma(3, 100, N_ROWS).round(1)
CITY = np.array(["Bath", "Cork", "Pisa"])[RNG.integers(0, 3, N_ROWS)]
LEAVES = (AMOUNT > 350) ^ (RNG.random(N_ROWS) < 0.1)
DAYS = np.datetime64("2020-01-01", "us") + RNG.integers(0, 900, N_ROWS) * np.timedelta64(1, "D")


def table(**columns):
    return pd.DataFrame({"amount": AMOUNT, "city": CITY, **columns})


def told(labels=LEAVES, **columns):
    return [(finding.grade, str(finding)) for finding in imli.inspect(table(**columns), labels).findings]


def one_hot(name):
    return (name == CITY).astype(int)


LEFT_OUT = "No condition is on it unless use={!r} asks for it."


@pytest.mark.parametrize(
    ("columns", "grade", "text"),
    [
        ({"applicant": ROWS + 103_200}, "notable",
         f"'applicant' looks like an identifier: its 400 cells are all different. {LEFT_OUT.format('applicant')}"),
        ({"measured": ROWS * 1000 + RNG.integers(0, 900, N_ROWS)}, "notable",
         f"'measured' looks like an identifier: its 400 cells rise with the rows. {LEFT_OUT.format('measured')}"),
        ({"ref": [f"A-{row}" for row in ROWS]}, "notable",
         f"'ref' looks like an identifier: its 400 cells are all different. {LEFT_OUT.format('ref')}"),
        ({"note": [f"called {row} times and left" for row in ROWS]}, "notable",
         "'note' looks like free text: its 400 cells are all different, of 5 words each. " + LEFT_OUT.format("note")),
        ({"land": "DE"}, "remark", "'land' is the same in all rows."),
        ({"price": 2 * AMOUNT}, "remark", "'amount' and 'price' say the same. One is enough."),
        ({"letter": np.char.lower(CITY)}, "remark", "'city' and 'letter' say the same. One is enough."),
        ({"is " + name: one_hot(name) for name in ("Bath", "Cork", "Pisa")}, "remark",
         "'is Bath', 'is Cork' and 'is Pisa' are one choice: each row has exactly one of them. As one column of text, "
         "a condition could name several."),
        ({"letter": np.where(LEAVES, "sent", "none")}, "serious",
         "'letter' tells the target almost alone, as what is known only after the decision does. If it is, leave it "
         "out with never='letter'."),
        ({"ended": np.where(LEAVES, DAYS, np.datetime64("NaT"))}, "serious",
         "Whether 'ended' is missing tells the target almost alone, as what is known only after the decision does. If "
         "it is, leave it out with never='ended'."),
        ({"visits": np.where(ROWS % 20, RNG.integers(0, 40, N_ROWS), -9)}, "remark",
         "'visits' is -9 in 5.0 % of the rows, the only number below 0: it may be a code and no number. If so, leave "
         "these cells empty."),
        ({"visits": np.where(ROWS % 20, RNG.integers(0, 40, N_ROWS), 999)}, "remark",
         "'visits' is 999 in 5.0 % of the rows, far above all other numbers: it may be a code and no number. If so, "
         "leave these cells empty."),
        ({"until": np.where(ROWS % 20, DAYS, np.datetime64("9999-12-31", "us"))}, "remark",
         "'until' is 9999-12-31 in 5.0 % of the rows, far from all other dates: it may be a code and no date. If so, "
         "leave these cells empty."),
        ({"at": DAYS.astype("datetime64[s]").astype(int)}, "remark", None),
        ({"size": [f"~{row % 90}" for row in ROWS]}, "serious",
         "'size' is text, though its cells are numbers. Make numbers of it, so that conditions compare them."),
        ({"value": [f"€{row % 90}.5M" for row in ROWS]}, "serious",
         "'value' is text, though its cells are numbers. Make numbers of it, so that conditions compare them."),
        ({"month": [f"{('Jan', 'Feb', 'May', 'Oct')[row % 4]}-{10 + row % 9}" for row in ROWS]},
         "serious", "'month' is text, though its cells are dates. Make dates of it, so that conditions compare them."),
        ({"day": np.datetime_as_string(DAYS, "D")}, "serious",
         "'day' is text, though its cells are dates. Make dates of it, so that conditions compare them."),
        ({"sex": np.where(ROWS % 3, "f", "m"), "ZipCode": RNG.integers(100, 120, N_ROWS)}, "remark",
         "'sex' and 'ZipCode' are personal attributes by their names. never=['sex', 'ZipCode'] keeps them out of the "
         "rule."),
    ],
)  # fmt: skip
def test_what_is_named(columns, grade, text):
    if text is None:  # made of random numbers
        text = f"'at' looks like a time in seconds since 1970: its least number, {min(columns['at'])}, would be "
        text += f"{min(DAYS).astype('datetime64[D]')}. Make dates of it, so that conditions say when."
    assert told(**columns) == [(grade, text)]


def test_nothing_is_said_about_ordinary_tables():
    assert told() == []
    assert told(code=[f"{row * 37 % 900:05}" for row in ROWS % 50]) == []  # codes such as 00037
    for load in (load_iris, load_wine, load_breast_cancer):
        data = load(as_frame=True)
        serious = [each for each in imli.inspect(data.data, data.target).findings if each.grade != "remark"]
        assert serious == []


def test_identifiers_and_free_text_give_no_conditions_unless_asked_for():
    number = RNG.permutation(N_ROWS) + 5000
    X, y = table(number=number), number > 5200
    with pytest.warns(FindingWarning, match="'number' looks like an identifier"):
        clf = DNFClassifier(lam=3, effort=0.05).fit(X, y)
    assert "number" not in clf.rule_.columns
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = DNFClassifier(lam=3, effort=0.05, use="number").fit(X, y)
    assert str(clf.rule_.clauses[0][0]) == "number > 5,200"
    (finding,) = [each for each in clf.findings_ if each.kind == "identifier"]
    assert (finding.grade, finding.columns, finding.cure) == ("remark", ("number",), "It is used, as asked.")


def test_leaks_are_named_and_used_unless_left_out():
    X = table(letter=np.where(LEAVES, "sent", "none"))
    with pytest.warns(FindingWarning, match="'letter' tells the target almost alone"):
        clf = DNFClassifier(lam=3, effort=0.05).fit(X, LEAVES)
    assert clf.rule_.columns == ("letter",)
    clf = DNFClassifier(lam=3, effort=0.05, never="letter").fit(X, LEAVES)
    assert [(each.kind, each.grade) for each in clf.findings_] == [("leak", "remark")]
    assert clf.to_model().card.findings == clf.findings_


@pytest.mark.filterwarnings("ignore::imli.FindingWarning")
def test_classes_that_are_rare_or_never_decided():
    labels = np.where(LEAVES, "leaves", "stays").astype(object)
    labels[:3] = "odd"
    clf = imli.DecisionListClassifier(lam=3, effort=0.05).fit(table(), labels)
    assert [str(each) for each in clf.findings_ if each.grade == "notable"] == [
        "The class odd has 3 of 400 rows, too few to learn and to check a rule for, so it is never predicted by "
        "default. Collect more of them, or put them into another class.",
    ]
    assert "The rule never predicts odd, the class of 3 rows." in [each.text for each in clf.findings_]
