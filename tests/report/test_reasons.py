"""Why a row is decided wrongly, in whole sentences."""

import pytest

from imli import make_report, parse_rule


def reason(rule, row, label):
    """Why the rule decides this row wrongly; other rows give the columns a spread."""
    X = {
        name: [cell, *([cell] * 3 if isinstance(cell, str) or cell is None else [10, 50, 90])]
        for name, cell in row.items()
    }
    decided = parse_rule(rule).predict(X).tolist()
    shown = make_report(parse_rule(rule), X, [label, *decided[1:]]).summary["mistakes"]["shown"]
    assert [mistake["row"] for mistake in shown] == [1]
    return shown[0]["reason"]["text"]


@pytest.mark.parametrize(
    ("rule", "row", "label", "text"),
    [
        (
            "IF age > 60 AND bmi > 30 OR bmi > 40 THEN high ELSE low",
            {"age": 58, "bmi": 35},
            "high",
            "No clause holds. Clause 1 would have held with age > 60; here it is 58.",
        ),
        (
            "IF age > 60 AND bmi > 30 AND city is Bath THEN high ELSE low",
            {"age": 58, "bmi": 20.25, "city": "Bath"},
            "high",
            "No clause holds. Clause 1 would have held with age > 60 AND bmi > 30; here age is 58 and bmi is 20.25.",
        ),
        (
            "IF age > 60 OR bmi > 30 THEN high ELSE low",
            {"age": 70, "bmi": 35},
            "low",
            "Clause 1 holds: age > 60. Clause 2 holds too.",
        ),
        (
            "IF 20 < age <= 60 THEN high ELSE low",
            {"age": 64},
            "high",
            "No clause holds. Clause 1 would have held with age <= 60; here it is 64.",
        ),
        (
            "IF city is Bath THEN high ELSE low",
            {"city": None},
            "high",
            "No clause holds. Clause 1 would have held with city is Bath; here it is missing.",
        ),
        (
            "IF (age > 60 OR bmi > 30) AND (bmi > 20) THEN high ELSE low",
            {"age": 50, "bmi": 25},
            "high",
            "Clause 1 rules the row out: none of these holds: age > 60, bmi > 30.",
        ),
        (
            "IF (age > 60 OR bmi > 30) AND (bmi > 20) THEN high ELSE low",
            {"age": 50, "bmi": 15},
            "high",
            "Clause 1 rules the row out: none of these holds: age > 60, bmi > 30. Clause 2 rules it out too.",
        ),
        (
            "IF (age > 60 OR bmi > 30) AND (bmi > 20) THEN high ELSE low",
            {"age": 99, "bmi": 21},
            "low",
            "No clause rules the row out. Clause 2 would have ruled it out but for bmi > 20; here it is 21.",
        ),
        (
            "IF age > 60 THEN high ELSE IF bmi > 30 THEN medium ELSE low",
            {"age": 70, "bmi": 35},
            "medium",
            "Clause 1 holds: age > 60. Clause 2, for medium, holds too, but clause 1 comes first.",
        ),
        (
            "IF age > 60 THEN high ELSE IF bmi > 30 THEN medium ELSE low",
            {"age": 55, "bmi": 35},
            "high",
            "Clause 2 holds: bmi > 30. Clause 1, for high, would have held with age > 60; here it is 55.",
        ),
        (
            "IF age > 60 THEN high ELSE IF bmi > 30 THEN medium ELSE low",
            {"age": 70, "bmi": 20},
            "low",
            "Clause 1 holds: age > 60.",
        ),
        (
            "IF age > 60 THEN high IF bmi > 30 THEN medium OTHERWISE low",
            {"age": 70, "bmi": 35},
            "medium",
            "Clause 1 holds: age > 60. Clause 2, for medium, holds too, but is outvoted, or stands behind.",
        ),
    ],
)
def test_sentences(rule, row, label, text):
    assert reason(rule, row, label) == text


def test_the_nearer_of_two_clauses_is_named():
    rule = "IF age > 60 OR bmi > 40 THEN high ELSE low"
    X = {"age": [59, 20, 30, 40, 50], "bmi": [20, 25, 30, 35, 39]}
    shown = make_report(parse_rule(rule), X, ["high", "low", "low", "low", "low"]).summary["mistakes"]["shown"]
    assert shown[0]["reason"]["nearest"] == 1
    X["age"][0], X["bmi"][0] = 20, 39.5
    shown = make_report(parse_rule(rule), X, ["high", "low", "low", "low", "low"]).summary["mistakes"]["shown"]
    assert shown[0]["reason"]["nearest"] == 2


def test_a_constant_rule():
    shown = make_report(parse_rule("IF never THEN yes ELSE no"), {"a": [1, 2]}, ["no", "yes"]).summary["mistakes"][
        "shown"
    ]
    assert shown[0]["reason"]["text"] == "The rule predicts the same class for every row."
