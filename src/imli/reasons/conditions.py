"""What can be said of a column in one condition, and the weakest of it."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from imli.literals import IsMissing, Literal
from imli.reasons.axes import Axis
from imli.rules import Clause
from imli.rules.conditions import as_clause, write_conditions
from imli.wording import wordings

# A set of example cells, and literals that together accept exactly these.
Condition = tuple[int, Clause]


def strongest(axis: Axis, cell: int) -> list[int]:
    """Sets of cells that one condition can ask for, this cell among them, none of which is part of another.

    Mostly that is one, the cell's own region. There are several only where no one condition says it.
    """
    sets = {accepted & axis.possible for accepted, _ in _candidates(axis, cell, axis.cells.all)}
    return sorted(one for one in sets if not any(other != one and other & one == other for other in sets))


def weakest(axis: Axis, cell: int, bad: int) -> Condition:
    """The one condition that holds for this cell, for none that is bad, and for as many others as possible.

    Of a cell that is there, nothing is said about missing ones; of a missing one, that it is.
    """
    fitting = [found for found in _candidates(axis, cell, axis.cells.all & ~bad) if not found[0] & bad]

    def rank(found: Condition) -> tuple[object, ...]:
        accepted, literals = found
        own = len(literals) == 1 and (literals[0] in own_literals or literals[0].opposite() in own_literals)
        n_possible = (accepted & axis.possible).bit_count()
        return -n_possible, not own, sum(one.size for one in literals), -accepted.bit_count(), str(literals)

    own_literals = {_present(literal) for literal in axis.cells.literals}
    return min(fitting, key=rank)


def _candidates(axis: Axis, cell: int, good: int) -> Iterator[Condition]:
    """Conditions that hold for the cell: those of the rule, their opposites, and those on good cells alone."""
    cells = axis.cells
    if 1 << cell == cells.missing:
        yield cells.missing, (IsMissing(axis.name),)
        return
    good &= ~cells.missing
    sets = [good, good & axis.possible, axis.alike(cell)]
    if axis.is_ordered:
        sets.append(axis.run(good, cell))
    for accepted in dict.fromkeys(sets):
        for literals in wordings(cells, accepted):
            if accepted >> cell & 1 and _is_one(literals):
                yield accepted, literals
    own = [one for literal in cells.literals for one in _both_ways(literal) if cells.accepted(one) >> cell & 1]
    for literal in dict.fromkeys(own):
        yield cells.accepted(literal), (literal,)
    for pair in combinations(dict.fromkeys(own), 2):
        if _is_one(pair):
            yield cells.accepted(pair[0]) & cells.accepted(pair[1]), as_clause(pair)


def _both_ways(literal: Literal) -> Iterator[Literal]:
    if isinstance(literal, IsMissing):
        yield IsMissing(literal.column, or_missing=False)
    else:
        yield _present(literal)
        yield _present(literal.opposite())


def _present(literal: Literal) -> Literal:
    """The same test, which says nothing about missing cells."""
    return literal if isinstance(literal, IsMissing) else replace(literal, or_missing=False)


def _is_one(literals: Clause) -> bool:
    return len(write_conditions(as_clause(literals), "AND")) == 1
