"""The documentation: ``python -m sphinx -W --keep-going -n docs docs/_build``. Pages fetch nothing from elsewhere."""

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from imli import __version__
from imli.cli.options import parse
from imli.learning.parameter_table import PARAMETERS

project = "imli"
author = "the developers of imli"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "data"]
myst_enable_extensions = ["attrs_inline", "deflist", "substitution"]  # a picture has a class for dark pages
myst_heading_anchors = 2


def describe(name: str) -> str:
    """Return the description of a parameter, with its type, default and flag, as Markdown."""
    parameter, action = PARAMETERS[name], _FLAGS.get(f"--{name.replace('_', '-')}")
    words = [f'* `"{word}"`: {meaning}.' for word, meaning in parameter.words.items()]
    facts = f"**Type:** {parameter.type}. **Default:** `{parameter.default!r}`."
    if action is not None:
        value = (
            "" if action.metavar is None else f" [{action.metavar}]" if action.nargs == "?" else f" {action.metavar}"
        )
        facts += f" **Flag:** `{action.option_strings[0]}{value}`."
    return "\n\n".join([parameter.description, *(["\n".join(words)] if words else []), facts])


# {{ name }} on a page is the description of a parameter.
_FLAGS = parse(["path"]).parser._option_string_actions
myst_substitutions = {name: describe(name) for name in PARAMETERS}

# Types stand in signatures only, and are shown beside what the docstring says of a parameter.
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
python_maximum_signature_line_length = 80
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
# what others document, which is not looked up
nitpick_ignore_regex = [
    ("py:class", r"(collections|datetime|numpy|narwhals|os|pathlib|typing)\..*|Any"),
    ("py:class", r"imli\.(learning|table)\..*"),  # types that only those who extend imli meet
]

html_theme = "pydata_sphinx_theme"
html_title = "imli"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_copy_source = False
html_show_sourcelink = False
# only pages with neighbours below the top have something to show on the left
_flat = ("index", "start", "reading", "features", "kinds", "command-line", "concepts", "extending")
html_sidebars = {"**": ["sidebar-nav-bs"]} | {page: [] for page in _flat} | {"search": [], "genindex": []}
html_theme_options = {
    "logo": {"text": "imli"},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

# Whatever a browser would fetch from elsewhere; links for people to follow are none of it.
_FETCHED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?:https?:)?//[^\s>]*
      | <link\b(?=[^>]*\brel=["']?(?:stylesheet|preload|icon|preconnect))[^>]*\bhref=["']?(?:https?:)?//[^\s>]*
      | (?:url\(|@import)\s*["']?(?:https?:)?//[^\s)]*""",
    re.VERBOSE | re.IGNORECASE,
)


def refuse_what_is_fetched(app: Sphinx, error: Exception | None) -> None:
    """Stop if a page would load something over the network."""
    if error is not None:
        return
    for path in sorted(Path(app.outdir).rglob("*")):
        if path.suffix in (".html", ".css") and (found := _FETCHED.search(path.read_text(encoding="utf-8"))):
            raise ExtensionError(f"{path} fetches from elsewhere: {found.group()}. Bring the file along instead.")


def shorten_arrays(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:  # noqa: ARG001
    """Replace the type of an array, with its shape and dtype, by its name."""
    lines[:] = [re.sub(r"numpy\.ndarray\[.*\]\]", "numpy.ndarray", line) for line in lines]


def setup(app: Sphinx) -> None:
    """Connect the functions of this file to Sphinx."""
    app.connect("autodoc-process-docstring", shorten_arrays, priority=600)  # after napoleon
    app.connect("build-finished", refuse_what_is_fetched)
