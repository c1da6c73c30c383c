"""Accuracy against size, a panel for each data set."""

from math import ceil
from typing import TYPE_CHECKING, Any

from imli.bench.rendering.names import title_of, title_of_data
from imli.bench.rendering.sums import Point, front
from imli.bench.rendering.theme import SOFT, Look, legend_above, logarithmic, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PATH = "imli path"
# where a rule without conditions stands on an axis that has no zero
_NOTHING = 0.4


def draw_fronts(panels: dict[str, list[Point]], style: dict[str, Look]) -> "Figure":
    """All rivals on each data set, and a line through those that no other beats."""
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
    legend_above(figure, _handles(style), 4)
    return figure


def _panel(ax: "Axes", points: list[Point], style: dict[str, Look]) -> None:
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


def _handles(style: dict[str, Look]) -> list[Any]:
    from matplotlib.lines import Line2D

    points = [Line2D([], [], linestyle="-" if rival == PATH else "none", markersize=5.5, label=title_of(rival),
                     **look.mark) for rival, look in style.items()]  # fmt: skip
    return [*points, Line2D([], [], color=SOFT, linewidth=1, label="not beaten by any")]
