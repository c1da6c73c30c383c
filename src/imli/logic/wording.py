"""The strongest and weakest conditions on a column that hold for the cell of a row."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from imli.logic.axes import Axis
from imli.rules import Clause
from imli.rules.cells import wordings
from imli.rules.literals import IsMissing, Literal, as_clause
from imli.rules.text import write_conditions

# A set of example cells, and literals that together accept exactly these.
Condition = tuple[int, Clause]


def strongest(axis: Axis, cell: int) -> list[int]:
    """Return the smallest sets of cells with a given cell that one condition can accept, none a part of another.

    Usually there is one, the cell's own region. There are several only where no condition accepts exactly that.
    """
    sets = {accepted & axis.possible for accepted, _ in _condition_candidates(axis, cell, axis.cells.all)}
    return sorted(one for one in sets if not any(other != one and other & one == other for other in sets))


def weakest(axis: Axis, cell: int, bad: int) -> Condition:
    """Return the condition that holds for a cell, for no bad cell, and for as many others as possible.

    For a present cell, the condition does not hold for missing ones; for a missing cell, it holds for that alone.
    Where one condition cannot do this, for example for a single date, it is as few as can.
    """
    good = axis.cells.all & ~bad
    fitting = [found for found in _condition_candidates(axis, cell, good) if not found[0] & bad]
    own = {_present(literal) for literal in axis.cells.literals}

    def rank(found: Condition) -> tuple[object, ...]:
        accepted, literals = found
        is_own = len(literals) == 1 and (literals[0] in own or literals[0].opposite() in own)
        n_possible = (accepted & axis.possible).bit_count()
        is_negated = any(getattr(one, "negated", False) for one in literals)
        size = sum(one.size for one in literals)
        return -n_possible, not is_own, size, is_negated, -accepted.bit_count(), str(literals)

    return min(fitting or _join_own(axis, cell, bad), key=rank)


def _join_own(axis: Axis, cell: int, bad: int) -> list[Condition]:
    """Return the smallest sets of the rule's literals and their opposites that hold for a cell and no bad cell."""
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
    raise AssertionError("the literals of the rule distinguish the cell from bad ones")


def _condition_candidates(axis: Axis, cell: int, good: int) -> Iterator[Condition]:
    """Yield conditions that hold for a cell: the rule's own, their opposites, and those that accept good cells only."""
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
    """Return the rule's literals on the column and their opposites that hold for a cell."""
    both: dict[Literal, None] = {}
    for literal in axis.cells.literals:
        if isinstance(literal, IsMissing):
            both[IsMissing(literal.column, or_missing=False)] = None
        else:
            both |= {_present(literal): None, _present(literal.opposite()): None}
    return [literal for literal in both if axis.cells.accepted(literal) >> cell & 1]


def _present(literal: Literal) -> Literal:
    """Return the literal, false for missing cells unless it tests for them."""
    return literal if isinstance(literal, IsMissing) else replace(literal, or_missing=False)


def _is_one(literals: Clause) -> bool:
    return len(write_conditions(as_clause(literals), "AND")) == 1
