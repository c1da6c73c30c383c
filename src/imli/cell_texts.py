"""A cell as sentences about a row show it."""

from collections.abc import Iterable

import numpy as np

from imli.frames import Column
from imli.literals import Literal
from imli.moments import write_moment
from imli.notation import write_number

_LONGEST = 60  # signs of a text


def write_cell(column: Column, row: int, literals: Iterable[Literal] = ()) -> str:
    """The cell in a row. Long text is cut, and long fractions are rounded unless that changes what a literal says.

    >>> from imli.frames import as_frame
    >>> column = as_frame({"dose": [0.30471707975, 0.5000000001, None]})["dose"]
    >>> from imli.literals import Compare
    >>> [write_cell(column, row, [Compare("dose", ">", 0.5)]) for row in range(3)]
    ['0.304717', '0.5000000001', 'missing']
    """
    if column.missing[row]:
        return "missing"
    value = column.values[row].item()
    if column.kind == "text":
        return shorten(column.categories[value])
    if column.kind == "date":
        return write_moment(value)
    if column.kind == "flag":
        return "true" if value else "false"
    if isinstance(value, float) and np.isfinite(value):
        return write_number(_rounded(value, literals))
    return write_number(value)


def _rounded(value: float, literals: Iterable[Literal]) -> float:
    short = float(f"{value:.6g}")
    both = Column("", "number", np.array([value, short]), np.zeros(2, dtype=bool))
    for literal in literals:
        exact, rounded = literal.holds(both)
        if exact != rounded:
            return value
    return short


def shorten(text: str, longest: int = _LONGEST) -> str:
    """The text, cut if it is longer."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
