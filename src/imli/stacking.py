"""Two tables, one below the other."""

from dataclasses import replace

import numpy as np

from imli.arrays import AnyArray
from imli.frames import Column, Frame, UnreadableColumnError

_ARE_NUMBERS = {"number", "flag"}


def stacked(upper: Frame, lower: Frame) -> Frame:
    """All rows of both, which have the same columns.

    >>> from imli.frames import as_frame
    >>> both = stacked(as_frame({"age": [40], "town": ["Bonn"]}), as_frame({"age": [None], "town": ["Aachen"]}))
    >>> both["age"].missing.tolist(), both["town"].cells().tolist()
    ([False, True], ['Bonn', 'Aachen'])
    """
    columns = {name: _stacked(column, lower[name]) for name, column in upper.columns.items()}
    return Frame(columns, upper.n_rows + lower.n_rows)


def _stacked(upper: Column, lower: Column) -> Column:
    missing = np.concatenate([upper.missing, lower.missing])
    if upper.kind != lower.kind:
        if lower.missing.all() or upper.missing.all():  # a column of nothing is of any kind
            full = upper if lower.missing.all() else lower
            upper, lower = (_as_nothing(column, full) if column.missing.all() else column for column in (upper, lower))
        elif {upper.kind, lower.kind} == _ARE_NUMBERS:
            upper, lower = (replace(column, kind="number", values=column.numbers()) for column in (upper, lower))
        else:
            raise UnreadableColumnError(
                f"Column {lower.name!r} holds {lower.kind_in_words}, but held {upper.kind_in_words} before. "
                f"Convert it to {upper.kind_in_words}."
            )
    if upper.kind != "text":
        return replace(upper, values=np.concatenate([upper.values, lower.values]), missing=missing)
    categories = sorted({*upper.categories, *lower.categories})
    codes = np.concatenate([_codes(column, categories) for column in (upper, lower)])
    return replace(upper, values=codes, missing=missing, categories=tuple(categories))


def _as_nothing(column: Column, kind_of: Column) -> Column:
    """A column without cells, as one of the kind of another."""
    values = np.zeros(len(column.missing), dtype=kind_of.values.dtype)
    return replace(column, kind=kind_of.kind, values=values, categories=kind_of.categories)


def _codes(column: Column, categories: list[str]) -> AnyArray:
    places = np.append(np.searchsorted(categories, column.categories) if column.categories else [], -1)
    codes: AnyArray = places.astype(np.int32)[np.where(column.missing, -1, column.values)]
    return codes
