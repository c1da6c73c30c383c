"""The problems that are compared on, by name: data sets, look-alikes of some, and some whose rule is known."""

import difflib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from imli.arrays import BoolArray
from imli.bench import lookalikes, openml, planted
from imli.bench.tables import Table as Table
from imli.bench.tables import tidied
from imli.places import brief

PLANTED_ROWS = 10_000


@dataclass(frozen=True)
class Problem:
    """What is known of a problem before it is loaded."""

    name: str
    title: str  # how tables call it
    positive: str  # what True means, in words
    n_rows: int
    n_positive: int | None = None  # None where it is up to chance
    original: str | None = None  # the problem that it is a look-alike of

    @property
    def is_planted(self) -> bool:
        return self.name in planted.RULES


_ALL = (
    Problem("parkinsons", "Parkinsons", "has Parkinson's disease", 195, 147),
    Problem("wdbc", "WDBC", "malignant", 569, 212),
    Problem("pima", "Pima", "has diabetes", 768, 268),
    Problem("titanic", "Titanic", "survived", 1_043, 425),
    Problem("magic", "MAGIC", "gamma", 19_020, 12_332),
    Problem("tomshardware", "Tom's HW", "has the label 1", 28_170, 9_072),
    Problem("credit_default", "Credit default", "defaults next month", 30_000, 6_636),
    Problem("adult", "Adult", "earns more than 50,000 $", 32_561, 7_841),
    Problem("bank_marketing", "Bank marketing", "subscribes", 45_211, 5_289),
    Problem("connect4", "Connect-4", "first player wins", 67_557, 44_473),
    Problem("weather_aus", "Weather AUS", "rains tomorrow", 107_868, 22_393),
    Problem("skin", "Skin", "skin", 245_057, 50_859),
    Problem("vote", "Vote", "republican", 435, 168),
    Problem("labor", "Labor", "good", 57, 37),
    Problem("credit_g", "Credit-g", "good", 1_000, 700),
    Problem("lookalike-vote", "look-alike of Vote", "republican", 131_072, original="vote"),
    Problem("lookalike-labor", "look-alike of Labor", "good", 1_000_000, original="labor"),
    Problem("lookalike-credit_g", "look-alike of Credit-g", "good", 1_000_000, original="credit_g"),
    Problem("planted-dnf", "planted DNF", "true", PLANTED_ROWS),
    Problem("planted-cnf", "planted CNF", "true", PLANTED_ROWS),
    Problem("planted-list", "planted list", "true", PLANTED_ROWS),
    Problem("planted-set", "planted set", "true", PLANTED_ROWS),
    Problem("planted-noise", "planted DNF, 10 % noise", "true", PLANTED_ROWS),
)
PROBLEMS = {problem.name: problem for problem in _ALL}


def find(name: str) -> Problem:
    """The problem of this name."""
    if name not in PROBLEMS:
        near = difflib.get_close_matches(str(name), PROBLEMS, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Problems are {', '.join(PROBLEMS)}."
        raise ValueError(f"There is no problem {brief(name)}. {hint}")
    return PROBLEMS[name]


def load(name: str, data: Path | None = None, cache: Path | None = None) -> Table:
    """A problem's rows.

    Parameters
    ----------
    name
        One of PROBLEMS.
    data
        A folder that has data sets as Parquet files, with the labels, 0 and 1, in the column ``target``. Without it,
        OpenML is asked; wdbc comes with scikit-learn.
    cache
        A folder to keep look-alikes in, which else are made anew.

    Examples
    --------
    >>> table = load("wdbc")
    >>> table.X.shape, int(table.y.sum()), table.positive
    ((569, 30), 212, 'malignant')
    """
    problem = find(name)
    if problem.is_planted:
        return planted.make(name, problem.n_rows)
    if problem.original is not None:
        original = load(problem.original, data)
        if cache is None:
            return lookalikes.make(original, problem.n_rows)
        return lookalikes.make_once(original, problem.n_rows, Path(cache))
    if data is not None:
        X, y = read_parquet(name, Path(data))
    elif name == "wdbc":
        X, y = _wdbc()
    elif name in openml.SOURCES:
        X, y = openml.fetch(name)
        refuse_another(problem, y)
    else:
        raise ValueError(
            f"OpenML does not have {name!r} with the rows and labels that results are about. "
            f"Give a folder that has {name}.parquet."
        )
    return Table(name, X, y, problem.positive)


def read_parquet(name: str, folder: Path) -> tuple[pd.DataFrame, BoolArray]:
    """The columns and labels of a file in a folder of data sets, also of one that is no problem here."""
    path = folder / f"{name}.parquet"
    if not folder.is_dir():
        raise FileNotFoundError(f"There is no folder {str(folder)!r}. Give one that has {path.name}.")
    if not path.is_file():
        there = sorted(file.stem for file in folder.glob("*.parquet"))
        near = difflib.get_close_matches(name, there, n=1)
        has = f"It has {near[0]}.parquet." if near else "It has others." if there else "It has no Parquet files at all."
        raise FileNotFoundError(f"The folder {str(folder)!r} has no file {path.name!r}. {has}")
    try:
        frame = pd.read_parquet(path)
    except ValueError as error:  # of pyarrow, which says more than a user can do something about
        raise ValueError(f"{str(path)!r} is not a Parquet file that can be read.") from error
    if "target" not in frame:
        raise ValueError(f"{str(path)!r} has no column 'target'. Its labels, 0 and 1, must be there.")
    target = frame.pop("target")
    odd = target[~target.isin([0, 1])]
    if len(odd):
        raise ValueError(f"The column 'target' of {str(path)!r} must hold 0 and 1 only. Got {brief(odd.tolist()[0])}.")
    return tidied(frame), target.to_numpy(dtype=bool)


def _wdbc() -> tuple[pd.DataFrame, BoolArray]:
    from sklearn.datasets import load_breast_cancer

    found = load_breast_cancer(as_frame=True)
    return tidied(found.data), np.asarray(found.target == 0)


def refuse_another(problem: Problem, y: BoolArray) -> None:
    """Labels that are not those of the problem, which whoever has changed a data set at its source cannot know of."""
    if (len(y), int(y.sum())) != (problem.n_rows, problem.n_positive):
        raise ValueError(
            f"What OpenML has as {problem.name!r} is another data set: it has {len(y):,} rows, {int(y.sum()):,} of "
            f"them positive, where {problem.n_rows:,} and {problem.n_positive:,} were expected. "
            f"Give a folder that has {problem.name}.parquet."
        )
