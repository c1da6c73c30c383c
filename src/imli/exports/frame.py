"""Rules, rule paths and inspected columns as data frames."""

from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import narwhals as nw

from imli.rules.score import PointRule
from imli.rules.text import Line, clause_text, decision_text, write_conditions

if TYPE_CHECKING:
    from imli.learning.path import RulePath
    from imli.rules import Rule

_BACKENDS = ("pandas", "polars", "pyarrow")

_TYPES = {
    "clause": nw.Int64(),
    "conditions": nw.String(),
    "decision": nw.String(),
    "n_conditions": nw.Int64(),
    "size": nw.Int64(),
}
_COUNT_TYPES = {
    "covered": nw.Float64(),
    "right": nw.Float64(),
    "precision": nw.Float64(),
    "only_here": nw.Float64(),
}

_PATH_TYPES = {
    "size": nw.Int64(),
    "n_conditions": nw.Int64(),
    "n_clauses": nw.Int64(),
    "lam": nw.Float64(),
    "max_literals": nw.Int64(),
    "training_error": nw.Float64(),
    "cv_error": nw.Float64(),
    "cv_standard_error": nw.Float64(),
    "is_best": nw.Boolean(),
    "is_pick": nw.Boolean(),
    "rule": nw.String(),
}
_COLUMN_TYPES = {
    "name": nw.String(),
    "kind": nw.String(),
    "reading": nw.String(),
    "n_distinct": nw.Int64(),
    "n_missing": nw.Int64(),
    "examples": nw.String(),
    "tells": nw.Float64(),
}


def to_frame(rule: "Rule", backend: str | None) -> Any:
    """Build a data frame with one row per clause, and one for the default or the threshold."""
    types = _TYPES if rule.counts is None else _TYPES | _COUNT_TYPES
    if isinstance(rule, PointRule):
        types = {"clause": types["clause"], "points": nw.Int64()} | types
    return _build([_row(rule, number) for number in range(len(rule.clauses) + 1)], types, backend)


def _build(rows: list[dict[str, Any]], types: dict[str, Any], backend: str | None) -> Any:
    # the types are given, since a column of missing cells alone would have none
    columns = {name: [row[name] for row in rows] for name in types}
    return nw.from_dict(columns, types, backend=frame_backend(backend)).to_native()


def _row(rule: "Rule", number: int) -> dict[str, Any]:
    """Return the row of a clause or, after the last clause, of the default."""
    counts, is_clause = rule.counts, number < len(rule.clauses)
    last = _last_line(rule)
    label = rule.clause_classes[number] if is_clause else last.label
    assert label is not None
    clause = rule.clauses[number] if is_clause else ()
    text = f" {rule.inner} ".join(clause_text(rule, number)) if is_clause else last.constant
    row = {
        "clause": number + 1,
        # a CNF clause decides the rows where it fails
        "conditions": f"not ({text})" if is_clause and rule.inner == "OR" else text,
        "decision": decision_text(rule, label),
        "n_conditions": len(write_conditions(clause, rule.inner)),
        "size": sum(literal.size for literal in clause),
    }
    if isinstance(rule, PointRule):
        row["points"] = rule.points[number] if is_clause else rule.threshold
    if counts is None:
        return row
    covered = counts.covered[number] if is_clause else counts.decided(*last.regions)
    right = counts.right[number] if is_clause else counts.decided_rightly(label, *last.regions)
    only_here = counts.only_here[number] if is_clause else None
    precision = right / covered if covered else None
    return row | {"covered": covered, "right": right, "precision": precision, "only_here": only_here}


def _last_line(rule: "Rule") -> Line:
    """Return what follows the clauses: the condition on the total of a score with its decision, or the default."""
    if isinstance(rule, PointRule):
        *_, condition, positive, _ = rule.outline()
        return replace(positive, constant=condition.constant)
    return Line("", constant="otherwise", label=rule.region_classes[-1], regions=(len(rule.clauses),))


def path_to_frame(path: "RulePath", backend: str | None) -> Any:
    """Build a data frame with one row per rule of a path."""
    rows = [
        point.to_dict()
        | {
            "is_best": place == path.best_place,
            "is_pick": place == path.pick_place,
            "rule": point.rule.to_text(counts=False),
        }
        for place, point in enumerate(path)
    ]
    return _build(rows, _PATH_TYPES, backend)


def columns_to_frame(columns: list[dict[str, Any]], backend: str | None) -> Any:
    """Build a data frame with one row per inspected column."""
    return _build([each | {"examples": ", ".join(each["examples"])} for each in columns], _COLUMN_TYPES, backend)


def frame_backend(name: str | None) -> Any:
    """Return the name of the library for data frames: the given one, or the first that is installed."""
    if name is None:
        name = next((backend for backend in _BACKENDS if find_spec(backend) is not None), None)
        if name is None:
            raise ModuleNotFoundError(
                "to_frame needs pandas, polars or pyarrow. Install one of them, for example with: pip install pandas."
            )
    elif name not in _BACKENDS:
        raise ValueError(f"to_frame: backend must be one of {', '.join(_BACKENDS)}, or None. Got {name!r}.")
    elif find_spec(name) is None:
        raise ModuleNotFoundError(f"to_frame with backend={name!r} needs {name}. Install it with: pip install {name}.")
    return name
