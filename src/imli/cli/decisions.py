"""What ``imli predict`` says of rows, whoever reads and writes them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from imli.arrays import AnyArray
from imli.frames import Frame, UnknownColumnError

if TYPE_CHECKING:
    from imli.models import Model


def kept_columns(names: Sequence[str], asked: list[str]) -> list[str]:
    """The columns to write beside the decisions."""
    if asked == ["all"] and "all" not in names:
        return list(names)
    for name in asked:
        if name not in names:
            raise UnknownColumnError.named(name, names)
    return asked


def name_decisions(asked: str | None, model: "Model", keep: Sequence[str]) -> str:
    """What the column of decisions is called."""
    usual = model.rule.target or "decision"
    name = asked or (f"{usual} (decided)" if usual in keep else usual)
    if name in keep:
        raise ValueError(f"Column {name!r} is there already. Give the decisions another --name.")
    return name


def decide(model: "Model", frame: Frame, with_probability: bool) -> tuple[AnyArray, dict[str, Any]]:
    """For each row the position of its class, and columns of how probable each class is."""
    decisions = model.rule.class_positions(model.rule.holds_in(frame), frame.n_rows)
    if not with_probability:
        return decisions, {}
    shares = model.predict_proba(frame).round(4)
    return decisions, {f"p({label})": shares[:, n] for n, label in enumerate(model.labels)}


def require_target(model: "Model", names: Sequence[str], source: str) -> str:
    """The column that says what is right."""
    target = model.rule.target
    if target is None or target not in names:
        raise ValueError(f"--score needs the column that is decided, {target!r}, which {source} does not have.")
    return target


def count_right(model: "Model", frame: Frame, target: str) -> tuple[float, int]:
    """How many rows are decided rightly, of how many that say what is right."""
    there = ~frame[target].missing
    n_rows = int(there.sum())
    if not n_rows:
        return 0.0, 0
    return model.rule.score(frame.take(there), frame[target].take(there)) * n_rows, n_rows


def write_score(right: float, n_rows: int) -> str:
    if not n_rows:
        raise ValueError("There are no rows to score the rule on.")
    return f"Right on {100 * right / n_rows:.1f} % of {n_rows:,} rows."
