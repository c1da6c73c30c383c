"""The figures of the project's README: what imli is good at, and a small table beside other learners."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

from imli_bench.pages.marks import NOTHING, OURS, bullets, is_ours, table, title_of
from imli_bench.pages.measured import Results
from imli_bench.pages.standings import Standings, beside_black_boxes, beside_cart, beside_ripper, seconds_of
from imli_bench.results import ResultFile

# The learners that the small table shows beside ours.
_SHOWN = (OURS, "imli dnf", "jrip", "rulefit", "cart", "corels", "ebm", "gradient_boosting", "random_forest")


def front_of(results: Path, comparison: Path) -> dict[str, Callable[[], str]]:
    """Return what fills each place of the README, from a folder of result files and that of the comparison."""
    standings = Standings(Results(comparison))
    return {"points": partial(points, results, standings), "beside": partial(beside, standings)}


def points(results: Path, standings: Standings) -> str:
    """Return a line for each thing that imli is good at and that was measured."""
    found = (
        _accurate(standings),
        _short(standings),
        _proven(_lines(results, "proof")),
        _large(_lines(results, "large")),
        _at_work(_lines(results, "command_line")),
        _explaining(_lines(results, "explain")),
    )
    said = [sentence for sentence in found if sentence is not None]
    return bullets(said) if said else NOTHING


def beside(standings: Standings) -> str:
    """Return accuracy, length and seconds of ours and of some others, the most accurate first."""
    shown = [standing for standing in standings.ranked if standing.rival in _SHOWN]
    if not shown:
        return NOTHING
    rows = (
        [_name(standing.rival), f"{standing.accuracy:.1f} %",
         "black box" if standing.n_conditions is None else f"{standing.n_conditions:.0f}", seconds_of(standing)]
        for standing in sorted(shown, key=lambda standing: -standing.accuracy)
    )  # fmt: skip
    caption = (
        f"Accuracy is the mean over {len(standings.problems)} public tables, on rows held out. All learners have "
        "default settings; slow ones learned from a sample. Conditions are the length of a rule or a tree (geometric "
        "mean), seconds the time to learn (median)."
    )
    return f"{caption}\n\n{table(['', 'accuracy', 'conditions', 'seconds'], rows)}"


def _name(rival: str) -> str:
    name = {OURS: "imli, `RuleClassifier`", "imli dnf": "imli, `DNFClassifier`"}.get(rival, title_of(rival))
    return f"**{name}**" if is_ours(rival) else name


def _lines(results: Path, part: str) -> pd.DataFrame:
    return pd.DataFrame(ResultFile(results, part).lines())


def _numbers(lines: pd.DataFrame, column: str) -> pd.Series:
    return pd.to_numeric(lines[column])


def _accurate(standings: Standings) -> str | None:
    ripper, gaps = beside_ripper(standings), beside_black_boxes(standings)
    if ripper is None or not gaps:
        return None
    ahead = sum(gaps.values()) / len(gaps)
    return (
        "**Accurate.** With default settings, `RuleClassifier` is at least as accurate as the better of two RIPPERs on "
        f"{ripper[0]} of {ripper[1]} tables. The best black box of each table is {ahead:.1f} points ahead on average "
        "([comparison](docs/about/comparison.md))."
    )


def _short(standings: Standings) -> str | None:
    ripper, cart = beside_ripper(standings), beside_cart(standings)
    if ripper is None or cart is None:
        return None
    return (
        f"**Short.** Its rules have {100 * ripper[2]:.0f} % of the size of RIPPER's rules. A decision tree with "
        f"as many conditions is less accurate on {cart[0]} of {cart[2]} tables "
        "([how long should a rule be?](docs/recipes/length.md))."
    )


def _proven(lines: pd.DataFrame) -> str | None:
    if lines.empty:
        return None
    n_proven = (_numbers(lines, "cost") == _numbers(lines, "bound")).sum()
    return (
        "**Proven.** On request imli proves that no rule is better. For one clause on 512 tumours it did so in "
        f"{n_proven} of {len(lines)} cases, in {_numbers(lines, 'seconds').median():.1f} seconds "
        "([proofs](docs/recipes/proving.md))."
    )


def _large(lines: pd.DataFrame) -> str | None:
    if lines.empty or not (own := lines[lines["rival"] == "parts"]).size:
        return None
    millions = own["problem"].str.split().str[0].astype(int)
    most = own.loc[millions.idxmax()]
    return (
        f"**Large tables.** It learns from {most['problem']} on disk in {float(most['seconds']):.0f} seconds with "
        f"{float(most['peak_mb']) / 1000:.1f} GB of memory, and from a Dask cluster "
        "([large tables](docs/recipes/large.md))."
    )


def _at_work(lines: pd.DataFrame) -> str | None:
    if lines.empty or not (own := lines[lines["rival"] == "imli predict, to CSV"]).size:
        return None
    return (
        f"**Ready for work.** `imli predict` takes {_numbers(own, 'seconds').median():.1f} seconds for a million rows. "
        "The same rule runs as SQL or as a Python function ([production](docs/recipes/production.md))."
    )


def _explaining(lines: pd.DataFrame) -> str | None:
    if lines.empty:
        return None
    own = lines[(lines["settings"] == "surrogates") & ~lines["rival"].str.startswith("cart")]
    if own.empty:
        return None
    means = own.assign(fidelity=_numbers(own, "fidelity_percent")).groupby(["problem", "rival"])["fidelity"].mean()
    return (
        f"**Explains other models.** A rule predicts what a random forest predicts on {means.min():.0f} to "
        f"{means.max():.0f} % of the rows held out, depending on the table ([explaining](docs/recipes/explain.md))."
    )
