"""Paths as text."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from imli.paths.path import RulePath
    from imli.paths.point import RulePoint


def write_path(path: "RulePath") -> str:
    """A table of the rules, with marks on the best and the picked one, and the picked rule below."""
    headings = ["size", "conditions", "training error"]
    rows = [[str(point.size), str(point.n_conditions), _percent(point.training_error)] for point in path]
    if path.n_folds:
        headings.append(f"error in {path.n_folds} fold{'' if path.n_folds == 1 else 's'}")
        rows = [[*row, _cross_validated(point)] for row, point in zip(rows, path, strict=True)]
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    lines = ["  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in (headings, *rows)]
    lines = [line + mark for line, mark in zip(lines, ["", *_marks(path)], strict=True)]
    return "\n".join([*lines, *_below(path)])


def _cross_validated(point: "RulePoint") -> str:
    assert point.cv_error is not None
    spread = "" if point.cv_standard_error is None else f" ± {100 * point.cv_standard_error:.1f}"
    return _percent(point.cv_error) + spread


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _marks(path: "RulePath") -> list[str]:
    marked = {"best": path.best_place, "pick": path.pick_place}
    names = [" and ".join(name for name, own in marked.items() if own == place) for place in range(len(path))]
    return [f"  {name}" if name else "" for name in names]


def _below(path: "RulePath") -> list[str]:
    if path.pick_place is None:
        return []
    return [
        "",
        "Best is the lowest error in the folds; pick is the smallest rule within one standard error of it:",
        "",
        str(path.pick.rule),
    ]
