"""The part of a model that goes on learning: what it remembers of its stream, as plain values and back.

The literals that rules may have are left out unless they were given: they are learned anew from the next batch.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from imli.frames import Column, Frame
from imli.models.reading import (
    Reader,
    list_of,
    object_of,
    one_of,
    optional,
    read_amount,
    read_at,
    read_count,
    read_flag,
    read_number,
    read_object,
    read_share,
    read_text,
)
from imli.moments import read_moment, write_moment
from imli.parsing import parse_literal
from imli.places import at, brief
from imli.rules import Rule
from imli.streams import Batch, DriftLog, Memory, Stream

_INFINITE = {"inf": math.inf, "-inf": -math.inf}


def stream_to_dict(stream: Stream) -> dict[str, Any]:
    """All of it but the rule, which the model has."""
    content: dict[str, Any] = {"columns": list(stream.columns), "rows": stream.n_rows}
    if stream.learned_at is None:
        content["vocabulary"] = [str(literal) for literal in stream.literals]
    content["batches"] = [_batch_to_dict(batch) for batch in stream.log]
    memory = stream.memory
    content["memory"] = {"room": memory.room, "seen": memory.totals.tolist()}
    if memory.frame is not None:
        content["memory"] |= {
            "labels": memory.positions.tolist(),
            "weights": memory.given.tolist(),
            "counts": memory.counts.tolist(),
            "draws": memory.draws.tolist(),
            "cells": {name: _column_to_dict(column) for name, column in memory.frame.columns.items()},
        }
    return content


def _batch_to_dict(batch: Batch) -> dict[str, Any]:
    content = {
        "rows": batch.n_rows,
        "weight": batch.weight,
        "error_before": batch.error_before,
        "error_after": batch.error_after,
        "moved": batch.moved,
        "turned": batch.turned,
        "came": [str(literal) for literal in batch.came],
        "went": [str(literal) for literal in batch.went],
        "is_drift": batch.is_drift,
        "remembered": batch.n_remembered,
        "effective_rows": batch.n_effective,
    }
    return {name: value for name, value in content.items() if value not in (None, [])}


def _column_to_dict(column: Column) -> dict[str, Any]:
    cells: list[Any] = column.cells().tolist() if column.kind != "date" else list(column.values.tolist())
    gone = column.missing.tolist()
    if column.kind == "date":
        cells = [write_moment(cell) if not none else None for cell, none in zip(cells, gone, strict=True)]
    else:
        cells = [None if none else cell for cell, none in zip(cells, gone, strict=True)]
    if column.kind == "number":
        cells = [str(cell) if cell is not None and math.isinf(cell) else cell for cell in cells]
    return {"kind": column.kind, "cells": cells}


def read_stream(content: Any, rule: Rule, n_labels: int) -> Stream:
    """The stream that ``stream_to_dict`` described, of this rule and so many classes."""
    parts = read_object(content, "The stream", _REQUIRED, _OPTIONAL)
    columns: tuple[str, ...] = parts["columns"]
    with at("columns"):
        if len(set(columns)) < len(columns):
            raise ValueError(f"The columns must differ. Got {brief(list(columns))}.")
        for name in rule.columns:
            if name not in columns:
                raise ValueError(f"The rule looks at {brief(name)}, which is not among the columns.")
    with at("memory"):
        memory = _read_memory(parts["memory"], columns, n_labels)
    given = parts.get("vocabulary")
    log = DriftLog(tuple(_batch(number, batch) for number, batch in enumerate(parts["batches"], start=1)))
    return Stream(
        rule=rule.with_counts(None),
        columns=columns,
        literals=rule.literals if given is None else given,
        memory=memory,
        n_rows=parts["rows"],
        learned_at=0 if given is None else None,
        log=log,
    )


def _batch(number: int, parts: Mapping[str, Any]) -> Batch:
    return Batch(
        number=number,
        n_rows=parts["rows"],
        weight=parts["weight"],
        error_before=parts.get("error_before"),
        error_after=parts["error_after"],
        moved=parts["moved"],
        turned=parts["turned"],
        came=parts.get("came", ()),
        went=parts.get("went", ()),
        is_drift=parts["is_drift"],
        n_remembered=parts["remembered"],
        n_effective=parts.get("effective_rows"),
    )


def _read_memory(parts: Mapping[str, Any], columns: tuple[str, ...], n_labels: int) -> Memory:
    room, totals = parts["room"], np.array(parts["seen"], dtype=np.float64)
    if len(totals) != n_labels:
        raise ValueError(f"seen must have a number for each of the {n_labels} labels. Got {len(totals)}.")
    if "cells" not in parts:
        return Memory.empty(room, n_labels, totals)
    for name in ("labels", "weights", "counts", "draws"):
        if name not in parts:
            raise ValueError(f"The rows that are remembered need the field {name!r}, which is missing.")
    cells: dict[str, Column] = parts["cells"]
    if tuple(cells) != columns:
        raise ValueError(f"The cells must be of the columns {brief(list(columns))}, in this order.")
    positions = np.array(parts["labels"], dtype=np.int64)
    lengths = {*(len(parts[name]) for name in ("weights", "counts", "draws")), len(positions)}
    lengths |= {len(column.missing) for column in cells.values()}
    if len(lengths) > 1:
        raise ValueError(
            "The rows that are remembered need a label, a weight, a count, a draw and a cell of each column each."
        )
    if len(positions) and int(positions.max()) >= n_labels:
        raise ValueError(f"A label must be the position of one of the {n_labels} labels. Got {positions.max()}.")
    weights, counts, draws = (np.array(parts[name], dtype=np.float64) for name in ("weights", "counts", "draws"))
    if (weights <= 0).any() or (counts < weights).any() or (draws <= 0).any():
        raise ValueError("The weights and draws of rows must be positive, and no row may count less than it weighs.")
    present = np.bincount(positions, weights=weights, minlength=n_labels)
    if (present > totals * (1 + 1e-9)).any():
        raise ValueError("More rows of a label are remembered than were seen of it. Raise the number in seen.")
    frame = Frame({name: _named(name, column) for name, column in cells.items()}, len(positions))
    return Memory(room, frame, positions, weights, counts, draws, totals)


def _named(name: str, column: Column) -> Column:
    return Column(name, column.kind, column.values, column.missing, column.categories)


def _read_column(content: Any) -> Column:
    found = read_object(content, "A column of cells", {"kind": one_of(*_CELLS), "cells": _as_it_is}, {})
    kind = found["kind"]
    cells = read_at("cells", found["cells"], list_of(optional(_CELLS[kind])))
    missing = np.array([cell is None for cell in cells], dtype=bool)
    if kind == "text":
        categories = sorted({cell for cell in cells if cell is not None})
        position = {category: n for n, category in enumerate(categories)}
        codes = np.array([-1 if cell is None else position[cell] for cell in cells], dtype=np.int32)
        return Column("", kind, codes, missing, tuple(categories))
    if kind == "number" and (missing.any() or not all(type(cell) is int and abs(cell) < 2**63 for cell in cells)):
        numbers = np.array([math.nan if cell is None else float(cell) for cell in cells], dtype=np.float64)
        return Column("", kind, numbers, missing)
    dtype = bool if kind == "flag" else np.int64
    return Column("", kind, np.array([cell or 0 for cell in cells], dtype=dtype), missing)


def _read_cell_number(content: Any) -> int | float:
    if isinstance(content, str) and content in _INFINITE:
        return _INFINITE[content]
    return read_number(content)


def _read_moment(content: Any) -> int:
    return read_moment(read_text(content))


def _as_it_is(content: Any) -> Any:
    return content


_CELLS: Mapping[str, Reader] = {
    "number": _read_cell_number,
    "flag": read_flag,
    "text": read_text,
    "date": _read_moment,
}
_literals = list_of(lambda content: parse_literal(read_text(content)))
_BATCH: Mapping[str, Reader] = {
    "rows": read_count,
    "weight": read_amount,
    "error_after": read_share,
    "moved": read_count,
    "turned": read_count,
    "is_drift": read_flag,
    "remembered": read_count,
}
_BATCH_OPTIONAL: Mapping[str, Reader] = {
    "error_before": read_share,
    "came": _literals,
    "went": _literals,
    "effective_rows": read_amount,
}
_MEMORY: Mapping[str, Reader] = {
    "labels": list_of(read_count),
    "weights": list_of(read_amount),
    "counts": list_of(read_amount),
    "draws": list_of(read_amount),
    "cells": object_of(_read_column),
}
_REQUIRED: Mapping[str, Reader] = {
    "columns": list_of(read_text),
    "rows": read_count,
    "batches": list_of(lambda content: read_object(content, "A batch", _BATCH, _BATCH_OPTIONAL)),
    "memory": lambda content: read_object(
        content, "The memory", {"room": read_count, "seen": list_of(read_amount)}, _MEMORY
    ),
}
_OPTIONAL: Mapping[str, Reader] = {"vocabulary": _literals}
