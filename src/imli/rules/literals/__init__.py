"""Literals: the tests on one column that rules are made of."""

from imli.rules.literals.comparisons import MIRRORED, OPERATORS, Compare, CompareDate, InInterval
from imli.rules.literals.literal import Bound, Clause, Literal, as_clause, plain_value
from imli.rules.literals.values import IsIn, IsMissing, IsTrue

__all__ = [
    "MIRRORED",
    "OPERATORS",
    "Bound",
    "Clause",
    "Compare",
    "CompareDate",
    "InInterval",
    "IsIn",
    "IsMissing",
    "IsTrue",
    "Literal",
    "as_clause",
    "plain_value",
]
