"""The HTML page of a report, from its summary and the templates."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from imli.report import plots, words
from imli.rules.notation import shorten
from imli.rules.text import write_count, write_share

if TYPE_CHECKING:
    from jinja2 import Environment

# Words in Hebrew, Arabic and other scripts written from right to left, with the spaces between them.
_LETTER = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]"
_RIGHT_TO_LEFT = re.compile(rf"{_LETTER}+(?:[ '.,-]*{_LETTER}+)*")


def render(summary: Mapping[str, Any]) -> str:
    """Return the HTML page that shows the summary of a report.

    Parameters
    ----------
    summary
        The ``summary`` of a :class:`imli.Report`, or an equal dict read from JSON.

    Returns
    -------
    str
        A page that needs no other file and no network.
    """
    return _render("report.html", summary)


def render_comparison(summary: Mapping[str, Any]) -> str:
    """Return the HTML page that shows the summary of a comparison of new rows with a model."""
    return _render("comparison.html", summary)


def render_inspection(summary: Mapping[str, Any]) -> str:
    """Return the HTML page that shows a look at a table."""
    return _render("inspection.html", summary)


def _render(template: str, summary: Mapping[str, Any]) -> str:
    page: str = _environment().get_template(template).render(summary)
    # Text from a table may have single surrogates, which cannot be encoded.
    return page.encode("utf-8", "replace").decode("utf-8")


def require_jinja() -> Any:
    """Return the jinja2 module, or raise an ImportError that says how to install it."""
    try:
        import jinja2
    except ImportError:
        raise ImportError('A report needs jinja2. Install it with: pip install "imli[report]".') from None
    return jinja2


def _isolate(text: str) -> Any:
    """Return the escaped text with right-to-left parts in <bdi>, so that the order of the other parts is kept."""
    jinja2 = require_jinja()
    escaped = str(jinja2.filters.escape(text))
    return jinja2.filters.Markup(_RIGHT_TO_LEFT.sub(lambda found: f"<bdi>{found[0]}</bdi>", escaped))


@cache
def _environment() -> "Environment":
    jinja2 = require_jinja()
    templates = files("imli.report") / "templates"
    environment: Environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (templates / name).read_text(encoding="utf-8")),
        autoescape=True,  # of everything: names and values come from data
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "apart": _isolate,
        "count": write_count,
        "day": words.day,
        "number_of": words.number_of,
        "percent": words.percent,
        "plus_minus": words.plus_minus,
        "rows": words.rows,
        "shorten": shorten,
        "right": write_share,
        "forest": plots.forest,
        "curve": plots.curve,
    }
    return environment
