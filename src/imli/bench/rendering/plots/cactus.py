"""How many trials end up at or below a value: the more to the right and the lower, the better."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from imli.bench.rendering.names import title_of, title_of_data
from imli.bench.rendering.theme import Look, legend_above, logarithmic, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Curves = Mapping[str, Sequence[float]]  # by rival
SECONDS = "seconds"


def draw_cactus(panels: Mapping[str, Curves], style: Mapping[str, Look]) -> "Figure":
    """Seconds of the trials that ended in time, a panel for each data set."""
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


def draw_formulations(panels: Mapping[str, Mapping[str, Curves]], style: Mapping[str, Look]) -> "Figure":
    """A row for each data set, a column for each measure."""
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


def _curves(ax: "Axes", curves: Curves, style: Mapping[str, Look], *, is_log: bool) -> None:
    for rival, values in curves.items():
        ordered = sorted(values)
        look = style[rival]
        ax.plot(range(1, len(ordered) + 1), ordered, color=look.colour, linestyle=look.dashes, linewidth=1.6,
                marker=look.marker, markersize=4, markevery=1 if len(ordered) < 9 else 0.12,
                markeredgewidth=0)  # fmt: skip
    if is_log and curves:
        logarithmic(ax, "y")
    ax.set_xlim(0, None)


def _handles(style: Mapping[str, Look]) -> list[Any]:
    from matplotlib.lines import Line2D

    return [Line2D([], [], color=look.colour, linestyle=look.dashes, linewidth=1.6, marker=look.marker, markersize=4,
                   markeredgewidth=0, label=title_of(rival)) for rival, look in style.items()]  # fmt: skip
