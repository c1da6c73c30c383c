"""How far a rule is from another: which clause stands for which, and which literals came and went."""

from collections.abc import Callable
from dataclasses import replace
from itertools import zip_longest

from imli.rules.formula import Formula
from imli.rules.pairs import PairRule
from imli.rules.rule import Rule
from imli.rules.text import Clause

Slot = Clause | None
Price = Callable[[Slot, Slot], int]  # of a clause in the place of an old one; None is no clause


def slots_of(rule: Rule) -> tuple[Slot, ...]:
    """The places of a rule for a clause, with what they hold."""
    return rule.slots if isinstance(rule, Formula) else rule.clauses


def without_gaps(rule: Rule) -> Rule:
    """The rule without slots that hold no clause, which nobody sees."""
    return replace(rule, slots=rule.clauses) if isinstance(rule, Formula) else rule


def n_moved(clause: Slot, old: Slot) -> int:
    """How many literals came or went."""
    return len(set(clause or ()) ^ set(old or ()))


def distance(rule: Rule, before: Rule) -> int:
    """How many literals came or went, clause by clause.

    >>> from imli import parse_rule
    >>> distance(parse_rule("age > 60 AND smoker OR bmi > 30"), parse_rule("age > 50 AND smoker"))
    3
    """
    return sum(moved for _, _, moved in aligned(rule, before, n_moved))


def n_turned(rule: Rule, before: Rule) -> int:
    """How many clauses of a list or set that stood before speak for another class now; the default is one of them.

    >>> from imli import parse_rule
    >>> n_turned(parse_rule("IF a THEN 1 ELSE 0", "list"), parse_rule("IF a THEN 0 ELSE 1", "list"))
    2
    """
    if not isinstance(rule, PairRule) or not isinstance(before, PairRule):
        return 0
    new, old = iter(rule.pairs), iter(before.pairs)
    turned = int(rule.default != before.default)
    for clause, was, _ in aligned(rule, before, n_moved):
        now = None if clause is None else next(new)[1]
        then = None if was is None else next(old)[1]
        turned += now is not None and then is not None and now != then
    return turned


def aligned(rule: Rule, before: Rule, price: Price) -> list[tuple[Slot, Slot, int]]:
    """Each clause with the old one that it stands for, and the price of that.

    In a formula the slots tell. In a list or set a clause may come in between, or go, and the others stay what they
    are: clauses keep their order, and of all ways to pair them the cheapest counts.
    """
    new, old = slots_of(rule), slots_of(before)
    if isinstance(rule, Formula):
        return [(clause, was, price(clause, was)) for clause, was in zip_longest(new, old)]
    # best[j]: the cheapest way to pair the clauses so far with the first j old ones
    best: list[tuple[int, list[tuple[Slot, Slot, int]]]] = [(0, [])]
    for was in old:
        best.append(_and(best[-1], None, was, price))
    for clause in new:
        row = [_and(best[0], clause, None, price)]
        for j, was in enumerate(old):
            ways = (
                _and(best[j], clause, was, price),
                _and(best[j + 1], clause, None, price),
                _and(row[j], None, was, price),
            )
            row.append(min(ways, key=lambda way: way[0]))
        best = row
    return best[-1][1]


def _and(
    so_far: tuple[int, list[tuple[Slot, Slot, int]]], clause: Slot, was: Slot, price: Price
) -> tuple[int, list[tuple[Slot, Slot, int]]]:
    total, pairs = so_far
    units = price(clause, was)
    return total + units, [*pairs, (clause, was, units)]
