"""Pages made from result files: tables, plots and sentences whose figures nobody typed.

:func:`render_new` writes a page of a comparison, :func:`render` fills one that is there, :func:`render_project` all
pages of the project; ``marks.py`` says how places in a page are named.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from imli_bench.pages.curves import claims, formulation_goals, more_rows, seconds_by_batch, seconds_by_k, seconds_by_lam
from imli_bench.pages.figures import Plot, is_drawn, plots
from imli_bench.pages.front import front_of
from imli_bench.pages.marks import NOTHING, fill
from imli_bench.pages.measured import Results
from imli_bench.pages.origins import origin, outcomes, protocol, samples, scale_goals, scale_table
from imli_bench.pages.printed import PRINTED, Paper, PaperTables, agreement, appendix, missing, rows
from imli_bench.pages.readme import tables_of
from imli_bench.pages.standings import Standings, failures, goals

TEMPLATE = Path(__file__).with_name("comparison.md")


def render_new(results: Path, page: Path) -> None:
    """Write the page of a folder of result files, wherever it is to be."""
    page.write_text(TEMPLATE.read_text(encoding="utf-8"), encoding="utf-8")
    render(results, page)


def render(results: Path, page: Path, paper: Path = PRINTED, check: bool = False) -> list[Path]:
    """Fill a page from result files, and draw its plots into a folder beside it that has the page's name.

    Parameters
    ----------
    results
        A folder of result files. Parts that it does not have are said to be not measured yet.
    page
        A page in Markdown with places to fill.
    paper
        The folder with what the paper printed: ``figures.csv``, ``rules.csv`` and ``claims.csv``.
    check
        Write nothing, only tell.

    Returns
    -------
    The files, page or plots, that were not what the result files say. None is left if it was not only a check.
    """
    known = page.read_text(encoding="utf-8")
    folder = page.with_suffix("")
    found, printed = Results(results), Paper(paper)
    standings = Standings(found)
    drawn = plots(found, standings)
    wanted = {folder / f"{name}.svg": plot.to_svg(name) for name, plot in drawn.items() if plot is not None}
    filled = fill(known, makers(found, printed, standings) | {
        name: partial(_shown, plot, f"{folder.name}/{name}.svg") for name, plot in drawn.items()
    })  # fmt: skip
    stale = [path for path, svg in wanted.items() if not path.exists() or not is_drawn(path.read_text("utf-8"), svg)]
    left_over = sorted(path for path in folder.glob("*.svg") if path not in wanted)
    if not check:
        page.write_text(filled, encoding="utf-8")
        for path in left_over:
            path.unlink()
        for path in stale:
            folder.mkdir(exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
    return ([page] if filled != known else []) + stale + left_over


def makers(results: Results, paper: Paper, standings: Standings) -> dict[str, Callable[[], str]]:
    """Return what fills each place of the page that is not a plot."""
    tables = PaperTables(results, paper)
    return {
        "protocol": partial(protocol, results),
        "outcomes": partial(outcomes, results),
        "samples": partial(samples, results),
        "origin": partial(origin, results),
        "goals": partial(goals, standings),
        "standings": standings.table,
        "details": standings.details,
        "failures": partial(failures, standings),
        "tried": tables.tried,
        "table_1": tables.first,
        "table_2": tables.second,
        "table_3": tables.third,
        "formulation_goals": partial(formulation_goals, results),
        "claims": partial(claims, results, paper),
        "seconds_by_k": partial(seconds_by_k, results),
        "seconds_by_lam": partial(seconds_by_lam, results),
        "seconds_by_batch": partial(seconds_by_batch, results),
        "more_rows": partial(more_rows, results, paper),
        "scale": partial(scale_table, results),
        "scale_goals": partial(scale_goals, results),
        "agreement": partial(agreement, results, paper),
        "missing": partial(missing, results, paper),
        "rows": partial(rows, results, paper),
        "appendix": partial(appendix, results, paper),
    }


def _shown(plot: Plot | None, path: str) -> str:
    return NOTHING if plot is None else f"![{plot.description}.]({path})"


def render_project(root: Path, check: bool = False) -> list[Path]:
    """Fill all pages of a checkout from its result files; return those, and plots, that were not what the files say."""
    results, docs = root / "benchmarks" / "results", root / "docs"
    makers, stale = tables_of(results) | front_of(results, results / "quick"), []
    for page in (root / "README.md", root / "benchmarks" / "README.md", docs / "recipes" / "large.md"):
        known = page.read_text(encoding="utf-8")
        filled = fill(known, makers)
        stale += [page] if filled != known else []
        if not check:
            page.write_text(filled, encoding="utf-8")
    return stale + render(results / "quick", docs / "about" / "comparison.md", check=check)
