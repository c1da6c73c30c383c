"""Scores and checklists: what they decide, how sure they are, and how they are written, read and simplified."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.generated import COLUMNS, point_rules, tables

from imli import Checklist, Compare, IsTrue, RuleSyntaxError, Score, parse_rule, rule_from_dict
from imli.logic.patterns import explain_rows
from imli.rules import count_rows, region_probabilities
from imli.table.read import as_frame

OLD, SMOKER, FIT = Compare("age", ">", 60), IsTrue("smoker"), IsTrue("fit")
CARD = Score((((OLD,), 2), ((SMOKER,), 1), ((FIT,), -1)), 2, ("low", "high"), "risk")
TABLE = {"age": [70, 70, 30, 30, None], "smoker": [1, 0, 1, 0, 1], "fit": [1, 0, 0, 1, None]}


def test_points_add_up():
    assert CARD.total(TABLE).tolist() == [2, 2, 1, -1, 1]
    assert CARD.predict(TABLE).tolist() == ["high", "high", "low", "low", "low"]
    assert (CARD.least, CARD.most, CARD.size, CARD.n_conditions) == (-1, 3, 3, 3)


def test_counts_are_by_item_and_by_total():
    counts = CARD.counted_on(TABLE, ["high", "high", "high", "low", "low"]).counts
    assert counts.covered == (2, 3, 2)
    assert counts.right == (2, 2, 1)  # an item of points below 0 is for the other class
    assert counts.only_here == (2, 1, 0)
    assert counts.regions == ((1, 0), (0, 0), (1, 1), (0, 2), (0, 0))  # from -1 to 3
    assert CARD.counted_on(TABLE, ["high", "high", "high", "low", "low"]).to_text() == (
        "ADD    2 points if age > 60\n"
        "       1 point  if smoker\n"
        "      -1 point  if fit\n"
        "IF    2 points or more\n"
        "THEN  risk is high   (100 % of the 2 rows it covers)\n"
        "ELSE  risk is low    (67 % of 3)\n"
        "        (chance of high: 43 % at -1, 50 % at 1, 54 % at 2)"
    )


@given(point_rules(names=COLUMNS), tables())
def test_the_opposite_decides_otherwise_in_every_row(rule, table):
    decided = rule.class_positions(rule.holds_in(table), table.n_rows)
    opposite = ~rule
    assert (opposite.class_positions(opposite.holds_in(table), table.n_rows) == 1 - decided).all()
    assert (~opposite).equivalent(rule)


def test_the_opposite_of_a_checklist_is_a_checklist():
    rule = parse_rule("COUNT if age > 60 if smoker if fit IF at least 2 of these 3 THEN high ELSE low")
    assert str(~rule) == (
        "COUNT if age <= 60 or missing\n"
        "      if not smoker (or missing)\n"
        "      if not fit (or missing)\n"
        "IF    at least 2 of these 3\n"
        "THEN  high\n"
        "ELSE  low"
    )
    assert ~~rule == rule


def test_equal_items_stay_two_where_one_would_have_too_many_points():
    rule = parse_rule("ADD 1000 points if smoker 1 point if smoker IF 1 point or more THEN high ELSE low")
    assert rule.simplified().points == (1000, 1)


@settings(deadline=None)
@given(point_rules(names=COLUMNS), tables())
def test_simplifying_keeps_decisions_and_the_order_of_totals(rule, table):
    simple = rule.simplified()
    assert type(simple) is type(rule)
    assert simple.equivalent(rule)
    before, after = (each.totals(each.holds_in(table), table.n_rows) for each in (rule, simple))
    assert (np.sign(before[:, None] - before) == np.sign(after[:, None] - after)).all()


@settings(deadline=None)
@given(point_rules(names=COLUMNS), tables(), st.data())
def test_probabilities_grow_with_the_total_and_agree_with_the_decision(rule, table, data):
    labels = data.draw(st.lists(st.sampled_from(rule.classes), min_size=table.n_rows, max_size=table.n_rows))
    holds = rule.holds_in(table)
    positions = np.array([rule.classes.index(label) for label in labels])
    counted = rule.with_counts(count_rows(rule, holds, positions, rule.classes, np.ones(table.n_rows)))
    positive = region_probabilities(counted, np.ones(2))[:, 1]
    assert (np.diff(positive) >= -1e-9).all()
    assert ((positive > 0.5) == (np.arange(rule.least, rule.most + 1) >= rule.threshold)).all()


def test_reasons_name_items_until_the_decision_is_forced():
    _, reasons = explain_rows(CARD, as_frame(TABLE))
    assert reasons[:4] == ["age > 60 AND smoker", "age > 60 AND not fit", "age <= 60", "age <= 60"]
    assert str(CARD.why({"age": 70, "smoker": True, "fit": False})) == (
        "risk is high, because age > 60 AND smoker: whatever the other columns hold, the prediction is the same."
    )
    assert str(CARD.what_if({"age": 70, "smoker": False, "fit": False})) == (
        "risk would be low instead of high with age at most 60 instead of 70."
    )


def test_dicts():
    content = CARD.to_dict()
    assert rule_from_dict(content) == CARD
    assert content["items"][0] == {"clause": [OLD.to_dict()], "points": 2}
    with pytest.raises(ValueError, match=r"The points must be a whole number from -1,000 to 1,000\. Got 1\.5\."):
        rule_from_dict(content | {"items": [{"clause": [], "points": 1.5}]})
    with pytest.raises(ValueError, match=r"A rule's items must be a list\. Got 3\."):
        rule_from_dict(content | {"items": 3})


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: Score((((OLD,), 0),)), "Each item of a score needs points other than 0. Got 0."),
        (lambda: Checklist((((OLD,), 2),)), "The items of a checklist count 1 each. Got 2. Use a Score."),
        (lambda: Score((), 1.5), "The threshold must be a whole number from -1,000,000 to 1,000,000. Got 1.5."),
        (lambda: Score((), 1, ("a", "a")), "A score decides between two different classes. Got ['a', 'a']."),
    ],
)
def test_what_is_no_score_is_refused(build, sentence):
    with pytest.raises(ValueError) as error:
        build()
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "ADD 2 points if a IF many points THEN 1 ELSE 0",
            "Expected '4 points or more' after IF in 'ADD 2 points if a IF many points THEN 1 ELSE 0'. "
            "Got 'many points'.",
        ),
        (
            "ADD two points if a IF 1 point or more THEN 1 ELSE 0",
            "Expected '2 points if age > 60' in 'ADD two points if a IF 1 point or more THEN 1 ELSE 0'. "
            "Got 'two points'.",
        ),
        (
            "COUNT a IF at least 1 of these 1 THEN 1 ELSE 0",
            "Write each item of a checklist as 'if age > 60'. Got 'a'.",
        ),
    ],
)
def test_what_is_no_text_of_a_score_is_refused(text, sentence):
    with pytest.raises(RuleSyntaxError) as error:
        parse_rule(text)
    assert str(error.value) == sentence
