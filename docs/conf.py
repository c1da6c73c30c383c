"""The documentation: ``python -m sphinx -W --keep-going -n docs docs/_build``. Pages fetch nothing from elsewhere."""

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from imli import __version__

project = "imli"
author = "the developers of imli"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "data"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 2

# Types stand in signatures only, and are shown beside what the docstring says of a parameter.
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
python_maximum_signature_line_length = 80
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
# what others document, which is not looked up
nitpick_ignore_regex = [("py:class", r"(collections|datetime|numpy|narwhals|os|typing)\..*")]

html_theme = "pydata_sphinx_theme"
html_title = "imli"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_copy_source = False
html_show_sourcelink = False
# only pages with neighbours below the top have something to show on the left
_flat = ("index", "start", "kinds", "command-line", "concepts", "extending")
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
    """An array is enough to know: not its shape and dtype in NumPy's own terms."""
    lines[:] = [re.sub(r"numpy\.ndarray\[.*\]\]", "numpy.ndarray", line) for line in lines]


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", shorten_arrays, priority=600)  # after napoleon
    app.connect("build-finished", refuse_what_is_fetched)
