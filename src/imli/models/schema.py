"""The schema of model files: kinds of values, each read from JSON with a check and written back.

An object is described once, by :func:`shape` or :func:`shape_of`, as fields with their kinds; reading and writing
both come from that description. The shape of cards is in ``card``, that of models in ``model``.
"""

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from datetime import datetime
from types import MappingProxyType, NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from imli.errors import Place, at, brief, placed
from imli.learning.memory import Batch, DriftLog, Memory, Stream
from imli.rules import Rule
from imli.rules.parse import parse_literal
from imli.table.dates import read_moment, write_moment
from imli.table.frame import Column, Frame, with_gaps
from imli.table.read import read_text
from imli.table.readings import Reading
from imli.table.summaries import ColumnStatistics, DataCard

TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True)
class Kind:
    """A kind of value: how it is read from JSON, with a check, and how it is written to JSON.

    A field of a kind that is not required may be absent: its value is the default then, and None or an empty default
    is not written.
    """

    read: Callable[[Any], Any] = lambda content: content
    write: Callable[[Any], Any] = lambda value: value
    is_required: bool = True
    default: Any = None

    def leaves_out(self, value: Any) -> bool:
        """Return True if a field of this kind is not written for the value."""
        return not self.is_required and (value is None or (self.default is not None and not value))


def shape(subject: str, kinds: Mapping[str, Kind], build: Callable[..., Any] = dict, /, **attributes: str) -> Kind:
    """Return the kind of a JSON object with these fields, in the order of writing.

    ``subject`` begins the error messages. ``build`` takes the fields as keyword arguments and returns the value.
    A value is written from its attributes, or from its items if it is a mapping; ``attributes`` has the names that
    differ from those in the file.

    >>> point = shape("A point", {"x": NUMBER, "name": optional(TEXT)}, name="label")
    >>> point.read({"x": 3}), point.write({"x": 3, "label": "home"})
    ({'x': 3, 'label': None}, {'x': 3, 'name': 'home'})
    """
    required_first = sorted(kinds.items(), key=lambda item: not item[1].is_required)

    def read(content: Any) -> Any:
        if not isinstance(content, Mapping):
            raise ValueError(f"{subject} must be a JSON object. Got {brief(content)}.")
        for name in content:
            if name not in kinds:
                listed = ", ".join(known for known, _ in required_first)
                raise ValueError(f"{subject} has no field {brief(name)}. Its fields are {listed}.")
        for name, kind in required_first:
            if kind.is_required and name not in content:
                raise ValueError(f"{subject} needs the field {name!r}, which is missing.")
        found = {}
        for name, kind in required_first:
            with at(name):
                found[attributes.get(name, name)] = kind.read(content[name]) if name in content else kind.default
        return build(**found)

    def write(value: Any) -> dict[str, Any]:
        parts = value if isinstance(value, Mapping) else vars(value)
        named = {name: parts.get(attributes.get(name, name)) for name in kinds}
        return {name: kinds[name].write(part) for name, part in named.items() if not kinds[name].leaves_out(part)}

    return Kind(read, write)


def optional(kind: Kind, default: Any = None) -> Kind:
    """Return the kind of a field that may be absent, but not null."""
    return replace(kind, is_required=False, default=default)


def nullable(kind: Kind, default: Any = None) -> Kind:
    """Return the kind of a field that may be absent or null, and of a list's part that may be null."""

    def read(content: Any) -> Any:
        return default if content is None else kind.read(content)

    def write(value: Any) -> Any:
        return None if value is None else kind.write(value)

    return Kind(read, write, is_required=False, default=default)


def _checked(what: str, allows: Callable[[Any], bool], convert: Callable[[Any], Any] | None = None) -> Kind:
    """Return the kind of the values that `allows` accepts, converted after the check."""

    def read(content: Any) -> Any:
        if not allows(content):
            raise ValueError(f"This must be {what}. Got {brief(content)}.")
        return content if convert is None else convert(content)

    return Kind(read)


def one_of(*allowed: str) -> Kind:
    """Return the kind of a text that is one of some."""
    listed = ", ".join(map(repr, allowed))
    return _checked(f"one of {listed}", lambda content: isinstance(content, str) and content in allowed)


def list_of(kind: Kind) -> Kind:
    """Return the kind of a list, read as a tuple."""

    def read(parts: list[Any]) -> tuple[Any, ...]:
        return tuple(read_at(number, part, kind) for number, part in enumerate(parts))

    checked = _checked("a list", lambda content: isinstance(content, list), read)
    return replace(checked, write=lambda value: [kind.write(part) for part in value])


def mapping_of(kind: Kind) -> Kind:
    """Return the kind of a JSON object with any names."""

    def read(parts: Mapping[str, Any]) -> dict[str, Any]:
        return {name: read_at(name, part, kind) for name, part in parts.items()}

    checked = _checked("a JSON object", lambda content: isinstance(content, Mapping), read)
    return replace(checked, write=lambda value: {name: kind.write(part) for name, part in value.items()})


def read_at(place: str | int, content: Any, kind: Kind) -> Any:
    """Read a value, and prefix the place to the path of an error."""
    with at(place):
        return kind.read(content)


def freeze(value: Any) -> Any:
    """Return a JSON value with tuples for lists, and mappings that cannot change for dicts."""
    if isinstance(value, Mapping):
        return MappingProxyType({name: freeze(part) for name, part in value.items()})
    return tuple(map(freeze, value)) if isinstance(value, list | tuple) else value


def thaw(value: Any) -> Any:
    """Return a frozen value with lists and dicts, for JSON."""
    if isinstance(value, Mapping):
        return {name: thaw(part) for name, part in value.items()}
    return [thaw(part) for part in value] if isinstance(value, list | tuple) else value


def _is_number(content: Any) -> bool:
    return type(content) in (int, float)  # not a flag, which is an int for Python


def _is_time(content: Any) -> bool:
    try:
        datetime.strptime(content, TIME_FORMAT)
    except (ValueError, TypeError):
        return False
    return True


ANYTHING = Kind(write=thaw)
TEXT = _checked("text", lambda content: isinstance(content, str))
FLAG = _checked("true or false", lambda content: isinstance(content, bool))
NUMBER = _checked("a number", _is_number)
COUNT = _checked("a whole number of at least 0", lambda content: type(content) is int and content >= 0)
AMOUNT = _checked("a number of at least 0", lambda content: _is_number(content) and not content < 0, float)
SHARE = _checked("a number from 0 to 1", lambda content: _is_number(content) and 0 <= content <= 1, float)
TIME = _checked("a time like 2024-12-31T23:59:59Z", _is_time)  # in UTC, to the second
LITERAL = Kind(lambda content: parse_literal(TEXT.read(content)), str)
_BY_TYPE: dict[Any, Kind] = {str: TEXT, bool: FLAG, int: COUNT, float: NUMBER, Any: ANYTHING}


def shape_of(value_type: type, subject: str, build: Callable[..., Any] | None = None, /, **kinds: Kind) -> Kind:
    """Return the kind of a JSON object with the fields of a dataclass.

    A field with a default may be absent, and may be null if the default is None. ``kinds`` has the fields for which
    the type does not say enough.
    """
    types, found = get_type_hints(value_type), {}
    for part in fields(value_type):
        kind = kinds.get(part.name) or _kind_of(types[part.name])
        if part.default_factory is not MISSING:
            kind = optional(kind, part.default_factory())
        elif part.default is not MISSING:
            kind = nullable(kind) if part.default is None else optional(kind, part.default)
        found[part.name] = kind
    return shape(subject, found, build or value_type)


def _kind_of(annotation: Any) -> Kind:
    if annotation in _BY_TYPE:
        return _BY_TYPE[annotation]
    parts = [part for part in get_args(annotation) if part is not NoneType]
    if get_origin(annotation) is Literal:
        return one_of(*parts)
    if get_origin(annotation) is Mapping:
        return mapping_of(_kind_of(parts[1]))
    (only,) = parts  # else the kind must be given
    return _kind_of(only)


class Unreadable:
    """A mark in a document, where its text has something that no model can hold."""

    def __init__(self, complaint: str) -> None:
        self.complaint = complaint


_DEEPEST = 40  # levels of lists and objects; a model has ten
TOO_DEEP = f"Lists and objects are nested more than {_DEEPEST} levels deep. No model is."
_WHOLE_SIGNS = "A key or text is made of whole characters, not of lone surrogates like \\ud800."


def check_document(document: Any) -> None:
    """Raise an error with its place if a document has a part that JSON cannot hold, or that cannot be shown later."""
    ahead: list[tuple[Any, Place]] = [(document, ())]  # no recursion: a document may be deeper than Python's stack
    while ahead:
        value, place = ahead.pop()
        complaint = _complaint(value, len(place))
        if complaint is not None:
            raise placed(ValueError(complaint), *place[:_DEEPEST])
        if isinstance(value, Mapping):
            ahead += [(part, (*place, name)) for name, part in reversed(list(value.items()))]
        elif isinstance(value, list):
            ahead += [(part, (*place, number)) for number, part in reversed(list(enumerate(value)))]


def _complaint(value: Any, depth: int) -> str | None:
    """Return the message about a part of a document, not about the parts within; None if it is in order."""
    if isinstance(value, Mapping | list):
        if depth > _DEEPEST:
            return TOO_DEEP
        names = value if isinstance(value, Mapping) else ()
        odd = [name for name in names if not isinstance(name, str) or _has_half_signs(name)]
        return f"The key {brief(odd[0])} is not text. {_WHOLE_SIGNS}" if odd else None
    if isinstance(value, Unreadable):
        return value.complaint
    if isinstance(value, str):
        return f"{brief(value)} is not text. {_WHOLE_SIGNS}" if _has_half_signs(value) else None
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return None if abs(value) <= sys.float_info.max else too_large(brief(value))  # NaN is not
    return f"A model holds text, numbers, true, false, null, lists and objects. Got {brief(value)}."


def too_large(number: str) -> str:
    """Return the message about a number that most programs cannot read."""
    return f"A number must be below 1e308. Got {number}."


def _has_half_signs(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text)


def _column_statistics(**found: Any) -> ColumnStatistics:
    if found["reading"] is not None:
        said = {name: value for name, value in found["reading"].items() if value is not None}
        found["reading"] = Reading(found["kind"], **said)
    statistics = ColumnStatistics(**found)
    for name in ("least", "most"):
        with at(name):
            _check_end(found[name], statistics.kind)
    for number, cut in enumerate(statistics.cuts):
        with at("cuts", number):
            _check_end(cut, statistics.kind)
    n_counts = 2 if statistics.kind == "flag" else len(statistics.cuts) + 1
    if (statistics.cuts or statistics.counts) and len(statistics.counts) != n_counts:
        raise ValueError(f"There must be {n_counts} counts, one more than cuts, or 2 of a flag. Got {brief(found)}.")
    return statistics


def _check_end(end: Any, kind: str) -> None:
    if isinstance(end, str) and kind == "date":
        read_moment(end)
    elif end is not None and (isinstance(end, str) or kind != "number"):
        raise ValueError(f"This does not fit a column of kind {kind!r}. Got {brief(end)}.")


def _read_frequent(content: Any) -> tuple[str, int]:
    if not isinstance(content, list) or len(content) != 2:
        raise ValueError(f"This must be a category and how many rows it has. Got {brief(content)}.")
    return read_at(0, content[0], TEXT), read_at(1, content[1], COUNT)


_END = Kind(lambda content: content if isinstance(content, str) else NUMBER.read(content))
_FREQUENT = list_of(Kind(_read_frequent))
_READING = shape(
    "How a column was read",
    {"decimal": optional(one_of(".", ",")), "thousands": optional(one_of(".", ",", " ", "'")), "order": optional(TEXT),
     "unit": optional(TEXT), "missing": optional(list_of(TEXT))},
)  # fmt: skip
COLUMN = replace(
    shape_of(
        ColumnStatistics,
        "What is said of a column",
        _column_statistics,
        least=_END,
        most=_END,
        frequent=_FREQUENT,
        cuts=list_of(_END),
        counts=list_of(COUNT),
        reading=_READING,
    ),
    write=ColumnStatistics.to_dict,
)  # fmt: skip
DATA = shape_of(DataCard, "What is said of the data", weight=AMOUNT)

_INFINITE = {"inf": math.inf, "-inf": -math.inf}
_CELLS = {
    "number": Kind(
        lambda content: _INFINITE[content] if content in ("inf", "-inf") else NUMBER.read(content),
        lambda cell: str(cell) if math.isinf(cell) else cell,
    ),
    "flag": FLAG,
    "text": TEXT,
    "date": Kind(lambda content: read_moment(TEXT.read(content)), write_moment),
}


def _build_column(kind: Any, cells: Any) -> Column:
    """Return a column without a name."""
    cells = read_at("cells", cells, list_of(nullable(_CELLS[kind])))
    if kind == "text":
        return read_text("", cells)
    missing = np.array([cell is None for cell in cells], dtype=bool)
    if kind == "number" and not all(cell is None or (type(cell) is int and -(2**63) <= cell < 2**63) for cell in cells):
        numbers = np.array([math.nan if cell is None else float(cell) for cell in cells], dtype=np.float64)
        return Column("", kind, numbers, missing)
    values = np.array([cell or 0 for cell in cells], dtype=bool if kind == "flag" else np.int64)
    return Column("", kind, with_gaps(values, missing) if kind == "number" and missing.any() else values, missing)


def _write_column(column: Column) -> dict[str, Any]:
    cells = (column.cells() if column.kind == "text" else column.values).tolist()
    known = [None if gone else cell for cell, gone in zip(cells, column.missing.tolist(), strict=True)]
    return {"kind": column.kind, "cells": list_of(nullable(_CELLS[column.kind])).write(known)}


_COLUMN = shape("A column of cells", {"kind": one_of(*_CELLS), "cells": ANYTHING}, _build_column)
_AMOUNTS = replace(list_of(AMOUNT), write=np.ndarray.tolist)
_ROWS = {"labels": "positions", "weights": "given", "counts": "counts", "draws": "draws"}  # as a memory names them
_MEMORY = shape(
    "The memory",
    {
        "room": COUNT,
        "seen": _AMOUNTS,
        "labels": optional(replace(list_of(COUNT), write=np.ndarray.tolist)),
        "weights": optional(_AMOUNTS),
        "counts": optional(_AMOUNTS),
        "draws": optional(_AMOUNTS),
        "cells": optional(mapping_of(replace(_COLUMN, write=_write_column))),
    },
    seen="totals",
    **_ROWS,
)


_BATCH = shape(
    "A batch",
    {
        "rows": COUNT,
        "weight": AMOUNT,
        "error_before": optional(SHARE),
        "error_after": SHARE,
        "moved": COUNT,
        "turned": COUNT,
        "came": optional(list_of(LITERAL), ()),
        "went": optional(list_of(LITERAL), ()),
        "is_drift": FLAG,
        "remembered": COUNT,
        "effective_rows": optional(AMOUNT),
    },
    rows="n_rows",
    remembered="n_remembered",
    effective_rows="n_effective",
)
_STREAM = shape(
    "The stream",
    {
        "columns": list_of(TEXT),
        "rows": COUNT,
        "vocabulary": optional(list_of(LITERAL)),
        "batches": list_of(_BATCH),
        "memory": _MEMORY,
    },
    rows="n_rows",
    vocabulary="literals",
    batches="log",
)


def write_stream(stream: Stream) -> dict[str, Any]:
    """Return a stream as plain values, without its rule, which the model has.

    The literals are left out unless they were given: the next batch brings new ones.
    """
    given, memory = stream.literals if stream.learned_at is None else None, stream.memory
    if memory.frame is None:
        held: dict[str, Any] = {"room": memory.room, "totals": memory.totals}
    else:
        held = {**vars(memory), "cells": memory.frame.columns}
    content: dict[str, Any] = _STREAM.write({**vars(stream), "literals": given, "memory": held})
    return content


def read_stream(content: Any, rule: Rule, n_labels: int) -> Stream:
    """Return the stream that `write_stream` wrote, for the rule and the number of labels of its model."""
    found = _STREAM.read(content)
    columns: tuple[str, ...] = found["columns"]
    with at("columns"):
        if len(set(columns)) < len(columns):
            raise ValueError(f"The columns must differ. Got {brief(list(columns))}.")
        for name in rule.columns:
            if name not in columns:
                raise ValueError(f"The rule looks at {brief(name)}, which is not among the columns.")
    with at("memory"):
        memory = _build_memory(found["memory"], columns, n_labels)
    given = found["literals"]
    return Stream(
        rule=rule.with_counts(None),
        columns=columns,
        literals=rule.literals if given is None else given,
        memory=memory,
        n_rows=found["n_rows"],
        learned_at=0 if given is None else None,
        log=DriftLog(tuple(Batch(number=number, **batch) for number, batch in enumerate(found["log"], start=1))),
    )


def _build_memory(found: Mapping[str, Any], columns: tuple[str, ...], n_labels: int) -> Memory:
    totals = np.array(found["totals"], dtype=np.float64)
    if len(totals) != n_labels:
        raise ValueError(f"seen must have a number for each of the {n_labels} labels. Got {len(totals)}.")
    cells: dict[str, Column] | None = found["cells"]
    if cells is None:
        return Memory.empty(found["room"], n_labels, totals)
    for name, attribute in _ROWS.items():
        if found[attribute] is None:
            raise ValueError(f"The rows that are remembered need the field {name!r}, which is missing.")
    if tuple(cells) != columns:
        raise ValueError(f"The cells must be of the columns {brief(list(columns))}, in this order.")
    lengths = {len(found[attribute]) for attribute in _ROWS.values()}
    if len(lengths | {len(column.missing) for column in cells.values()}) > 1:
        raise ValueError(
            "The rows that are remembered need a label, a weight, a count, a draw and a cell of each column each."
        )
    highest = max(found["positions"], default=-1)
    if highest >= n_labels:
        raise ValueError(f"A label must be the position of one of the {n_labels} labels. Got {brief(highest)}.")
    positions = np.array(found["positions"], dtype=np.int64)
    given, counts, draws = (np.array(found[name], dtype=np.float64) for name in ("given", "counts", "draws"))
    if (given <= 0).any() or (counts < given).any() or (draws <= 0).any():
        raise ValueError("The weights and draws of rows must be positive, and no row may count less than it weighs.")
    present = np.bincount(positions, weights=given, minlength=n_labels)
    if (present > totals * (1 + 1e-9)).any():
        raise ValueError("More rows of a label are remembered than were seen of it. Raise the number in seen.")
    frame = Frame({name: replace(column, name=name) for name, column in cells.items()}, len(positions))
    return Memory(found["room"], frame, positions, given, counts, draws, totals)
