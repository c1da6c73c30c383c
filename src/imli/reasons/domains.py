"""Which values a column can take."""

import difflib
import math
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from imli.frames import Column, UnknownColumnError, as_frame
from imli.moments import moment_of
from imli.places import brief
from imli.reasons.regions import Region
from imli.reasons.rows import Cell, plain_cell


@dataclass(frozen=True)
class Domain:
    """What a column can hold. Without arguments: anything, and missing.

    Parameters
    ----------
    missing
        Whether a cell can be missing.
    least, most
        The ends of the numbers or dates, which are possible themselves; None is no end.
    whole
        Whether of numbers only whole ones are possible.
    only
        Exactly the texts, numbers, truth values or dates that are possible; None is no such list.

    Examples
    --------
    >>> from imli import parse_rule
    >>> rule = parse_rule("IF age > 40 OR rooms > 2 AND rooms < 3 THEN yes ELSE no")
    >>> print(rule.why({"age": 30, "rooms": 2}))
    no, because age <= 40 AND rooms <= 2.
    >>> print(rule.why({"age": 30, "rooms": 2}, values={"rooms": Domain(least=0, whole=True)}))
    no, because age <= 40: whatever possible values the other columns hold, the decision is the same.
    """

    missing: bool = True
    least: int | float | date | None = None
    most: int | float | date | None = None
    whole: bool = False
    only: tuple[Cell, ...] | None = None

    def __post_init__(self) -> None:
        if self.only is not None:
            object.__setattr__(self, "only", tuple(cell for cell in self.only if cell is not None))

    @staticmethod
    def of_column(column: Column) -> "Domain":
        """Cells like those of a column.

        Numbers and dates lie between the least and the greatest that it has, and are whole if all of those are.
        Texts and truth values are those that it has. Missing is possible if a cell is.
        """
        missing = bool(column.missing.any())
        there = column.values[~column.missing]
        if column.kind == "text":
            return Domain(missing, only=tuple(column.categories[n] for n in np.unique(there).tolist()))
        if column.kind == "flag":
            return Domain(missing, only=tuple(np.unique(there).tolist()))
        if not len(there):
            return Domain(missing, only=())
        rows = np.flatnonzero(~column.missing)
        ends = column.take(rows[[int(there.argmin()), int(there.argmax())]])
        least, most = plain_cell(ends, 0), plain_cell(ends, 1)
        assert not isinstance(least, str)
        assert not isinstance(most, str)
        whole = column.kind == "number" and bool((there == np.floor(there)).all())
        return Domain(missing, least, most, whole)

    def nearest(self, region: Region, near: float | None) -> float | None:
        """The possible number of a region that is nearest to another; None if there is none.

        Dates are their microseconds. Beyond an end that is not in the region, it is the end itself.
        """
        low, high, closed = region.low, region.high, region.closed
        if self.only is not None:
            inside = [key for key in map(key_of, self.only) if region.has(key)]
            return min(inside, key=lambda key: (0 if near is None else abs(key - near), key), default=None)
        if self.least is not None and key_of(self.least) > low:
            low, closed = key_of(self.least), (True, closed[1])
        if self.most is not None and key_of(self.most) < high:
            high, closed = key_of(self.most), (closed[0], True)
        if self.whole:
            low = (math.ceil(low) if closed[0] else math.floor(low) + 1) if math.isfinite(low) else low
            high = (math.floor(high) if closed[1] else math.ceil(high) - 1) if math.isfinite(high) else high
            closed = True, True
        if low > high or (low == high and not all(closed)):
            return None
        if near is None:
            return low if math.isfinite(low) else high if math.isfinite(high) else 0
        return min(max(near, low), high)


def key_of(cell: Any) -> float:
    """A number or a date as a number to compare by."""
    if isinstance(cell, date):
        return moment_of(cell)
    if isinstance(cell, str):
        raise TypeError(f"A column of numbers or dates cannot hold {brief(cell)}.")
    return int(cell) if isinstance(cell, bool) else cell


def read_domains(values: Any, columns: Iterable[str], known: Iterable[str]) -> dict[str, Domain]:
    """What the columns can hold, where anything is said of it.

    ``values`` is a table whose cells are like those that are possible; or a dict from columns to such cells, to a set
    of exactly those that are possible, or to a ``Domain``. ``known`` are the names that the row has.
    """
    wanted, known = tuple(columns), set(known)
    if values is None:
        return {}
    if isinstance(values, str | int | float | Domain | AbstractSet):
        raise TypeError(
            "values must be a table with values that columns can take, or a dict from columns to such values. "
            f"Got {brief(values)}."
        )
    if not isinstance(values, Mapping):
        frame = as_frame(values, only=wanted)
        return {name: Domain.of_column(frame[name]) for name in wanted}
    lacking = [name for name in wanted if name not in values]
    for name in values:
        # a table may have columns that the rule does not look at, but not one that is spelled almost like it
        if name not in known and difflib.get_close_matches(name, lacking, n=1):
            raise UnknownColumnError.named(name, lacking)
    return {name: _read_domain(name, values[name]) for name in wanted if name in values}


def _read_domain(name: str, cells: Any) -> Domain:
    if isinstance(cells, Domain):
        return cells
    if isinstance(cells, AbstractSet):
        column = as_frame({name: list(cells)})[name]
        there = [plain_cell(column, row) for row in range(len(column.missing))]
        return Domain(None in there, only=tuple(sorted((cell for cell in there if cell is not None), key=_order)))
    try:
        column = as_frame({name: cells})[name]
    except TypeError:
        raise TypeError(
            f"What column {name!r} can hold must be a list of cells like those that are possible, a set of exactly "
            f"those that are possible, or a Domain. Got {brief(cells)}."
        ) from None
    return Domain.of_column(column)


def _order(cell: Any) -> Any:
    return cell if isinstance(cell, str) else key_of(cell)


def check_known(names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse a column that nobody has."""
    known = tuple(known)
    for name in names:
        if name not in known:
            raise UnknownColumnError.named(name, known)
