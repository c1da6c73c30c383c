"""Parts of a document, each checked to be what it should be.

The parameters of a learner as JSON values, and back.

Text, numbers, truth values, None, and lists and dicts of them are themselves. Literals and rules are their text,
which learners read as well. What JSON has no form for is an object of one key that says what it is:
``{"number": "inf"}``, ``{"pairs": [[key, value], …]}`` for a dict whose keys are not text, ``{"every": "age > 60"}``,
and ``{"object": "…"}`` for anything else, which can be read but not be built again.

The parts of a model, from the dict that describes it.

The part of a model that goes on learning: what it remembers of its stream, as plain values and back.

The literals that rules may have are left out unless they were given: they are learned anew from the next batch.
"""

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from imli.errors import at, brief, placed
from imli.learning.stream import Batch, DriftLog, Memory, Stream
from imli.models.card import Card, fingerprint
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
from imli.rules import Counts, Label, Rule, rule_from_dict
from imli.rules.literals import plain_value
from imli.rules.parse import parse_literal
from imli.table.dates import read_moment, write_moment
from imli.table.frame import Column, ColumnKind, Frame
from imli.table.statistics import ColumnStatistics

FORMAT = 1

# rule, labels, columns, class factors, card, stream
Parts = tuple[
    Rule, tuple[Label, ...], dict[str, ColumnStatistics], tuple[float, ...] | None, Card | None, Stream | None
]


def read_parts(content: Any) -> Parts:
    """The parts of the model that a document describes, or of the rule that a rule's own dict does."""
    is_object = isinstance(content, Mapping)
    if is_object and "imli" not in content and "kind" in content:
        rule = rule_from_dict(content)
        return rule, rule.classes if rule.counts is None else rule.counts.classes, {}, None, None, None
    if not is_object or content.get("imli") != "model":
        raise ValueError('This is not a model, which is a JSON object with "imli": "model".')
    with at("format"):
        number = content.get("format")
        if type(number) is not int or number != FORMAT:
            cure = " Install a newer imli." if type(number) is int and number > FORMAT else ""
            raise ValueError(
                f"This model has format {brief(number)}, this version of imli reads format {FORMAT}.{cure}"
            )
    parts = read_object(content, "A model", _REQUIRED, _OPTIONAL)
    rule, labels, statistics = parts["rule"], parts["labels"], parts.get("statistics") or {}
    factors = statistics.get("class_factors")
    with at("labels"):
        check_labels(labels, rule)
    if "counts" in statistics:
        if statistics["fingerprint"] == fingerprint(rule):
            with at("statistics", "counts"):
                rule = rule.with_counts(_read_counts(statistics["counts"], labels))
        elif factors is not None and len(factors) != len(labels):
            factors = None  # labels were added or removed together with the edit
    stream = None
    if parts.get("stream") is not None:
        with at("stream"):
            stream = read_stream(parts["stream"], rule, len(labels))
    return rule, labels, parts.get("columns") or {}, factors, parts.get("card"), stream


def check_labels(labels: tuple[Label, ...], rule: Rule) -> None:
    """Refuse labels that are not different, or that lack one of the rule's."""
    if len(set(labels)) < len(labels):
        raise ValueError(f"The labels must differ. Got {brief(list(labels))}.")
    for label in rule.classes:
        if not any(are_same((label,), (other,)) for other in labels):
            raise ValueError(
                f"The rule decides for {brief(label)}, which is not among the labels {brief(list(labels))}. "
                "Add it there."
            )


def are_same(some: tuple[Label, ...], others: tuple[Label, ...]) -> bool:
    """Whether these are the same labels in the same order."""
    # True and 1 are equal in Python, but not the same class
    return some == others and [isinstance(a, bool) for a in some] == [isinstance(b, bool) for b in others]


def _read_rule(content: Any) -> Rule:
    if isinstance(content, Mapping) and "counts" in content:
        raise placed(ValueError("In a model file the counts are under statistics. Remove them here."), "counts")
    return rule_from_dict(content)


def _read_statistics(content: Any) -> dict[str, Any]:
    found = read_object(content, "The object of statistics", {}, _STATISTICS)
    if "counts" in found and "fingerprint" not in found:
        raise ValueError("The statistics need the fingerprint of the rule that their counts belong to. Remove both.")
    return found


def read_column_statistics(content: Any) -> ColumnStatistics:
    """The statistics that ``to_dict`` described."""
    required = {"kind": one_of("number", "flag", "text", "date"), "n_missing": read_count}
    optionals = {
        "n_distinct": optional(read_count),
        "least": optional(_read_end),
        "most": optional(_read_end),
        "frequent": list_of(_read_frequent),
    }
    found = ColumnStatistics(**read_object(content, "What is said of a column", required, optionals))
    for name, end in (("least", found.least), ("most", found.most)):
        with at(name):
            if end is not None and not _is_end_of(found.kind, end):
                raise ValueError(f"This does not fit a column of kind {found.kind!r}. Got {brief(end)}.")
    return found


def _read_end(content: Any) -> int | float | str:
    return content if isinstance(content, str) else read_number(content)


def _is_end_of(kind: ColumnKind, end: int | float | str) -> bool:
    if isinstance(end, str):
        if kind == "date":
            read_moment(end)
        return kind == "date"
    return kind == "number"


def _read_frequent(content: Any) -> tuple[str, int]:
    if not isinstance(content, list) or len(content) != 2:
        raise ValueError(f"This must be a category and how many rows it has. Got {brief(content)}.")
    with at(0):
        name = read_text(content[0])
    with at(1):
        return name, read_count(content[1])


def _read_counts(content: Any, labels: tuple[Label, ...]) -> Counts:
    names = [part.name for part in fields(Counts) if part.name != "classes"]  # which the labels are
    found = read_object(content, "The object of counts", dict.fromkeys(names, _as_it_is), {})
    return Counts.from_dict({**found, "classes": list(labels)})


def _as_it_is(content: Any) -> Any:
    return content


_REQUIRED: Mapping[str, Reader] = {
    "imli": read_text,
    "format": read_count,
    "rule": _read_rule,
    "labels": list_of(plain_value),
}
_OPTIONAL: Mapping[str, Reader] = {
    "card": optional(Card.from_dict),
    "statistics": optional(_read_statistics),
    "columns": optional(object_of(read_column_statistics)),
    "stream": _as_it_is,  # read when rule and labels are known
}
_STATISTICS: Mapping[str, Reader] = {
    "fingerprint": read_text,
    "counts": _as_it_is,  # read when it is known whether they still belong to the rule
    "class_factors": optional(list_of(read_amount)),
}

_INFINITE_CELLS = {"inf": math.inf, "-inf": -math.inf}


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
    parts = read_object(content, "The stream", _STREAM, _STREAM_OPTIONAL)
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
    found = read_object(content, "A column of cells", {"kind": one_of(*_CELLS), "cells": _unchanged}, {})
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
    if isinstance(content, str) and content in _INFINITE_CELLS:
        return _INFINITE_CELLS[content]
    return read_number(content)


def _read_moment(content: Any) -> int:
    return read_moment(read_text(content))


def _unchanged(content: Any) -> Any:
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
_STREAM: Mapping[str, Reader] = {
    "columns": list_of(read_text),
    "rows": read_count,
    "batches": list_of(lambda content: read_object(content, "A batch", _BATCH, _BATCH_OPTIONAL)),
    "memory": lambda content: read_object(
        content, "The memory", {"room": read_count, "seen": list_of(read_amount)}, _MEMORY
    ),
}
_STREAM_OPTIONAL: Mapping[str, Reader] = {"vocabulary": _literals}
