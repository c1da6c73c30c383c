import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from support.generated import COLUMNS, pair_rules, rules, tables

from imli import CNF, DNF, parse_rule, rule_from_dict
from imli.errors import UnknownColumnError
from imli.rules.literals import Compare, InInterval, IsIn, IsTrue

OLD, SMOKER = Compare("age", ">", 40), IsTrue("smoker")
ROWS = {"age": [50, 50, 30, 30], "smoker": [True, False, True, False]}


@given(rules(names=COLUMNS), tables())
def test_de_morgan(rule, table):
    complement = ~rule
    assert {type(rule), type(complement)} == {CNF, DNF}
    assert np.array_equal(complement.decide(table), ~rule.decide(table))


@given(rules())
def test_double_complement_json_and_pickle_give_the_same_rule(rule):
    for copy in (~~rule, rule_from_dict(json.loads(json.dumps(rule.to_dict()))), pickle.loads(pickle.dumps(rule))):
        assert copy == rule
        assert copy.slots == rule.slots
        assert hash(copy) == hash(rule)


@given(rules(names=COLUMNS), tables())
def test_predict_gives_the_class_of_the_decision(rule, table):
    assert rule.predict(table).tolist() == [rule.classes[int(decided)] for decided in rule.decide(table)]


@given(pair_rules())
def test_json_and_pickle_give_the_same_list_or_set(rule):
    for copy in (rule_from_dict(json.loads(json.dumps(rule.to_dict()))), pickle.loads(pickle.dumps(rule))):
        assert copy == rule
        assert hash(copy) == hash(rule)


@given(pair_rules(names=COLUMNS), tables())
def test_lists_and_sets_decide_row_by_row_as_defined(rule, table):
    held = np.array(rule.satisfied(rule.holds_in(table), table.n_rows)).reshape(len(rule.pairs), table.n_rows)
    expected = []
    for row in range(table.n_rows):
        speaking = [label for (_, label), holds in zip(rule.pairs, held[:, row], strict=True) if holds]
        if not speaking:
            expected.append(rule.default)
        elif rule.kind == "list":
            expected.append(speaking[0])
        else:
            expected.append(max(speaking, key=lambda label: (speaking.count(label), -speaking.index(label))))
    assert rule.predict(table).tolist() == expected
    if rule.kind == "set":
        assert np.array_equal(rule.overlap(rule.holds_in(table), table.n_rows), held.sum(axis=0) > 1)


def test_clauses_mean_what_they_say():
    assert CNF(((OLD, SMOKER),)).decide(ROWS).tolist() == [True, True, True, False]
    assert CNF(((OLD,), (SMOKER,))).decide(ROWS).tolist() == [True, False, False, False]
    assert DNF(((OLD, SMOKER),)).decide(ROWS).tolist() == [True, False, False, False]
    assert DNF(((OLD,), (SMOKER,))).decide(ROWS).tolist() == [True, True, True, False]


def test_constants_and_unused_slots():
    table = {"age": [1, 2]}
    assert CNF().decide(table).all()
    assert CNF((None, None)).decide(table).all()
    assert not CNF(((), None)).decide(table).any()
    assert not DNF((None,)).decide(table).any()
    assert DNF(((),)).decide(table).all()
    assert DNF((None, (OLD,))) == DNF(((OLD,),))
    assert DNF(((),)) != DNF()


def test_coverage_is_what_a_clause_decides_alone():
    def holds(literal):
        return np.array([True, False])

    assert CNF(((OLD,),)).covered((OLD,), holds, 2).tolist() == [False, True]
    assert DNF(((OLD,),)).covered((OLD,), holds, 2).tolist() == [True, False]


def test_size_counts_atoms_and_conditions_count_what_is_read():
    rule = DNF(((OLD, InInterval("bmi", 20, 30)), (IsIn("city", ("A", "B", "C")),)))
    assert (rule.size, rule.n_conditions, rule.columns) == (6, 3, ("age", "bmi", "city"))


def test_a_rule_needs_only_its_own_columns_in_any_order():
    rule = DNF(((OLD, SMOKER),), ("no", "yes"))
    shuffled = {"other": [object()] * 4, "smoker": ROWS["smoker"], "age": ROWS["age"]}
    assert rule.predict(shuffled).tolist() == ["yes", "no", "no", "no"]
    with pytest.raises(UnknownColumnError) as error:
        rule.predict({"age": [1], "smokr": [True]})
    assert str(error.value) == "No column 'smoker' in the data. Did you mean 'smokr'?"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("x", "A rule must be a JSON object. Got 'x'."),
        ({"format": 2}, "This rule has format 2, this version of imli reads format 1. Install a newer imli."),
        ({"format": 1, "kind": "tree"}, "Unknown kind of rule 'tree'. Known: cnf, dnf, list, set, score, checklist."),
        ({"format": 1, "kind": "cnf"}, "A rule has the fields classes, format, kind, slots, target. Got format, kind."),
        (
            {"format": 1, "kind": "cnf", "classes": [1, 1], "slots": [], "target": None},
            "A formula decides between two different classes. Got [1, 1].",
        ),
        (
            {"format": 1, "kind": "cnf", "classes": [0, 1], "slots": [1], "target": None},
            "A rule's slots must be a list of clauses, each a list of literals or null. Got 1.",
        ),
    ],
)
def test_what_is_not_a_rule_is_refused(content, sentence):
    with pytest.raises(ValueError) as error:
        rule_from_dict(content)
    assert str(error.value) == sentence


def test_what_is_not_a_literal_is_no_part_of_a_clause():
    with pytest.raises(TypeError, match="A clause is made of literals. Got 'age > 40'."):
        DNF((("age > 40",),))


def test_score_is_the_share_of_rows_decided_rightly():
    rule = parse_rule("IF age > 60 THEN risk is high ELSE risk is low")
    X, y = {"age": [70, 80, 30, None]}, ["high", "low", "low", "high"]
    assert rule.score(X, y) == 0.5
    assert rule.score(X, y, sample_weight=[3, 1, 0, 0]) == 0.75
    assert rule.score(pd.DataFrame(X), pd.Series(y, dtype="category")) == 0.5
    assert rule.score(X, ["high", "other", "low", "other"]) == 0.5
    # a formula alone decides between false and true, which are 0 and 1 too
    assert parse_rule("age > 60").score(X, np.array([1, 1, 0, 1])) == 0.75
    flipped = parse_rule("IF age > 60 THEN high ELSE IF age is missing THEN high ELSE low")
    assert flipped.score(X, np.array(y)) == 0.75


def test_what_cannot_be_scored():
    rule = parse_rule("IF age > 60 THEN high ELSE low")
    with pytest.raises(ValueError) as error:
        rule.score({"age": [70, 30]}, ["high", "low"], [0, 0])
    assert str(error.value) == "There are no rows to score the rule on."
    with pytest.raises(ValueError) as error:
        rule.score({"age": [70, 30]}, ["high"])
    assert str(error.value) == "y must have one label per row, 2. Got shape (1,)."
