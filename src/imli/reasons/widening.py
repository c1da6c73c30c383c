"""From what is enough to the weakest that is: conditions, one after the other, as loose as the others allow."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from imli.reasons.conditions import weakest
from imli.reasons.oracle import Held, Oracle
from imli.rules import Clause
from imli.rules.conditions import as_clause


@dataclass(frozen=True)
class Asked:
    """That the cell of a column is in a set, as this cell is."""

    name: str
    cell: int
    accepted: int
    literals: Clause = ()


def widened(oracle: Oracle, wanted: int, asked: Sequence[Asked], fixed: Held) -> list[Asked]:
    """Each condition in its weakest form for which, with all others and what is fixed, ``wanted`` is true.

    Numbers and dates come first: how far they may go says more than a longer list of categories.
    """
    now = list(asked)
    for place in sorted(range(len(now)), key=lambda place: not oracle.axes[now[place].name].is_ordered):
        one, held = now[place], dict(fixed)
        for other in (*now[:place], *now[place + 1 :]):
            held[other.name] = held.get(other.name, oracle.axes[other.name].cells.all) & other.accepted
        bad = oracle.bad(wanted, held, one.name)
        accepted, literals = weakest(oracle.axes[one.name], one.cell, bad)
        now[place] = replace(one, accepted=accepted, literals=as_clause(literals))
    return now
