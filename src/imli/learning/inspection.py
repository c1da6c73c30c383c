"""Inspections: what a look at a table shows, before anything is learned from it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from imli.files import write_whole
from imli.learning.answer import Progress
from imli.learning.rows.engine import Look, look_at_piece, open_engine
from imli.learning.rows.on_disk import LocalEngine
from imli.learning.suspicions import look_closely, suspect
from imli.rules.notation import shorten, write_cell, write_value
from imli.rules.text import write_rows, write_share
from imli.table.csv_source import CsvFormat
from imli.table.findings import Finding, in_order
from imli.table.frame import Column, ColumnKind, Frame, Value
from imli.table.labels import refuse_odd_classes, see, see_all
from imli.table.read import as_frame, is_on_cluster
from imli.table.readings import Reading
from imli.table.sample import Sample, Source, is_large, make_sample, unlabelled
from imli.table.sources import as_source
from imli.table.summaries import MOST_VALUES, Summary

FORMAT = 1
_MOST_EXAMPLES, _LONGEST = 3, 24  # of a column, and signs of each
_MOST_CLASSES = 5  # in a sentence


@dataclass(frozen=True)
class InspectedColumn:
    """A column of a table: what it is, how it was read, and how much it tells about the target alone.

    Parameters
    ----------
    name
        The name of the column.
    kind
        "number", "flag", "text" or "date"; "empty" if all cells are missing.
    reading
        The way in which the cells of a file were read, in words; empty where they are written as programs write them.
    n_distinct
        The number of different values; None for more than 65,536 numbers or dates.
    n_missing
        The number of missing cells.
    examples
        The least, the middle and the largest number or date, or the most frequent categories.
    tells
        The way from guessing (0) to always being right (1) that the column leads alone, on rows that had no part in
        finding out. All classes count alike. None without a target.
    """

    name: str
    kind: str
    reading: str
    n_distinct: int | None
    n_missing: int
    examples: tuple[str, ...]
    tells: float | None

    @property
    def line(self) -> tuple[str, ...]:
        """Return the name, the type, how it was read, distinct and missing cells, what it tells, and examples."""
        distinct = f"> {MOST_VALUES:,}" if self.n_distinct is None else f"{self.n_distinct:,}"
        tells = "" if self.tells is None else f"{100 * self.tells:.0f} %"
        between = " … " if self.kind in ("number", "date") else ", "
        return (self.name, self.kind, self.reading, distinct, f"{self.n_missing:,}", tells, between.join(self.examples))


HEADINGS = ("column", "type", "read as", "distinct", "missing", "tells", "examples")
ARE_NUMBERS = (False, False, False, True, True, True, False)  # which are set to the right


@dataclass(frozen=True)
class Inspection:
    """A look at a table: a line for each column, and what a person should know before a rule is signed off.

    Parameters
    ----------
    title
        The table, as sentences call it.
    n_rows
        The number of rows, without those that have no label.
    target
        The name of the column of labels; None if there are no labels, "" if they have no name.
    classes
        The classes with their numbers of rows.
    columns
        The columns, in the order of the table.
    findings
        The findings, the gravest first.

    Examples
    --------
    >>> import imli
    >>> people = {"person": list(range(60)), "age": [20 + 7 * n % 50 for n in range(60)], "land": ["DE"] * 60}
    >>> print(imli.inspect(people, [age > 45 for age in people["age"]]))
    The table has 60 rows and 3 columns; the target is false in 53 % and true in 47 %.
    <BLANKLINE>
    column  type    distinct  missing  tells  examples
    person  number        60        0    0 %  0 … 29 … 59
    age     number        50        0   91 %  20 … 43 … 69
    land    text           1        0    0 %  DE
    <BLANKLINE>
    remark: 'land' is the same in all rows.
    remark: 'age' is a personal attribute by its name. never=['age'] keeps it out of the rule.
    """

    title: str
    n_rows: int
    target: str | None
    classes: tuple[tuple[Value, int], ...]
    columns: tuple[InspectedColumn, ...]
    findings: tuple[Finding, ...]

    @property
    def sentence(self) -> str:
        """Return the size of the table and the shares of the classes in words."""
        size = f"{self.title} has {write_rows(self.n_rows)} and {len(self.columns):,} column"
        size += "" if len(self.columns) == 1 else "s"
        if self.target is None:
            return f"{size}."
        shares = [f"{write_value(label)} in {write_share(n, self.n_rows)}" for label, n in self.classes[:_MOST_CLASSES]]
        if len(self.classes) > _MOST_CLASSES:
            shares[-1:] = [f"one of {len(self.classes) - _MOST_CLASSES + 1} more classes in the rest"]
        listed = f"{', '.join(shares[:-1])} and {shares[-1]}" if len(shares) > 1 else shares[0]
        return f"{size}; {repr(self.target) if self.target else 'the target'} is {listed}."

    def __str__(self) -> str:
        return "\n".join([self.sentence, "", *self._lines(), "", *self.told]).rstrip()

    @property
    def told(self) -> list[str]:
        """Return a line for each finding."""
        return [f"{finding.grade}: {finding}" for finding in self.findings]

    @property
    def shown(self) -> list[int]:
        """Return the positions of the parts of a line of which some column has any."""
        lines = [column.line for column in self.columns]
        return [place for place in range(len(HEADINGS)) if place == 0 or any(line[place] for line in lines)]

    def _lines(self) -> list[str]:
        lines = [HEADINGS, *(column.line for column in self.columns)]
        widths = [max(len(line[place]) for line in lines) for place in range(len(HEADINGS))]
        return [
            "  ".join(
                line[place].rjust(widths[place]) if ARE_NUMBERS[place] else line[place].ljust(widths[place])
                for place in self.shown
            ).rstrip()
            for line in lines
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return a dict of plain values, for JSON."""
        return {
            "format": FORMAT,
            "title": self.title,
            "rows": self.n_rows,
            "target": self.target,
            "classes": [{"label": label, "rows": n} for label, n in self.classes],
            "columns": [asdict(column) | {"examples": list(column.examples)} for column in self.columns],
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the columns as a data frame with a row for each.

        Parameters
        ----------
        backend
            "pandas", "polars" or "pyarrow"; by default the first of these that is installed.

        Returns
        -------
        Any
            A data frame of that library.
        """
        from imli.exports.frame import columns_to_frame

        return columns_to_frame([asdict(column) for column in self.columns], backend)

    @cached_property
    def html(self) -> str:
        """Return a page that needs no other file and no network."""
        from imli.report.render import render_inspection

        lines = [[column.line[place] for place in self.shown] for column in self.columns]
        return render_inspection({
            "sentence": self.sentence, "findings": self.findings, "lines": lines, "has_tells": self.target is not None,
            "headings": [(HEADINGS[place], ARE_NUMBERS[place]) for place in self.shown], "title": self.title,
        })  # fmt: skip

    def save(self, path: str | Path) -> None:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path
            The file, which is replaced if it exists.
        """
        write_whole(path, self.html)

    def _repr_html_(self) -> str:
        style = "width: 100%; height: 32rem; border: 1px solid rgb(128 128 128 / 0.3)"
        return f'<iframe title="{escape(self.title)}" style="{style}" sandbox srcdoc="{escape(self.html)}"></iframe>'


def inspect(X: Any, y: Any = None) -> Inspection:
    """Look at a table before anything is learned from it.

    Parameters
    ----------
    X
        A table as ``fit`` takes it: a data frame, an array, a dict of columns, or files and other tables that are read
        in parts.
    y
        One label per row, or the name of the column of labels. Without it, nothing is said about a target.

    Returns
    -------
    Inspection
        A line for each column, and the findings.

    Examples
    --------
    >>> import imli
    >>> people = {"id": [f"A{n}" for n in range(60)], "land": ["DE"] * 60}
    >>> for finding in imli.inspect(people).findings:
    ...     print(finding)
    'id' looks like an identifier: its 60 cells are all different. No condition is on it unless use='id' asks for it.
    'land' is the same in all rows.
    """
    if is_on_cluster(X):
        if not isinstance(y, str):
            raise TypeError(f"Of a table on a cluster, y is the name of the column of labels. Got {y!r}.")
        return _inspected("The table", open_engine(X, y, None, 1).gather(_look, Look.merge), y)
    if is_large(X):
        return inspect_source(as_source(X, CsvFormat(is_lenient=True)), y, in_parts=True)
    frame = as_frame(X)
    if y is None:
        return _inspect_frame("The table", frame, None)
    name = y if isinstance(y, str) else getattr(y, "name", None)
    target = name if isinstance(name, str) else ""
    labels = frame[target] if isinstance(y, str) else as_frame({target or "y": y})[target or "y"]
    return _inspect_frame("The table", frame, target, labels)


def inspect_source(
    source: Source,
    target: str | None = None,
    in_parts: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> Inspection:
    """Look at a table in files, at once or part by part."""
    labelled = source if target is None else source.labelled(target)
    if not in_parts:
        frame = labelled.frame()
        labels = None if target is None else frame[target]
        return _inspect_frame(source.title, frame, target, labels, labelled.findings, labelled.readings)
    odd = None if target is None else _odd_target(labelled, target)
    if odd is not None:
        labelled, target = source, None
    look = LocalEngine(labelled, 1, on_progress).gather(_look, Look.merge)
    found = (*labelled.findings, *([] if odd is None else [odd]))
    return _inspected(source.title, look, target, found, labelled.readings)


def _look(sample: Sample) -> Look:
    """Return a look at a piece whose rows all count alike."""
    return look_at_piece(1, False, sample)


def _odd_target(source: Source, target: str) -> Finding | None:
    """Return a finding if a rule cannot decide between the labels of a source."""
    seen = see_all(see(frame, target) for frame, _ in source.rows([target]))
    return _odd_labels(target, seen.kind, np.array(sorted(seen.n_labels)), source.n_rows, seen.many)


def _odd_labels(target: str, kind: ColumnKind, classes: Any, n_rows: int, many: str = "") -> Finding | None:
    """Return a finding if a rule cannot decide between these labels."""
    try:
        refuse_odd_classes(target or "y", kind, classes, n_rows, many)
    except ValueError as error:
        return Finding("target", (target,) if target else (), str(error), "", "serious")
    return None


def _inspect_frame(
    title: str,
    frame: Frame,
    target: str | None,
    labels: Column | None = None,
    read: Iterable[Finding] = (),
    readings: Mapping[str, Reading] | None = None,
) -> Inspection:
    """Look at rows in memory, of which those without a label are left out."""
    if not frame.columns or not frame.n_rows:
        raise ValueError(f"The data has no {'rows' if frame.columns else 'columns'}.")
    found = list(read)
    if labels is not None:
        gone = labels.missing
        if len(gone) != frame.n_rows:
            raise ValueError(f"There are {len(gone):,} labels for {frame.n_rows:,} rows. Give one per row.")
        there = labels.take(~gone)
        odd = _odd_labels(target or "", labels.kind, np.unique(there.cells()), frame.n_rows)
        if odd is not None:
            found, labels, target = [*found, odd], None, None
        elif gone.any():
            found.append(unlabelled(target or "label", int(gone.sum()), frame.n_rows))
            frame, labels = frame.take(~gone), there
    columns = frame.select(name for name in frame.names if labels is None or name != target)
    sample = make_sample(columns, np.zeros(frame.n_rows, dtype=bool) if labels is None else labels, None, target)
    return _inspected(title, _look(sample), target, found, readings)


def _inspected(
    title: str,
    look: Look,
    target: str | None,
    read: Iterable[Finding] = (),
    readings: Mapping[str, Reading] | None = None,
) -> Inspection:
    cells, known = look_closely(look), readings or {}
    columns = tuple(
        InspectedColumn(
            name=name,
            kind="empty" if summary.is_empty else summary.kind,
            reading=known[name].in_words if name in known else "",
            n_distinct=_count_distinct(summary),
            n_missing=summary.n_missing,
            examples=() if summary.is_empty else _examples(summary),
            tells=None if target is None else round(cells[name].tells, 4),
        )
        for name, summary in look.columns.items()
    )
    rows = look.weights.weights.sum(axis=0).tolist()
    classes = sorted(zip(look.classes.tolist(), rows, strict=True), key=lambda pair: -pair[1])
    findings = in_order((*read, *suspect(look, cells, target or None)))
    return Inspection(title, look.n_rows, target, () if target is None else tuple(classes), columns, findings)


def _count_distinct(summary: Summary) -> int | None:
    if summary.values is None:
        return len(summary.categories)
    return len(summary.values) if summary.values.level == 0 else None


def _examples(summary: Summary) -> tuple[str, ...]:
    """Return the least, the middle and the largest number or date, or the most frequent values."""
    counts = summary.counts if summary.values is None else summary.values.totals
    assert counts is not None
    if summary.kind in ("number", "date"):
        middle = int(np.searchsorted(counts.cumsum(), counts.sum() / 2))
        places = sorted({0, middle, len(counts) - 1})
    else:
        places = np.argsort(-counts, kind="stable")[:_MOST_EXAMPLES].tolist()
    cells = np.array(places) if summary.values is None else summary.values.low[places]
    column = replace(summary.examples, values=cells, missing=np.zeros(len(cells), dtype=bool))
    return tuple(shorten(write_cell(column, row), _LONGEST) for row in range(len(cells)))
