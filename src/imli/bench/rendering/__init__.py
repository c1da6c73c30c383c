"""Pages made from result files: tables, plots and sentences whose figures nobody typed.

:func:`~imli.bench.rendering.page.render` fills a page; ``marks.py`` is how a page says where what goes.
"""
