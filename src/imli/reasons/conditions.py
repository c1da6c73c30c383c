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

    Of a cell that is there, nothing is said about missing ones; of a missing one, that it is. Where one condition
    cannot say it, as of a single date, it is as few as can.
    """
    good = axis.cells.all & ~bad
    fitting = [found for found in _candidates(axis, cell, good) if not found[0] & bad]
    own = {_present(literal) for literal in axis.cells.literals}

    def rank(found: Condition) -> tuple[object, ...]:
        accepted, literals = found
        is_own = len(literals) == 1 and (literals[0] in own or literals[0].opposite() in own)
        n_possible = (accepted & axis.possible).bit_count()
        is_negated = any(getattr(one, "negated", False) for one in literals)
        size = sum(one.size for one in literals)
        return -n_possible, not is_own, size, is_negated, -accepted.bit_count(), str(literals)

    return min(fitting or _in_several(axis, cell, bad), key=rank)


def _in_several(axis: Axis, cell: int, bad: int) -> list[Condition]:
    """The same in as few conditions as it takes, all of the rule or their opposites."""
    own = _own(axis, cell)
    for size in range(2, len(own) + 1):
        found: list[Condition] = []
        for some in combinations(own, size):
            accepted = axis.cells.all
            for literal in some:
                accepted &= axis.cells.accepted(literal)
            if not accepted & bad:
                found.append((accepted, as_clause(some)))
        if found:
            return found
    raise AssertionError("the rule tells this cell from bad ones")


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
    own = _own(axis, cell)
    for literal in own:
        yield cells.accepted(literal), (literal,)
    for pair in combinations(own, 2):
        if _is_one(pair):
            yield cells.accepted(pair[0]) & cells.accepted(pair[1]), as_clause(pair)


def _own(axis: Axis, cell: int) -> list[Literal]:
    """The rule's literals on the column and their opposites, where they hold for the cell."""
    both = dict.fromkeys(one for literal in axis.cells.literals for one in _both_ways(literal))
    return [literal for literal in both if axis.cells.accepted(literal) >> cell & 1]


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
