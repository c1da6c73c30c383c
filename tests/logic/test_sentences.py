"""What is read: reasons and changes as whole sentences."""

import json
from datetime import date, datetime

import pytest

from imli import parse_rule
from imli.logic.domains import Domain

RISK = parse_rule("IF age > 60 AND smoker OR weight > 120 THEN risk is high ELSE risk is low")


@pytest.mark.parametrize(
    ("rule", "row", "sentence"),
    [
        ("IF a AND b OR c THEN yes ELSE no", {"a": 1, "b": 1, "c": 0},
         "yes, because a AND b: whatever the other columns hold, the prediction is the same."),
        ("IF a AND b OR c THEN yes ELSE no", {"a": 0, "b": 1, "c": False},
         "no, because not a AND not c: whatever the other columns hold, the prediction is the same."),
        ("IF age > 33 AND age <= 50 THEN yes ELSE no", {"age": 40}, "yes, because 33 < age <= 50."),
        ("IF age > 33 AND age <= 50 THEN yes ELSE no", {"age": 60}, "no, because age > 50."),
        ("IF 20 <= age < 30 THEN yes ELSE no", {"age": 60}, "no, because not 20 <= age < 30."),
        ("IF age > 33 THEN yes ELSE no", {"age": None}, "no, because age is missing."),
        ("IF age > 33 or missing THEN yes ELSE no", {"age": 34}, "yes, because age > 33."),
        ("IF age < 20 OR age >= 20 THEN yes ELSE no", {"age": 34}, "yes, because age is not missing."),
        ("IF city is A THEN 1 ELSE IF city is B or C THEN 2 ELSE 3", {"city": "D"},
         "3, because city is neither A, B nor C."),
        ("IF city is A THEN 1 ELSE IF city is B THEN 2 ELSE IF city is C THEN 1 ELSE 3", {"city": "A"},
         "1, because city is A or C."),
        ("IF signed >= 2021-01-01 THEN new ELSE old", {"signed": date(2020, 5, 5)},
         "old, because signed < 2021-01-01."),
        # two clauses together leave no way out
        ("IF a AND b THEN yes ELSE IF not b or missing THEN yes ELSE no", {"a": 1, "b": 1},
         "yes, because a: whatever the other columns hold, the prediction is the same."),
        # votes: one for red is enough as long as it stands first
        ("IF a THEN red IF b THEN green IF c THEN green OTHERWISE grey", {"a": 1, "b": 1, "c": 0},
         "red, because a AND not c: whatever the other columns hold, the prediction is the same."),
        ("IF a OR not a or missing THEN yes ELSE no", {"a": 1}, "yes, whatever the columns hold."),
        ("IF always THEN yes ELSE no", {}, "yes, as for every row."),
    ],
)  # fmt: skip
def test_reasons(rule, row, sentence):
    assert str(parse_rule(rule).why(row)) == sentence


@pytest.mark.parametrize(
    ("rule", "row", "sentence"),
    [
        ("IF age > 40 THEN yes ELSE no", {"age": 52}, "with age at most 40 instead of 52"),
        ("IF age >= 40 THEN yes ELSE no", {"age": 52.5}, "with age below 40 instead of 52.5"),
        ("IF age < 40 THEN yes ELSE no", {"age": 12}, "with age at least 40 instead of 12"),
        ("IF age > 33 AND age <= 50 THEN yes ELSE no", {"age": 3}, "with age above 33 and at most 50 instead of 3"),
        ("IF 20 <= age < 30 THEN yes ELSE no", {"age": 3}, "with age at least 20 and below 30 instead of 3"),
        ("IF 20 <= age < 30 THEN yes ELSE no", {"age": 22}, "with age below 20 or at least 30 instead of 22"),
        ("IF rooms is 2 or 3 THEN yes ELSE no", {"rooms": 7}, "with rooms 2 or 3 instead of 7"),
        ("IF rooms is not 2 THEN yes ELSE no", {"rooms": 7}, "with rooms 2 instead of 7"),
        ("IF city is Bath or York THEN yes ELSE no", {"city": "Rome"}, "with city 'Bath' or 'York' instead of 'Rome'"),
        ("IF city is Bath THEN yes ELSE no", {"city": "Bath"}, "with city other than 'Bath' instead of 'Bath'"),
        ("IF smoker THEN yes ELSE no", {"smoker": True}, "with smoker false instead of true"),
        ("IF smoker THEN yes ELSE no", {"smoker": 0}, "with smoker true instead of false"),
        ("IF smoker THEN yes ELSE no", {"smoker": None}, "with smoker true instead of missing"),
        ("IF signed >= 2021-01-01 THEN yes ELSE no", {"signed": date(2020, 5, 5)},
         "with signed from 2021-01-01 on instead of 2020-05-05"),
        ("IF signed <= 2021-01-01 THEN yes ELSE no", {"signed": datetime(2020, 5, 5, 12, 30)},
         "with signed after 2021-01-01 instead of 2020-05-05 12:30"),
        ("IF signed > 2021-01-01 THEN yes ELSE no", {"signed": date(2022, 5, 5)},
         "with signed up to 2021-01-01 instead of 2022-05-05"),
        ("(signed < 2021-01-01 OR signed > 2021-01-01)", {"signed": date(2022, 5, 5)},
         "with signed exactly 2021-01-01 instead of 2022-05-05"),
        ("IF age is missing THEN yes ELSE no", {"age": None}, "with age known instead of missing"),
        ("IF age is missing THEN yes ELSE no", {"age": 5}, "with age missing instead of 5"),
        ("IF dose > 0.5 THEN yes ELSE no", {"dose": 0.30471707975443135}, "with dose above 0.5 instead of 0.304717"),
        ("IF a AND b AND c THEN yes ELSE no", {"a": 0, "b": 0, "c": 0},
         "with a true instead of false, b true instead of false and c true instead of false"),
    ],
)  # fmt: skip
def test_changes(rule, row, sentence):
    found = parse_rule(rule).what_if(row)
    before, instead = ("true" if found.decision is True else found.decision), found.instead
    instead = "false" if instead is False else instead
    assert str(found) == f"The prediction would be {instead} instead of {before} {sentence}."


@pytest.mark.parametrize(
    ("rule", "row", "after"),
    [
        ("age > 40", {"age": 52}, {"age": 40}),
        ("age > 40.5", {"age": 52}, {"age": 40}),
        ("age > 40.5", {"age": 52.0}, {"age": 40.5}),
        ("age >= 40", {"age": 52}, {"age": 39}),
        ("age >= 40", {"age": 52.5}, {"age": 39.9}),
        ("dose > 0.1847", {"dose": 0.0}, {"dose": 0.1848}),
        ("age > 33 AND age < 34", {"age": 50.5}, {"age": 33.9}),
        ("signed > 2021-01-01", {"signed": date(2020, 1, 1)}, {"signed": datetime(2021, 1, 2)}),
        ("signed > 2021-01-01 AND signed < 2021-01-01 12:00", {"signed": date(2020, 1, 1)},
         {"signed": datetime(2021, 1, 1, 1)}),
        ("smoker", {"smoker": True}, {"smoker": False}),
        ("smoker", {"smoker": 1}, {"smoker": 0}),
        ("city is Bath", {"city": "Bath"}, {"city": "something else"}),
    ],
)  # fmt: skip
def test_values_after_a_change_are_such_as_people_write(rule, row, after):
    found = parse_rule(rule).what_if(row)
    assert found.row == after
    assert [type(cell) for cell in found.row.values()] == [type(cell) for cell in after.values()]


def test_what_cannot_be_changed_is_said_in_a_sentence():
    row = {"age": 70, "smoker": True, "weight": 130}
    assert str(RISK.what_if(row, keep="weight")) == (
        "risk stays high, whatever the other columns hold, as long as weight is what it is."
    )
    assert str(RISK.what_if(row, keep=["age", "weight"], values={"smoker": [True, False]})) == (
        "risk stays high, whatever possible values the other columns hold, as long as age and weight are what they are."
    )
    assert str(RISK.what_if(row, keep=["age", "weight", "smoker"])) == (
        "risk stays high as long as age, weight and smoker are what they are."
    )
    assert str(parse_rule("IF a OR not a or missing THEN yes ELSE no").what_if({"a": 1})) == (
        "The prediction stays yes, whatever the columns hold."
    )
    assert (
        str(parse_rule("IF always THEN yes ELSE no").what_if({"a": 1})) == "The prediction stays yes, as for every row."
    )
    three = parse_rule("IF a THEN red ELSE IF b THEN green ELSE grey")
    assert str(three.what_if({"a": True, "b": False}, to="green", keep="a")) == (
        "The prediction is red and does not become green, whatever the other columns hold, as long as a is what it is."
    )
    assert str(three.what_if({"a": True, "b": False}, to="red")) == "The prediction is red already."
    assert str(three.what_if({"a": True, "b": False}, to="green")) == (
        "The prediction would be green instead of red with a false instead of true and b true instead of false."
    )


def test_one_column_is_changed_rather_than_two_however_far_it_is():
    rule = parse_rule("IF x > 100 OR y > 1.01 AND z > 1.01 THEN yes ELSE no")
    assert rule.what_if({"x": 1, "y": 1, "z": 1}).row == {"x": 101, "y": 1, "z": 1}
    assert rule.what_if({"x": 1, "y": 1.0, "z": 1.0}, keep="x").row == {"x": 1, "y": 1.02, "z": 1.02}


def test_columns_that_come_first_are_changed_among_equals():
    rule = parse_rule("IF a AND b OR c AND d THEN yes ELSE no")
    assert [one.column for one in rule.what_if(dict.fromkeys("abcd", False)).changes] == ["a", "b"]
    assert [one.column for one in rule.what_if(dict.fromkeys("abcd", True)).changes] == ["a", "c"]


def test_missing_is_the_last_resort():
    either = parse_rule("IF age is missing OR a AND b THEN yes ELSE no")
    assert either.what_if({"age": 30, "a": False, "b": False}).row == {"age": 30, "a": True, "b": True}
    assert either.what_if({"age": 30, "a": False, "b": False}, keep="a").row == {"age": None, "a": False, "b": False}
    rule = parse_rule("IF age > 40 or missing AND smoker THEN yes ELSE no")
    assert rule.what_if({"age": 30, "smoker": True}).row == {"age": 41, "smoker": True}
    assert rule.what_if({"age": 30, "smoker": True}, values={"age": [20, 35, None]}).row == {
        "age": None,
        "smoker": True,
    }
    assert not rule.what_if({"age": 30, "smoker": True}, values={"age": [20, 35]}).is_possible


def test_plain_values():
    why = parse_rule("IF signed >= 2021-01-01 OR a THEN yes ELSE no").why({"signed": date(2022, 1, 1), "a": None})
    found = why.rule.what_if(why.row)
    assert json.loads(json.dumps(why.to_dict())) == {
        "decision": "yes",
        "conditions": ["signed >= 2021-01-01"],
        "literals": [
            {"test": "date", "column": "signed", "or_missing": False, "operator": ">=", "moment": "2021-01-01"}
        ],
        "clause": 1,
        "row": {"signed": "2022-01-01", "a": None},
        "text": "yes, because signed >= 2021-01-01: whatever the other columns hold, the prediction is the same.",
    }
    assert json.loads(json.dumps(found.to_dict())) == {
        "decision": "yes",
        "instead": "no",
        "is_possible": True,
        "changes": [
            {
                "column": "signed",
                "was": "2022-01-01",
                "to": [
                    {"test": "date", "column": "signed", "or_missing": False, "operator": "<", "moment": "2021-01-01"}
                ],
                "value": "2020-12-31",
                "text": "signed before 2021-01-01 instead of 2022-01-01",
            }
        ],
        "row": {"signed": "2020-12-31", "a": None},
        "text": "The prediction would be no instead of yes with signed before 2021-01-01 instead of 2022-01-01.",
    }


def test_the_deciding_clause_is_named():
    assert RISK.why({"age": 70, "smoker": True, "weight": 130}).clause == 1
    assert RISK.why({"age": 70, "smoker": False, "weight": 130}).clause == 2
    assert RISK.why({"age": 70, "smoker": False, "weight": 100}).clause is None


def test_html_escapes_what_it_shows():
    rule = parse_rule('IF `<b>` > 3 AND `x & y` is "<i>" THEN `<u>` is yes ELSE `<u>` is no')
    row = {"<b>": 5, "x & y": "<i>"}
    for found in (rule.why(row), rule.what_if(row), rule.what_if(row, keep=row)):
        body = found._repr_html_().partition("</style>")[2]
        assert "&lt;u&gt;" in body
        assert not any(raw in body for raw in ("<i>", "<u>", "x & y"))


def test_domains_keep_to_what_they_say():
    rule = parse_rule("IF age > 40 THEN old ELSE young")
    assert rule.what_if({"age": 20}, values={"age": Domain(least=0, most=40)}).instead is None
    assert rule.what_if({"age": 20}, values={"age": {20, 35, 50, 60}}).row == {"age": 50}
    assert rule.what_if({"age": 20}, values={"age": [20, 60]}).row == {"age": 41}
    assert rule.what_if({"age": 20.5}, values={"age": [20, 60.5]}).row == {"age": 40.1}
    assert rule.what_if({"age": 20.5}, values={"age": [20, 60]}).row == {"age": 41}


def test_the_only_possible_value_is_named():
    rule = parse_rule("signed >= 2021-06-01 AND signed < 2022-01-02 OR age > 40 OR city is Bath or York")
    row = {"signed": date(2020, 1, 1), "age": 20, "city": "Rome"}
    values = {"signed": {date(2020, 1, 1), date(2022, 1, 1)}, "age": {20, 60, 12.5}, "city": {"Rome", "York"}}

    def what_if(name):
        found = rule.what_if(row, keep=set(row) - {name}, values=values)
        return found.changes[0].text, found.row[name]

    assert what_if("signed") == ("signed exactly 2022-01-01 instead of 2020-01-01", datetime(2022, 1, 1))
    assert what_if("age") == ("age 60 instead of 20", 60)
    assert what_if("city") == ("city 'York' instead of 'Rome'", "York")
