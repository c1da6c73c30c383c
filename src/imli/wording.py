"""The shortest words for a set of cells: literals that together accept exactly these."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from imli.cells import Cells, plain_number
from imli.literals import Compare, CompareDate, InInterval, IsIn, IsMissing, Literal
from imli.moments import write_moment

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
