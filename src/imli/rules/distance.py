"""The distance between two rules: their clauses aligned, and the literals that were added or removed."""

from collections.abc import Callable
from itertools import zip_longest

from imli.rules.formula import Formula, Slot, slots_of
from imli.rules.pairs import PairRule
from imli.rules.rule import Rule

Price = Callable[[Slot, Slot], int]  # the price of replacing an old clause (second) by a new one (first)
Alignment = list[tuple[Slot, Slot, int]]  # new clause, old clause, price


def n_moved(clause: Slot, old: Slot) -> int:
    """Return the number of literals that were added or removed."""
    return len(set(clause or ()) ^ set(old or ()))


def distance(rule: Rule, before: Rule) -> int:
    """Return the number of literals that were added or removed, clause by clause."""
    return sum(moved for _, _, moved in aligned(rule, before, n_moved))


def n_turned(rule: Rule, before: Rule) -> int:
    """Return the number of clauses of a list or set, and defaults, that were kept and have another class now.

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


def aligned(rule: Rule, before: Rule, price: Price) -> Alignment:
    """Return each clause with the old clause that it replaces, and the price.

    Clauses of a formula are paired by slot. In a list or set, clauses may be inserted or removed: clauses keep their
    order, and the cheapest way to pair them is returned.
    """
    new, old = slots_of(rule), slots_of(before)
    if isinstance(rule, Formula):
        return [(clause, was, price(clause, was)) for clause, was in zip_longest(new, old)]

    def extend(way: tuple[int, Alignment], clause: Slot, was: Slot) -> tuple[int, Alignment]:
        units = price(clause, was)
        return way[0] + units, [*way[1], (clause, was, units)]

    # best[j]: the cheapest way to pair the clauses so far with the first j old ones
    best: list[tuple[int, Alignment]] = [(0, [])]
    for was in old:
        best.append(extend(best[-1], None, was))
    for clause in new:
        row = [extend(best[0], clause, None)]
        for j, was in enumerate(old):
            ways = extend(best[j], clause, was), extend(best[j + 1], clause, None), extend(row[j], None, was)
            row.append(min(ways, key=lambda way: way[0]))
        best = row
    return best[-1][1]
