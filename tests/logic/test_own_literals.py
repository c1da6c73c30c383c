"""A kind of literal that imli does not have, as the page on extending adds one, is simplified and compared rightly."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imli import CNF, DNF
from imli.logic.circuit import difference
from imli.rules.literals import IsIn, IsMissing, Literal, literal

TEXTS = ["", "K", "K1", "Ka", "Ka1", "Kb", "L", "La", "something else", "zoo", None]


def starts_with():
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

    return StartsWith


@pytest.fixture(scope="module", autouse=True)
def own_kind():
    """The kind, as long as these tests run."""
    kinds = dict(literal._KINDS)
    yield starts_with()
    literal._KINDS.clear()
    literal._KINDS.update(kinds)


def rules(kind):
    literals = st.one_of(
        st.builds(kind, st.just("x"), st.sampled_from(["K", "Ka", "s"]), st.booleans(), or_missing=st.booleans()),
        st.builds(
            IsIn,
            st.just("x"),
            st.lists(st.sampled_from(["K", "Ka1", "L"]), min_size=1, unique=True).map(tuple),
            st.booleans(),
        ),
        st.builds(IsMissing, st.just("x"), or_missing=st.booleans()),
    )
    clauses = st.lists(st.lists(literals, max_size=3).map(tuple), max_size=3).map(tuple)
    return st.tuples(st.sampled_from([CNF, DNF]), clauses).map(lambda made: made[0](made[1]))


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_simplifying_changes_no_decision(own_kind, data):
    rule = data.draw(rules(own_kind))
    simple = rule.simplified()
    assert simple.predict({"x": TEXTS}).tolist() == rule.predict({"x": TEXTS}).tolist()
    assert rule.equivalent(simple)


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_rules_that_differ_are_not_equivalent(own_kind, data):
    one, other = data.draw(rules(own_kind)), data.draw(rules(own_kind))
    found = difference(one, other)
    if found is None:
        assert one.predict({"x": TEXTS}).tolist() == other.predict({"x": TEXTS}).tolist()
    else:
        row = {name: [cell] for name, cell in {"x": None, **found}.items()}
        assert one.predict(row).tolist() != other.predict(row).tolist()


def test_it_comes_back_from_json(own_kind):
    test = own_kind("x", "K", or_missing=True)
    assert Literal.from_dict(test.to_dict()) == test
