"""Pages made from result files: tables, plots and sentences whose figures nobody typed.

:func:`render_new` writes a page, :func:`render` fills one that is there; ``marks.py`` says how places in it are named.
"""

from imli.bench.rendering.page import render, render_new

__all__ = ["render", "render_new"]
