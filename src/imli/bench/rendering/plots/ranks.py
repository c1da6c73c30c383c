"""Mean ranks over data sets."""

from typing import TYPE_CHECKING

from imli.bench.rendering.names import is_ours, title_of
from imli.bench.rendering.standings import Standing
from imli.bench.rendering.theme import OURS_COLOUR, SOFT, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_ranks(ranked: list[Standing], critical_difference: float | None) -> "Figure":
    """A line for each rival, the best on top. Bars that do not overlap belong to rivals that can be told apart."""
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
