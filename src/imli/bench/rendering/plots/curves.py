"""What a parameter does, and how seconds grow with rows."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from imli.bench.rendering.ablations import PARAMETERS, Spread
from imli.bench.rendering.names import title_of, title_of_data
from imli.bench.rendering.theme import OURS_COLOUR, Look, legend_above, logarithmic, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TRAINING = "#d55e00"
_COLUMNS = (
    ("accuracy in %", ("train_accuracy", "accuracy")),
    ("size of the rule", ("size",)),
    ("seconds", ("seconds",)),
)


def draw_ablation(parameter: str, panels: Mapping[str, Mapping[str, list[Spread]]]) -> "Figure":
    """A row for each data set; medians as lines, and the middle half of the trials as bands."""
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


def draw_growth(curves: Mapping[str, Sequence[tuple[float, float]]], style: Mapping[str, Look]) -> "Figure":
    """Seconds against rows, both logarithmic."""
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
