"""How plots look, and how they become files that are the same each time.

Plots are drawn dark on white; the style sheet of the documentation turns them over where a reader likes it dark. Widths
are such that the smallest text is 10 pixels high on a page that has room, and the page scrolls a plot before it shrinks
it to less than nine tenths. Text stays text, so that it can be searched, copied and read aloud.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any

from imli.bench.rendering.names import is_ours

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
class Look:
    """How a rival is drawn in all plots of a page."""

    colour: str
    marker: str
    dashes: Any
    is_readable: bool

    @property
    def mark(self) -> dict[str, Any]:
        """For a point: full if its models can be read, hollow if they cannot."""
        face = self.colour if self.is_readable else "white"
        return {"marker": self.marker, "color": self.colour, "markerfacecolor": face, "markeredgecolor": self.colour}


def looks(rivals: Iterable[str], readable: set[str]) -> dict[str, Look]:
    """A look for each rival. Ours share a colour; no two others share colour and marker."""
    found: dict[str, Look] = {}
    n_ours = n_others = 0
    for rival in rivals:
        if is_ours(rival):
            marker = _OUR_MARKERS.get(rival, "o")
            found[rival] = Look(OURS_COLOUR, marker, _DASHES[n_ours % len(_DASHES)], rival in readable)
            n_ours += 1
        else:
            colour, marker = _COLOURS[n_others % len(_COLOURS)], _MARKERS[n_others % len(_MARKERS)]
            dashes = _DASHES[n_others // len(_COLOURS) % len(_DASHES)]
            found[rival] = Look(colour, marker, dashes, rival in readable)
            n_others += 1
    return found


@contextmanager
def themed() -> Iterator[None]:
    """Draw in our style, whatever the reader's own is."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            'Drawing a comparison needs matplotlib. Install it with: pip install "imli[plot]".'
        ) from None
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def new_figure(height: float, n_rows: int = 1, n_columns: int = 1, **options: Any) -> tuple["Figure", list["Axes"]]:
    """A figure as wide as a page, and its axes row by row."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False, **options)
    return figure, list(axes.flat)


def legend_above(figure: "Figure", handles: list[Any], n_columns: int) -> None:
    """One legend for all axes, where it hides nothing."""
    figure.legend(handles=handles, loc="outside upper left", ncols=n_columns, handletextpad=0.5, columnspacing=1.4)


def to_svg(figure: "Figure", name: str, description: str, digest: str) -> str:
    """The figure as SVG: the same text for the same figure, on any day. The digest says what it was drawn from."""
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
    """Whether a file shows what it should: it is the same text, or another matplotlib drew it from the same values."""
    if known == new:
        return True
    (known_program, known_digest), (program, digest) = (_about(text) for text in (known, new))
    return known_program != program and known_digest == digest


def _about(svg: str) -> tuple[str | None, str | None]:
    """The program that drew it and the digest of what it drew."""
    program = re.search(r"<dc:title>matplotlib [^<]*</dc:title>", svg)
    digest = re.search(r"<dc:identifier>(.*?)</dc:identifier>", svg)
    return program and program[0], digest and digest[1]


def logarithmic(ax: "Axes", which: str, ticks: Iterable[float] = ()) -> None:
    """A logarithmic axis with ticks as people write numbers: at these places, or as many as its range needs.

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
