"""Reports: all that there is to say about a rule and some rows, on one page."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from imli.errors import UnknownColumnError
from imli.files import write_whole
from imli.learning.answer import Deadline
from imli.models import Model
from imli.report.card import summarize_card
from imli.report.columns import Learning, Step
from imli.report.decisions import Decisions, Rows, read_rows
from imli.report.mistakes import find_mistakes
from imli.report.quality import calibrate, judge, tabulate_confusion
from imli.report.render import render, require_jinja
from imli.rules import Rule, region_probabilities
from imli.rules.text import summarize
from imli.table.frame import Frame
from imli.table.hashing import hash_column, hash_rows
from imli.table.read import as_frame

FORMAT = 1


@dataclass(frozen=True)
class Report:
    """A page about a rule and how it does on some rows.

    ``summary`` is all that the page shows, as plain values that go to JSON; ``html`` is the page, which needs no other
    file and no network. A notebook shows it in a frame.
    """

    summary: Mapping[str, Any] = field(repr=False)

    @cached_property
    def html(self) -> str:
        return render(self.summary)

    def save(self, path: str | Path) -> None:
        """Write the page to a file, whole or not at all."""
        write_whole(path, self.html)

    def _repr_html_(self) -> str:
        style = "width: 100%; height: 45rem; border: 1px solid rgb(128 128 128 / 0.3)"
        title = escape(self.summary["verdict"]["title"])
        return f'<iframe title="{title}" style="{style}" sandbox srcdoc="{escape(self.html)}"></iframe>'


def make_report(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    path: Any = True,
    columns: bool = True,
    on_progress: Step | None = None,
    time_limit: float | None = None,
) -> Report:
    """A report on a rule: how it reads, how often it is right, where it errs and why, and where it comes from.

    Parameters
    ----------
    model
        A model, a fitted classifier, or a rule. What needs a learner is left out for a rule by itself.
    X
        A table with the columns that the rule looks at; with all that it was learned from, the report can also tell
        what the columns are worth.
    y
        One label per row.
    sample_weight
        How much each row counts; rows of weight 0 are as if absent.
    path
        Whether to learn rules of other sizes for comparison, or a ``RulePath`` that was made before.
    columns
        Whether to learn again without each column that the rule looks at, to see what is lost.
    on_progress
        Called with the name of what is being learned for the report, how many steps of it are done, and of how many.
    time_limit
        Seconds that may be spent on learning. What there is no time for is left out, and the report says so.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from imli import DecisionListClassifier, make_report
    >>> X, y = load_iris(return_X_y=True)
    >>> report = make_report(DecisionListClassifier(n_clauses=2).fit(X, y), X, y, path=False, columns=False)
    >>> print(report.summary["verdict"]["sentences"][0].replace("\\xa0", " "))
    The rule is right on 98.0 % of 150 rows, the same rows it was learned from; always saying 0, the most frequent \
class, would be right on 33.3 %.
    >>> report.summary["mistakes"]["shown"][0]["reason"]["text"]
    'No clause holds. Clause 2, for 1, would have held with x3 <= 1.6; here it is 1.8.'
    """
    require_jinja()
    about = _as_model(model)
    if not isinstance(path, bool) and not hasattr(path, "to_dict"):
        raise TypeError(f"make_report: path must be True, False or a RulePath. Got {path!r}.")
    frame, is_whole = _read_frame(about, X)
    counted = about.rule.counted_on(frame, y, sample_weight)  # says what is wrong with labels and weights
    rows = read_rows(frame, about.labels, y, sample_weight)
    decisions = Decisions(about.rule, rows)
    relation = _relation(about, rows, is_whole)
    learning = Learning(model, about, rows, is_whole, Deadline.after(time_limit), on_progress or _nobody)
    path_section = learning.follow_path(path, half=columns) if path is not False else None
    column_section = learning.weigh_columns() if columns else None
    summary: dict[str, Any] = {
        "format": FORMAT,
        "made": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "rows": {
            "n": rows.n,
            "total": rows.total,
            "are_weighted": rows.are_weighted,
            "n_columns": len(frame.names),
            "relation": relation,
        },
        "learned": _learned(about),
        "verdict": judge(decisions, relation, about.card, about.is_edited, column_section),
        "rule": summarize(counted),
        "confusion": tabulate_confusion(decisions),
        "calibration": _calibration(about, decisions),
        "path": path_section,
        "columns": column_section,
        "mistakes": find_mistakes(decisions),
        "card": summarize_card(about),
        "left_out": learning.left_out,
    }
    return Report(summary)


def _nobody(what: str, done: int, total: int) -> None:
    """Nobody wants to know."""


def _as_model(model: Any) -> Model:
    if isinstance(model, Model):
        return model
    if isinstance(model, Rule):
        return Model.of_rule(model)
    if hasattr(model, "to_model"):
        found: Model = model.to_model()
        return found
    raise TypeError(f"make_report needs a model, a fitted classifier or a rule. Got {type(model).__name__}.")


def _read_frame(model: Model, X: Any) -> tuple[Frame, bool]:
    """The columns that the rule was learned from if they are all there, else those that it looks at."""
    known = tuple(model.columns)
    if known:
        with suppress(UnknownColumnError):
            return _only(X, known), True
    return _only(X, model.rule.columns), False


def _only(X: Any, columns: tuple[str, ...]) -> Frame:
    frame = as_frame(X, only=columns)
    return Frame({name: frame[name] for name in columns}, frame.n_rows)


def _relation(model: Model, rows: Rows, is_whole: bool) -> str:
    """Whether these are the rows that the rule was learned from: "training", "other", or "unknown"."""
    card = model.card
    if card is None or card.data is None or card.data.hash is None:
        return "unknown"
    if not is_whole or rows.n != card.data.rows:
        return "other"
    hashes = map(hash_column, rows.frame.columns.values())
    found = hash_rows(rows.frame.names, hashes, rows.classes, rows.positions, rows.weights)
    return "training" if found == card.data.hash else "other"


def _learned(model: Model) -> dict[str, Any] | None:
    """From how many rows and columns the rule was learned, and when; None if that is not known."""
    card = model.card
    if card is None or card.data is None:
        return None
    return {"rows": card.data.rows, "columns": card.data.columns, "created": card.created}


def _calibration(model: Model, decisions: Decisions) -> Any:
    if model.rule.counts is None:
        return None
    factors = np.ones(len(model.labels)) if model.class_factors is None else np.array(model.class_factors)
    return calibrate(decisions, region_probabilities(model.rule, factors))
