"""Paths as data frames."""

from typing import TYPE_CHECKING, Any

import narwhals as nw

from imli.rules.table import frame_backend

if TYPE_CHECKING:
    from imli.paths.path import RulePath

_TYPES = {
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


def to_frame(path: "RulePath", backend: str | None) -> Any:
    """One row for each rule."""
    rows = [
        point.to_dict()
        | {
            "is_best": place == path.best_place,
            "is_pick": place == path.pick_place,
            "rule": point.rule.to_text(counts=False),
        }
        for place, point in enumerate(path)
    ]
    columns = {name: [row[name] for row in rows] for name in _TYPES}
    return nw.from_dict(columns, _TYPES, backend=frame_backend(backend)).to_native()
