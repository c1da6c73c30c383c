"""Rules and rule paths as data frames."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import narwhals as nw

from imli.rules.text import clause_share, clause_text, decision_text, write_conditions

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


def to_frame(rule: "Rule", backend: str | None) -> Any:
    """Build a data frame with one row per clause, and one for the default."""
    rows = [_clause_row(rule, number) for number in range(len(rule.clauses))]
    rows.append(_default_row(rule))
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    # a column of missing cells alone would have no type
    schema = {name: _TYPES[name] for name in columns}
    return nw.from_dict(columns, schema, backend=frame_backend(backend)).to_native()


def _clause_row(rule: "Rule", number: int) -> dict[str, Any]:
    conditions = f" {rule.inner} ".join(clause_text(rule, number))
    row = {
        "clause": number + 1,
        # a CNF clause decides the rows where it fails
        "conditions": f"not ({conditions})" if rule.inner == "OR" else conditions,
        "decision": decision_text(rule, rule.region_classes[number]),
        "n_conditions": len(write_conditions(rule.clauses[number], rule.inner)),
        "size": sum(literal.size for literal in rule.clauses[number]),
    }
    share = clause_share(rule.counts, number)
    return row if share is None else row | _figures(share["rows"], share["right"], share["only_here"])


def _default_row(rule: "Rule") -> dict[str, Any]:
    number, label = len(rule.clauses), rule.region_classes[-1]
    decision = decision_text(rule, label)
    row = {"clause": number + 1, "conditions": "otherwise", "decision": decision, "n_conditions": 0, "size": 0}
    if rule.counts is None:
        return row
    return row | _figures(rule.counts.decided(number), rule.counts.decided_rightly(label, number), None)


def _figures(covered: float, right: float, only_here: float | None) -> dict[str, float | None]:
    precision = right / covered if covered else None
    return {"covered": covered, "right": right, "precision": precision, "only_here": only_here}


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
    columns = {name: [row[name] for row in rows] for name in _PATH_TYPES}
    return nw.from_dict(columns, _PATH_TYPES, backend=frame_backend(backend)).to_native()


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
