"""Reports about a rule and some rows: the summary as plain values, and the page that shows it."""

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
from imli.learning.deadline import Deadline
from imli.models import Model
from imli.report.card import summarize_card
from imli.report.columns import Step
from imli.report.decisions import Decisions, read_sample
from imli.report.experiments import Experiments
from imli.report.mistakes import find_mistakes
from imli.report.quality import calibrate, judge, tabulate_confusion
from imli.report.render import render, require_jinja
from imli.rules import Rule, region_probabilities
from imli.rules.text import summarize
from imli.table.frame import Frame
from imli.table.read import as_frame
from imli.table.sample import Sample
from imli.table.summaries import hash_column, hash_rows

FORMAT = 1


@dataclass(frozen=True)
class Report:
    """A page about a rule and its quality on some rows. Notebooks show it in a frame.

    Parameters
    ----------
    summary
        All contents of the page, as plain values that can be written as JSON.
    """

    summary: Mapping[str, Any] = field(repr=False)

    @cached_property
    def html(self) -> str:
        """Return the page, which needs no other file and no network."""
        return render(self.summary)

    def save(self, path: str | Path) -> None:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path
            The file, which is replaced if it exists.
        """
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
    """Make a report on a rule: its text, its accuracy, its mistakes and their reasons, and its origin.

    Parameters
    ----------
    model
        A model, a fitted classifier, or a rule. For a rule, sections that need a learner are left out.
    X
        A table with the columns of the rule. The sections that learn rules need all columns that the rule was learned
        from.
    y
        One label per row.
    sample_weight
        The weight of each row; rows of weight 0 are ignored.
    path
        True to learn rules of other sizes for comparison, False to leave that out, or a ``RulePath`` to show.
    columns
        Whether to learn again without each column of the rule, to measure the loss of accuracy.
    on_progress
        A function that is called with the name of a section, the number of steps done, and the number of all steps.
    time_limit
        Seconds for all learning. The report names the sections that were left out for lack of time.

    Returns
    -------
    Report
        The page and its contents.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from imli import DecisionListClassifier, make_report
    >>> X, y = load_iris(return_X_y=True)
    >>> report = make_report(DecisionListClassifier(n_clauses=2).fit(X, y), X, y, path=False, columns=False)
    >>> print(report.summary["verdict"]["sentences"][0].replace("\\xa0", " "))
    The rule is correct on 96.0 % of 150 rows, the same rows it was learned from; always predicting 0, the most \
frequent class, would be correct on 33.3 %.
    >>> report.summary["mistakes"]["shown"][0]["reason"]["text"]
    'Clause 2 holds: x3 > 0.8. Clause 1, for 2, would have held with x3 > 1.6; here it is 1.5.'
    """
    require_jinja()
    about = _as_model(model)
    if not isinstance(path, bool) and not hasattr(path, "to_dict"):
        raise TypeError(f"make_report: path must be True, False or a RulePath. Got {path!r}.")
    frame, is_whole = _read_frame(about, X)
    counted = about.rule.counted_on(frame, y, sample_weight)  # raises an error for wrong labels or weights
    sample = read_sample(frame, about.labels, y, sample_weight)
    decisions = Decisions(about.rule, sample)
    relation = _relation(about, sample, is_whole)
    on_step = on_progress or (lambda *_: None)
    experiments = Experiments(model, about, sample, is_whole, Deadline.after(time_limit), on_step)
    path_section = experiments.follow_path(path, half=columns) if path is not False else None
    column_section = experiments.weigh_columns() if columns else None
    summary: dict[str, Any] = {
        "format": FORMAT,
        "made": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "rows": {
            "n": sample.n_rows,
            "total": sample.weight,
            "are_weighted": bool((sample.weights != 1).any()),
            "n_columns": len(frame.names),
            "relation": relation,
        },
        "learned": _origin(about),
        "verdict": judge(decisions, relation, None if about.is_edited else about.card, column_section),
        "rule": summarize(counted),
        "confusion": tabulate_confusion(decisions),
        "calibration": _calibration(about, decisions),
        "path": path_section,
        "columns": column_section,
        "mistakes": find_mistakes(decisions),
        "card": summarize_card(about),
        "left_out": experiments.left_out,
    }
    return Report(summary)


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
    """Return the columns that the rule was learned from and True; if some are lacking, those of the rule and False."""
    known = tuple(model.columns)
    if known:
        with suppress(UnknownColumnError):
            return as_frame(X, only=known).select(known), True
    return as_frame(X, only=model.rule.columns).select(model.rule.columns), False


def _relation(model: Model, sample: Sample, is_whole: bool) -> str:
    """Return "training" if the rule was learned from these rows, "other" if not, or "unknown"."""
    card = model.card
    if card is None or card.data is None or card.data.hash is None:
        return "unknown"
    if not is_whole or sample.n_rows != card.data.rows:
        return "other"
    hashes = map(hash_column, sample.frame.columns.values())
    found = hash_rows(sample.frame.names, hashes, sample.classes, sample.positions, sample.weights)
    return "training" if found == card.data.hash else "other"


def _origin(model: Model) -> dict[str, Any] | None:
    """Return the numbers of rows and columns that the rule was learned from, and the time; None if not known."""
    card = model.card
    if card is None or card.data is None:
        return None
    return {"rows": card.data.rows, "columns": card.data.columns, "created": card.created}


def _calibration(model: Model, decisions: Decisions) -> Any:
    if model.rule.counts is None:
        return None
    factors = np.ones(len(model.labels)) if model.class_factors is None else np.array(model.class_factors)
    return calibrate(decisions, region_probabilities(model.rule, factors))
