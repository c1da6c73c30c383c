"""Numbers and dates as a report writes them.

A report as a page of HTML that needs nothing else.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from imli.report import plots, words
from imli.rules.notation import shorten
from imli.rules.text import write_count, write_footer, write_share

if TYPE_CHECKING:
    from jinja2 import Environment

# words in Hebrew, Arabic and other scripts of that direction, and what is between them
_LETTER = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]"
_RIGHT_TO_LEFT = re.compile(rf"{_LETTER}+(?:[ '.,-]*{_LETTER}+)*")


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


def _apart(text: str) -> Any:
    """The text, its parts that are written from right to left apart, so that what follows them stays where it is."""
    jinja2 = require_jinja()
    escaped = str(jinja2.filters.escape(text))
    return jinja2.filters.Markup(_RIGHT_TO_LEFT.sub(lambda found: f"<bdi>{found[0]}</bdi>", escaped))


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
        "apart": _apart,
        "count": write_count,
        "day": words.day,
        "number_of": words.number_of,
        "percent": words.percent,
        "plus_minus": words.plus_minus,
        "points": words.points,
        "rows": words.rows,
        "shorten": shorten,
        "right": write_share,
        "footer": write_footer,
        "forest": plots.forest,
        "curve": plots.curve,
    }
    return environment
