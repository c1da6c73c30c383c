"""A report as a page of HTML that needs nothing else."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from imli.report import plots, words
from imli.rules.text import write_count, write_footer, write_share

if TYPE_CHECKING:
    from jinja2 import Environment


def render(summary: Mapping[str, Any]) -> str:
    """The page that shows a summary, and nothing but it."""
    page: str = _environment().get_template("report.html").render(summary)
    # text from a table may hold halves of signs, which no file can
    return page.encode("utf-8", "replace").decode("utf-8")


def require_jinja() -> Any:
    """The jinja2 module, or what to do about it."""
    try:
        import jinja2
    except ImportError:
        raise ImportError('A report needs jinja2. Install it with: pip install "imli[report]".') from None
    return jinja2


@cache
def _environment() -> "Environment":
    jinja2 = require_jinja()
    templates = files("imli.report") / "templates"
    environment: Environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (templates / name).read_text(encoding="utf-8")),
        autoescape=True,  # everything: names and values come from data
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "count": write_count,
        "day": words.day,
        "number_of": words.number_of,
        "percent": words.percent,
        "plus_minus": words.plus_minus,
        "points": words.points,
        "rows": words.rows,
        "right": write_share,
        "footer": write_footer,
        "forest": plots.forest,
        "curve": plots.curve,
    }
    return environment
