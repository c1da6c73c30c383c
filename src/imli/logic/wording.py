"""The shortest words for a set of cells: literals that together accept exactly these.

What can be said of a column in one condition, and the weakest of it.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, groupby

from imli.logic.axes import Axis
from imli.rules import Clause
from imli.rules.cells import Cells, plain_number
from imli.rules.literals import Compare, CompareDate, InInterval, IsIn, IsMissing, Literal
from imli.rules.text import as_clause, write_conditions
from imli.table.dates import write_moment

Literals = tuple[Literal, ...]


def wordings(cells: Cells, accepted: int) -> Iterator[Literals]:
    """Ways to say that a cell is one of these, as literals that must all hold. None if there is no way known.

    >>> cells = Cells.of([Compare("age", ">=", 20), Compare("age", "<", 30)])
    >>> both = cells.accepted(Compare("age", ">=", 20)) & cells.accepted(Compare("age", "<", 30))
    >>> [" AND ".join(map(str, words)) for words in wordings(cells, both)]
    ['20 <= age < 30']
    """
    for literals in _candidates(cells, accepted):
        found = cells.all
        for literal in literals:
            found &= cells.accepted(literal)
        if found == accepted:  # also where a column of integers and one of floats answer differently
            yield literals


def shorter(literal: Literal) -> Iterator[Literal]:
    """Literals with a part less, which in a rule may decide no row differently."""
    if literal.size > 1:
        yield IsMissing(literal.column, or_missing=literal.or_missing)
    if isinstance(literal, InInterval):
        name, missing, out = literal.column, literal.or_missing, literal.negated
        yield Compare(name, "<" if out else ">=", literal.low, or_missing=missing)
        yield Compare(name, ">=" if out else "<", literal.high, or_missing=missing)
    if isinstance(literal, IsIn) and len(literal.values) > 1:
        for value in literal.values:
            yield replace(literal, values=tuple(other for other in literal.values if other != value))


def _candidates(cells: Cells, accepted: int) -> Iterator[Literals]:
    present = accepted & ~cells.missing
    or_missing = bool(accepted & cells.missing)
    if accepted == cells.all:
        yield ()
    elif present == 0 or present == cells.all & ~cells.missing:
        yield (IsMissing(cells.name, or_missing=or_missing),)
    else:
        if present in cells.known:
            yield (replace(cells.known[present], or_missing=or_missing),)
        # what a list of categories does to other texts is known only if nothing else is asked of the column
        if cells.reads == "text" and all(isinstance(literal, IsIn | IsMissing) for literal in cells.literals):
            yield (_listed(cells, present, or_missing),)
        if cells.reads == "number":
            yield from _on_a_line(cells, present, or_missing)
        if cells.reads == "date":
            yield from _between_dates(cells, present, or_missing)


def _listed(cells: Cells, present: int, or_missing: bool) -> Literal:
    *named, unseen = range(len(cells.columns[0].categories))
    negated = bool(present >> unseen & 1)
    values = tuple(cells.columns[0].categories[n] for n in named if bool(present >> n & 1) != negated)
    return IsIn(cells.name, values, negated, or_missing=or_missing)


def _on_a_line(cells: Cells, present: int, or_missing: bool) -> Iterator[Literals]:
    """Numbers: a list of them, or all between two ends but for some gaps."""
    name = cells.name
    cuts = {float(cut) for literal in cells.literals for cut in literal.cuts}
    line = [plain_number(value) for value in cells.columns[0].values[:-1].tolist()]
    accepts = [bool(present >> n & 1) for n in range(len(line))]
    if not any(accepts):
        return  # only whole numbers that no float is
    points = tuple(value for value, accept in zip(line, accepts, strict=True) if accept)
    if all(value in cuts for value in points):
        yield (IsIn(name, points, or_missing=or_missing),)

    ends: list[Compare] = []
    gaps: list[Literal] = []
    holes: list[float] = []
    for accept, run in groupby(range(len(line)), accepts.__getitem__):
        positions = list(run)
        first, last = positions[0], positions[-1]
        if accept:
            continue
        if first == 0:
            ends.append(_end(name, ">", line[last], line[last + 1], line[last] in cuts))
        elif last + 1 == len(line):
            ends.append(
                Compare(name, "<", line[first]) if line[first] in cuts else Compare(name, "<=", line[first - 1])
            )
        elif line[first] not in cuts:
            return  # no literal leaves out what lies above a number but not the number itself
        elif line[last] not in cuts:
            gaps.append(InInterval(name, line[first], line[last + 1], negated=True))
        else:
            holes.append(line[last])
            if first < last:
                gaps.append(InInterval(name, line[first], line[last], negated=True))
    literals: list[Literal] = [*ends, *gaps]
    if [end.operator for end in ends] == [">=", "<"]:
        literals = [InInterval(name, ends[0].threshold, ends[1].threshold), *gaps]
    if holes:
        literals.append(IsIn(name, tuple(holes), negated=True))
    yield tuple(replace(literal, or_missing=or_missing) for literal in literals)


def _between_dates(cells: Cells, present: int, or_missing: bool) -> Iterator[Literals]:
    """Dates: all from one on, up to another, or both."""
    cuts = {int(cut) for literal in cells.literals for cut in literal.cuts}
    line = cells.columns[0].values[:-1].tolist()
    places = [n for n in range(len(line)) if present >> n & 1]
    first, last = places[0], places[-1]
    if len(places) <= last - first:
        return  # a gap, for which there is no literal
    ends: list[Literal] = []
    if first > 0:
        operator, cut = (">=", line[first]) if line[first] in cuts else (">", line[first - 1])
        ends.append(CompareDate(cells.name, operator, write_moment(cut), or_missing=or_missing))
    if last + 1 < len(line):
        operator, cut = ("<=", line[last]) if line[last] in cuts else ("<", line[last + 1])
        ends.append(CompareDate(cells.name, operator, write_moment(cut), or_missing=or_missing))
    yield tuple(ends)


def _end(name: str, operator: str, outside: float, inside: float, is_cut: bool) -> Compare:
    """One side of a number: beyond the last one outside if that is a cut, else from the first one inside."""
    return Compare(name, operator, outside) if is_cut else Compare(name, f"{operator}=", inside)


# A set of example cells, and literals that together accept exactly these.
Condition = tuple[int, Clause]


def strongest(axis: Axis, cell: int) -> list[int]:
    """Sets of cells that one condition can ask for, this cell among them, none of which is part of another.

    Mostly that is one, the cell's own region. There are several only where no one condition says it.
    """
    sets = {accepted & axis.possible for accepted, _ in _condition_candidates(axis, cell, axis.cells.all)}
    return sorted(one for one in sets if not any(other != one and other & one == other for other in sets))


def weakest(axis: Axis, cell: int, bad: int) -> Condition:
    """The one condition that holds for this cell, for none that is bad, and for as many others as possible.

    Of a cell that is there, nothing is said about missing ones; of a missing one, that it is. Where one condition
    cannot say it, as of a single date, it is as few as can.
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


def _condition_candidates(axis: Axis, cell: int, good: int) -> Iterator[Condition]:
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
