"""Rules as drawings, made with matplotlib: their lines as bars, and their columns as histograms by class."""

from dataclasses import dataclass
from math import ceil
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from imli.rules.notation import write_value
from imli.rules.text import Share, summarize, table_share, write_count, write_figures
from imli.table.frame import AnyArray, BoolArray, Column, FloatArray
from imli.table.read import as_frame, read_labels

if TYPE_CHECKING:
    from imli.rules import Rule
    from imli.rules.literals import Literal

_RIGHT, _WRONG = "#3b82c4", "#e0853d"  # as in HTML
_CLASSES = ("#7570b3", "#1b9e77", "#d64a8a", "#8a6d0b", "#5b5b5b", "#56b4e9")
_WIDTH, _LINE, _PANEL = 8.0, 0.18, 1.9  # inches: a figure, a line of text, and a histogram
_PER_ROW, _SIGNS = 3, 50  # histograms in a row, signs in a line of text
_BINS, _MOST_CELLS, _FINE = 30, 10, 600
_OUTSIDE = 1.0  # percent of the rows that lie beyond either end of a histogram, and count in its outermost bins
_DAY = 86_400e6  # microseconds

_ALPHA, _STROKE = 0.5, 0.12  # of histograms, and the height of a stroke beside theirs
_HARD_SPACE = "\u00a0"  # at which no line is broken

_Tests = dict[int, list["Literal"]]  # those on a column, by the number of the clause


def load_pyplot(what: str) -> Any:
    """Return ``matplotlib.pyplot``, or raise an error that names what cannot be drawn without it."""
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f'Drawing {what} needs matplotlib. Install it with: pip install "imli[plot]".'
        ) from None
    return pyplot


@dataclass(frozen=True)
class _Histogram:
    """The shares of each class in the bins of a column, and what the conditions of each clause accept of it."""

    title: str
    edges: AnyArray
    shares: list[FloatArray]  # by class
    accepted: dict[int, list[tuple[float, float]]]  # by clause: starts and lengths
    cells: tuple[str, ...] = ()  # the values, where there are few, one for each bin
    is_date: bool = False


class RuleDisplay:
    """Drawing of a rule: its lines as bars and, with a table, the columns that it reads as histograms by class.

    A bar is as long as the number of rows, blue where they are decided correctly and orange where they are not. A
    histogram shows how the rows of each class are distributed. Above it, a stroke for each clause shows the values that
    the conditions of this clause accept. :meth:`imli.rules.Rule.plot` makes one. Drawing needs matplotlib.

    Parameters
    ----------
    rule
        A rule with counts.
    X
        A table with the columns that the rule reads; None for bars only.
    y
        One label per row of ``X``.

    Attributes
    ----------
    axes_
        The axes of the last drawing: those of the bars, then those of the columns in the order of the rule.
    figure_
        The figure of these axes.
    """

    axes_: list[Any]
    figure_: Any

    def __init__(self, rule: "Rule", X: Any = None, y: Any = None) -> None:
        if (X is None) != (y is None):
            raise ValueError("A rule is drawn with both a table X and its labels y, or with neither.")
        self.rule = rule if X is None else rule.counted_on(X, y)
        if self.rule.counts is None:
            raise ValueError("This rule has no counts to draw. Call rule.plot(X, y) with a table and its labels.")
        self._histograms = [] if X is None else _histograms(self.rule, X, y)

    def plot(self) -> "RuleDisplay":
        """Return this object with the rule drawn again, on ``axes_`` of a new ``figure_``."""
        (texts, shares), n_panels = _lines(self.rule), len(self._histograms)
        n_rows = ceil(n_panels / _PER_ROW)
        heights = [_LINE * (sum(text.count("\n") + 2 for text in texts) + 5), *[_PANEL * n_rows] * (n_rows > 0)]
        self.figure_ = load_pyplot("a rule").figure(figsize=(_WIDTH, sum(heights)), layout="constrained")
        parts = self.figure_.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
        self.axes_ = [parts[0].subplots()]
        _draw_bars(self.axes_[0], texts, shares, self.rule.covers)
        if n_rows:
            from matplotlib.patches import Patch

            panels = parts[1].subplots(n_rows, _PER_ROW, squeeze=False).flat
            for ax, histogram in zip(panels, self._histograms, strict=False):
                _draw_histogram(ax, histogram)
            for ax in panels[n_panels:]:
                ax.set_axis_off()
            self.axes_ += panels[:n_panels].tolist()
            assert self.rule.counts is not None
            handles = [Patch(color=colour, alpha=_ALPHA) for colour in _colours(len(self.rule.counts.classes))]
            names = [str(label) for label in self.rule.counts.classes]
            parts[1].legend(handles, names, loc="outside lower center", ncols=6, frameon=False, fontsize="small")
        return self


def _lines(rule: "Rule") -> tuple[list[str], list[Share]]:
    """Return the text and the share of each line of the rule that has one."""
    texts, shares, number = list[str](), list[Share](), 0
    for line in summarize(rule)["lines"]:
        pieces = (f"{piece['joint']} {piece['opens']}{piece['text']}{piece['closes']}" for piece in line["pieces"])
        text = " ".join([line["keyword"], *(piece.strip().replace(" ", _HARD_SPACE) for piece in pieces)])
        if line["clause"] is not None:
            number += 1
            text = f"{number}: {text}"
        if (share := table_share(line)) is not None:
            texts.append(text)
            shares.append(share)
        elif line["decided"] is not None:  # that of the clause above it
            texts[-1] += f" {text}"
    return ["\n".join(wrap(text, _SIGNS, break_long_words=False)) for text in texts], shares


def _colours(n_classes: int) -> tuple[str, ...]:
    return (_CLASSES * ceil(n_classes / len(_CLASSES)))[:n_classes]


def _draw_bars(ax: Any, texts: list[str], shares: list[Share], covers: str) -> None:
    rows, right = ([share[part] for share in shares] for part in ("rows", "right"))
    places = range(len(texts))
    ax.barh(places, right, color=_RIGHT, label="correct")
    ax.barh(places, np.subtract(rows, right), left=right, color=_WRONG, label="wrong")
    for place, share in enumerate(shares):
        count, percent, _ = write_figures(share)
        ax.annotate(
            f"{percent} of {count}",
            (share["rows"], place),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
        )
    ax.set_yticks(places, texts, fontsize="small")
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labelsize="small")
    ax.invert_yaxis()
    ax.set_xlim(0, 1.3 * max(rows) or 1)  # with room for the figures
    ax.set_xlabel("rows" if covers == "covers" else "rows, for a clause those that it rules out", fontsize="small")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False, fontsize="small")


def _draw_histogram(ax: Any, histogram: _Histogram) -> None:
    n_classes = len(histogram.shares)
    for place, (share, colour) in enumerate(zip(histogram.shares, _colours(n_classes), strict=True)):
        if histogram.cells:
            centres = np.arange(len(share)) + 0.8 * ((place + 0.5) / n_classes - 0.5)
            ax.bar(centres, share, 0.8 / n_classes, color=colour, alpha=_ALPHA)
        else:
            ax.stairs(share, histogram.edges, fill=True, facecolor=(colour, _ALPHA), edgecolor=colour, linewidth=0.8)
    for place, (number, parts) in enumerate(reversed(histogram.accepted.items())):
        height = 1.06 + _STROKE * place
        for start, length in parts:
            ax.plot([start, start + length], [height] * 2, color="0.35", linewidth=3, clip_on=False,
                    solid_capstyle="butt", transform=ax.get_xaxis_transform())  # fmt: skip
        ax.text(1.02, height, number, transform=ax.transAxes, va="center", fontsize="x-small")
    ax.set_title(histogram.title, loc="left", fontsize="small", pad=5 + 75 * _STROKE * len(histogram.accepted))
    ax.set_xlim(histogram.edges[0], histogram.edges[-1])
    ax.set_ylim(bottom=0)
    ax.set_yticks([])
    ax.tick_params(labelsize="x-small")
    ax.spines[["top", "right", "left"]].set_visible(False)
    if histogram.cells:
        is_long = sum(map(len, histogram.cells)) > 24
        ax.set_xticks(range(len(histogram.cells)), histogram.cells, rotation=90 if is_long else 0)
    elif histogram.is_date:
        from matplotlib import dates

        locator = dates.AutoDateLocator(maxticks=6)  # type: ignore[no-untyped-call]
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]


def _histograms(rule: "Rule", X: Any, y: Any) -> list[_Histogram]:
    """Return a histogram of each column that the rule reads."""
    assert rule.counts is not None
    frame, labels = as_frame(X, only=rule.columns), read_labels(y).tolist()
    position = {label: n for n, label in enumerate(rule.counts.classes)}
    positions, n_classes = np.array([position[label] for label in labels]), len(position)
    found = []
    for name in rule.columns:
        column, numbered = frame[name], list(enumerate(rule.clauses, start=1))
        tests = {number: [literal for literal in clause if literal.column == name] for number, clause in numbered}
        make = _of_few_values if _has_few_values(column) else _of_numbers
        by_class = [positions == n for n in range(n_classes)]
        found.append(make(column, by_class, {n: own for n, own in tests.items() if own}, rule.inner == "AND"))
    return found


def _has_few_values(column: Column) -> bool:
    values = column.values[~column.missing]
    return column.kind in ("text", "flag") or len(values) == 0 or len(np.unique(values)) <= _MOST_CELLS


def _accept(tests: list["Literal"], column: Column, all_must: bool) -> BoolArray:
    """Return which cells pass the conditions of a clause: all of them in a conjunction, or any."""
    holds = [literal.holds(column) for literal in tests]
    passes: BoolArray = np.all(holds, axis=0) if all_must else np.any(holds, axis=0)
    return passes


def _share(counts: AnyArray) -> FloatArray:
    shares: FloatArray = counts / max(counts.sum(), 1)
    return shares


def _of_few_values(column: Column, by_class: list[BoolArray], tests: _Tests, all_must: bool) -> _Histogram:
    """Return a bin for each value, and for missing cells: those that conditions name, and the most frequent."""
    codes = np.unique(column.values, return_inverse=True)[1]
    codes[column.missing] = codes.max() + 1  # the last
    _, first, cell_of_row, counts = np.unique(codes, return_index=True, return_inverse=True, return_counts=True)
    column_of_each = column.take(first)
    cells = ["missing" if cell is None else cell if isinstance(cell, str) else write_value(cell)
             for cell in column_of_each.cells().tolist()]  # fmt: skip
    named = {text for own in tests.values() for literal in own for text in literal.texts}
    kept = np.sort(sorted(range(len(cells)), key=lambda cell: (cells[cell] not in named, -counts[cell]))[:_MOST_CELLS])
    accepted = {number: _accept(own, column_of_each, all_must)[kept] for number, own in tests.items()}
    n_rarer = len(cells) - len(kept)
    return _Histogram(
        title=f"{column.name} ({n_rarer} rarer not shown)" if n_rarer else column.name,
        edges=np.arange(len(kept) + 1) - 0.5,
        shares=[_share(np.bincount(cell_of_row[rows], minlength=len(cells)))[kept] for rows in by_class],
        accepted={n: [(place - 0.4, 0.8) for place in np.flatnonzero(holds)] for n, holds in accepted.items()},
        cells=tuple(cells[cell] for cell in kept),
    )


def _of_numbers(column: Column, by_class: list[BoolArray], tests: _Tests, all_must: bool) -> _Histogram:
    """Return bins of equal width, over the range of nearly all numbers or dates and of all thresholds."""
    is_there = ~column.missing & np.isfinite(column.values)
    cuts = [cut for own in tests.values() for literal in own for cut in literal.cuts]
    ends = [*np.percentile(column.values[is_there].astype(np.float64), [_OUTSIDE, 100 - _OUTSIDE]), *cuts]
    margin = (max(ends) - min(ends)) / 20
    edges = np.linspace(min(ends) - margin, max(ends) + margin, _BINS + 1)
    values = np.clip(column.values, edges[0], edges[-1])
    grid = np.linspace(edges[0], edges[-1], _FINE)
    cells = grid.astype(np.int64) if column.kind == "date" else grid
    as_column = Column(column.name, column.kind, cells, np.zeros(_FINE, dtype=bool))
    unit = _DAY if column.kind == "date" else 1.0  # matplotlib counts dates in days
    accepted = {}
    for number, own in tests.items():
        turns = np.flatnonzero(np.diff(_accept(own, as_column, all_must), prepend=False, append=False))
        starts, stops = (grid[np.minimum(turns, _FINE - 1)].reshape(-1, 2) / unit).T
        accepted[number] = list(zip(starts, stops - starts, strict=True))
    n_missing = int(column.missing.sum())
    return _Histogram(
        title=f"{column.name} ({write_count(n_missing)} missing)" if n_missing else column.name,
        edges=edges / unit,
        shares=[_share(np.histogram(values[rows & is_there], edges)[0]) for rows in by_class],
        accepted=accepted,
        is_date=column.kind == "date",
    )
