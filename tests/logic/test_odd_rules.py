"""Rules with odd names, huge numbers, infinities, and literals that imli does not have."""

import math
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations, product
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.generated import COLUMNS, category_values, moments, pair_rules, point_rules, rules

from imli import DNF, parse_rule
from imli.rules.literals import IsTrue, Literal, literal
from imli.table.read import as_frame

any_rules = (
    rules(COLUMNS, labels=st.sampled_from(["a", "b"]))
    | pair_rules(COLUMNS, labels=st.sampled_from("abc"))
    | point_rules(COLUMNS, labels=st.sampled_from("ab"))
)
CELLS = {
    "number": [-2.0, -1.5, -1.0, 0.0, 0.5, 1.0, 2.0, 2.25, 9.0, 1e300, math.inf, None],
    "text": [*category_values, "unseen", None],
    "flag": [False, True, None],
    "date": [*(datetime(year, 1, 1) for year in (1960, 1980, 2022)), *map(datetime.fromisoformat, moments), None],
}
ROWS = list(product(*CELLS.values()))
FRAME = as_frame({COLUMNS[kind]: [row[n] for row in ROWS] for n, kind in enumerate(CELLS)})


def decisions(rule):
    return [rule.classes[n] for n in rule.class_positions(rule.holds_in(FRAME), len(ROWS))]


def where(literals):
    return np.logical_and.reduce([np.ones(len(ROWS), dtype=bool), *(one.holds(FRAME[one.column]) for one in literals)])


@settings(deadline=None, max_examples=40)
@given(any_rules, st.integers(0, len(ROWS) - 1))
def test_reasons_force_and_none_is_smaller(rule, position):
    row = dict(zip(COLUMNS.values(), ROWS[position], strict=True))
    why, decided = rule.why(row), np.array(decisions(rule))
    held = where(why.literals)
    assert held[position]
    assert set(decided[held]) == {why.decision}
    candidates = {
        one for own in rule.literals for one in (own, ~own, own.opposite()) if one.holds(FRAME[own.column])[position]
    }
    for some in combinations(candidates, max(0, len(why.conditions) - 1)):
        assert not why.conditions or len(set(decided[where(some)])) > 1


@settings(deadline=None, max_examples=40)
@given(any_rules, st.integers(0, len(ROWS) - 1))
def test_changes_flip_and_none_is_smaller(rule, position):
    row = dict(zip(COLUMNS.values(), ROWS[position], strict=True))
    found, decided = rule.what_if(row), decisions(rule)
    read = [n for n, name in enumerate(COLUMNS.values()) if name in rule.columns]
    fewest = {True: len(read) + 1, False: len(read) + 1}  # by whether a cell is made missing
    for other, decision in zip(ROWS, decided, strict=True):
        changed = [n for n in read if other[n] != ROWS[position][n]]
        if decision != found.decision:
            made_missing = any(other[n] is None for n in changed)
            fewest[made_missing] = min(fewest[made_missing], len(changed))
    expected = fewest[False] if fewest[False] <= len(read) else fewest[True]
    assert found.is_possible == (expected <= len(read))
    if found.is_possible:
        assert len(found.changes) == expected
        assert found.instead != found.decision


def test_whole_numbers_past_what_floats_hold_are_told_apart():
    rule = parse_rule("IF x <= 9007199254740993 THEN low ELSE high")
    assert str(rule.why({"x": 2**53 + 1})) == "low, because x <= 9,007,199,254,740,993."
    assert str(rule.why({"x": 2**53 + 2})) == "high, because x > 9,007,199,254,740,993."
    found = rule.what_if({"x": 2**53 + 9})
    assert found.instead == "low"
    assert str(found) == (
        "The prediction would be low instead of high with x at most 9,007,199,254,740,993 instead of "
        "9,007,199,254,741,001."
    )


def test_infinity_is_a_number_like_others():
    rule = parse_rule("IF x > 5 THEN high ELSE low")
    assert str(rule.why({"x": math.inf})) == "high, because x > 5."
    assert rule.what_if({"x": math.inf}).row == {"x": 5}
    rule = parse_rule("IF (x > -1.5) AND (x is not -1.5 or 0) THEN b ELSE a")
    assert str(rule.why({"x": math.inf})) == "b, because x > 0."
    assert str(rule.why({"x": -math.inf})) == "a, because x <= -1.5."


@pytest.fixture
def starts_with():
    """A kind of literal that no module of imli knows, as long as a test runs."""
    kinds = dict(literal._KINDS)

    @dataclass(frozen=True)
    class StartsWith(Literal):
        prefix: str
        negated: bool = False

        test: ClassVar[str] = "starts with"
        reads: ClassVar[str] = "text"

        @property
        def texts(self):
            return self.prefix, f"{self.prefix}…", "…"

        def _accepts(self, column):
            starts = np.array([*(text.startswith(self.prefix) for text in column.categories), False])
            return starts[column.values] != self.negated

        def opposite(self):
            return replace(self, negated=not self.negated)

        def _text(self):
            return f"{self.column} {'does not start' if self.negated else 'starts'} with {self.prefix}"

    yield StartsWith
    literal._KINDS.clear()
    literal._KINDS.update(kinds)


def test_literals_of_an_own_kind(starts_with):
    rule = DNF(((starts_with("code", "K"), starts_with("code", "Ka", negated=True)), (IsTrue("old"),)), ("no", "yes"))
    row = {"code": "Kb", "old": False}
    # no one condition says both, so there are two
    assert rule.why(row).conditions == ("code starts with K", "code does not start with Ka")
    assert rule.why({"code": "Kax", "old": False}).conditions == ("code starts with Ka", "not old")
    assert str(rule.what_if(row)) == (
        "The prediction would be no instead of yes with code starts with Ka instead of 'Kb'."
    )
    assert rule.what_if(row, values={"code": {"Kb", "Kc", "Lx"}}).row == {"code": "Lx", "old": False}
