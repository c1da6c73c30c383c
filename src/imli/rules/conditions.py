"""What a reader reads of a clause. Two ends of a range on one column, joined by AND, are one condition:
``age > 33`` and ``age <= 50`` read ``33 < age <= 50``.

Numbers with ``age >= 33`` and ``age < 50`` stay two, since ``33 <= age < 50`` is how the one literal ``InInterval``
is written, and a rule that is read back must be the same rule.
"""

from collections.abc import Iterable
from itertools import zip_longest

from imli.literals import MIRRORED, Compare, Literal
from imli.notation import write_name

Clause = tuple[Literal, ...]


def as_clause(literals: Iterable[Literal], joined_by: str = "AND") -> Clause:
    """A clause holds each literal once, those on one column beside each other, in the order of reading.

    That is the lower end of a range before its upper end in a conjunction, and the reverse in a disjunction.
    """
    clause = tuple(dict.fromkeys(literals))
    for literal in clause:
        if not isinstance(literal, Literal):
            raise TypeError(f"A clause is made of literals. Got {literal!r}.")
    place = {column: n for n, column in enumerate(dict.fromkeys(literal.column for literal in clause))}
    if len(place) == len(clause):
        return clause
    return tuple(sorted(clause, key=lambda literal: (place[literal.column], *_rank(literal, joined_by))))


def _rank(literal: Literal, joined_by: str) -> tuple[bool, bool, bool]:
    if literal.bound is None:
        return True, False, False
    return False, literal.or_missing, is_upper(literal) == (joined_by == "AND")


def is_upper(literal: Literal) -> bool:
    """Whether the test bounds its column from above."""
    return literal.bound is not None and literal.bound.operator in ("<", "<=")


def write_conditions(clause: Clause, joined_by: str) -> list[str]:
    """The conditions of a clause, in reading order.

    >>> from imli.literals import Compare, IsTrue
    >>> clause = as_clause([Compare("age", "<=", 50), IsTrue("smoker"), Compare("age", ">", 33)])
    >>> write_conditions(clause, "AND"), write_conditions(clause, "OR")
    (['33 < age <= 50', 'smoker'], ['age > 33', 'age <= 50', 'smoker'])
    """
    if joined_by != "AND":
        return [str(literal) for literal in clause]
    found: list[str] = []
    for column in dict.fromkeys(literal.column for literal in clause):
        own = [literal for literal in clause if literal.column == column]
        for or_missing in (False, True):
            ends = [literal for literal in own if literal.bound is not None and literal.or_missing == or_missing]
            lower, upper = ([end for end in ends if is_upper(end) == above] for above in (False, True))
            for low, high in zip_longest(lower, upper):
                together = _write_range(low, high) if low is not None and high is not None else None
                found += [str(end) for end in (low, high) if end is not None] if together is None else [together]
        found += [str(literal) for literal in own if literal.bound is None]
    return found


def _write_range(lower: Literal, upper: Literal) -> str | None:
    """Both ends of a range as one condition; None where they must stand apart."""
    low, high = lower.bound, upper.bound
    if low is None or high is None or low.end >= high.end or type(lower) is not type(upper):
        return None
    if (low.operator, high.operator) == (">=", "<") and isinstance(lower, Compare):
        return None
    text = f"{low.text} {MIRRORED[low.operator]} {write_name(lower.column)} {high.operator} {high.text}"
    return f"{text} or missing" if lower.or_missing else text
