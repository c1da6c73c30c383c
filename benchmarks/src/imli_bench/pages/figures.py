"""The plots of a page: how they look, what they are drawn from, and how they become files that are the same each time.

Plots are drawn dark on white; the style sheet of the documentation turns them over where a reader likes it dark. Widths
are such that the smallest text is 10 pixels high on a page that has room, and the page scrolls a plot before it shrinks
it to less than nine tenths. Text stays text, so that it can be searched, copied and read aloud.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from io import StringIO
from math import ceil
from statistics import median
from typing import TYPE_CHECKING, Any

from imli_bench.data_sets import in_order, title_of_data
from imli_bench.pages.curves import MEASURES, PARAMETERS, Spread, curve, varied
from imli_bench.pages.marks import OURS, is_ours, listed, title_of
from imli_bench.pages.measured import FoldGroup, MeasuredPart, Results, Run
from imli_bench.pages.standings import Point, Standing, Standings, front

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


WIDTH = 7.2  # inches, which are 96 pixels of a page
OURS_COLOUR = "#0072b2"
SOFT = "#6b7680"
# Okabe and Ito's colours, which people tell apart who see colours differently; ours has the blue one.
_COLOURS = ("#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5b5b5b")
_MARKERS = ("s", "^", "D", "v", "P", "X", "<", ">", "p", "h")
_OUR_MARKERS = {"imli chosen": "o", "imli dnf": "^", "imli cnf": "v", "imli list": "s", "imli set": "D"}
_DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))
_SETTINGS: dict[Any, Any] = {
    "font.family": ["DejaVu Sans", "sans-serif"],
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": "#1d2329",
    "text.color": "#1d2329",
    "xtick.color": "#3b444c",
    "ytick.color": "#3b444c",
    "axes.grid": True,
    "grid.color": "#e3e8ec",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "svg.fonttype": "none",
}


@dataclass(frozen=True)
class RivalLook:
    """How a rival is drawn in all plots of a page."""

    colour: str
    marker: str
    dashes: Any
    is_readable: bool

    @property
    def mark(self) -> dict[str, Any]:
        """Return how a point is drawn: full if the rival's models can be read, hollow if they cannot."""
        face = self.colour if self.is_readable else "white"
        return {"marker": self.marker, "color": self.colour, "markerfacecolor": face, "markeredgecolor": self.colour}


def looks(rivals: Iterable[str], readable: set[str]) -> dict[str, RivalLook]:
    """Return a look for each rival. Ours share a colour; no two others share colour and marker."""
    found: dict[str, RivalLook] = {}
    n_ours = n_others = 0
    for rival in rivals:
        if is_ours(rival):
            marker = _OUR_MARKERS.get(rival, "o")
            found[rival] = RivalLook(OURS_COLOUR, marker, _DASHES[n_ours % len(_DASHES)], rival in readable)
            n_ours += 1
        else:
            colour, marker = _COLOURS[n_others % len(_COLOURS)], _MARKERS[n_others % len(_MARKERS)]
            dashes = _DASHES[n_others // len(_COLOURS) % len(_DASHES)]
            found[rival] = RivalLook(colour, marker, dashes, rival in readable)
            n_others += 1
    return found


@contextmanager
def themed() -> Iterator[None]:
    """Draw in our style, whatever the reader's own is."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def new_figure(height: float, n_rows: int = 1, n_columns: int = 1, **options: Any) -> tuple["Figure", list["Axes"]]:
    """Return a figure as wide as a page, and its axes row by row."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False, **options)
    return figure, list(axes.flat)


def legend_above(figure: "Figure", handles: list[Any], n_columns: int) -> None:
    """Draw one legend for all axes, where it hides nothing."""
    figure.legend(handles=handles, loc="outside upper left", ncols=n_columns, handletextpad=0.5, columnspacing=1.4)


def to_svg(figure: "Figure", name: str, description: str, digest: str) -> str:
    """Return the figure as SVG, always the same text for it. The digest says what it was drawn from."""
    import matplotlib

    file = StringIO()
    about = {
        "Date": None,
        "Creator": f"matplotlib {matplotlib.__version__}",
        "Title": description,
        "Identifier": digest,
    }
    with matplotlib.rc_context({"svg.hashsalt": name}):
        figure.savefig(file, format="svg", metadata=about)
    return re.sub(r"[ \t]+$", "", file.getvalue(), flags=re.MULTILINE)


def is_drawn(known: str, new: str) -> bool:
    """Return True if a file has the same text, or another matplotlib drew it from the same values."""
    if known == new:
        return True
    (known_program, known_digest), (program, digest) = (_about(text) for text in (known, new))
    return known_program != program and known_digest == digest


def _about(svg: str) -> tuple[str | None, str | None]:
    """Return the program that drew an image and the digest of what it drew."""
    program = re.search(r"<dc:title>matplotlib [^<]*</dc:title>", svg)
    digest = re.search(r"<dc:identifier>(.*?)</dc:identifier>", svg)
    return program and program[0], digest and digest[1]


def logarithmic(ax: "Axes", which: str, ticks: Iterable[float] = ()) -> None:
    """Make an axis logarithmic, with ticks as people write numbers: at these places, or as many as it needs.

    matplotlib's own would have raised exponents, which are too small to read.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

    axis = ax.xaxis if which == "x" else ax.yaxis
    (ax.set_xscale if which == "x" else ax.set_yscale)("log")
    low, high = axis.get_data_interval()
    if places := list(ticks):
        axis.set_major_locator(FixedLocator(places))
    elif high < 5 * low:
        axis.set_major_locator(MaxNLocator(4))
    else:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 50 * low else (1,)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


Curves = Mapping[str, Sequence[float]]  # by rival
SECONDS = "seconds"


def draw_cactus(panels: Mapping[str, Curves], style: Mapping[str, RivalLook]) -> "Figure":
    """Draw the seconds of the trials that ended in time, a panel for each data set."""
    n_rows = ceil(len(panels) / 2)
    figure, axes = new_figure(0.4 + 2.5 * n_rows + 0.2 * ceil(len(style) / 4), n_rows, 2)
    for ax, (problem, curves) in zip(axes, panels.items(), strict=False):
        _curves(ax, curves, style, is_log=True)
        ax.set_title(title_of_data(problem), loc="left")
        ax.set_xlabel("trials that ended in time")
        ax.set_ylabel(SECONDS)
    for ax in axes[len(panels) :]:
        ax.set_visible(False)
    legend_above(figure, _handles(style), 4)
    return figure


def draw_formulations(panels: Mapping[str, Mapping[str, Curves]], style: Mapping[str, RivalLook]) -> "Figure":
    """Draw a row for each data set, a column for each measure."""
    measures = list(next(iter(panels.values())))
    figure, axes = new_figure(0.6 + 2.1 * len(panels), len(panels), len(measures))
    for row, (problem, by_measure) in enumerate(panels.items()):
        for column, (measure, curves) in enumerate(by_measure.items()):
            ax = axes[row * len(measures) + column]
            _curves(ax, curves, style, is_log=measure == SECONDS)
            ax.set_title(f"{title_of_data(problem)}: {measure}", loc="left", fontsize=9)
            if row == len(panels) - 1:
                ax.set_xlabel("trials")
    legend_above(figure, _handles(style), 3)
    return figure


def _curves(ax: "Axes", curves: Curves, style: Mapping[str, RivalLook], *, is_log: bool) -> None:
    for rival, values in curves.items():
        ordered = sorted(values)
        look = style[rival]
        ax.plot(range(1, len(ordered) + 1), ordered, color=look.colour, linestyle=look.dashes, linewidth=1.6,
                marker=look.marker, markersize=4, markevery=1 if len(ordered) < 9 else 0.12,
                markeredgewidth=0)  # fmt: skip
    if is_log and curves:
        logarithmic(ax, "y")
    ax.set_xlim(0, None)


def _handles(style: Mapping[str, RivalLook]) -> list[Any]:
    from matplotlib.lines import Line2D

    return [Line2D([], [], color=look.colour, linestyle=look.dashes, linewidth=1.6, marker=look.marker, markersize=4,
                   markeredgewidth=0, label=title_of(rival)) for rival, look in style.items()]  # fmt: skip


_TRAINING = "#d55e00"
_COLUMNS = (
    ("accuracy in %", ("train_accuracy", "accuracy")),
    ("size of the rule", ("size",)),
    ("seconds", ("seconds",)),
)


def draw_ablation(parameter: str, panels: Mapping[str, Mapping[str, list[Spread]]]) -> "Figure":
    """Draw a row for each data set; medians as lines, and the middle half of the trials as bands."""
    from matplotlib.lines import Line2D

    figure, axes = new_figure(0.6 + 1.9 * len(panels), len(panels), 3, sharex=True)
    for row, (problem, curves) in enumerate(panels.items()):
        for column, (name, measures) in enumerate(_COLUMNS):
            ax = axes[3 * row + column]
            for measure in measures:
                _band(ax, curves.get(measure, []), is_training=measure == "train_accuracy")
            ax.set_title(f"{title_of_data(problem)}: {name}", loc="left", fontsize=9)
            _parameter_axis(ax, parameter, sorted({point.at for points in curves.values() for point in points}))
            if row == len(panels) - 1:
                ax.set_xlabel(PARAMETERS[parameter])
    handles = [
        Line2D([], [], color=OURS_COLOUR, marker="o", markersize=3.5, label="median, and quartiles"),
        Line2D([], [], color=_TRAINING, linestyle="--", marker="s", markersize=3.5, label="the same of training rows"),
    ]
    legend_above(figure, handles, 2)
    return figure


def _band(ax: "Axes", points: Sequence[Spread], *, is_training: bool) -> None:
    at = [point.at for point in points]
    colour, line = (_TRAINING, "s--") if is_training else (OURS_COLOUR, "o-")
    ax.fill_between(at, [point.low for point in points], [point.high for point in points], color=colour, alpha=0.15,
                    linewidth=0)  # fmt: skip
    ax.plot(at, [point.middle for point in points], line, color=colour, markersize=3.5, linewidth=1.4)


def _parameter_axis(ax: "Axes", parameter: str, values: list[float]) -> None:
    if parameter == "k":
        ax.set_xticks(values)
    else:
        logarithmic(ax, "x", values if parameter == "batch_size" else (0.0001, 0.01, 1))


def draw_growth(curves: Mapping[str, Sequence[tuple[float, float]]], style: Mapping[str, RivalLook]) -> "Figure":
    """Draw seconds against rows, both logarithmic."""
    figure, (ax,) = new_figure(3.8)
    handles = []
    for rival, points in curves.items():
        look = style[rival]
        handles += ax.plot(*zip(*points, strict=True), color=look.colour, linestyle=look.dashes, marker=look.marker,
                           markersize=5, linewidth=1.6, label=title_of(rival))  # fmt: skip
    logarithmic(ax, "x")
    logarithmic(ax, "y")
    ax.set_xlabel("rows learned from")
    ax.set_ylabel("seconds")
    legend_above(figure, handles, 4)
    return figure


PATH = "imli path"
# where a rule without conditions stands on an axis that has no zero
_NOTHING = 0.4


def draw_fronts(panels: dict[str, list[Point]], style: dict[str, RivalLook]) -> "Figure":
    """Draw all rivals on each data set, and a line through those that no other beats."""
    n_rows = ceil(len(panels) / 3)
    n_legend = ceil((len(style) + 1) / 4)
    figure, axes = new_figure(0.5 + 1.95 * n_rows + 0.2 * n_legend, n_rows, 3, sharex=True)
    for ax, (problem, points) in zip(axes, panels.items(), strict=False):
        _panel(ax, points, style)
        ax.set_title(title_of_data(problem), loc="left")
    for ax in axes[len(panels) :]:
        ax.set_visible(False)
    for place, ax in enumerate(axes[: len(panels)]):
        if place + 3 >= len(panels):
            ax.set_xlabel("size of the rule")
            ax.tick_params(labelbottom=True)
        if place % 3 == 0:
            ax.set_ylabel("accuracy in %")
    legend_above(figure, _front_handles(style), 4)
    return figure


def _panel(ax: "Axes", points: list[Point], style: dict[str, RivalLook]) -> None:
    best = front(points)
    steps = [(max(point.size, _NOTHING), point.accuracy) for point in best]
    ax.step(*zip(*steps, strict=True), where="post", color=SOFT, linewidth=1, alpha=0.7, zorder=1)
    path = sorted((point for point in points if point.rival == PATH), key=lambda point: point.size)
    if path:
        ax.plot([max(point.size, _NOTHING) for point in path], [point.accuracy for point in path],
                color=style[PATH].colour, linewidth=1, zorder=2)  # fmt: skip
    for point in points:
        size = 3 if point.rival == PATH else 5.5
        ax.plot(max(point.size, _NOTHING), point.accuracy, linestyle="none", markersize=size, zorder=3,
                markeredgewidth=0.8, alpha=0.9, **style[point.rival].mark)  # fmt: skip
    logarithmic(ax, "x", (_NOTHING, 1, 3, 10, 30, 100, 300, 1000))
    ax.xaxis.set_major_formatter(lambda value, _: "0" if value < 1 else f"{value:,.0f}")
    ax.margins(x=0.06, y=0.12)


def _front_handles(style: dict[str, RivalLook]) -> list[Any]:
    from matplotlib.lines import Line2D

    points = [Line2D([], [], linestyle="-" if rival == PATH else "none", markersize=5.5, label=title_of(rival),
                     **look.mark) for rival, look in style.items()]  # fmt: skip
    return [*points, Line2D([], [], color=SOFT, linewidth=1, label="not beaten by any")]


def draw_ranks(ranked: list[Standing], critical_difference: float | None) -> "Figure":
    """Draw a line for each rival, the best on top; bars that do not overlap tell rivals apart."""
    figure, (ax,) = new_figure(0.9 + 0.27 * len(ranked))
    places = range(len(ranked))
    for place, standing in enumerate(ranked):
        colour = OURS_COLOUR if is_ours(standing.rival) else "#3b444c" if standing.is_readable else SOFT
        if critical_difference is not None:
            half = critical_difference / 2
            ends = [max(standing.rank - half, 1), min(standing.rank + half, len(ranked))]
            ax.plot(ends, [place, place], color=colour, linewidth=4, alpha=0.22, solid_capstyle="butt")
        face = colour if standing.is_readable else "white"
        ax.plot(standing.rank, place, "o", color=colour, markerfacecolor=face, markersize=7, markeredgewidth=1.5)
        ax.annotate(f"{standing.rank:.1f}", (standing.rank, place), (7, 0), textcoords="offset points", va="center",
                    fontsize=8, color=colour)  # fmt: skip
    ax.set_yticks(places, [title_of(standing.rival) for standing in ranked])
    for label, standing in zip(ax.get_yticklabels(), ranked, strict=True):
        if is_ours(standing.rival):
            label.set(color=OURS_COLOUR, fontweight="bold")
        elif not standing.is_readable:
            label.set(color=SOFT, fontstyle="italic")
    ax.tick_params(axis="y", length=0, labelsize=9)
    ax.set_ylim(len(ranked) - 0.4, -0.6)
    ax.set_xlim(0.7, len(ranked) + 0.7)
    ax.set_xticks(range(1, len(ranked) + 1))
    ax.grid(axis="y", visible=False)
    ax.set_xlabel("mean rank by accuracy, 1 is best (full: readable; hollow: black box)")
    return figure


CACTUS = ("wdbc", "adult", "weather_aus", "lookalike-labor")


@dataclass(frozen=True)
class Plot:
    """A plot of a page: what it shows, for those who do not see it, and the values that it is drawn from."""

    description: str
    values: tuple[Any, ...]
    draw: Callable[..., "Figure"]

    @property
    def digest(self) -> str:
        """Return letters that are others for other values."""
        return sha256(repr((self.description, self.values)).encode()).hexdigest()[:16]

    def to_svg(self, name: str) -> str:
        with themed():
            return to_svg(self.draw(*self.values), name, self.description, self.digest)


def plots(results: Results, standings: Standings) -> dict[str, Plot | None]:
    """Return all plots by name; None where nothing was measured."""
    return {
        "ranks": _ranks(standings),
        "fronts": _fronts(results),
        "cactus": _cactus(results),
        "formulations": _formulations(results),
        **{f"ablation_{name}": _ablation(results, name) for name in PARAMETERS},
        "growth": _growth(results),
    }


def _ranks(standings: Standings) -> Plot | None:
    if len(standings.ranked) < 2:
        return None
    said = ", ".join(f"{title_of(standing.rival)} {standing.rank:.1f}" for standing in standings.ranked)
    return Plot(f"Mean ranks by accuracy: {said}", (standings.ranked, standings.critical_difference), draw_ranks)


def _style(part: MeasuredPart, results: Results, shown: Container[str]) -> dict[str, RivalLook]:
    """Return looks of rivals, ours first, since they are what readers look for."""
    rivals = sorted(
        (rival for rival in part.rivals if rival in shown), key=lambda rival: (not is_ours(rival), rival != OURS)
    )
    return looks(rivals, results.readable)


def _fronts(results: Results) -> Plot | None:
    part = results.part("defaults")
    panels: dict[str, list[Point]] = {}
    for problem in in_order(part.problems):
        for rival, settings, group in _models(part, problem):
            accuracy, size = group.mean("accuracy"), group.median("size")
            if rival in results.readable and accuracy is not None and size is not None:
                panels.setdefault(problem, []).append(Point(rival, size, accuracy, settings))
    if not panels:
        return None
    shown = {point.rival for points in panels.values() for point in points}
    style = _style(part, results, shown)
    description = f"Accuracy against the size of the rule on {listed(map(title_of_data, panels))}"
    return Plot(description, (panels, style), draw_fronts)


def _models(part: MeasuredPart, problem: str) -> Iterator[tuple[str, str, FoldGroup]]:
    """Yield rival, settings and folds; trees as short as ours are one model, though settings differ between folds."""
    short: list[Run] = []
    for (rival, settings), group in part.groups(problem).items():
        if "most_conditions" in group.runs[0].settings:
            short += group.runs
        else:
            yield rival, settings, group
    if short:
        yield short[0].trial.rival, "most_conditions", FoldGroup(tuple(short))


def _cactus(results: Results) -> Plot | None:
    # of ours only the kind that the paper has there
    part = results.part("tables").where(
        lambda run: (
            run.trial.problem in CACTUS
            and run.is_done
            and (not is_ours(run.trial.rival) or run.trial.rival == "imli incremental cnf")
        )
    )
    panels: dict[str, dict[str, list[float]]] = {}
    for run in part:
        if run.trial.rival in results.readable and run.outcome.seconds is not None:
            curves = panels.setdefault(run.trial.problem, {})
            curves.setdefault(run.trial.rival, []).append(run.outcome.seconds)
    if not panels:
        return None
    ordered = {problem: panels[problem] for problem in CACTUS if problem in panels}
    style = _style(part, results, {rival for curves in panels.values() for rival in curves})
    description = f"Seconds of the trials that ended in time on {listed(map(title_of_data, ordered))}"
    return Plot(description, (ordered, style), draw_cactus)


def _formulations(results: Results) -> Plot | None:
    part = results.part("formulations").where(lambda run: run.accuracy is not None)
    panels: dict[str, dict[str, dict[str, list[float]]]] = {
        problem: {SECONDS: {}, "error in %": {}, "size of the rule": {}} for problem in in_order(part.problems)
    }
    for run in part:
        seconds, error, size = panels[run.trial.problem].values()
        rival = run.trial.rival
        if run.is_done:
            seconds.setdefault(rival, []).append(run.outcome.seconds or 0.0)
        error.setdefault(rival, []).append(100 - (run.accuracy or 0.0))
        size.setdefault(rival, []).append(run.size or 0)
    if not panels:
        return None
    order = list(
        dict.fromkeys(rival for rival in ("imli exact", "imli minibatch", *part.rivals) if rival in part.rivals)
    )
    # all are ours, so they need colours of their own
    style = dict(zip(order, looks(map(str, range(len(order))), set()).values(), strict=True))
    description = f"Seconds, error and size of three formulations on {listed(map(title_of_data, panels))}"
    return Plot(description, (panels, style), draw_formulations)


def _ablation(results: Results, parameter: str) -> Plot | None:
    part = results.part("ablations")
    panels = {}
    for problem in in_order(part.problems):
        runs = varied(part, problem, parameter)
        if runs:
            panels[problem] = {measure: curve(runs, parameter, measure) for measure in MEASURES}
    if not panels:
        return None
    description = f"Accuracy, size and seconds against {PARAMETERS[parameter]} on {listed(map(title_of_data, panels))}"
    return Plot(description, (panels,), partial(draw_ablation, parameter))


def _growth(results: Results) -> Plot | None:
    part = results.part("growth").where(lambda run: run.is_done and bool(run.outcome.seconds))
    found: dict[str, dict[int, list[float]]] = {}
    for run in part:
        found.setdefault(run.trial.rival, {}).setdefault(run.outcome.n_train, []).append(run.outcome.seconds or 0.0)
    if not found:
        return None
    curves = {rival: [(rows, median(seconds)) for rows, seconds in sorted(by_rows.items())]
              for rival, by_rows in found.items()}  # fmt: skip
    description = f"Seconds against rows on {listed(map(title_of_data, in_order(part.problems)))}"
    return Plot(description, (curves, _style(part, results, curves)), draw_growth)
