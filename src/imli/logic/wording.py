"""Literals that together accept exactly a set of cells, and the strongest and weakest conditions on a column."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, groupby

from imli.logic.axes import Axis
from imli.rules import Clause
from imli.rules.cells import Cells, plain_number
from imli.rules.literals import Compare, CompareDate, InInterval, IsIn, IsMissing, Literal
from imli.rules.text import as_clause, write_conditions
from imli.table.dates import write_moment

# A set of example cells, and literals that together accept exactly these.
Condition = tuple[int, Clause]


def wordings(cells: Cells, accepted: int) -> Iterator[Clause]:
    """Yield conjunctions of literals that accept exactly a set of cells; none if no such literals are known.

    >>> cells = Cells.of([Compare("age", ">=", 20), Compare("age", "<", 30)])
    >>> both = cells.accepted(Compare("age", ">=", 20)) & cells.accepted(Compare("age", "<", 30))
    >>> [" AND ".join(map(str, words)) for words in wordings(cells, both)]
    ['20 <= age < 30']
    """
    for literals in _candidates(cells, accepted):
        found = cells.all
        for literal in literals:
            found &= cells.accepted(literal)
        if found == accepted:  # large integers and floats may give different results
            yield literals


def shorter(literal: Literal) -> Iterator[Literal]:
    """Yield literals with one part less, which may change no decision of a rule."""
    if literal.size > 1:
        yield IsMissing(literal.column, or_missing=literal.or_missing)
    if isinstance(literal, InInterval):
        name, missing, out = literal.column, literal.or_missing, literal.negated
        yield Compare(name, "<" if out else ">=", literal.low, or_missing=missing)
        yield Compare(name, ">=" if out else "<", literal.high, or_missing=missing)
    if isinstance(literal, IsIn) and len(literal.values) > 1:
        for value in literal.values:
            yield replace(literal, values=tuple(other for other in literal.values if other != value))


def _candidates(cells: Cells, accepted: int) -> Iterator[Clause]:
    present = accepted & ~cells.missing
    or_missing = bool(accepted & cells.missing)
    if accepted == cells.all:
        yield ()
    elif present == 0 or present == cells.all & ~cells.missing:
        yield (IsMissing(cells.name, or_missing=or_missing),)
    else:
        if present in cells.known:
            yield (replace(cells.known[present], or_missing=or_missing),)
        # a list of categories is exact only if no other kind of literal distinguishes texts
        if cells.reads == "text" and all(isinstance(literal, IsIn | IsMissing) for literal in cells.literals):
            yield (_word_texts(cells, present, or_missing),)
        if cells.reads == "number":
            yield from _word_numbers(cells, present, or_missing)
        if cells.reads == "date":
            yield from _word_dates(cells, present, or_missing)


def _word_texts(cells: Cells, present: int, or_missing: bool) -> Literal:
    *named, unseen = range(len(cells.columns[0].categories))
    negated = bool(present >> unseen & 1)
    values = tuple(cells.columns[0].categories[n] for n in named if bool(present >> n & 1) != negated)
    return IsIn(cells.name, values, negated, or_missing=or_missing)


def _word_numbers(cells: Cells, present: int, or_missing: bool) -> Iterator[Clause]:
    """Yield literals for numbers: a list of them, or all between two ends except for some gaps."""
    name = cells.name
    cuts = {float(cut) for literal in cells.literals for cut in literal.cuts}
    line = [plain_number(value) for value in cells.columns[0].values[:-1].tolist()]
    accepts = [bool(present >> n & 1) for n in range(len(line))]
    if not any(accepts):
        return  # only large whole numbers, which are no floats
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
            is_cut = line[last] in cuts
            ends.append(Compare(name, ">" if is_cut else ">=", line[last if is_cut else last + 1]))
        elif last + 1 == len(line):
            is_cut = line[first] in cuts
            ends.append(Compare(name, "<" if is_cut else "<=", line[first if is_cut else first - 1]))
        elif line[first] not in cuts:
            return  # no literal excludes an open range above a number without the number
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


def _word_dates(cells: Cells, present: int, or_missing: bool) -> Iterator[Clause]:
    """Yield literals for dates: all from one on, up to another, or both."""
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
