"""Reasons for all rows of a table at once, against every row that the conditions allow."""

import random
from itertools import product

import numpy as np
import pytest
from support.reasoned import DAYS, random_rule

from imli import parse_rule
from imli.logic.patterns import explain_rows
from imli.table.read import as_frame

CELLS = {
    "age": [10, 20, 25, 30, 33, 40.5, 50, None],
    "rooms": [0, 1, 2, 3, None],
    "city": ["A", "B", "C", "D", None],
    "smoker": [True, False, None],
    "signed": [*DAYS, None],
}
ALL = as_frame(dict(zip(CELLS, zip(*product(*CELLS.values()), strict=True), strict=True)))


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(8, 200))])
def test_the_conditions_are_met_and_force_the_decision(seed):
    rule = random_rule(random.Random(seed))
    decisions = rule.predict(ALL)
    regions, reasons = explain_rows(rule, ALL)
    assert regions.tolist() == rule.regions(rule.holds_in(ALL), ALL.n_rows).tolist()
    for reason in set(reasons):
        own = np.array([each == reason for each in reasons])
        meets = np.ones(ALL.n_rows, dtype=bool)
        if reason != "every row":
            meets = parse_rule(reason).decide(ALL)
        assert meets[own].all(), (str(rule), reason)
        assert len(set(decisions[meets].tolist())) == 1, (str(rule), reason)


def reasons(text, **row):
    rule = parse_rule(text)
    regions, found = explain_rows(rule, as_frame({name: [cell] for name, cell in row.items()}))
    return int(regions[0]), found[0]


def test_the_words():
    text = "IF age > 60 AND smoker OR age > 80 OR weight > 120 THEN high ELSE low"
    assert reasons(text, age=70, smoker=True, weight=130) == (0, "age > 60 AND smoker")
    assert reasons(text, age=50, smoker=True, weight=80) == (3, "age <= 60 AND weight <= 120")
    assert reasons(text, age=70, smoker=False, weight=80) == (3, "not smoker AND age <= 80 AND weight <= 120")
    assert reasons(text, age=None, smoker=True, weight=80) == (3, "age is missing AND weight <= 120")
    text = "IF (age <= 60 OR not smoker) AND (weight <= 120) THEN low ELSE high"
    assert reasons(text, age=70, smoker=True, weight=80) == (0, "age > 60 AND smoker")
    assert reasons(text, age=50, smoker=True, weight=80) == (2, "age <= 60 AND weight <= 120")
    text = "IF age > 60 THEN a ELSE IF age > 40 AND city is Bath THEN b ELSE IF smoker THEN a ELSE c"
    assert reasons(text, age=50, city="Bath", smoker=True) == (1, "40 < age <= 60 AND city is Bath")
    assert reasons(text, age=50, city="York", smoker=True) == (2, "smoker AND city is not Bath")
    assert reasons("always", x=1) == (0, "every row")


def test_votes_of_a_set():
    text = "IF age > 60 THEN a\nIF smoker THEN a\nIF city is Bath THEN b\nOTHERWISE b"
    assert reasons(text, age=70, city="Bath", smoker=True) == (0, "age > 60 AND smoker")
    assert reasons(text, age=70, city="York", smoker=False) == (0, "age > 60 AND city is not Bath")
    assert reasons(text, age=50, city="York", smoker=False) == (3, "age <= 60 AND not smoker")


def test_no_rows():
    regions, found = explain_rows(parse_rule("age > 60"), ALL.take(np.zeros(0, dtype=int)))
    assert (regions.tolist(), found) == ([], [])
